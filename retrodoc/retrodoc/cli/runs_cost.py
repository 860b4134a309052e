"""`retrodoc runs cost`: what a run's model calls came to, by pass, model and unit."""

from __future__ import annotations

from pathlib import Path

import click

from retrodoc.cli import options
from retrodoc.cli.failure import Command
from retrodoc.cli.values import TEXT


@click.command(cls=Command)
@click.argument(
    "run", required=False, type=TEXT, help="A run's id or folder, or a documented folder; else the latest run here."
)
@options.repo_or_path
@options.output_format("text", "json")
@options.runs_folder
def cost(run: str | None, repo: Path | None, output: str, runs_folder: Path | None) -> None:
    """Show calls, tokens, money, tries and time of a run's model calls, also of a run that is not complete."""
    import json

    from retrodoc.llm.costs import run_costs
    from retrodoc.publish.llm_text import costs_text
    from retrodoc.store import find_place

    place = find_place(run, repo, runs_folder)
    costs = run_costs(place.store, place.run_id)
    if output == "json":
        click.echo(json.dumps(costs.as_dict(), indent=2))
    else:
        click.echo(costs_text(costs.by_pass, costs.by_unit, costs.stats))
