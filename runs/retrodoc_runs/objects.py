"""How Git objects are read: one long-lived `git cat-file`, asked ahead so that neither side waits for the other."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import weakref
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from retrodoc_runs.errors import ObjectMissingError, RepositoryReadError
from retrodoc_runs.git import Git, partial_clone

WINDOW_OBJECTS = 64
"""Asked for at once: 64 requests of 41 bytes fit into any system's pipe, so that writing them cannot block."""


class ObjectReader:
    """Contents of Git objects by id. Safe to share between threads; closed with `close`.

    `max_bytes` bounds one object: a larger one is read past, not kept, and given as None.
    """

    def __init__(self, git: Git, max_bytes: int) -> None:
        self._git = git
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self.sizes: dict[str, int] = {}
        """Of every object that passed by."""

    def commit_of(self, revision: str) -> str | None:
        """Full id of the commit that a revision names; None when there is none, or more than one."""
        if not revision or any(character in revision for character in "\n\0"):
            return None
        with self._exchange() as (pipe_in, pipe_out):
            pipe_in.write(os.fsencode(revision) + b"^{commit}\n")
            pipe_in.flush()
            name, kind, size = _parse_header(self._header(pipe_out))
            if kind != "commit":
                return None
            _skip(pipe_out, size + 1)
            return name

    def read(self, object_id: str, max_bytes: int | None = None) -> bytes | None:
        """The object's content; None when it is over the bound."""
        return self._window((object_id,), self._bound(max_bytes))[0]

    def read_many(self, object_ids: Sequence[str], max_bytes: int | None = None) -> Iterator[tuple[int, bytes | None]]:
        """(index, content) in the given order; what is in flight is bounded, and the consumer may read in between."""
        bound = self._bound(max_bytes)
        start = 0
        while start < len(object_ids):
            contents = self._window(object_ids[start : start + WINDOW_OBJECTS], bound)
            yield from enumerate(contents, start)
            start += len(contents)

    def is_partial(self) -> bool:
        """Whether files may have been left on the server."""
        return bool(self._git.attempt("config", "--get-regexp", r"^remote\..*\.promisor$").stdout)

    def missing_at(self, commit: str) -> frozenset[str]:
        """Ids of the objects of a commit's files that the repository does not hold. Fetches nothing."""
        listed = self._git.run("rev-list", "--objects", "--missing=print", "--end-of-options", f"{commit}^{{tree}}")
        return frozenset(line[1:].decode("ascii") for line in listed.splitlines() if line.startswith(b"?"))

    def close(self) -> None:
        with self._lock:
            self._stop()

    def _bound(self, max_bytes: int | None) -> int:
        return self._max_bytes if max_bytes is None else min(max_bytes, self._max_bytes)

    def _window(self, object_ids: Sequence[str], bound: int) -> list[bytes | None]:
        with self._exchange() as (pipe_in, pipe_out):
            pipe_in.write("".join(f"{object_id}\n" for object_id in object_ids).encode("ascii"))
            pipe_in.flush()
            return [self._next(pipe_out, object_id, bound) for object_id in object_ids]

    @contextlib.contextmanager
    def _exchange(self) -> Iterator[tuple[BinaryIO, BinaryIO]]:
        """One question and its whole answer. Whatever interrupts it, a half-read answer is never taken for the next."""
        with self._lock:
            try:
                yield self._pipes()
            except BrokenPipeError as error:
                self._stop()
                raise self._died() from error
            except BaseException:
                self._stop()
                raise

    def _header(self, pipe: BinaryIO) -> bytes:
        header = pipe.readline()
        if not header:
            raise self._died()
        return header

    def _next(self, pipe: BinaryIO, object_id: str, bound: int) -> bytes | None:
        name, kind, size = _parse_header(pipe.readline())
        if kind == "missing":  # said so, or ended: a Git that may not fetch stops at what was left on the server
            error = self._died()
            raise ObjectMissingError(error.message, error.mend, object_id)
        if name != object_id:
            raise RepositoryReadError(f"git answered {name} when asked for {object_id}")
        self.sizes[object_id] = size
        if size > bound:
            _skip(pipe, size + 1)
            return None
        content = pipe.read(size)
        pipe.read(1)
        if len(content) < size:
            raise self._died()
        return content

    def _pipes(self) -> tuple[BinaryIO, BinaryIO]:
        if self._process is None or self._owner != os.getpid():  # a forked child must not share its parent's pipes
            self._process = self._git.start("cat-file", "--batch")
            self._owner = os.getpid()
            weakref.finalize(self, _end, self._process, self._owner)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin, self._process.stdout  # type: ignore[return-value]

    def _died(self) -> RepositoryReadError:
        if self.is_partial():
            return partial_clone(self._git.folder)
        return RepositoryReadError(
            f"git stopped while reading {self._git.folder}: an object is damaged or missing",
            "See what it says: git fsck",
        )

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            _end(process, self._owner)


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    """Also called when a reader is forgotten rather than closed."""
    if owner != os.getpid():
        return
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):  # it is gone already; what was not sent does not matter
                pipe.close()
    try:
        process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _parse_header(header: bytes) -> tuple[str, str, int]:
    """`<id> <type> <size>`, or `<what was asked> missing|ambiguous`: (name, type, size)."""
    fields = header.rstrip(b"\n").split(b" ")
    if len(fields) >= 3 and fields[-1].isdigit():
        return fields[0].decode("ascii", "replace"), fields[1].decode("ascii", "replace"), int(fields[2])
    return "", "missing", 0


def _skip(pipe: BinaryIO, count: int) -> None:
    while count > 0:
        chunk = pipe.read(min(count, 1 << 20))
        if not chunk:
            return
        count -= len(chunk)
