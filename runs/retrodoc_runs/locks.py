"""Who may write: one process at a time, and a process that was killed does not count.

The lock is the operating system's on an open file, so that it ends with its process, however that ends.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from retrodoc_runs.errors import RunLockedError, RunWriteError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_BUSY = {errno.EWOULDBLOCK, errno.EACCES, errno.EAGAIN, errno.EDEADLK}


@contextlib.contextmanager
def hold_lock(path: Path) -> Iterator[None]:
    """Hold the lock file `path` for the `with` block, or raise RunLockedError at once.

    On a file system without locks (some network mounts) nothing is locked: refusing to work would be worse.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    except OSError as error:
        raise RunWriteError(f"{path} could not be opened: {error.strerror or error}") from error
    try:
        try:
            _acquire(descriptor)
        except OSError as error:
            if error.errno in _BUSY:
                raise _locked(path, descriptor) from None
        with contextlib.suppress(OSError):  # the id is for the other's message alone
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, str(os.getpid()).encode(), 0) if hasattr(os, "pwrite") else None
        yield
    finally:
        os.close(descriptor)


def _acquire(descriptor: int) -> None:
    if sys.platform == "win32":
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)  # beyond the text, which others must be able to read
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _locked(path: Path, descriptor: int) -> RunLockedError:
    os.lseek(descriptor, 0, os.SEEK_SET)
    holder = os.read(descriptor, 32).decode("ascii", "replace").strip()
    who = f"process {holder}" if holder.isdigit() else "another process"
    return RunLockedError(
        f"{who} is writing runs in {path.parent}", "Wait until it ends, or name another folder with --runs."
    )
