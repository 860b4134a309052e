"""`retrodoc doctor`: what could be used here, and why not the rest."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from retrodoc.cli.options import BaseUrl, KeyEnv, Model, Provider, TargetPath, TrustConfig


class DoctorFormat(StrEnum):
    text = "text"
    json = "json"


def doctor(
    path: TargetPath = Path(),
    provider: Provider = None,
    model: Model = None,
    base_url: BaseUrl = None,
    key_env: KeyEnv = None,
    output: Annotated[DoctorFormat, typer.Option("--format", help="How to print it.")] = DoctorFormat.text,
    trust_config: TrustConfig = False,
) -> None:
    """Say which providers are usable, what a model file is, and which grammars load. Sends nothing that costs."""
    import json

    from retrodoc.config import load_settings
    from retrodoc.llm.diagnosis import examine
    from retrodoc.publish.llm_text import diagnosis_text

    said = {"provider": provider, "model": model, "base_url": base_url, "key_env": key_env}
    settings = load_settings(path, {"llm": said}, trust=trust_config)
    diagnosis = examine(settings.llm)
    if output is DoctorFormat.json:
        typer.echo(json.dumps(diagnosis.as_dict(), indent=2))
    else:
        typer.echo(diagnosis_text(diagnosis))
    if not diagnosis.chosen_usable:
        raise typer.Exit(2)
