"""Which of the possible cuts are made: as few chunks as possible, and among those the best places.

The number of chunks comes first because each one is paid for. With that number fixed, every cut has a window in
which it may lie, and the best place of the window is taken.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retrodoc_chunkers.cuts import Cut, Limit


def choose(
    cuts: Sequence[Cut],
    positions: Sequence[int],
    max_chars: int,
    limits: Sequence[Limit] = (),
    rank_of: Callable[[Cut], int] | None = None,
) -> list[Cut]:
    """The cuts to make, the first and the last of `cuts` (start and end of the file) included.

    `cuts` ascend; `positions` are their characters; no two neighbours are more than `max_chars` apart. `rank_of` is
    asked only about cuts that may be made, so it may be slow.
    """
    reach = _Reach(cuts, positions, max_chars, limits)
    last = len(cuts) - 1
    chunks = _fewest(reach, last)
    # earliest[j]: the first cut from where j chunks are enough.
    earliest = [last]
    for _ in range(1, chunks):
        earliest.append(reach.first_that_reaches(earliest[-1]))
    chosen = [0]
    for made in range(1, chunks):
        # No earlier than that, or there would be a chunk more; which is after the cut before, or one less would do.
        chosen.append(_best(cuts, earliest[chunks - made], reach.from_cut(chosen[-1]), rank_of))
    chosen.append(last)
    return [cuts[index] for index in chosen]


def _fewest(reach: _Reach, last: int) -> int:
    """How many chunks there must be: each as long as it can be."""
    chunks = index = 0
    while index < last:
        index = reach.from_cut(index)
        chunks += 1
    return chunks


def _best(cuts: Sequence[Cut], low: int, high: int, rank_of: Callable[[Cut], int] | None) -> int:
    """The best of cuts `low` to `high`: the lowest rank, then the outermost, then the last."""
    best, best_score = high, (99, 0)
    for index in range(high, low - 1, -1):
        cut = cuts[index]
        score = (rank_of(cut) if rank_of else cut[1], cut[2])
        if score < best_score:
            best, best_score = index, score
    return best


class _Reach:
    """How far one chunk gets."""

    def __init__(self, cuts: Sequence[Cut], positions: Sequence[int], max_chars: int, limits: Sequence[Limit]) -> None:
        self._offsets = [cut[0] for cut in cuts]
        self._positions = positions
        self._max_chars = max_chars
        self._limits = limits

    def from_cut(self, index: int) -> int:
        """The furthest cut that a chunk from cut `index` can end at."""
        far = bisect_right(self._positions, self._positions[index] + self._max_chars) - 1
        offset = self._offsets[index]
        for start, end, last in self._limits:
            if start < offset < end:
                far = min(far, bisect_left(self._offsets, last))
        return far

    def first_that_reaches(self, target: int) -> int:
        """The first cut from which a chunk can end at cut `target`."""
        index = bisect_left(self._positions, self._positions[target] - self._max_chars)
        while self.from_cut(index) < target:
            index += 1
        return index
