"""How a file is written so that nobody ever sees half of it: whole files by replacement, lists line by line."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from retrodoc_runs.errors import RunReadError, RunWriteError

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""A pipe in place of a file would wait for its writer for ever."""
_BINARY = getattr(os, "O_BINARY", 0)

_serial = itertools.count()


def write_atomic(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Replace `path` by `data` in one step: a reader, or a crash at any point, sees the old file or the new one.

    The new content is written beside it first. `durable` waits until the disk has it, for what a power cut may not
    take. Raises RunWriteError and leaves no file behind when it cannot be written.
    """
    temporary, descriptor = _open_beside(path)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123  a descriptor has no path
            file.write(data)
            file.flush()
            if durable:
                os.fsync(descriptor)
        temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            _cannot_write(path, error)
        raise
    if durable:
        sync_folder(path.parent)


def _open_beside(path: Path) -> tuple[Path, int]:
    while True:
        temporary = path.with_name(f".{path.name}.{os.getpid()}-{next(_serial)}.tmp")
        try:
            return temporary, os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
        except FileExistsError:
            continue  # left by a killed process that had our id; in a container ids repeat
        except OSError as error:
            _cannot_write(path, error)


def sweep_temporaries(path: Path) -> None:
    """Remove what a writer of `path` left when it was killed. For the one process that may write it."""
    for entry in path.parent.iterdir():
        if entry.name.startswith(f".{path.name}.") and entry.suffix == ".tmp":
            entry.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power cut, where the system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def read_own(path: Path) -> bytes | None:
    """Bytes of a file that RetroDoc wrote; None when there is none. A link in its place is not followed."""
    try:
        descriptor = os.open(path, os.O_RDONLY | _NO_FOLLOW | _NO_WAIT | _BINARY)
        with open(descriptor, "rb") as file:  # noqa: PTH123
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise RunReadError(f"{path} is not a regular file", "Remove it.")
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RunReadError(f"{path} could not be read: {error.strerror or error}") from error


class JsonLines:
    """A file of one JSON object a line, to which lines are appended as things happen.

    A process that is killed while it writes leaves at most one line unfinished, the last: it is not read, and the
    next append writes over it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._size: int | None = None
        """Bytes of whole lines; None until the file was looked at."""

    def read(self) -> list[dict[str, Any]]:
        """All whole lines. RunReadError names the line that is damaged."""
        data = read_own(self.path) or b""
        whole = data[: data.rfind(b"\n") + 1]
        found = []
        for number, line in enumerate(whole.split(b"\n")[:-1], start=1):
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                record = None
            if not isinstance(record, dict):
                raise RunReadError(
                    f"{self.path}, line {number} is damaged",
                    "Restore the file, or delete that line and what follows it.",
                )
            found.append(record)
        return found

    def append(self, line: bytes, *, durable: bool = True) -> None:
        """Add one line (`line` holds no line feed). RunWriteError when it cannot be written; the file is as before."""
        flags = os.O_WRONLY | os.O_CREAT | _NO_FOLLOW | _BINARY
        try:
            descriptor = os.open(self.path, flags, 0o666)
        except OSError as error:
            _cannot_write(self.path, error)
        try:
            if self._size is None:
                self._size = _whole_lines(self.path)
            try:
                os.ftruncate(descriptor, self._size)
                os.lseek(descriptor, self._size, os.SEEK_SET)
                _write_all(descriptor, line + b"\n")
                if durable:
                    os.fsync(descriptor)
            except OSError as error:
                with contextlib.suppress(OSError):
                    os.ftruncate(descriptor, self._size)
                _cannot_write(self.path, error)
            self._size += len(line) + 1
        finally:
            os.close(descriptor)

    def append_record(self, record: Mapping[str, Any], *, durable: bool = True) -> None:
        """`append` for what `json` can write; anything else (a Decimal) is written as text."""
        self.append(json.dumps(record, default=str, separators=(",", ":")).encode("ascii"), durable=durable)

    def size(self) -> int:
        """Bytes of whole lines."""
        if self._size is None:
            self._size = _whole_lines(self.path)
        return self._size

    def delete(self) -> None:
        """Remove the file, if it is there."""
        self.path.unlink(missing_ok=True)
        self._size = 0


def _whole_lines(path: Path) -> int:
    return (read_own(path) or b"").rfind(b"\n") + 1


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _cannot_write(path: Path, error: OSError) -> NoReturn:
    raise RunWriteError(
        f"{path} could not be written: {error.strerror or error}",
        "Free some space or mend the permissions, and run the same command again: what was saved before is intact.",
    ) from error
