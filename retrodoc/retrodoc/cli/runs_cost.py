"""`retrodoc runs cost`: what a run's model calls came to, by pass, model and unit."""

from __future__ import annotations

from pathlib import Path

import click

from retrodoc.cli import options


@click.command()
@click.argument("run", required=False, help="A run's id; else the latest run.")
@click.option(
    "--path",
    metavar="PATH",
    type=click.Path(path_type=Path),
    default=Path(),
    help="The documented folder.",
    show_default="the current folder",
)
@options.output_format("text", "json")
@options.runs_folder
def cost(run: str | None, path: Path, output: str, runs_folder: Path | None) -> None:
    """Show calls, tokens, money, tries and time of a run's model calls."""
    import json

    from retrodoc.llm.costs import run_costs
    from retrodoc.publish.llm_text import costs_text
    from retrodoc.store import open_store

    costs = run_costs(open_store(path, runs_folder), run)
    if output == "json":
        click.echo(json.dumps(costs.as_dict(), indent=2))
    else:
        click.echo(costs_text(costs.by_pass, costs.by_unit, costs.stats))
