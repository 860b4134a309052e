"""Whether a file is read as code: not when it is binary, too large, minified or without a grammar."""

from __future__ import annotations

from typing import NamedTuple

from retrodoc_chunkers.grammars import available, language_of

MAX_BYTES = 2_000_000
"""Above this no parser is started: a syntax tree takes about 70 bytes a byte of dense source."""
LONG_LINE = 6_000
"""Bytes; the default budget of a chunk. A file that is mostly such lines is minified or generated, not written."""

# A byte above 127 stands for a letter: offsets stay what they are, and a name in latin-1 stays one token.
_LATIN_1 = bytes(byte if byte < 128 else ord("x") for byte in range(256))


class Reading(NamedTuple):
    """How a file is to be read."""

    language: str | None
    unread_reason: str | None
    """`no-grammar`, `grammar-missing`, `binary`, `too-large`, `minified`, `parse-abandoned`, `tangled`; None when it is
    read."""
    text: bytes
    """What the parser gets: as long as the file, byte for byte."""
    encoding: str
    """`utf-8` or `latin-1`."""


def read_as(source: bytes, path: str, *, check_lines: bool = True) -> Reading:
    """Decide how a file is read: `source` is the whole file, `path` only names it."""
    language = language_of(path, source)
    reason = _unread_reason(source, language, check_lines=check_lines)
    if reason is not None:
        return Reading(None, reason, b"", encoding_of(source))
    encoding = encoding_of(source)
    return Reading(language, None, source if encoding == "utf-8" else source.translate(_LATIN_1), encoding)


def _unread_reason(source: bytes, language: str | None, *, check_lines: bool) -> str | None:
    if b"\0" in source:
        return "binary"
    if language is None:
        return "no-grammar"
    if len(source) > MAX_BYTES:
        return "too-large"
    if check_lines and minified(source):
        return "minified"
    return None if available(language) else "grammar-missing"


def minified(source: bytes) -> bool:
    """Whether lines longer than `LONG_LINE` bytes make up more than half of the file."""
    if len(source) <= LONG_LINE:
        return False
    long_bytes = 0
    start = 0
    end = len(source)
    while start < end:
        # The last line feed of the next window: only windows without one hold part of a long line.
        line_feed = source.rfind(b"\n", start, start + LONG_LINE + 1)
        if line_feed >= 0:
            start = line_feed + 1
            continue
        if end - start <= LONG_LINE:
            break
        following = source.find(b"\n", start)
        following = end if following < 0 else following
        long_bytes += following - start
        start = following + 1
    return 2 * long_bytes > end


def encoding_of(source: bytes) -> str:
    """`utf-8` when the bytes are that, else `latin-1`, which reads any byte."""
    if source.isascii():
        return "utf-8"
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"
