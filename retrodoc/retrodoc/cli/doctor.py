"""`retrodoc doctor`: what could be used here, and why not the rest."""

from __future__ import annotations

from pathlib import Path

import click

from retrodoc.cli import options


@click.command()
@options.target_path
@options.model
@options.output_format("text", "json")
@options.trust_config
def doctor(
    path: Path,
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

    said = {"provider": provider, "model": model, "base_url": base_url, "key_env": key_env}
    settings = load_settings(path, {"llm": said}, trust=trust_config)
    diagnosis = examine(settings.llm)
    if output == "json":
        click.echo(json.dumps(diagnosis.as_dict(), indent=2))
    else:
        click.echo(diagnosis_text(diagnosis))
    return 0 if diagnosis.chosen_usable else 2
