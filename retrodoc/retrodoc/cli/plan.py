"""`retrodoc plan`: what a run with a model would take, before any call."""

from __future__ import annotations

from pathlib import Path

import click

from retrodoc.cli import options
from retrodoc.cli.failure import Command


@click.command(cls=Command)
@options.target_path
@options.worktree
@options.model
@options.language
@options.output_format("text", "json")
@options.runs_folder
@options.trust_config
@options.quiet
def plan(
    path: Path,
    worktree: bool,
    provider: str | None,
    model: str | None,
    base_url: str | None,
    key_env: str | None,
    language: str | None,
    output: str,
    runs_folder: Path | None,
    trust_config: bool,
    quiet: bool,
) -> None:
    """Say how many calls, tokens and how much money a run would take. Nothing is sent and nothing is written."""
    import json

    from retrodoc.cli.overrides import llm_overrides
    from retrodoc.planning import foresee
    from retrodoc.progress import Reporter
    from retrodoc.publish.plan_text import plan_dict, plan_text

    overrides = {"language": language, "llm": llm_overrides(provider, model, base_url, key_env)}
    foreseen = foresee(path, overrides, worktree, trust_config, runs_folder, Reporter(quiet=quiet))
    if output == "json":
        click.echo(json.dumps(plan_dict(foreseen), indent=2))
    else:
        click.echo(plan_text(foreseen), nl=False)
