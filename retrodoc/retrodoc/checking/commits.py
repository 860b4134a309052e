"""The repository at each commit that is asked for: opened once, its files indexed once for all steps."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Self

from retrodoc.caching import cached_syntax
from retrodoc.searched import Searched
from retrodoc_checks import FileIndex, Files
from retrodoc_runs.errors import RepositoryReadError
from retrodoc_runs.paths import Resolution
from retrodoc_runs.snapshot import Snapshot, open_snapshot

MAX_OPEN = 4
"""Commits that are kept open besides the one that is checked: a page pins one or two, a folder of old ones more."""

Pins = tuple[tuple[str, str], ...]
"""(path, commit) of each citation that names its own commit, sorted."""


class Commits:
    """Snapshots of one folder of a repository. Use as a context manager: it ends Git's processes."""

    def __init__(self, folder: Path, rev: str | None, *, worktree: bool = False) -> None:
        """`rev` is what is checked: a revision, or None with `worktree`. RepositoryReadError when it is not there."""
        self.folder = folder
        self.checked = open_snapshot(folder, None if worktree else rev, worktree=worktree)
        self.index = FileIndex(self.checked, cached_syntax())
        self._searched: Searched | None = None
        self._others: OrderedDict[str, FileIndex] = OrderedDict()
        self._snapshots: dict[str, Snapshot] = {}
        self._missing: set[str] = set()
        self._mixed: OrderedDict[Pins, FileIndex] = OrderedDict()

    def set_apart(self, pages: Iterable[str]) -> None:
        """Say which files are judged, so that a name which only they hold is nowhere; and recall what was searched."""
        self.index.apart = frozenset(pages)
        self._searched = Searched(self.checked, self.index)

    def _index(self, files: Files) -> FileIndex:
        index = FileIndex(files, cached_syntax())
        index.apart = self.index.apart
        return index

    def at(self, commit: str) -> FileIndex | None:
        """The files at another commit; None when the clone lacks it."""
        if commit == self.checked.commit:
            return self.index
        if commit in self._missing:
            return None
        if commit in self._others:
            self._others.move_to_end(commit)
            return self._others[commit]
        try:
            snapshot = open_snapshot(self.folder, commit)
        except RepositoryReadError:
            self._missing.add(commit)
            return None
        if snapshot.commit == self.checked.commit:
            snapshot.close()
            return self.index
        while len(self._others) >= MAX_OPEN:
            dropped, _ = self._others.popitem(last=False)
            self._snapshots.pop(dropped).close()
            self._mixed.clear()
        self._snapshots[commit] = snapshot
        self._others[commit] = self._index(snapshot)
        return self._others[commit]

    def pinned(self, pins: Pins) -> FileIndex:
        """The files as each citation of a step pins them; what is not pinned is as it is at the checked commit."""
        commits = {commit for _, commit in pins}
        if not commits:
            return self.index
        if pins not in self._mixed:
            files = {path: index.files for path, commit in pins if (index := self.at(commit)) is not None}
            while len(self._mixed) >= MAX_OPEN:
                self._mixed.popitem(last=False)
            self._mixed[pins] = self._index(_Mixed(self.checked, files))
        return self._mixed[pins]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._searched is not None:
            self._searched.keep()
        self.checked.close()
        for snapshot in self._snapshots.values():
            snapshot.close()


class _Mixed:
    """Files of several commits at once: some paths are another commit's."""

    def __init__(self, files: Snapshot, others: Mapping[str, Files]) -> None:
        self._files = files
        self._others: dict[str, Snapshot] = {
            path: other for path, other in others.items() if isinstance(other, Snapshot)
        }

    @property
    def paths(self) -> tuple[str, ...]:
        return self._files.paths

    def resolve(self, path: str) -> Resolution:
        return self._others.get(path, self._files).resolve(path)

    def read(self, path: str, max_bytes: int | None = None) -> bytes | None:
        return self._others.get(path, self._files).read(path, max_bytes)

    def read_many(
        self, paths: Iterable[str], max_bytes: int | None = None, absent: list[str] | None = None
    ) -> Iterator[tuple[str, bytes]]:
        """Runs of files of the checked commit are read together."""
        for apart, group in groupby(paths, key=self._others.__contains__):
            if not apart:
                yield from self._files.read_many(group, max_bytes, absent)
                continue
            for path in group:
                yield from self._others[path].read_many([path], max_bytes, absent)
