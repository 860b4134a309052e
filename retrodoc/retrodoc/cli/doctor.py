"""`retrodoc doctor`: what could be used here, and why not the rest."""

from __future__ import annotations

from pathlib import Path

import click

from retrodoc.cli import options
from retrodoc.cli.failure import Command
from retrodoc.cli.values import PLACE


@click.command(cls=Command)
@click.argument(
    "path",
    required=False,
    type=PLACE,
    help="A repository, or a folder inside one, whose retrodoc.toml counts as well; else the current folder's.",
)
@options.model
@options.output_format("text", "json")
@options.trust_config
def doctor(
    path: Path | None,
    provider: str | None,
    model: str | None,
    base_url: str | None,
    key_env: str | None,
    output: str,
    trust_config: bool,
) -> int:
    """Say which providers are usable, what a model file is, and which grammars load. Sends nothing that costs."""
    import json

    from retrodoc.config import load_settings
    from retrodoc.llm.diagnosis import examine
    from retrodoc.publish.llm_text import diagnosis_text
    from retrodoc_runs.gitsnapshot import locate

    said = {"provider": provider, "model": model, "base_url": base_url, "key_env": key_env}
    if path is not None:
        locate(path)  # raises where there is no repository; without one, the question is what this machine has
    settings = load_settings(path or Path(), {"llm": said}, trust=trust_config)
    diagnosis = examine(settings.llm)
    if output == "json":
        click.echo(json.dumps(diagnosis.as_dict(), indent=2))
    else:
        click.echo(diagnosis_text(diagnosis))
    return 0 if diagnosis.chosen_usable else 2
