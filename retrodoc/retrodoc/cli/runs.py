"""`retrodoc runs`: the saved runs of a documented folder, one of them in full, and what its models cost."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from retrodoc.cli.options import Repo, RunArgument, RunsFolder
from retrodoc.cli.runs_cost import cost

runs = typer.Typer(no_args_is_help=True, help="List and show saved runs, and what they cost.")
runs.command(name="cost")(cost)


class RunsFormat(StrEnum):
    text = "text"
    json = "json"


Format = Annotated[RunsFormat, typer.Option("--format", help="How to print it.")]


@runs.command(name="list")
def list_runs(repo: Repo = None, output: Format = RunsFormat.text, runs_folder: RunsFolder = None) -> None:
    """List the saved runs, oldest first."""
    import dataclasses
    import json

    from retrodoc.publish.runs_text import runs_list_text
    from retrodoc.store import open_store

    store = open_store(repo or Path(), runs_folder)
    found = store.list()
    if output is RunsFormat.json:
        typer.echo(json.dumps([dataclasses.asdict(summary) for summary in found], indent=2))
    else:
        typer.echo(runs_list_text(found, store.folder), nl=False)


@runs.command()
def show(
    run: RunArgument = None, repo: Repo = None, output: Format = RunsFormat.text, runs_folder: RunsFolder = None
) -> None:
    """Show one run: what it read, who drafted, what was set aside and why."""
    from retrodoc.publish.runs_text import run_text
    from retrodoc.store import find_run

    found = find_run(run, repo, runs_folder)
    if output is RunsFormat.json:
        typer.echo(found.run.model_dump_json(indent=2))
    else:
        typer.echo(run_text(found.run, found.store.run_folder(found.run.id)), nl=False)
