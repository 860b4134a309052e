"""Where lines begin and end: split on the line feed only, as Git, editors and tree-sitter do.

`str.splitlines` also splits on form feeds and U+2028, which shifts every line number after one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence


def split_lines(source: bytes) -> list[bytes]:
    """The lines of a file, without their ends: one carriage return before the line feed is dropped.

    A final line feed ends the last line and starts none; an empty file has no line.
    """
    if not source:
        return []
    lines = source.split(b"\n")
    last = lines.pop()
    if b"\r" in source:
        lines = [line[:-1] if line.endswith(b"\r") else line for line in lines]
    if last:
        lines.append(last)
    return lines


def count_lines(source: bytes) -> int:
    """How many lines `split_lines` would give, without splitting."""
    return source.count(b"\n") + (1 if source and not source.endswith(b"\n") else 0)


def decode(source: bytes) -> str:
    """Text of a file: UTF-8 (a byte order mark dropped), else latin-1, which reads any byte."""
    try:
        return source.decode("utf-8-sig")
    except UnicodeDecodeError:
        return source.decode("latin-1")


def text_hash(source: bytes, start_line: int | None = None, end_line: int | None = None) -> str:
    """SHA-256 (hex) of lines `start_line` to `end_line` (1-based, inclusive; default the whole file), LF-normalised.

    The same for CRLF and LF checkouts. Lines outside the file add nothing.
    """
    lines = split_lines(source)
    if start_line is not None:
        lines = lines[max(start_line, 1) - 1 : None if end_line is None else max(end_line, 0)]
    return lines_hash(lines)


def lines_hash(lines: Sequence[bytes]) -> str:
    """`text_hash` of lines that `split_lines` gave."""
    return hashlib.sha256(b"\n".join(lines)).hexdigest()
