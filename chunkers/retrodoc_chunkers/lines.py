"""Which line a byte of a file is on, as an editor counts."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from itertools import accumulate

FAR = 32_768
"""Bytes over which line feeds are looked up instead of counted. Counting them over a span costs less than a list of all
of them does, unless thousands of spans hold each other."""

_with_feed = (1).__add__


class Lines:
    """The lines of a file."""

    def __init__(self, source: bytes) -> None:
        self.source = source

    def of(self, byte: int) -> int:
        """The line (1-based) of a byte; the end of the file is on its last line."""
        return bisect_left(self._feeds, byte) + 1

    @cached_property
    def _feeds(self) -> list[int]:
        """The byte of each line feed, and last the end of the file as if there were one."""
        lengths = map(_with_feed, map(len, self.source.split(b"\n")))
        return list(accumulate(lengths, initial=-1))[1:]
