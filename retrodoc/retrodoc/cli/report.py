"""`retrodoc report`: how far each use case of a saved run can be trusted."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from retrodoc.cli.options import Quiet, Repo, RunArgument, RunsFolder, Threshold, Verbose


class ReportFormat(StrEnum):
    text = "text"
    json = "json"
    md = "md"


def report(
    run: RunArgument = None,
    repo: Repo = None,
    output: Annotated[ReportFormat, typer.Option("--format", help="How to print it.")] = ReportFormat.text,
    threshold: Threshold = None,
    runs_folder: RunsFolder = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
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
    if output is ReportFormat.json:
        typer.echo(json.dumps(made.as_dict(), indent=2, ensure_ascii=False))
    elif output is ReportFormat.md:
        typer.echo(report_markdown(made), nl=False)
    else:
        print_report(made, sys.stdout, verbose=verbose, quiet=quiet)
    raise typer.Exit(made.exit_code)
