"""`retrodoc check`: judge every step of a run, or of a text that others wrote, without a model."""

from __future__ import annotations

from pathlib import Path

import click

from retrodoc.cli import options
from retrodoc.cli.failure import Command, Failure
from retrodoc.cli.values import PLACE, TEXT

FAIL_ON = ("broken", "unsupported", "doubtful", "drift")


def _fail_on(_context: click.Context, _parameter: click.Parameter, value: str) -> list[str]:
    if value.strip() == "none":
        return []
    names = [name.strip() for name in value.split(",") if name.strip()]
    if not names:  # such as of a variable that is not set
        raise click.BadParameter(f"is empty: name some of {', '.join(FAIL_ON)}, or none")
    unknown = [name for name in names if name not in FAIL_ON]
    if unknown:
        raise click.BadParameter(f"{', '.join(unknown)}: name some of {', '.join(FAIL_ON)}, or none")
    return names


class _Check(Command):
    """Each of its formats has a document for a check that could not be made."""

    def print_failure(self, output: str, failure: Failure, target: str | None) -> None:
        from retrodoc.publish.checked import print_error

        print_error(output, failure.message, failure.mend, target)


@click.command(cls=_Check)
@click.argument(
    "target",
    required=False,
    type=TEXT,
    help="A run's id or folder, a YAML list of use cases, OpenWiki claims, Markdown, or a folder of them; "
    "else the newest complete run.",
)
@click.option(
    "--repo",
    metavar="DIR",
    type=PLACE,
    help="The repository, or the folder inside one, that cited paths start from.",
    show_default="the one around TARGET, else the current folder",
)
@click.option(
    "--at",
    metavar="REV",
    type=TEXT,
    help="Say what became of each citation at this revision.",
    show_default="TARGET's own commit",
)
@click.option(
    "--base",
    metavar="REV",
    type=TEXT,
    help="Judge only what cites a line, or is on a page, that changed since REV.",
)
@options.worktree
@options.output_format("text", "json", "sarif", "junit", "github")
@click.option(
    "--fail-on",
    metavar="LIST",
    callback=_fail_on,
    default="broken,unsupported",
    show_default=True,
    help=f"What gives exit code 1: some of {', '.join(FAIL_ON)}; or none.",
)
@options.runs_folder
@options.quiet
@options.verbose
def check(
    target: str | None,
    repo: Path | None,
    at: str | None,
    base: str | None,
    worktree: bool,
    output: str,
    fail_on: list[str],
    runs_folder: Path | None,
    quiet: bool,
    verbose: bool,
) -> int:
    """Check that what is cited exists, and that the names of each step are at its lines. No model, no network.

    Exit code 0 when nothing is wrong: with --base, also when the change touches nothing that is cited. 1 for findings
    (--fail-on), 2 when nothing could be checked.
    """
    from retrodoc.checking import CheckOptions, check_target
    from retrodoc.publish.checked import print_result

    chosen = CheckOptions(repo=repo, at=at, base=base, worktree=worktree, runs_folder=runs_folder)
    result = check_target(target, chosen)
    print_result(output, result, fail_on, quiet=quiet, verbose=verbose)
    return 1 if result.failing(fail_on) else 0
