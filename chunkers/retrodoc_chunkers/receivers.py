"""What a call is made on: the text before its name, when an operator binds the two."""

from __future__ import annotations

import re

MAX_RECEIVER = 200
"""Bytes of a receiver that are kept: a chain of ten thousand calls must not cost the square of that."""
MAX_GAP = 500
"""Bytes between a receiver and the name of its call: white space, an operator, a comment."""

_COMMENTS = re.compile(rb"(?://|#)[^\n]*|/\*.*?\*/", re.DOTALL)
_OPERATORS = b".:>\\"
_PATH_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:")
MAY_FOLLOW_RECEIVER = frozenset((*_OPERATORS, *range(ord(" ") + 1)))
"""The last byte before a name that may have a receiver: of an operator, or white space."""


def receiver_before(name_start: int, receiver: tuple[int, int], source: bytes, encoding: str) -> str:
    """The receiver (start, end) if only its operator is between it and the name, else what a path looks like."""
    start, end = receiver
    if not (0 < name_start - end <= 2 and source[name_start - 1] in _OPERATORS):
        operator = source[max(name_start - 100, 0) : name_start].rstrip()[-1:]
        if not operator or operator not in _OPERATORS:
            return ""
        bound = end >= 0 and name_start - end <= MAX_GAP
        if not bound or _COMMENTS.sub(b"", source[end:name_start]).strip(b".:?&->!\\ \t\r\n"):
            return _path_before(name_start, source).decode(encoding, "replace")
    return source[max(start, end - MAX_RECEIVER) : end].decode(encoding, "replace")


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
