"""Which files the judge sees, and how it keeps them: cited ones are read and indexed once, others only searched."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Protocol

from retrodoc_checks.findings import Place
from retrodoc_checks.source import SourceFile
from retrodoc_chunkers.syntax import Syntax, syntax_of
from retrodoc_runs.paths import Resolution

MAX_INDEXED_BYTES = 1_500_000
"""Source bytes kept with their index, which takes about thirty times as much; above it, the index of the file that was
used longest ago is let go."""
MAX_KEPT_BYTES = 48_000_000
"""Source bytes kept without it, so that a file is read once."""
MAX_SEARCHED_BYTES = 8_000_000
"""A larger file is read when it is cited, and not searched for names that are missing elsewhere."""
_NOT_TEXT = frozenset(
    "png jpg jpeg gif ico webp bmp tif tiff woff woff2 ttf otf eot pdf zip gz bz2 xz tar jar war class pyc so dll "
    "exe mo mp3 mp4 webm ogg wav avi mov psd ai sqlite db bin wasm map".split()
)


class Files(Protocol):
    """A repository's files, as `retrodoc_runs.snapshot.Snapshot` gives them."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Files and links, sorted, POSIX, relative to the root that the citations mean."""

    def resolve(self, path: str) -> Resolution:
        """Where a normalised path ends, all links followed."""

    def read(self, path: str, max_bytes: int | None = None) -> bytes | None:
        """Bytes of a regular file; None for everything else."""

    def read_many(
        self, paths: Iterable[str], max_bytes: int | None = None, absent: list[str] | None = None
    ) -> Iterator[tuple[str, bytes]]:
        """(path, bytes) of each that `read` would give, in the given order; into `absent` goes what the clone lacks."""


class FileIndex:
    """A repository as the judge uses it. One index is shared by all steps of a run; it holds no verdict."""

    def __init__(self, files: Files, syntax: Callable[[bytes, str], Syntax] = syntax_of) -> None:
        self.files = files
        self._syntax = syntax
        self._sources: OrderedDict[str, SourceFile | None] = OrderedDict()
        self._indexed: OrderedDict[str, SourceFile] = OrderedDict()
        self._kept_bytes = 0
        self._indexed_bytes = 0
        self._ends: dict[str, Resolution] = {}
        self._names: dict[str, list[str]] | None = None
        self.apart: frozenset[str] = frozenset()
        """Paths that are not searched: a page that is judged holds every name that it says, and shows none of them."""
        self.unsearched: list[str] = []
        """Files that the clone lacks, so that nobody knows what is in them; known once something was searched."""
        self.holders: dict[Hashable, tuple[str, ...]] = {}
        """What `sweep` found before: the files that hold a missing promise."""
        self.places: dict[Hashable, Place | None] = {}
        """What `elsewhere` found before: the one place of a missing promise in another file."""

    def resolve(self, path: str) -> Resolution:
        """Where a path ends; asked of the repository once for each path."""
        end = self._ends.get(path)
        if end is None:
            end = self._ends[path] = self.files.resolve(path)
        return end

    def source(self, path: str) -> SourceFile | None:
        """The text file at `path`; None when it cannot be read or is binary (it holds a NUL byte)."""
        if path in self._sources:
            self._sources.move_to_end(path)
            source = self._sources[path]
        else:
            content = self.files.read(path)
            source = None if content is None or b"\0" in content else SourceFile(path, content, self._syntax)
            self._sources[path] = source
            self._kept_bytes += len(source.data) if source is not None else 0
            while self._kept_bytes > MAX_KEPT_BYTES and len(self._sources) > 1:
                _, dropped = self._sources.popitem(last=False)
                self._kept_bytes -= len(dropped.data) if dropped is not None else 0
        if source is not None:
            self._use(path, source)
        return source

    def _use(self, path: str, source: SourceFile) -> None:
        """Note that a file's index is in use, and let go of those that were used longest ago."""
        if path in self._indexed:
            self._indexed.move_to_end(path)
            return
        self._indexed[path] = source
        self._indexed_bytes += len(source.data)
        while self._indexed_bytes > MAX_INDEXED_BYTES and len(self._indexed) > 1:
            _, idle = self._indexed.popitem(last=False)
            self._indexed_bytes -= len(idle.data)
            idle.forget()

    def named(self, base_name: str) -> Sequence[str]:
        """Paths whose last part is `base_name` in any case, sorted."""
        if self._names is None:
            self._names = {}
            for path in self.files.paths:
                self._names.setdefault(path.rpartition("/")[2].casefold(), []).append(path)
        return self._names.get(base_name.casefold(), ())

    def glance(self, path: str, content: bytes | None = None) -> SourceFile | None:
        """The file at `path` for one look: indexed, but not kept unless it is cited anyway. `content`: its bytes, where
        they are known."""
        kept = self._sources.get(path)
        if kept is not None:
            return kept
        content = self.files.read(path, MAX_SEARCHED_BYTES) if content is None else content
        return None if content is None else SourceFile(path, content, self._syntax)

    def texts(self) -> Iterator[tuple[str, bytes]]:
        """Path and bytes of each file that may hold text, in order; what was cited as it is compared."""
        paths = [
            path
            for path in self.files.paths
            if path.rpartition(".")[2].lower() not in _NOT_TEXT and path not in self.apart
        ]
        absent: list[str] = []
        for path, content in self.files.read_many(paths, MAX_SEARCHED_BYTES, absent):
            if b"\0" not in content:
                kept = self._sources.get(path)
                yield path, content if kept is None else kept.data
        self.unsearched = absent
