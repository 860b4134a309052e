"""What a repository's files are: at a commit, read from Git's objects, or in the work tree on request.

Nothing outside the repository is ever read, whatever a path or a link says. At a commit the bytes are those that
were committed, so a checkout with CRLF ends or on a case-insensitive disk gives the same verdicts.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from retrodoc_runs.paths import Kind, Resolution, is_safe, parents, resolve

if TYPE_CHECKING:
    from retrodoc_runs.git import Git

MAX_READ_BYTES = 256_000_000
"""A larger file is listed and never loaded: a 10 KB pack may hold one that inflates to more than the memory."""


class Snapshot(ABC):
    """Files of a repository, or of one folder of it, that do not change while they are looked at.

    Paths are POSIX, relative to `subfolder`. A name that is not UTF-8 shows its odd bytes as `\\xe9`, and is read
    by that name. A path that no repository can hold (absolute, `..`, empty) is missing.
    """

    root: Path
    """The top of the repository; of a bare one, its Git folder."""
    subfolder: str
    """The folder that was asked for, from the root, without a final slash; empty for the root itself."""
    commit: str | None
    """Full id of the commit that is read; None for the work tree."""
    head: str | None = None
    """Full id of HEAD's commit; None when there is none."""
    shallow: bool = False
    """True when the clone lacks history."""

    @property
    def git(self) -> Git | None:
        """For further questions to the same repository, from the folder that was asked for; None in memory."""
        return None

    @property
    @abstractmethod
    def _kinds(self) -> Mapping[str, Kind]:
        """Every listed file, link and submodule, from the top of the repository."""

    @abstractmethod
    def _content(self, full: str, max_bytes: int | None) -> bytes | None:
        """Bytes of a regular file, or None when it is over the bound or gone."""

    @abstractmethod
    def _target(self, full: str) -> str | None:
        """The text of a link."""

    def _contents(
        self,
        fulls: list[str],
        max_bytes: int | None,
        lacking: set[str] | None = None,  # noqa: ARG002  only objects of Git can be lacking
    ) -> Iterator[bytes | None]:
        """Of each file; None as well for what the clone lacks, which is put into `lacking`, or raised without one."""
        return (self._content(full, max_bytes) for full in fulls)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Files and symbolic links, sorted; submodules and folders are not among them."""
        prefix = self._prefix
        listed = (full for full, kind in self._kinds.items() if kind != "submodule")
        return tuple(sorted(full[len(prefix) :] for full in listed if full.startswith(prefix)))

    @cached_property
    def submodules(self) -> tuple[str, ...]:
        """Folders that belong to another repository, sorted."""
        prefix = self._prefix
        return tuple(
            sorted(
                full[len(prefix) :]
                for full, kind in self._kinds.items()
                if kind == "submodule" and full.startswith(prefix)
            )
        )

    @cached_property
    def folders(self) -> Collection[str]:
        """Folders that hold a file, from the top of the repository."""
        return parents(self._kinds)

    def kind(self, path: str) -> Kind:
        """What is at `path`: a link as its own last part is a `symlink`, links on the way are followed.

        All that is inside a submodule is `submodule`. Use `resolve` to know where a link ends.
        """
        full = self._full(path)
        if full is None:
            return "missing"
        listed = self._kinds.get(full)
        if listed is not None:
            return listed
        end = self._resolve(full).end
        return end if end in ("file", "directory", "submodule") else "missing"

    def resolve(self, path: str) -> Resolution:
        """Where `path` ends, all links followed: a file, a folder, a submodule, or missing, outside, in a loop."""
        full = self._full(path)
        return Resolution("missing", path, False) if full is None else self._resolve(full)

    def link_target(self, path: str) -> str | None:
        """The text of the symbolic link at `path`, as it is written; None when `path` is not a link."""
        full = self._full(path)
        return None if full is None or self._kinds.get(full) != "symlink" else self._target(full)

    def read(self, path: str, max_bytes: int | None = None) -> bytes | None:
        """Bytes of a regular file, or of the one that a link inside the repository ends at.

        None for everything else, and for a file over `max_bytes` (at most MAX_READ_BYTES).
        """
        full = self._regular(path)
        return None if full is None else self._content(full, max_bytes)

    def read_many(
        self, paths: Iterable[str], max_bytes: int | None = None, absent: list[str] | None = None
    ) -> Iterator[tuple[str, bytes]]:
        """(path, bytes) of each that `read` would give, in the given order; what it would not give is left out.

        A file that a partial clone lacks raises RepositoryReadError, or is added to `absent` when there is one.
        """
        wanted = [(path, full) for path in paths if (full := self._regular(path)) is not None]
        lacking: set[str] | None = None if absent is None else set()
        contents = self._contents([full for _, full in wanted], max_bytes, lacking)
        for (path, full), content in zip(wanted, contents, strict=True):
            if content is not None:
                yield path, content
            elif absent is not None and lacking and full in lacking:
                absent.append(path)

    def read_setting(self, name: str) -> bytes | None:
        """A file by which the user steers the reading: as it is on disk, also not yet committed, else as committed."""
        return self.read(name, 1_000_000)

    def size(self, path: str) -> int:
        """Bytes of the file that `read` would give, also of one too large to be read; KeyError when it is no file."""
        full = self._regular(path)
        if full is None:
            raise KeyError(path)
        return self._size(full)

    def _size(self, full: str) -> int:
        return len(self._content(full, None) or b"")

    def blob_id(self, path: str) -> str:
        """Git's id of the content that `read` would give, to know it again; KeyError when it is no file."""
        full = self._regular(path)
        if full is None:
            raise KeyError(path)
        return self._blob_id(full)

    def _blob_id(self, full: str) -> str:
        content = self._content(full, None) or b""
        return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()

    def changes(self) -> tuple[str, ...]:
        """Paths in which the work tree differs from HEAD, untracked files included, ignored ones not."""
        return ()

    def dirty(self) -> bool:
        """True when the work tree differs from HEAD within `subfolder`."""
        return bool(self.changes())

    def __contains__(self, path: object) -> bool:
        full = self._full(path) if isinstance(path, str) else None
        return full is not None and self._kinds.get(full) in ("file", "symlink")

    def close(self) -> None:  # noqa: B027  most kinds have nothing to end
        """End the processes behind it. It is closed as well when nothing refers to it any longer."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def _prefix(self) -> str:
        return f"{self.subfolder}/" if self.subfolder else ""

    def _full(self, path: str) -> str | None:
        return self._prefix + path if is_safe(path) else None

    def _regular(self, path: str) -> str | None:
        """The file, from the top of the repository, that `path` ends at; None when it ends at none."""
        full = self._full(path)
        if full is None or self._kinds.get(full) == "file":
            return full
        resolution = self._resolve(full)
        return resolution.path if resolution.end == "file" else None

    def _resolve(self, full: str) -> Resolution:
        return resolve(full, self._kinds, self.folders, self._target)


class MemorySnapshot(Snapshot):
    """A repository out of a mapping, for tests and for the judge."""

    def __init__(
        self,
        files: Mapping[str, bytes | str],
        symlinks: Mapping[str, str] | None = None,
        submodules: Collection[str] = (),
        *,
        commit: str | None = None,
        subfolder: str = "",
    ) -> None:
        self.root = Path()
        self.subfolder = subfolder
        self.commit = commit
        self._files = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
        self._links = dict(symlinks or {})
        self._listed: dict[str, Kind] = {
            **dict.fromkeys(self._files, "file"),
            **dict.fromkeys(self._links, "symlink"),
            **dict.fromkeys(submodules, "submodule"),
        }

    @property
    def _kinds(self) -> Mapping[str, Kind]:
        return self._listed

    def _content(self, full: str, max_bytes: int | None) -> bytes | None:
        content = self._files[full]
        return None if max_bytes is not None and len(content) > max_bytes else content

    def _target(self, full: str) -> str | None:
        return self._links.get(full)


def open_snapshot(repo: Path, rev: str | None = "HEAD", *, worktree: bool = False) -> Snapshot:
    """Open the repository that holds the folder `repo`, at `rev` (default HEAD), or its work tree.

    `repo` may be a folder inside the repository: paths are then relative to it, and only its files are listed.
    Raises RepositoryReadError: not a repository, no commit yet, a revision that is not here, a refusal of Git's.
    """
    from retrodoc_runs.gitsnapshot import open_commit, open_worktree

    if worktree or rev is None:
        return open_worktree(repo)
    return open_commit(repo, rev)
