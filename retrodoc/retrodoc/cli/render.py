"""`retrodoc render`: write the pages of a saved run again."""

from __future__ import annotations

from pathlib import Path

import click

from retrodoc.cli import options


@click.command()
@options.run_argument
@options.repo
@options.out
@options.overwrite
@options.dry_run
@options.runs_folder
@options.quiet
def render(
    run: str | None,
    repo: Path | None,
    out: Path | None,
    overwrite: bool,
    dry_run: bool,
    runs_folder: Path | None,
    quiet: bool,
) -> None:
    """Write the pages of a saved run, without drafting anything. Pages that a person edited are kept."""
    from retrodoc.progress import Reporter
    from retrodoc.publish.outcome import print_pages
    from retrodoc.publish.write import write_pages
    from retrodoc.publishing import origin_of, plan_of
    from retrodoc.reviewing import review_for
    from retrodoc.store import find_run

    found = find_run(run, repo, runs_folder)
    book, output = review_for(found, out, None, Reporter(quiet=quiet))
    plan = plan_of(book, output, origin_of(found.folder), overwrite=overwrite)
    if not dry_run:
        write_pages(plan)
    print_pages(plan, output, dry_run=dry_run, quiet=quiet)
