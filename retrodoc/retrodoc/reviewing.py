"""A saved run judged anew and arranged for reading, as `report` and `render` need it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from retrodoc.config import load_settings
from retrodoc.progress import Reporter
from retrodoc.publish.layout import Output, output_of
from retrodoc.publish.report import Report, report_of
from retrodoc.publishing import judged_book
from retrodoc.store import FoundRun, find_run
from retrodoc_runs.gitsnapshot import locate
from retrodoc_runs.models import Run
from retrodoc_runs.store import RunStore

if TYPE_CHECKING:
    from retrodoc.llm.stats import PassStats
    from retrodoc.publish.book import Book

NO_MODEL = {"llm": {"provider": "none"}}
"""These commands never ask one, so what the repository says of models does not matter."""


def report_for(
    target: str | None, repo: Path | None, runs_folder: Path | None, threshold: float | None, reporter: Reporter
) -> Report:
    """The confidence report of the run that `target` names (see `find_run`), verdicts as they are at its commit."""
    found = find_run(target, repo, runs_folder)
    book, _ = review_for(found, None, threshold, reporter)
    return report_of(book, passes_of(found.store, found.run))


def passes_of(store: RunStore, run: Run) -> tuple[PassStats, ...]:
    """How often the model's answers had to be asked for again; nothing for an outline."""
    if not run.models and run.drafter == "outline":
        return ()
    from retrodoc.llm.costs import run_costs

    return tuple(run_costs(store, run.id).stats)


def review_for(found: FoundRun, out: Path | None, threshold: float | None, reporter: Reporter) -> tuple[Book, Output]:
    """The same for a run that is at hand, and where its pages go."""
    settings = load_settings(found.folder, NO_MODEL)
    output = output_of(found.folder, locate(found.folder).root, settings.output.folder, out)
    limit = settings.report.threshold if threshold is None else threshold
    total = sum(len(use_case.steps) for use_case in found.run.use_cases)
    with reporter.stage("checking steps", total) as advance:
        return judged_book(found.run, found.folder, output, limit, advance), output
