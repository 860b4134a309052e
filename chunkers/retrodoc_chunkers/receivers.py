"""What a call is made on: the text before its name, when an operator binds the two."""

from __future__ import annotations

import re

MAX_RECEIVER = 200
"""Bytes of a receiver that are kept: a chain of ten thousand calls must not cost the square of that."""
MAX_GAP = 500
"""Bytes between a receiver and the name of its call: white space, an operator, a comment."""

_COMMENTS = re.compile(rb"(?://|#)[^\n]*|/\*.*?\*/", re.DOTALL)
_OPERATORS = b".:>\\"
_ALONE = frozenset({b".", b"::", b"->", b"?.", b"&.", b"\\"})
_LAST = frozenset({b".", b":", b">", b"\\"})
_PATH_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:")
MAY_FOLLOW_RECEIVER = frozenset((*_OPERATORS, *range(ord(" ") + 1)))
"""The last byte before a name that may have a receiver: of an operator, or white space."""


def receiver_before(name_start: int, receiver: tuple[int, int] | None, source: bytes, encoding: str) -> str:
    """The receiver (start, end) if only its operator is between it and the name, else what a path looks like."""
    if receiver is None or not _binds(source, receiver[1], name_start):
        return _path_before(name_start, source).decode(encoding, "replace")
    start, end = receiver
    return source[max(start, end - MAX_RECEIVER) : end].decode(encoding, "replace")


def _binds(source: bytes, end: int, name_start: int) -> bool:
    """Whether an operator, and white space and comments at most, is between a receiver's end and a name."""
    if name_start - end > MAX_GAP:
        return False
    between = source[end:name_start]
    if between in _ALONE:
        return True
    return between.rstrip()[-1:] in _LAST and not _COMMENTS.sub(b"", between).strip(b".:?&->!\\ \t\r\n")


def _path_before(name_start: int, source: bytes) -> bytes:
    """The names that lead to a name: the arguments of a macro are not parsed, so there is no receiver to be found.

    Only `.` and `::` right before the name lead to it: `a ? b:name()`, `x => name()` and `0..name()` have no receiver.
    """
    leading = source[max(name_start - 2, 0) : name_start]
    if leading == b".." or not (leading.endswith(b".") or leading == b"::"):
        return b""
    at = name_start
    while at > max(name_start - MAX_RECEIVER, 0) and source[at - 1] in _PATH_BYTES:
        at -= 1
    return source[at:name_start].strip(b".:")
