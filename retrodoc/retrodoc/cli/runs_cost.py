"""`retrodoc runs cost`: what a run's model calls came to, by pass, model and unit."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from retrodoc.cli.options import RunsFolder


class CostFormat(StrEnum):
    text = "text"
    json = "json"


def cost(
    run: Annotated[str | None, typer.Argument(metavar="[RUN]", show_default="the latest run")] = None,
    path: Annotated[
        Path, typer.Option("--path", metavar="PATH", help="The documented folder.", show_default="the current folder")
    ] = Path(),
    output: Annotated[CostFormat, typer.Option("--format", help="How to print it.")] = CostFormat.text,
    runs_folder: RunsFolder = None,
) -> None:
    """Show calls, tokens, money, tries and time of a run's model calls."""
    import json

    from retrodoc.llm.costs import run_costs
    from retrodoc.publish.llm_text import costs_text
    from retrodoc.store import open_store

    costs = run_costs(open_store(path, runs_folder), run)
    if output is CostFormat.json:
        typer.echo(json.dumps(costs.as_dict(), indent=2))
    else:
        typer.echo(costs_text(costs.by_pass, costs.by_unit, costs.stats))
