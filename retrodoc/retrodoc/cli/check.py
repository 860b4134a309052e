"""`retrodoc check`: judge every step of a run, or of a text that others wrote, without a model."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from retrodoc.cli.options import Quiet, RunsFolder, Verbose, Worktree


class CheckFormat(StrEnum):
    text = "text"
    json = "json"
    sarif = "sarif"
    junit = "junit"
    github = "github"


FAIL_ON = ("broken", "unsupported", "doubtful", "drift")
DEFAULT_FAIL_ON = "broken,unsupported"


def _fail_on(value: str) -> str:
    names = _names(value)
    if not names and value.strip() != "none":  # such as of a variable that is not set
        raise typer.BadParameter(f"is empty: name some of {', '.join(FAIL_ON)}, or none")
    unknown = [name for name in names if name not in FAIL_ON]
    if unknown:
        raise typer.BadParameter(f"{', '.join(unknown)}: name some of {', '.join(FAIL_ON)}, or none")
    return value


def _names(value: str) -> list[str]:
    return [] if value.strip() == "none" else [name.strip() for name in value.split(",") if name.strip()]


def check(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="TARGET",
            help="A run's id or folder, a YAML list of use cases, OpenWiki claims, Markdown, or a folder of them.",
            show_default="the newest run",
        ),
    ] = None,
    repo: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The repository, or the folder inside one, that cited paths start from.",
            show_default="the one around TARGET, else the current folder",
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="REV", help="Say what became of each citation at this revision.", show_default="TARGET's own commit"
        ),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(metavar="REV", help="Judge only what cites a file, or is on a page, that changed since REV."),
    ] = None,
    worktree: Worktree = False,
    output: Annotated[CheckFormat, typer.Option("--format", help="How to print it.")] = CheckFormat.text,
    fail_on: Annotated[
        str,
        typer.Option(
            metavar="LIST", callback=_fail_on, help=f"What gives exit code 1: some of {', '.join(FAIL_ON)}; or none."
        ),
    ] = DEFAULT_FAIL_ON,
    runs_folder: RunsFolder = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Check that what is cited exists, and that the names of each step are at its lines. No model, no network.

    Exit code 0 when something was checked and nothing is wrong, 1 for findings (--fail-on), 2 when nothing could be
    checked.
    """
    from retrodoc.checking import CheckOptions, check_target
    from retrodoc.errors import RetroDocError
    from retrodoc.publish.checked import print_error, print_result
    from retrodoc_runs.errors import RunsError

    options = CheckOptions(repo=repo, at=at, base=base, worktree=worktree, runs_folder=runs_folder)
    names = _names(fail_on)
    try:
        result = check_target(target, options)
    except (RetroDocError, RunsError) as error:
        print_error(output.value, error.message, error.mend, target)
        raise
    print_result(output.value, result, names, quiet=quiet, verbose=verbose)
    if result.failing(names):
        raise typer.Exit(1)
