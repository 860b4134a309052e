"""`retrodoc scan`: what an application exposes, found without a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from retrodoc.cli import options
from retrodoc.cli.failure import Command

if TYPE_CHECKING:
    from retrodoc.progress import Reporter
    from retrodoc.scanning import Scan


@click.command(cls=Command)
@options.target_path
@options.output_format("text", "json")
@options.worktree
@options.runs_folder
@options.quiet
@options.verbose
def scan(path: Path, output: str, worktree: bool, runs_folder: Path | None, quiet: bool, verbose: bool) -> None:
    """List languages, entry points, entities and what was not read, without a model.

    Exit code 0 when something was read, 2 when there is nothing to read.
    """
    import json

    from retrodoc.progress import Reporter

    result = _scan(path, worktree, runs_folder, Reporter(quiet=quiet, verbose=verbose))
    if output == "json":
        click.echo(json.dumps(result.as_dict(), indent=2, ensure_ascii=False))
    else:
        from retrodoc.publish.scan_text import scan_text

        click.echo(scan_text(result))


def _scan(path: Path, worktree: bool, runs_folder: Path | None, reporter: Reporter) -> Scan:
    from retrodoc.config import load_settings
    from retrodoc.reading import read_repository
    from retrodoc.reviewing import NO_MODEL
    from retrodoc.scanning import scan_of
    from retrodoc.store import latest_run, open_store

    settings = load_settings(path, NO_MODEL)
    with read_repository(path, settings, worktree=worktree, reporter=reporter) as reading:
        return scan_of(reading, reading.surface(), latest_run(open_store(path, runs_folder), reporter.warn))
