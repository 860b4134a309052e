"""A place where a file may be cut, and how much is lost there: nothing before a definition, most inside a word."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

DEFINITION = 0
PARAGRAPH = 1
"""Before a statement or member that a blank line sets apart."""
STATEMENT = 2
BLANK_LINE = 3
LINE = 4
"""Between two lines of one statement, or right after a definition's header."""
CHARACTER = 5

HOW = ("definition", "statement", "statement", "blank-line", "line", "character")
"""What a chunk that starts at a cut of each rank says of itself."""

Cut = tuple[int, int, int]
"""Byte offset; rank, one of the above; depth: how many opened nodes are around it. Plain, because there are many."""


class Limit(NamedTuple):
    """A chunk that starts inside a class (after `start`, before `end`) ends at `last` at the latest: the next class."""

    start: int
    end: int
    last: int


class Ruler:
    """Measures a file in characters: its bytes when it is ASCII or latin-1."""

    def __init__(self, source: bytes, encoding: str) -> None:
        self._source = source
        self.bytes_are_characters = encoding != "utf-8" or source.isascii()

    def fits(self, start: int, end: int, max_chars: int) -> bool:
        """Whether bytes `start` to `end` are at most `max_chars` characters."""
        if end - start <= max_chars:
            return True
        if self.bytes_are_characters:
            return False
        # A character takes up to four bytes: more than that of them are over the budget, however many there are.
        return self.length(start, min(end, start + 4 * (max_chars + 1))) <= max_chars

    def length(self, start: int, end: int) -> int:
        """Characters from byte `start` to byte `end`."""
        if self.bytes_are_characters:
            return end - start
        return len(self._source[start:end].decode("utf-8", "replace"))

    def positions(self, cuts: Sequence[Cut]) -> list[int]:
        """The character position of each cut, ascending as the cuts are."""
        if self.bytes_are_characters:
            return [cut[0] for cut in cuts]
        found = []
        position = last = 0
        for offset, _, _ in cuts:
            position += self.length(last, offset)
            last = offset
            found.append(position)
        return found

    def after(self, start: int, characters: int, end: int) -> int:
        """The byte offset `characters` after byte `start`, at most `end`; never inside a character."""
        if self.bytes_are_characters:
            return min(start + characters, end)
        text = self._source[start : min(start + 4 * characters, end)].decode("utf-8", "ignore")
        return start + len(text[:characters].encode("utf-8"))
