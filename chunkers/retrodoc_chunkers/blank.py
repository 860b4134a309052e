"""The last resort: where to cut text that no grammar reads, or a piece of code that has nothing smaller inside.

At blank lines; where a paragraph is over the budget, between its lines; where a line is, between characters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retrodoc_chunkers.cuts import BLANK_LINE, CHARACTER, LINE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retrodoc_chunkers.cuts import Cut, Ruler

_AFTER_BLANK = re.compile(rb"\n[ \t\f\v\r]*\n(?=[^\n])")


def cuts_between(source: bytes, start: int, end: int, ruler: Ruler, max_chars: int, depth: int = 0) -> Iterator[Cut]:
    """Cuts strictly inside bytes `start` to `end`, ascending, none further than `max_chars` from its neighbour."""
    edge = start
    for place in _blank_lines(source, start, end):
        yield from _cuts_in_paragraph(source, edge, place, ruler, max_chars, depth)
        yield (place, BLANK_LINE, depth + _indented(source, place))
        edge = place
    yield from _cuts_in_paragraph(source, edge, end, ruler, max_chars, depth)


def _blank_lines(source: bytes, start: int, end: int) -> Iterator[int]:
    """Starts of the lines that follow a blank one."""
    at = start
    while (found := _AFTER_BLANK.search(source, at, end)) is not None:
        at = found.end() - 1  # the line feed that ends the blank line may begin the next match
        if not _blank(source, found.end()) and found.end() < end:
            yield found.end()


def _blank(source: bytes, line_start: int) -> bool:
    line_end = source.find(b"\n", line_start)
    return not source[line_start : line_end if line_end >= 0 else None].strip()


def _indented(source: bytes, place: int) -> bool:
    return source[place : place + 1] in b" \t"


def _cuts_in_paragraph(source: bytes, start: int, end: int, ruler: Ruler, max_chars: int, depth: int) -> Iterator[Cut]:
    if ruler.fits(start, end, max_chars):
        return
    edge = start
    while edge < end:
        line_end = source.find(b"\n", edge, end) + 1 or end
        if not ruler.fits(edge, line_end, max_chars):
            yield from _cuts_in_line(source, edge, line_end, ruler, max_chars, depth)
        if line_end < end:
            yield (line_end, LINE, depth)
        edge = line_end


def _cuts_in_line(source: bytes, start: int, end: int, ruler: Ruler, max_chars: int, depth: int) -> Iterator[Cut]:
    edge = start
    while not ruler.fits(edge, end, max_chars):
        place = ruler.after(edge, max_chars, end)
        # A carriage return stays with its line feed, if that leaves anything.
        if source[place - 1 : place + 1] == b"\r\n" and place - 1 > edge:
            place -= 1
        yield (place, CHARACTER, depth)
        edge = place
