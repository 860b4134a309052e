"""Judges every step of a target at the commit that it was written for, and says what became of what it cites."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from retrodoc.checking.commits import Commits, Pins
from retrodoc.checking.result import CheckResult, CitationResult, MovedCitation, Status, StepResult, UseCaseScore
from retrodoc.checking.target import Target, find_target, read_run, read_text, repository_name
from retrodoc.errors import UsageError
from retrodoc_checks import FileIndex, Score, StepFinding, Verdict, check_steps
from retrodoc_checks.score import mean_score, step_score
from retrodoc_runs.git import Git
from retrodoc_runs.gitsnapshot import locate
from retrodoc_runs.paths import is_safe
from retrodoc_runs.readers import Reading, ReadStep
from retrodoc_runs.snapshot import Snapshot, open_snapshot
from retrodoc_runs.steps import SourceRef

if TYPE_CHECKING:
    from retrodoc.checking.changes import Changes
    from retrodoc.checking.drifting import Follower
    from retrodoc_checks.drift import CitationDrift
    from retrodoc_runs.models import Judgement, Run


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
    with ExitStack() as stack:
        reading, commits, name = _open(found, options, stack)
        check = _Check(reading, commits, Git(commits.folder), options)
        steps = check.steps()
        _refuse_nothing(reading, found.name, name)
        checked = commits.checked
        return CheckResult(
            target=found.name,
            repository=name,
            kind=reading.kind,
            subfolder=checked.subfolder,
            steps=steps,
            use_cases=tuple(_scores(steps, _judgements(found.run, checked))),
            unscored=reading.empty_use_cases,
            unparsed=reading.unparsed,
            commit=reading.commit,
            checked_at_commit=checked.commit,
            head=None if options.elsewhere else checked.head,
            worktree=checked.commit is None,
            pinned=check.pinned,
            base=check.changes.base if check.changes else None,
            dirty=checked.commit is not None and reading.commit is None and _differs(checked, reading),
            foreign=reading.foreign,
            left_out=reading.left_out,
            untouched=len(reading.steps) - len(steps),
            moved=check.moved,
        )


def _open(found: Target, options: CheckOptions, stack: ExitStack) -> tuple[Reading, Commits, str]:
    """What the target says, the repository at the commit to check, and the repository's name."""
    if found.run is not None:
        reading = read_run(found.run)
        folder = _documented(found.folder, reading.subfolder)
        worktree = options.worktree or (found.run.commit is None and not options.elsewhere)  # where it was drafted
        commits = stack.enter_context(Commits(folder, _revision(reading, options), worktree=worktree))
        commits.set_apart(reading.pages)
        return reading, commits, repository_name(commits.checked, Git(folder))
    assert found.path is not None
    commits = stack.enter_context(Commits(found.folder, options.at or "HEAD", worktree=options.worktree))
    name = repository_name(commits.checked, Git(found.folder))
    reading = read_text(found.path, found.folder, commits.checked, name)
    folder = _documented(found.folder, reading.subfolder)
    revision = _revision(reading, options)
    if folder != found.folder or revision not in (options.at or "HEAD", commits.checked.commit):
        commits = stack.enter_context(Commits(folder, revision, worktree=options.worktree))
    commits.set_apart(reading.pages)
    return reading, commits, name


def _revision(reading: Reading, options: CheckOptions) -> str:
    if reading.commit is not None and not options.elsewhere:
        return reading.commit
    return options.at or "HEAD"


def _documented(folder: Path, subfolder: str) -> Path:
    """The documented folder: `folder` itself, or the one inside the repository that the target names.

    Whoever wrote the target could name any folder of the disk, by dots or by a link; only this repository's are read.
    """
    if not subfolder:
        return folder
    location = locate(folder)
    if location.subfolder == subfolder:
        return folder
    named = location.root / subfolder
    real = Path(os.path.realpath(named))
    inside = is_safe(subfolder) and named.is_dir() and real.is_relative_to(location.root)
    if not inside or locate(named).root != location.root:
        raise UsageError(
            f"{subfolder} is no folder of {location.root}, and the target says that it documents it",
            "Name the folder that its paths start from with --repo, or publish the pages again.",
        )
    return named


def _refuse_nothing(reading: Reading, name: str, repository: str) -> None:
    if reading.steps:
        return
    unread, aside = len(reading.unparsed), []
    if unread:
        looks = "text looks like a citation" if unread == 1 else "texts look like citations"
        aside.append(f"{unread} {looks} and cannot be read")
    for other, count in sorted(reading.foreign.items()):
        are = "citation is" if count == 1 else "citations are"
        aside.append(f"{count} {are} of {other}, and this is {repository}")
    what = "no step" if reading.kind in ("run", "use-cases", "openwiki", "own-pages") else "no citation"
    raise UsageError(
        f"nothing to check: {what} in {name}" + (f" ({'; '.join(aside)})" if aside else ""),
        "A citation names a file and lines, such as src/app.py:10-20 or a link that ends #L10-L20.",
    )


class _Check:
    def __init__(self, reading: Reading, commits: Commits, git: Git, options: CheckOptions) -> None:
        self.reading = reading
        self.commits = commits
        self.own = reading.commit
        self.git = git
        self.changes = _changes_since(options.base, reading, commits, git) if options.base else None
        self.compare = options.elsewhere
        self.pinned: tuple[str, ...] = ()
        self.moved: tuple[MovedCitation, ...] = ()

    @cached_property
    def follower(self) -> Follower:
        from retrodoc.checking.drifting import Follower  # most checks compare nothing

        return Follower(self.commits, self.git)

    def steps(self) -> tuple[StepResult, ...]:
        wanted = self._wanted()
        results = [self._result(read, finding) for read, finding in zip(wanted, self._judge(wanted), strict=True)]
        again = [number for number, result in enumerate(results) if result.drifted and self._is_of_old(wanted[number])]
        for number, finding in zip(again, self._judge_now([results[number] for number in again]), strict=True):
            results[number] = replace(results[number], finding=finding)
        return tuple(results)

    def _wanted(self) -> Sequence[ReadStep]:
        """All steps, or with `--base` those that the change touches."""
        if self.changes is None:
            return self.reading.steps
        from retrodoc.checking.touching import Touching

        touching = Touching(self.changes, self.commits, self.git, self.follower)
        wanted = [read for read in self.reading.steps if touching.is_touched(read, self._written_for(read))]
        self.moved = tuple(touching.moved)
        return wanted

    def _written_for(self, read: ReadStep) -> Sequence[str | None]:
        """The commit that each of a step's citations was written for; None where nothing says so."""
        if self.own is not None or not read.commits:
            return [self.own] * len(read.step.source_refs)
        return read.commits

    def _is_of_old(self, read: ReadStep) -> bool:
        """Whether a step was judged at a commit of its own; else it was judged at the checked one, as it is written."""
        return self.compare and (self.own is not None or any(read.commits))

    def _judge(self, wanted: Sequence[ReadStep]) -> list[StepFinding]:
        """At the commit that each step was written for."""
        pinned: dict[Pins, list[int]] = {}
        for number, read in enumerate(wanted):
            pinned.setdefault(self._pins(read), []).append(number)
        self.pinned = tuple(sorted({commit for pins in pinned for _, commit in pins}))
        findings: dict[int, StepFinding] = {}
        for pins, numbers in sorted(pinned.items()):
            steps = [(wanted[number].step.text, wanted[number].step.source_refs) for number in numbers]
            judged = check_steps(steps, self._own_files(pins), self.reading.entities)
            findings.update(zip(numbers, judged, strict=True))
        return [findings[number] for number in range(len(wanted))]

    def _judge_now(self, results: Sequence[StepResult]) -> list[StepFinding]:
        """At the checked commit, what moved taken from where it is now; never better than at the step's own commit."""
        steps = [(result.text, [_now(citation) for citation in result.citations]) for result in results]
        judged = check_steps(steps, self.commits.index, self.reading.entities)
        return [
            finding if _GRAVITY[finding.verdict] >= _GRAVITY[result.finding.verdict] else result.finding
            for finding, result in zip(judged, results, strict=True)
        ]

    def _pins(self, read: ReadStep) -> Pins:
        """The commits that a step's own citations name; none when the whole target names one."""
        if self.own is not None or not read.commits:
            return ()
        pairs = zip(read.step.source_refs, read.commits, strict=True)
        pins = {(posixpath.normpath(ref.path), commit) for ref, commit in pairs if commit}
        return tuple(sorted(pin for pin in pins if self.commits.at(pin[1]) is not None))

    def _own_files(self, pins: Pins) -> FileIndex:
        """The files that steps were written for. RepositoryReadError when the clone lacks the target's commit."""
        if self.own is None:
            return self.commits.pinned(pins)
        index = self.commits.at(self.own)
        if index is None:
            open_snapshot(self.commits.folder, self.own).close()  # raises, and says how to fetch it
            raise AssertionError(f"{self.own} could be opened, and could not")
        return index

    def _result(self, read: ReadStep, finding: StepFinding) -> StepResult:
        lacking = sorted({commit for commit in read.commits if commit and self.commits.at(commit) is None})
        if lacking and self.own is None:
            finding = replace(finding, facts=finding.facts | {"commit-not-here": lacking})
        drifts = [self._drift(read, number) for number in range(len(read.step.source_refs))]
        known = [drift for drift in drifts if drift is not None]
        return StepResult(
            use_case=read.use_case,
            order=read.step.order,
            text=read.step.text,
            finding=finding,
            citations=tuple(
                CitationResult(ref) if drift is None else _followed(ref, drift)
                for ref, drift in zip(read.step.source_refs, drifts, strict=True)
            ),
            status=_status(finding, known) if known else None,
            page=read.page,
            line=read.line or None,
        )

    def _drift(self, read: ReadStep, number: int) -> CitationDrift | None:
        """What became of one citation; None when there is nothing to compare with, or nobody asked."""
        ref = read.step.source_refs[number]
        if read.hashes and (claimed := read.hashes[number]):
            return self.follower.from_claim(ref, claimed)
        if not self.compare:
            return None
        commit = self._written_for(read)[number]
        if commit is None and self.changes is not None and read.page not in self.changes.files:
            commit = self.changes.base  # the page is as it was there, so its citations were meant for it
        return self.follower.from_commit(ref, commit)


def _differs(checked: Snapshot, reading: Reading) -> bool:
    from retrodoc.changed import sources_differ

    return sources_differ(checked, aside=frozenset(reading.pages))  # they are read as they are on disk


def _changes_since(base: str, reading: Reading, commits: Commits, git: Git) -> Changes:
    from retrodoc.checking.changes import changes_since

    return changes_since(base, commits.checked, git, reading.pages)


def _status(finding: StepFinding, drifts: Sequence[CitationDrift]) -> Status:
    from retrodoc_checks.drift import step_drift

    return step_drift(finding, drifts).value


_GRAVITY = {Verdict.VALID: 0, Verdict.DOUBTFUL: 1, Verdict.UNSUPPORTED: 2, Verdict.BROKEN: 3}


def _followed(ref: SourceRef, drift: CitationDrift) -> CitationResult:
    return CitationResult(ref, drift.status.value, drift.new_path, drift.new_lines)


def _now(citation: CitationResult) -> SourceRef:
    """The citation as it would be written today."""
    if citation.status != "moved":
        return citation.ref
    start, end = citation.new_lines or (citation.ref.start_line, citation.ref.end_line)
    path = citation.new_path or citation.ref.path
    return replace(citation.ref, path=path, start_line=start, end_line=end)


def _judgements(run: Run | None, checked: Snapshot) -> tuple[Judgement, ...]:
    """Those that still hold for the text and the code as it is checked: code that changed needs another reading."""
    if run is None or not run.judgements:
        return ()
    from retrodoc.passes.evidence import Evidence, standing

    return standing(run, Evidence(checked))


def _scores(steps: Iterable[StepResult], judgements: Iterable[Judgement]) -> Iterator[UseCaseScore]:
    said = {(one.use_case, one.order): one for one in judgements}
    held: dict[str, list[Score]] = {}
    for step in steps:
        held.setdefault(step.use_case, []).append(step_score(step.finding, said.get((step.use_case, step.order))))
    for slug, scores in held.items():
        score = mean_score(scores)
        if score is not None:
            yield UseCaseScore(slug, round(score.low, 6), round(score.high, 6))
