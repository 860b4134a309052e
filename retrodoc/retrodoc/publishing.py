"""From a run to its pages: judge every step anew, arrange the book, compare with what is on disk, write."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from retrodoc.caching import cached_syntax
from retrodoc.publish.book import Book, build_book
from retrodoc.publish.layout import Output
from retrodoc.publish.links import Linker, forge_of
from retrodoc_checks import FileIndex, StepFinding, check_use_cases
from retrodoc_runs.files import read_own, write_atomic
from retrodoc_runs.git import Git
from retrodoc_runs.models import Judgement, Run
from retrodoc_runs.snapshot import Snapshot, open_snapshot

if TYPE_CHECKING:
    from retrodoc.publish.write import WritePlan
    from retrodoc_chunkers import Syntax

RECORD = "published.json"


def findings_of(
    run: Run,
    snapshot: Snapshot,
    advance: Callable[[], None] = lambda: None,
    syntax: Callable[[bytes, str], Syntax] | None = None,
) -> list[list[StepFinding]]:
    """The verdict of every step, use case by use case, in order. `advance` is called
    after each step; `syntax` may share what was parsed before, in place of the cache."""
    index = FileIndex(snapshot, syntax or cached_syntax())
    entities = frozenset(entity.name for entity in run.entities)
    return check_use_cases(run.use_cases, index, entities, advance)


def book_of(
    run: Run, findings: Sequence[Sequence[StepFinding]], output: Output, threshold: float, snapshot: Snapshot
) -> Book:
    """The run and its verdicts, arranged for reading, with the judgements that still hold."""
    held: tuple[Judgement, ...] = ()
    if run.judgements:
        from retrodoc.passes.evidence import Evidence, standing

        held = standing(run, Evidence(snapshot))
    return build_book(run, findings, held, output.layout, threshold)


def plan_of(book: Book, output: Output, origin: str | None, *, overwrite: bool = False) -> WritePlan:
    """What publishing would write; nothing is written yet."""
    from retrodoc.publish.markdown import render_pages
    from retrodoc.publish.write import plan_pages

    run = book.run
    linker = Linker(output.source_root, forge_of(origin), run.commit, run.subfolder, output.outside)
    return plan_pages(output.root, render_pages(book, linker), force=overwrite, layout=output.layout)


def origin_of(folder: Path) -> str | None:
    """Address of the `origin` remote; None when there is none."""
    answer = Git(folder).attempt("config", "--get", "remote.origin.url")
    return answer.stdout.decode("utf-8", "replace").strip() or None if answer.returncode == 0 else None


class Published:
    """What was written for a run, so that an unchanged one is neither judged nor rendered again."""

    def __init__(self, run_folder: Path) -> None:
        self._place = run_folder / RECORD

    def standing(self, output: Output, run: Run) -> int | None:
        """The exit code that the pages were written with; None where one is not on disk as it was written."""
        data = read_own(self._place)
        if data is None:
            return None
        try:
            said = json.loads(data)
            if said["output"] != str(output.root.resolve()) or said["run"] != _digest_of(run):
                return None
            if not all((output.root / path).exists() for path in said["kept"]):
                return None
            as_written = all(_digest(output.root / path) == digest for path, digest in said["pages"].items())
            return int(said["exit_code"]) if as_written else None
        except (ValueError, KeyError, TypeError, AttributeError, OSError):
            return None

    def remember(self, plan: WritePlan, run: Run, exit_code: int) -> None:
        """Keep the digests of what is now on disk; a page that a person edited has only to be there."""
        pages = {
            path: hashlib.sha256(content).hexdigest() for path, content in plan.pages.items() if path not in plan.kept
        }
        said = {
            "output": str(plan.root.resolve()),
            "run": _digest_of(run),
            "pages": pages,
            "kept": sorted(plan.kept),
            "exit_code": exit_code,
        }
        write_atomic(self._place, json.dumps(said, indent=1).encode(), durable=False)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _digest_of(run: Run) -> str:
    """Of all that pages are made of beside the sources, which the run's key stands for."""
    said = f"{run.id} {run.key} {len(run.use_cases)} {len(run.judgements)} {len(run.set_aside)}"
    return hashlib.sha256(said.encode()).hexdigest()


def judged_book(
    run: Run, folder: Path, output: Output, threshold: float, advance: Callable[[], None] = lambda: None
) -> Book:
    """A saved run judged anew, at its own commit, with the judgements that still hold.

    RepositoryReadError when its commit is not here.
    """
    with open_snapshot(folder, run.commit, worktree=run.commit is None) as snapshot:
        return book_of(run, findings_of(run, snapshot, advance), output, threshold, snapshot)
