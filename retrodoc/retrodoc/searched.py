"""What a search of a commit found, kept for the next check of that commit: which files hold a name that steps miss.

A commit never changes, so neither do its answers; only another version of the judge may look otherwise.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import retrodoc_checks
import retrodoc_chunkers
from retrodoc.caching import cache_folder
from retrodoc_checks import FileIndex
from retrodoc_checks.names import Kind
from retrodoc_runs.snapshot import Snapshot

MAX_COMMITS = 64
"""Files that are kept, a commit each; those that were written longest ago go first."""


class Searched:
    """The answers about one snapshot. A work tree may change at any time, so none are kept of it."""

    def __init__(self, snapshot: Snapshot, index: FileIndex) -> None:
        """Give the index the answers that are known."""
        self._index = index
        self._file = _file_of(snapshot, index.apart)
        if self._file is not None:
            index.holders.update(_read(self._file, frozenset(snapshot.paths)))
        self._known = len(index.holders)

    def keep(self) -> None:
        """Write the answers down when there are new ones. A folder that cannot be written only costs time."""
        holders = self._index.holders
        if self._file is None or len(holders) == self._known or self._index.unsearched:
            return
        listed = [[*key, list(paths)] for key, paths in holders.items()]  # type: ignore[misc]
        with suppress(OSError):
            folder = self._file.parent
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # it names what is in private code
            new = self._file.with_name(f".{self._file.name}-{os.getpid()}")
            new.write_text(json.dumps(listed), "utf-8")
            new.replace(self._file)
            _drop_oldest(folder)


def _file_of(snapshot: Snapshot, apart: frozenset[str]) -> Path | None:
    folder = cache_folder()
    if folder is None or snapshot.commit is None:
        return None
    digest = hashlib.sha256(f"{snapshot.commit}\n{snapshot.subfolder}\n".encode())
    for page in sorted(apart):
        digest.update(f"{page}\n".encode("utf-8", "surrogatepass"))
    for package in (retrodoc_checks, retrodoc_chunkers):
        own = Path(package.__path__[0])
        for file in sorted((*own.glob("*.py"), *own.glob("queries/*/*.scm"))):
            found = file.stat()
            digest.update(f"{file.name} {found.st_size} {found.st_mtime_ns}\n".encode())
    return folder / "searched" / f"{digest.hexdigest()[:32]}.json"


def _read(file: Path, paths: frozenset[str]) -> dict[Any, tuple[str, ...]]:
    """What was kept; nothing of it when it is damaged."""
    try:
        listed = json.loads(file.read_bytes())
        read = {(Kind(kind), tuple(map(str, parts))): tuple(map(str, found)) for kind, parts, found in listed}
    except (OSError, ValueError, TypeError, RecursionError):
        return {}
    return read if all(paths.issuperset(found) for found in read.values()) else {}


def _drop_oldest(folder: Path) -> None:
    kept = sorted((entry.stat().st_mtime, entry.path) for entry in os.scandir(folder))
    for _, path in kept[: max(0, len(kept) - MAX_COMMITS)]:
        Path(path).unlink(missing_ok=True)
