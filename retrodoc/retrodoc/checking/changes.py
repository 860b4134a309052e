"""Which lines a pull request touches: what differs between the checked files and where the base branched off."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from retrodoc_runs.errors import ObjectMissingError, RepositoryReadError
from retrodoc_runs.git import Git
from retrodoc_runs.history import Ranges, TouchedLines, touched
from retrodoc_runs.snapshot import Snapshot

Lines = tuple[int, int]
Reach = Literal["untouched", "moved", "touched"]


@dataclass(frozen=True, slots=True)
class Touch:
    """What a change does to cited lines. `moved`: others came or went above them, and they are as they were."""

    reach: Reach
    lines: Lines | None = None
    """Where moved lines are now."""


UNTOUCHED, TOUCHED = Touch("untouched"), Touch("touched")


@dataclass(frozen=True, slots=True)
class Changes:
    base: str
    """The commit that is compared with: the merge base where there is one."""
    files: Mapping[str, tuple[TouchedLines, ...]]
    """By their paths on either side, relative to the folder that is checked."""

    def of_old(self, path: str, lines: Lines | None) -> Touch:
        """What the change does to lines as they are numbered at the base; None: to any of the file.

        A file that was renamed, came, went or became another kind is touched, as is one without lines (a binary).
        """
        file = self._edited(path)
        if file is None:
            return TOUCHED if path in self.files else UNTOUCHED
        if lines is None or not 1 <= lines[0] <= lines[1] or _overlap(file.old, lines):
            return TOUCHED
        shift = sum(
            (new[1] - new[0]) - (old[1] - old[0])
            for old, new in zip(file.old, file.new, strict=True)
            if old[1] < lines[0]
        )
        return Touch("moved", (lines[0] + shift, lines[1] + shift)) if shift else UNTOUCHED

    def of_new(self, path: str, lines: Lines | None) -> Touch:
        """The same for lines as they are numbered in the checked files."""
        file = self._edited(path)
        if file is None:
            return TOUCHED if path in self.files else UNTOUCHED
        return TOUCHED if lines is None or _overlap(file.new, lines) else UNTOUCHED

    def _edited(self, path: str) -> TouchedLines | None:
        """A file that is on both sides under one name, and whose lines are known."""
        found = self.files.get(path, ())
        if len(found) != 1 or found[0].old_path != found[0].new_path or not found[0].old:
            return None
        return found[0]


def _overlap(ranges: Ranges, lines: Lines) -> bool:
    """Whether any range holds one of the lines; an insertion or deletion, `(n + 1, n)`, must lie between two."""
    return any(first <= lines[1] and last >= lines[0] for first, last in ranges)


def changes_since(base: str, snapshot: Snapshot, git: Git, pages: Collection[str] = ()) -> Changes:
    """What changed from `base` to the snapshot, and to `pages`, which are read as they are on disk.

    RepositoryReadError when `base` is no commit of this clone.
    """
    start = _commit(base, git)
    common = git.attempt("merge-base", start, snapshot.commit or "HEAD").stdout.decode("ascii", "replace").strip()
    start = common or start  # a shallow clone may lack the merge base; then the two ends are compared
    files: dict[str, tuple[TouchedLines, ...]] = {}
    for file in _touched(git, start, snapshot):
        for path in {file.old_path, file.new_path} - {None}:
            files[path] = (*files.get(path, ()), file)  # type: ignore[index,arg-type]
    on_disk = snapshot.paths if snapshot.commit is None else ()
    for path in _uncommitted(snapshot, (*on_disk, *pages)) if on_disk or pages else ():
        files.setdefault(path, (TouchedLines(None, path, (), ()),))  # Git's diff knows nothing of untracked files
    return Changes(start, files)


def _uncommitted(snapshot: Snapshot, paths: Iterable[str]) -> Iterator[str]:
    """Those of the paths in which the work tree differs from HEAD. Git names an untracked folder by itself alone."""
    changed = frozenset(snapshot.changes())
    folders = tuple(path for path in changed if path.endswith("/"))
    return (path for path in paths if path in changed or path.startswith(folders))


def _touched(git: Git, start: str, snapshot: Snapshot) -> tuple[TouchedLines, ...]:
    try:
        return touched(git, start, snapshot.commit)
    except ObjectMissingError as error:
        what = "both versions of each file that changed are compared, and some are"
        raise RepositoryReadError(f"{what} not in {snapshot.root}: it is a partial clone", error.mend) from error


def _commit(revision: str, git: Git) -> str:
    done = git.attempt("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    commit = done.stdout.decode("ascii", "replace").strip()
    if done.returncode or not commit:
        raise RepositoryReadError(
            f"--base {revision} names no commit of this clone", "Fetch it: git fetch origin (in CI: fetch-depth: 0)"
        )
    return commit
