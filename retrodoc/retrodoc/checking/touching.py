"""Which steps a pull request can make false: those on a page that it edits, and those that cite a line it touches."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping

from retrodoc.checking.changes import TOUCHED, UNTOUCHED, Changes, Lines, Touch
from retrodoc.checking.commits import Commits
from retrodoc.checking.drifting import Follower
from retrodoc.checking.result import MovedCitation
from retrodoc_checks.drift import CitationDrift, Drift, DriftStatus
from retrodoc_runs.errors import RepositoryReadError
from retrodoc_runs.git import Git
from retrodoc_runs.history import renames
from retrodoc_runs.lines import count_lines
from retrodoc_runs.readers import ReadStep
from retrodoc_runs.steps import SourceRef

_FOLLOWED = frozenset({DriftStatus.SAME, DriftStatus.MOVED})


class Touching:
    """Answers for one step after the other, and notes what was only moved.

    Lines that a page gives are those of the base, since the change did not touch the page; lines of a commit (a run's,
    a permalink's) are first followed to the base. What cannot be followed is judged.
    """

    def __init__(self, changes: Changes, commits: Commits, git: Git, follower: Follower) -> None:
        self._changes = changes
        self._commits = commits
        self._git = git
        self._follower = follower
        self._to_base: dict[str, Drift | None] = {}
        self._renamed: dict[str, Mapping[str, str]] = {}
        self._counts: dict[str, int] = {}
        self.moved: list[MovedCitation] = []
        """Of pages: the lines that they give are others by now."""

    def is_touched(self, read: ReadStep, commits: Iterable[str | None]) -> bool:
        """`commits` are those that its citations were written for, None where nothing says so."""
        if read.page in self._changes.files:
            return True
        moved = []
        for ref, commit in zip(read.step.source_refs, commits, strict=True):
            touch = self._touch(ref, commit)
            if touch.reach == "touched":
                return True
            if touch.reach == "moved" and touch.lines is not None and commit is None:
                moved.append(MovedCitation(read.page, read.line, ref, touch.lines))
        self.moved += moved
        return False

    def _touch(self, ref: SourceRef, commit: str | None) -> Touch:
        path = posixpath.normpath(ref.path)
        if commit is not None and commit != self._changes.base:
            drift = self._drift(commit)
            if drift is not None:
                return self._followed(ref, path, commit, drift)
        touch = self._at_base(path, _lines(ref))
        if commit is None and touch.reach == "moved" and ref.end_line is not None and ref.end_line > self._count(path):
            return TOUCHED  # what the page gives is past the end by now
        return touch

    def _at_base(self, path: str, lines: Lines | None) -> Touch:
        """Of the file, or of a link by that name, and of where it leads."""
        real = self._real(path)
        touch = self._changes.of_old(real, lines)
        return TOUCHED if real != path and path in self._changes.files else touch

    def _followed(self, ref: SourceRef, path: str, commit: str, to_base: Drift) -> Touch:
        if self._real(path) not in self._changes.files and path not in self._changes.files:
            if path in self._commits.checked:
                return UNTOUCHED
            if self._renames(commit).get(path) not in self._changes.files:
                return UNTOUCHED
        before = to_base.of(ref)
        if before.status in _FOLLOWED:
            return self._at_base(before.new_path or path, before.new_lines or _lines(ref))
        after = self._follower.from_commit(ref, commit)  # it may have been written on the branch
        if isinstance(after, CitationDrift) and after.status in _FOLLOWED:
            return self._changes.of_new(self._real(after.new_path or path), after.new_lines or _lines(ref))
        return TOUCHED

    def _drift(self, commit: str) -> Drift | None:
        """From a commit to the base; None when the clone lacks one of them."""
        if commit not in self._to_base:
            before, base = self._commits.at(commit), self._commits.at(self._changes.base)
            self._to_base[commit] = (
                None
                if before is None or base is None
                else Drift(before.files, base.files, lambda: self._renames(commit))
            )
        return self._to_base[commit]

    def _renames(self, commit: str) -> Mapping[str, str]:
        if commit not in self._renamed:
            try:
                self._renamed[commit] = renames(self._git, commit, self._changes.base)
            except RepositoryReadError:  # a partial clone may lack the trees that are compared
                self._renamed[commit] = {}
        return self._renamed[commit]

    def _real(self, path: str) -> str:
        """Where a path ends, links followed; the path itself when it ends at no file."""
        files = self._commits.checked
        if path in files and files.kind(path) == "file":
            return path
        found = files.resolve(path)
        prefix = f"{files.subfolder}/" if files.subfolder else ""
        return found.path.removeprefix(prefix) if found.end == "file" else path

    def _count(self, path: str) -> int:
        if path not in self._counts:
            self._counts[path] = count_lines(self._commits.checked.read(path) or b"")
        return self._counts[path]


def _lines(ref: SourceRef) -> Lines | None:
    return None if ref.start_line is None else (ref.start_line, ref.end_line or ref.start_line)
