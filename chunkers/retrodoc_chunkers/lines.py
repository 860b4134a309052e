"""Where the lines of a file end, found once: which line a byte is on, as an editor counts."""

from __future__ import annotations

from itertools import accumulate

_with_feed = (1).__add__


def line_feeds(source: bytes) -> list[int]:
    """The byte of each line feed, and last the end of the file as if there were one.

    `bisect_left(feeds, byte) + 1` is the line of a byte.
    """
    lengths = map(_with_feed, map(len, source.split(b"\n")))
    return list(accumulate(lengths, initial=-1))[1:]
