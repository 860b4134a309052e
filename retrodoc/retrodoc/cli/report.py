"""`retrodoc report`: how far each use case of a saved run can be trusted."""

from __future__ import annotations

from pathlib import Path

import click

from retrodoc.cli import options
from retrodoc.cli.failure import Command


@click.command(cls=Command)
@options.run_argument
@options.repo
@options.output_format("text", "json", "md")
@options.threshold
@options.runs_folder
@options.quiet
@options.verbose
def report(
    run: str | None,
    repo: Path | None,
    output: str,
    threshold: float | None,
    runs_folder: Path | None,
    quiet: bool,
    verbose: bool,
) -> int:
    """Show the confidence in each use case: score, verdicts, what is doubtful and why.

    The checks run anew at the run's own commit, without a model. Exit code 1 when a use case can be under the
    threshold or a citation is broken, 2 when nothing was checked.
    """
    import json
    import sys

    from retrodoc.progress import Reporter
    from retrodoc.publish.report_markdown import report_markdown
    from retrodoc.publish.report_text import print_report
    from retrodoc.reviewing import report_for

    made = report_for(run, repo, runs_folder, threshold, Reporter(quiet=quiet))
    if output == "json":
        click.echo(json.dumps(made.as_dict(), indent=2, ensure_ascii=False))
    elif output == "md":
        click.echo(report_markdown(made), nl=False)
    else:
        print_report(made, sys.stdout, verbose=verbose, quiet=quiet)
    return made.exit_code
