"""`retrodoc runs`: the saved runs of a documented folder, one of them in full, and what its models cost."""

from __future__ import annotations

from pathlib import Path

import click

from retrodoc.cli import options
from retrodoc.cli.failure import Command
from retrodoc.cli.runs_cost import cost


@click.group()
def runs() -> None:
    """List and show saved runs, and what they cost."""


runs.add_command(cost)


@runs.command(name="list", cls=Command)
@options.repo
@options.output_format("text", "json")
@options.runs_folder
def list_runs(repo: Path | None, output: str, runs_folder: Path | None) -> None:
    """List the saved runs, oldest first."""
    import dataclasses
    import json

    from retrodoc.publish.runs_text import runs_list_text
    from retrodoc.store import read_store

    store = read_store(repo or Path(), runs_folder)
    found = store.list()
    if output == "json":
        click.echo(json.dumps([dataclasses.asdict(summary) for summary in found], indent=2))
    else:
        click.echo(runs_list_text(found, store.folder), nl=False)


@runs.command(cls=Command)
@options.run_argument
@options.repo
@options.output_format("text", "json")
@options.runs_folder
def show(run: str | None, repo: Path | None, output: str, runs_folder: Path | None) -> None:
    """Show one run: what it read, who drafted, what was set aside and why."""
    from retrodoc.publish.runs_text import run_text
    from retrodoc.store import find_run

    found = find_run(run, repo, runs_folder)
    if output == "json":
        click.echo(found.run.model_dump_json(indent=2))
    else:
        click.echo(run_text(found.run, found.store.run_folder(found.run.id)), nl=False)
