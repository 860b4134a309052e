"""How far the ordinary words of a step stand at its lines, against a count of the same by hand."""

from __future__ import annotations

import math
import random
from dataclasses import FrozenInstanceError

import pytest

from retrodoc_checks.citations import Cited
from retrodoc_checks.names import read_step
from retrodoc_checks.rarity import rarity_of
from retrodoc_checks.source import SourceFile
from retrodoc_checks.words import (
    NO_FOOTING,
    PRIOR_ELSEWHERE,
    PRIOR_HERE,
    Footing,
    StepWord,
    alike,
    footing,
    words_of,
)

WORDS = ("zorbic", "quellan", "brandel", "mulvex")
"""Of no language, so that nothing else means the same."""


def scattered(lines: int, seed: int) -> list[str]:
    """Lines that hold up to three of the words."""
    draw = random.Random(seed)
    return [" ".join(draw.sample(WORDS, draw.choice((0, 0, 1, 1, 2, 3)))) for _ in range(lines)]


def at(lines: list[str], start: int, end: int, path: str = "a.txt") -> Cited:
    return Cited(SourceFile(path, "\n".join([*lines, ""]).encode()), start, end)


def weigh(text: str, *cited: Cited) -> Footing:
    return footing(read_step(text), cited)


def by_hand(lines: list[str], start: int, end: int) -> tuple[set[str], float, float, float]:
    """Words here, both weights, and the share of the ranges apart that hold fewer of the words."""
    length = end - start + 1
    ranges = {
        first: set(" ".join(lines[first - 1 : first - 1 + length]).split())
        for first in range(1, len(lines) - length + 2)
    }
    here = ranges[start]
    weight_here = sum(
        -math.log(max(0.02, sum(word in held for held in ranges.values()) / len(ranges))) for word in here
    )
    elsewhere = set(" ".join(lines).split()) - here
    apart = [held for first, held in ranges.items() if abs(first - start) >= length]
    fewer = sum(len(held) < len(here) for held in apart)
    return here, weight_here, sum(rarity_of(word) for word in elsewhere), fewer / len(apart) if here and apart else 0.0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("start", "end"), [(1, 1), (2, 4), (9, 9), (9, 10), (17, 19), (40, 40), (36, 40), (12, 21), (11, 31)]
)
def test_words_weigh_as_much_as_they_are_rare_among_the_ranges(seed: int, start: int, end: int) -> None:
    lines = scattered(40, seed)
    here, weight_here, weight_elsewhere, ahead = by_hand(lines, start, end)
    found = weigh(" ".join(WORDS), at(lines, start, end))

    assert set(found.here) == here
    assert found.weight_here == pytest.approx(weight_here)
    assert found.weight_elsewhere == pytest.approx(weight_elsewhere)
    assert found.ahead == ahead
    total = weight_here + weight_elsewhere + PRIOR_HERE + PRIOR_ELSEWHERE
    assert found.share == pytest.approx((weight_here + PRIOR_HERE) / total)


def test_a_word_in_one_range_of_fifty_is_as_rare_as_any() -> None:
    for lines, share in ((49, 1 / 49), (50, 0.02), (51, 0.02), (500, 0.02)):
        assert weigh("zorbic", at(["zorbic", *("x" for _ in range(lines - 1))], 1, 1)).weight_here == -math.log(share)


@pytest.mark.parametrize(("lines", "says"), [(19, False), (20, True)])
def test_a_file_of_fewer_than_twenty_ranges_says_nothing(lines: int, says: bool) -> None:
    found = weigh("zorbic", at(["zorbic"] * lines, 1, 1))

    assert (found != NO_FOOTING) is says


def test_the_best_of_several_citations_counts() -> None:
    lines = ["zorbic quellan", "zorbic", "quellan", "x", "brandel", *["x"] * 25]
    one, two = at(lines, 2, 2), at(lines, 5, 5)
    both = weigh(" ".join(WORDS), one, two)

    assert (both.here, both.elsewhere) == (("zorbic", "brandel"), ("quellan",))
    assert both.ahead == max(weigh(" ".join(WORDS), each).ahead for each in (one, two))
    assert weigh("zorbic", at(lines, 1, 1), at(["zorbic"] * 15 + ["x"] * 15, 1, 1)).weight_here == -math.log(2 / 30)


def test_at_most_fifty_citations_are_weighed() -> None:
    empty, full = at(["x"] * 30, 1, 1), at(["zorbic", *["x"] * 29], 1, 1)

    assert weigh("zorbic", *[empty] * 49, full).here == ("zorbic",)
    assert weigh("zorbic", *[empty] * 50, full).here == ()


def test_at_most_two_hundred_words_are_looked_at() -> None:
    text = " ".join(f"q{'abcdefghij'[n // 100]}{'klmnopqrst'[n // 10 % 10]}{'uvwxyzabcd'[n % 10]}" for n in range(300))

    assert len(words_of(read_step(text))) == 200


SPOKEN = {
    "The zorbic zorbic of a quellan": ["zorbic", "quellan"],
    "An ox is up": [],
    "The user and the customer": [],
    "l'adresse de la boutique est dans le zorbic": ["adresse", "zorbic"],
    "the cart's zorbic": ["cart", "zorbic"],
    "the voucher's zorbic": ["voucher", "zorbic"],
    "the cart’s zorbic": ["cart", "zorbic"],
    "le panier qu'obtient la boutique": ["panier", "obtient"],
}


@pytest.mark.parametrize("text", SPOKEN)
def test_the_ordinary_words_of_a_step(text: str) -> None:
    assert [one.word for one in words_of(read_step(text))] == SPOKEN[text]


def test_a_word_of_denied_clauses_alone_is_denied() -> None:
    assert words_of(read_step("It does not keep the zorbic, and it keeps the quellan. No quellan is lost.")) == [
        StepWord("keeps", "keep"),
        StepWord("zorbic", "zorbic", denied=True),
        StepWord("quellan", "quellan"),
        StepWord("lost", "lost", denied=True),
    ]


def test_denied_words_weigh_at_the_lines_alone_and_are_told_nowhere() -> None:
    lines = ["zorbic quellan", "brandel", *["x"] * 28]
    found = weigh("It has zorbic. It has no quellan and no brandel.", at(lines, 1, 1))

    assert (found.here, found.elsewhere) == (("zorbic",), ())
    assert found.weight_here == pytest.approx(2 * -math.log(1 / 30))
    assert found.weight_elsewhere == 0


def test_the_name_of_a_definition_around_the_lines_stands_there_too() -> None:
    lines = ["def zorbic():", "    a = 1", "    b = 2", "c = 3", *["x = 1"] * 26]

    assert weigh("zorbic", at(lines, 2, 3, "a.py")).here == ("zorbic",)
    assert weigh("zorbic", at(lines, 2, 4, "a.py")).here == ()
    assert weigh("zorbic", at(lines, 4, 4, "a.py")).elsewhere == ("zorbic",)
    assert weigh("zorbic", at(lines, 2, 3, "a.txt")).here == ()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("pay", "pay", True), ("pay", "paym", False), ("paym", "payment", True), ("payment", "paym", True),
     ("paym", "pay", False), ("pa", "pays", False), ("pays", "pa", False), ("paymo", "payment", False)],
)  # fmt: skip
def test_stems_are_alike_when_four_letters_or_more_begin_both(one: str, other: str, same: bool) -> None:
    assert alike(one, other) is same


def test_a_footing_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        NO_FOOTING.ahead = 1.0  # type: ignore[misc]
