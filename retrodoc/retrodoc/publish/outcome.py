"""What `generate` and `render` print when they are done: the confidence report, where the pages are, how to go on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from retrodoc.publish.wording import counted, plain

if TYPE_CHECKING:
    from retrodoc.generating import Outcome
    from retrodoc.publish.layout import Output
    from retrodoc.publish.write import WritePlan

MAX_KEPT = 10
"""Edited pages named; the rest is counted."""


def print_outcome(outcome: Outcome, *, quiet: bool) -> None:
    """On standard output; with `--dry-run` the diff of the pages alone."""
    if outcome.dry_run:
        _print_diff(outcome.plan)
        return
    if outcome.book is None or outcome.plan is None:
        _print(f"Nothing changed since run {outcome.run.id}: no call was made and no page was written.")
    else:
        from retrodoc.publish.report import report_of
        from retrodoc.publish.report_text import print_report

        print_report(report_of(outcome.book, outcome.passes), sys.stdout, quiet=quiet)
        _print("")
        print_pages(outcome.plan, outcome.output, dry_run=False, quiet=quiet)
    if not quiet:
        _print(f"Run {outcome.run.id} is in {outcome.runs_folder / outcome.run.id}.")


def print_pages(plan: WritePlan, output: Output, *, dry_run: bool, quiet: bool) -> None:
    """What was written and where; with `dry_run` the diff."""
    if dry_run:
        _print_diff(plan)
        return
    told = [
        f"{count} {what}"
        for count, what in (
            (len(plan.created), "new"),
            (len(plan.changed), "changed"),
            (len(plan.unchanged), "unchanged"),
            (len(plan.removed), "removed"),
        )
        if count
    ]
    _print(f"Pages: {', '.join(told) or 'none'}. Start at {output.root / output.layout.index}")
    for path in plan.kept[:MAX_KEPT]:
        _print(f"  kept as a person edited it: {plain(path)} (--overwrite replaces it)")
    if len(plan.kept) > MAX_KEPT and not quiet:
        _print(f"  and {counted(len(plan.kept) - MAX_KEPT, 'edited page')} more")


def _print_diff(plan: WritePlan | None) -> None:
    """The diff alone on standard output; that there is none is said beside it."""
    diff = plan.diff() if plan else ""
    _print(diff, end="")
    if not diff:
        sys.stderr.write("No page would change.\n")


def _print(text: str, end: str = "\n") -> None:
    sys.stdout.write(text + end)
