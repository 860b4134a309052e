"""What `retrodoc generate` does: read, draft what is missing, judge, save, write the pages."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrodoc import __version__
from retrodoc.config import Settings, load_settings
from retrodoc.passes.anchors import Anchors
from retrodoc.passes.order import Drafter, draft_run
from retrodoc.progress import Reporter
from retrodoc.publish.layout import Output, output_of
from retrodoc.publishing import Published, book_of, findings_of, origin_of, plan_of
from retrodoc.reading import Reading, read_repository
from retrodoc.store import latest_run, open_store
from retrodoc_checks import Verdict
from retrodoc_runs.models import Run
from retrodoc_runs.store import RunStore

if TYPE_CHECKING:
    from retrodoc.llm.setup import Chosen
    from retrodoc.llm.stats import PassStats
    from retrodoc.publish.book import Book
    from retrodoc.publish.write import WritePlan

Ask = Callable[[str], bool | None]
"""Asks a yes-or-no question; None when nobody is there to answer."""


@dataclass(frozen=True)
class GenerateOptions:
    """What the command line said."""

    folder: Path
    worktree: bool = False
    overrides: dict[str, Any] = field(default_factory=dict)
    trust_config: bool = False
    yes: bool = False
    judge: str = "all"
    force: bool = False
    retry: bool = False
    out: Path | None = None
    overwrite: bool = False
    dry_run: bool = False
    runs_folder: Path | None = None


@dataclass(frozen=True)
class Outcome:
    """What a run came to, for printing. `book` is None when nothing had to be judged again."""

    run: Run
    book: Book | None
    plan: WritePlan | None
    """What was, or with `--dry-run` would be, written; None when every page was as it should be."""
    output: Output
    runs_folder: Path
    dry_run: bool
    exit_code: int

    @property
    def passes(self) -> tuple[PassStats, ...]:
        """How often the model's answers had to be asked for again."""
        from retrodoc.reviewing import passes_of

        return passes_of(RunStore(self.runs_folder), self.run)


def generate_documentation(options: GenerateOptions, reporter: Reporter, ask: Ask) -> Outcome:
    """Document `options.folder`. An unfinished run of the same sources is resumed, an equal finished one kept.

    Raises what errors.py and retrodoc_runs.errors list; what was complete by then is saved.
    """
    folder = options.folder
    settings = load_settings(folder, options.overrides, trust=options.trust_config)
    chosen = _chosen(settings)
    store = open_store(folder, options.runs_folder)
    with (
        read_repository(folder, settings, worktree=options.worktree, reporter=reporter) as reading,
        store.lock(),
    ):
        key = _key(reading, settings, chosen.drafter if chosen else "outline")
        latest = latest_run(store, reporter.warn)
        run = latest if latest is not None and latest.key == key and not options.force else None
        output = output_of(folder, reading.snapshot.root, settings.output.folder, options.out)
        if run is None or not run.complete or options.retry:
            run = run or _begin(store, reading, settings, key, chosen)
            job = Drafting(run, None if options.force else latest, reading, settings, store, options, reporter, ask)
            run = job.with_model(chosen) if chosen else job.outline()
        elif not options.overwrite:
            told = Published(store.run_folder(run.id)).standing(output, run)
            if told is not None:
                return Outcome(run, None, None, output, store.folder, options.dry_run, told)
        return _publish(run, reading, settings, options, output, store, reporter)


def _publish(
    run: Run,
    reading: Reading,
    settings: Settings,
    options: GenerateOptions,
    output: Output,
    store: RunStore,
    reporter: Reporter,
) -> Outcome:
    from retrodoc.publish.write import write_pages

    with reporter.stage("checking steps", sum(len(use_case.steps) for use_case in run.use_cases)) as advance:
        findings = findings_of(run, reading.snapshot, advance, reading.syntax)
    book = book_of(run, findings, output, settings.report.threshold, reading.snapshot)
    plan = plan_of(book, output, origin_of(options.folder), overwrite=options.overwrite)
    if not options.dry_run:
        write_pages(plan)
        Published(store.run_folder(run.id)).remember(plan, run, exit_code_of(run, book))
    return Outcome(run, book, plan, output, store.folder, options.dry_run, exit_code_of(run, book))


def exit_code_of(run: Run, book: Book) -> int:
    """1 when a step is broken or cites nothing, or a unit waits for a person; 2 when no step could be checked."""
    bad = (Verdict.BROKEN, Verdict.UNSUPPORTED)
    if run.set_aside or any(step.finding.verdict in bad for step in book.steps):
        return 1
    return 0 if book.steps else 2


@dataclass
class Drafting:
    """One run's way from what is known to complete; saved at every step."""

    run: Run
    previous: Run | None
    reading: Reading
    settings: Settings
    store: RunStore
    options: GenerateOptions
    reporter: Reporter
    ask: Ask

    def outline(self) -> Run:
        """Draft without a model."""
        from retrodoc.passes.outline_drafter import OutlineDrafter

        run = self.with_surface()
        drafter = OutlineDrafter(self.reading.sources, self.reading.surface(), run.repository, run.key)
        return self._finished(self.drafted(run, drafter))

    def with_model(self, chosen: Chosen) -> Run:
        """Draft and judge by a model."""
        from retrodoc.model_run import draft_with_model

        return self._finished(draft_with_model(self, chosen))

    def with_surface(self) -> Run:
        """The run with what the application exposes, saved."""
        surface = self.reading.surface()
        if not surface.entry_points:
            self.reporter.warn("no entry point was found: no rule knows this framework, and nothing is guessed")
        run = self.run.model_copy(
            update={
                "entry_points": surface.entry_points,
                "entities": surface.entities,
                "unread": self.reading.unread,
                "notes": (),
            }
        )
        self.store.save(run)
        return run

    def drafted(self, run: Run, drafter: Drafter) -> Run:
        """The run with every feature drafted."""
        anchors = Anchors(self.reading.sources)
        return draft_run(run, drafter, anchors, self.store, self.reporter, self.previous)

    def _finished(self, run: Run) -> Run:
        run = run.model_copy(update={"complete": True, "unread": self.reading.unread})
        self.store.save(run)
        return run


def _begin(store: RunStore, reading: Reading, settings: Settings, key: str, chosen: Chosen | None) -> Run:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Run(
        id=store.new_id(now),
        key=key,
        repository=reading.name,
        subfolder=reading.snapshot.subfolder,
        commit=reading.commit,
        worktree=reading.commit is None,
        created_at=now,
        program=f"retrodoc {__version__}",
        drafter=chosen.drafter if chosen else "outline",
        language=settings.language,
    )


def _chosen(settings: Settings) -> Chosen | None:
    if settings.llm.provider is None and settings.llm.base_url is None:
        return None
    from retrodoc.llm.setup import choose

    return choose(settings.llm)


def _key(reading: Reading, settings: Settings, drafter: str) -> str:
    """Hash of all that a run depends on: sources, language, drafter, program.

    The commit is no part of it: committing the pages themselves, or anything else that is no source, needs no new run.
    """
    said = {
        "sources": reading.fingerprint,
        "unread": [(item.path, item.reason) for item in reading.unread if item.reason != "own-page"],
        "worktree": reading.commit is None,
        "language": settings.language,
        "drafter": drafter,
        "program": __version__,
    }
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
