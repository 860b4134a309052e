"""Of the possible cuts, the fewest are made, and among those the best."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrodoc_chunkers.blank import cuts_between
from retrodoc_chunkers.cuts import BLANK_LINE, CHARACTER, DEFINITION, LINE, STATEMENT, Cut, Limit, Ruler
from retrodoc_chunkers.packing import choose


def places(*cuts: tuple[int, int] | tuple[int, int, int]) -> list[Cut]:
    return [(cut[0], cut[1], cut[2] if len(cut) > 2 else 0) for cut in cuts]  # type: ignore[misc]


def chosen(cuts: list[Cut], budget: int, limits: list[Limit] | None = None) -> list[int]:
    return [cut[0] for cut in choose(cuts, [cut[0] for cut in cuts], budget, limits or ())]


@pytest.mark.parametrize(
    ("cuts", "budget", "made"),
    [
        (places((0, 0), (10, 0)), 10, [0, 10]),
        (places((0, 0), (5, 0), (10, 0)), 10, [0, 10]),
        (places((0, 0), (5, 0), (10, 0), (15, 0)), 10, [0, 10, 15]),
        (places((0, 0), (5, DEFINITION), (10, LINE), (15, 0)), 10, [0, 5, 15]),
        (places((0, 0), (4, DEFINITION), (10, LINE), (15, 0)), 10, [0, 10, 15]),
        (places((0, 0), (5, STATEMENT, 2), (10, STATEMENT, 3), (15, 0)), 10, [0, 5, 15]),
        (places((0, 0), (5, STATEMENT, 2), (10, STATEMENT, 2), (15, 0)), 10, [0, 10, 15]),
        (places((0, 0), (8, LINE), (16, LINE), (24, 0)), 8, [0, 8, 16, 24]),
        (places((0, 0), (5, LINE), (10, LINE), (15, DEFINITION), (20, LINE), (25, 0)), 10, [0, 10, 15, 25]),
        (places((0, 0), (6, 0), (8, CHARACTER), (12, 0), (16, CHARACTER), (20, 0)), 8, [0, 6, 12, 20]),
    ],
)  # fmt: skip
def test_the_best_place_of_each_window(cuts: list[Cut], budget: int, made: list[int]) -> None:
    assert chosen(cuts, budget) == made


def test_a_chunk_inside_a_class_stops_at_the_next_class() -> None:
    cuts = places((0, 0), (5, 0), (10, 0), (15, 0), (20, 0))
    assert chosen(cuts, 10) == [0, 10, 20]
    assert chosen(cuts, 12, [Limit(0, 12, 15)]) == [0, 10, 15, 20]
    assert chosen(cuts, 16, [Limit(5, 8, 10)]) == [0, 15, 20], "it starts before the class"
    assert chosen(cuts, 10, [Limit(10, 12, 15)]) == [0, 10, 20], "it starts at the class, not inside"
    assert chosen(cuts, 10, [Limit(5, 10, 15)]) == [0, 10, 20], "it starts where the class ends"


def test_the_rank_is_asked_only_where_a_cut_may_be() -> None:
    asked: list[int] = []

    def rank_of(cut: Cut) -> int:
        asked.append(cut[0])
        return DEFINITION if cut[0] == 5 else cut[1]

    cuts = places((0, 0), (2, LINE), (5, LINE), (10, LINE), (15, 0))
    made = choose(cuts, [cut[0] for cut in cuts], 10, (), rank_of)
    assert [cut[0] for cut in made] == [0, 5, 15]
    assert sorted(set(asked)) == [5, 10]


@st.composite
def possible(draw: st.DrawFn) -> tuple[list[Cut], int]:
    budget = draw(st.integers(1, 12))
    steps = draw(st.lists(st.integers(1, budget), min_size=1, max_size=25))
    offsets = [0]
    for step in steps:
        offsets.append(offsets[-1] + step)
    ranks = draw(st.lists(st.integers(0, 5), min_size=len(offsets), max_size=len(offsets)))
    return [(offset, rank, 0) for offset, rank in zip(offsets, ranks, strict=True)], budget


def fewest(offsets: list[int], budget: int) -> int:
    best = {0: 0}
    for end in offsets[1:]:
        best[end] = 1 + min(best[start] for start in offsets if start < end <= start + budget)
    return best[offsets[-1]]


@settings(deadline=None)
@given(possible())
def test_no_other_choice_has_fewer_chunks(given_cuts: tuple[list[Cut], int]) -> None:
    cuts, budget = given_cuts
    made = chosen(cuts, budget)
    offsets = [cut[0] for cut in cuts]
    assert made[0] == 0
    assert made[-1] == offsets[-1]
    assert all(0 < end - start <= budget for start, end in itertools.pairwise(made))
    assert len(made) - 1 == fewest(offsets, budget)


def test_a_ruler_counts_characters() -> None:
    source = "aé€\U0001f600b".encode()
    ruler = Ruler(source, "utf-8")
    assert ruler.length(0, len(source)) == 5
    assert ruler.fits(0, len(source), 5)
    assert not ruler.fits(0, len(source), 4)
    assert ruler.positions([(0, 0, 0), (1, 0, 0), (3, 0, 0), (6, 0, 0), (10, 0, 0), (11, 0, 0)]) == [0, 1, 2, 3, 4, 5]
    assert [ruler.after(0, count, len(source)) for count in range(1, 7)] == [1, 3, 6, 10, 11, 11]
    wide = Ruler("\U0001f600".encode() * 50, "utf-8")
    assert [wide.fits(0, 4 * count, 7) for count in (6, 7, 8, 9, 50)] == [True, True, False, False, False]
    assert [wide.fits(20, 20 + 4 * count, 7) for count in (7, 8, 40)] == [True, False, False]
    plain = Ruler(b"abcdef", "utf-8")
    assert plain.fits(0, 6, 6)
    assert not plain.fits(0, 6, 5)
    assert (plain.after(1, 2, 6), plain.after(1, 9, 4), plain.length(1, 4)) == (3, 4, 3)
    latin = Ruler(b"caf\xe9s", "latin-1")
    assert (latin.length(0, 5), latin.fits(0, 5, 4), latin.positions([(4, 0, 0)])) == (5, False, [4])


@pytest.mark.parametrize(
    ("source", "start", "end", "budget", "cuts"),
    [
        (b"one\n\n two\n\nsix\n", 0, 15, 20, [(5, BLANK_LINE, 1), (11, BLANK_LINE, 0)]),
        (b"one\n\n two\n\nsix\n", 1, 11, 20, [(5, BLANK_LINE, 1)]),
        (b"one\n\n two\n\nsix\n", 5, 15, 20, [(11, BLANK_LINE, 0)]),
        (b"one\ntwo\nsix\n", 0, 12, 8, [(4, LINE, 0), (8, LINE, 0)]),
        (b"one\ntwo\nsix", 0, 11, 8, [(4, LINE, 0), (8, LINE, 0)]),
        (b"abcdefgh\nij\n", 0, 12, 3, [(3, CHARACTER, 0), (6, CHARACTER, 0), (9, LINE, 0)]),
        (b"abcdefgh\nij\n", 2, 12, 3, [(5, CHARACTER, 0), (8, CHARACTER, 0), (9, LINE, 0)]),
        (b"ab\r\ncd", 0, 6, 3, [(2, CHARACTER, 0), (4, LINE, 0)]),
        (b"a\r\nb", 0, 4, 2, [(1, CHARACTER, 0), (3, LINE, 0)]),
        (b"\n\n\n", 0, 3, 9, []),
    ],
)  # fmt: skip
def test_text_is_cut_at_its_blank_lines_and_within_paragraphs_that_do_not_fit(
    source: bytes, start: int, end: int, budget: int, cuts: list[Cut]
) -> None:
    ruler = Ruler(source, "utf-8")
    assert list(cuts_between(source, start, end, ruler, budget)) == cuts
    assert list(cuts_between(source, start, end, ruler, budget, 3)) == [
        (at, rank, depth + 3) for at, rank, depth in cuts
    ]
