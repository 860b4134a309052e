"""Which committed files can be read from the work tree instead: those whose bytes there have the very id of the commit.

A repository's texts are searched as a whole, and Git takes four times as long to inflate its objects as the disk takes
to give the same bytes with their hash. What differs by one byte (an edit, CRLF ends, a filter) is left to Git.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

MAX_MISSES = 32
"""Files in a row that are not there as committed, after which no more are tried: another commit is checked out."""

_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)  # a FIFO must not be waited for


class Checkout:
    """The folder that a commit may be checked out in. Nothing behind a symbolic link is opened."""

    def __init__(self, root: Path | None) -> None:
        """`root` is the top of the work tree; None when there is none, and then no file is given."""
        self._root = "" if root is None else os.fspath(root)
        self._misses = MAX_MISSES if root is None else 0
        self._real_folders: dict[str, bool] = {"": True}

    def read(self, name: str, object_id: str, max_bytes: int) -> bytes | None:
        """The bytes of the blob `object_id`, from the file `name`; None when they are not exactly there."""
        if self._misses >= MAX_MISSES:
            return None
        content = self._bytes(name, max_bytes)
        if content is not None and blob_id(content, len(object_id)) == object_id:
            self._misses = 0
            return content
        self._misses += 1
        return None

    def _bytes(self, name: str, max_bytes: int) -> bytes | None:
        if "\\" in name or not self._is_real_folder(name.rpartition("/")[0]):  # a backslash may stand for an odd byte
            return None
        try:
            descriptor = os.open(f"{self._root}/{name}", _FLAGS)
        except (OSError, ValueError):
            return None
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or found.st_size > max_bytes:
                return None
            return os.read(descriptor, found.st_size + 1)
        except OSError:
            return None
        finally:
            os.close(descriptor)

    def _is_real_folder(self, name: str) -> bool:
        known = self._real_folders.get(name)
        if known is None:
            known = self._is_real_folder(name.rpartition("/")[0])
            if known:
                try:
                    known = stat.S_ISDIR(os.lstat(f"{self._root}/{name}").st_mode)
                except (OSError, ValueError):
                    known = False
            self._real_folders[name] = known
        return known


def blob_id(content: bytes, digits: int = 40) -> str:
    """Git's id of a file's content: SHA-1, or SHA-256 in a repository whose ids have 64 digits."""
    digest = hashlib.new("sha256" if digits == 64 else "sha1", b"blob %d\0" % len(content), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest()
