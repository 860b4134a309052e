"""Judges every step of a target at the commit that it was written for, and says what became of what it cites."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from retrodoc.checking.changes import Changes, changes_since
from retrodoc.checking.commits import Commits
from retrodoc.checking.result import CheckResult, CitationResult, StepResult, UseCaseScore
from retrodoc.checking.target import Target, find_target, read_run, read_text, repository_name
from retrodoc.errors import UsageError
from retrodoc_checks import FileIndex, Verdict, check_step
from retrodoc_runs.git import Git
from retrodoc_runs.models import Run
from retrodoc_runs.readers import Reading, ReadStep
from retrodoc_runs.snapshot import open_snapshot


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What the command line says."""

    repo: Path | None = None
    at: str | None = None
    base: str | None = None
    worktree: bool = False
    runs_folder: Path | None = None

    @property
    def elsewhere(self) -> bool:
        """Whether files are named that are not those of the target's own commit."""
        return self.at is not None or self.worktree or self.base is not None


def check_target(target: str | None, options: CheckOptions | None = None) -> CheckResult:
    """Check a run, or a text that others wrote, against a repository.

    Raises UsageError when nothing in the target can be checked, RunsError and its kinds for what cannot be read.
    """
    options = options or CheckOptions()
    if options.worktree and options.at is not None:
        raise UsageError("--at and --worktree exclude each other", "Name a revision, or read the work tree.")
    found = find_target(target, options.repo, options.runs_folder)
    folder, reading = _read(found, options)
    own = reading.commit
    with Commits(folder, options.at or _default_rev(own, options), worktree=_worktree(found.run, options)) as commits:
        git = Git(folder)
        changes = changes_since(options.base, commits.checked, git) if options.base else None
        check = _Check(reading, commits, own, changes, compare=options.elsewhere)
        steps = tuple(check.steps())
        _refuse_nothing(reading, found.name, repository_name(commits.checked, git))
        return CheckResult(
            target=found.name,
            repository=repository_name(commits.checked, git),
            kind=reading.kind,
            subfolder=commits.checked.subfolder,
            steps=steps,
            use_cases=tuple(_scores(steps, found.run)),
            unscored=reading.empty_use_cases,
            unparsed=reading.unparsed,
            commit=own,
            checked_at_commit=commits.checked.commit,
            worktree=commits.checked.commit is None,
            base=changes.base if changes else None,
            dirty=commits.checked.commit is not None and own is None and commits.checked.dirty(),
            foreign=reading.foreign,
            left_out=reading.left_out,
            untouched=len(reading.steps) - len(steps),
        )


def _default_rev(own: str | None, options: CheckOptions) -> str:
    return own if own is not None and not options.elsewhere else "HEAD"


def _worktree(run: Run | None, options: CheckOptions) -> bool:
    """A run that was drafted from the work tree names no commit: its files are looked at where they were."""
    return options.worktree or (run is not None and run.commit is None and not options.elsewhere)


def _read(found: Target, options: CheckOptions) -> tuple[Path, Reading]:
    """What the target says, and the folder that its paths start from."""
    if found.run is not None:
        return _inside(found.folder, found.run.subfolder), read_run(found.run)
    assert found.path is not None
    with open_snapshot(found.folder, options.at or "HEAD", worktree=options.worktree) as snapshot:
        name = repository_name(snapshot, Git(found.folder))
        reading = read_text(found.path, found.folder, snapshot, name)
    return _inside(found.folder, reading.subfolder), reading


def _inside(folder: Path, subfolder: str) -> Path:
    """The documented folder: `folder` itself, or the one inside the repository that the target names."""
    if not subfolder:
        return folder
    with open_snapshot(folder, None, worktree=True) as snapshot:
        return folder if snapshot.subfolder == subfolder else snapshot.root / subfolder


def _refuse_nothing(reading: Reading, name: str, repository: str) -> None:
    if reading.steps:
        return
    aside = []
    if reading.unparsed:
        aside.append(f"{len(reading.unparsed)} texts look like citations and cannot be read")
    for other, count in sorted(reading.foreign.items()):
        aside.append(f"{count} citations are of {other}, and this is {repository}")
    what = "no step" if reading.kind in ("run", "use-cases", "openwiki", "own-pages") else "no citation"
    raise UsageError(
        f"nothing to check: {what} in {name}" + (f" ({'; '.join(aside)})" if aside else ""),
        "A citation names a file and lines, such as src/app.py:10-20 or a link that ends #L10-L20.",
    )


class _Check:
    def __init__(
        self, reading: Reading, commits: Commits, own: str | None, changes: Changes | None, *, compare: bool
    ) -> None:
        self.reading = reading
        self.commits = commits
        self.own = own
        self.changes = changes
        self.compare = compare

    def steps(self) -> Iterator[StepResult]:
        for read in self.reading.steps:
            if self.changes is None or self._touched(read, self.changes):
                yield self._step(read)

    def _touched(self, read: ReadStep, changes: Changes) -> bool:
        return read.page in changes.touched or any(
            posixpath.normpath(ref.path) in changes.touched for ref in read.step.source_refs
        )

    def _step(self, read: ReadStep) -> StepResult:
        index, lacking = self._own_files(read)
        step = read.step
        finding = check_step(step.text, step.source_refs, index, self.reading.entities)
        if lacking:
            finding = replace(finding, facts=finding.facts | {"commit-not-here": sorted(lacking)})
        return StepResult(
            use_case=read.use_case,
            order=step.order,
            text=step.text,
            finding=finding,
            citations=tuple(CitationResult(ref) for ref in step.source_refs),
            page=read.page,
            line=read.line or None,
        )

    def _own_files(self, read: ReadStep) -> tuple[FileIndex, set[str]]:
        """The files that the step was written for, and the commits it names that this clone lacks."""
        if self.own is not None:
            index = self.commits.at(self.own)
            if index is None:
                open_snapshot(self.commits.folder, self.own).close()  # raises, and says how to fetch it
                raise AssertionError("a commit that could be opened could not be opened")
            return index, set()
        pairs = zip(read.step.source_refs, read.commits, strict=True) if read.commits else ()
        pins = {(posixpath.normpath(ref.path), commit) for ref, commit in pairs if commit}
        lacking = {commit for _, commit in pins if self.commits.at(commit) is None}
        return self.commits.pinned(tuple(sorted(pin for pin in pins if pin[1] not in lacking))), lacking


_VERDICT_SCORES = {Verdict.VALID: (1.0, 1.0), Verdict.BROKEN: (0.0, 0.0), Verdict.UNSUPPORTED: (0.25, 0.25)}
_OUTCOME_SCORES = {"supported": 1.0, "partial": 0.5, "unsupported": 0.0}


def _scores(steps: Iterable[StepResult], run: Run | None) -> Iterator[UseCaseScore]:
    outcomes = {(said.use_case, said.order): _OUTCOME_SCORES[said.outcome] for said in run.judgements} if run else {}
    bounds: dict[str, list[tuple[float, float]]] = {}
    for step in steps:
        known = outcomes.get((step.use_case, step.order))
        doubt = (0.0, 1.0) if known is None else (known, known)
        bounds.setdefault(step.use_case, []).append(_VERDICT_SCORES.get(step.finding.verdict, doubt))
    for slug, own in bounds.items():
        low, high = (sum(bound[side] for bound in own) / len(own) for side in (0, 1))
        yield UseCaseScore(slug, round(low, 6), round(high, 6))
