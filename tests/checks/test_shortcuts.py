"""A quicker way gives what the plain one gives."""

from __future__ import annotations

from unicodedata import combining, normalize

from hypothesis import given
from hypothesis import strategies as st

from retrodoc_checks.source import _NUMBER, SourceFile, _numbers_in
from retrodoc_checks.stems import without_accents

PYTHON = b"""SIZES = (1, 2, 3)

class Order:
    number: int
    total: int

    def place(self, basket, user, card, address): ...

    def cancel(self): ...

    def pay(self): ...
"""


@given(st.text("0123,._ axspmif-\n").map(str.encode) | st.binary(max_size=40))
def test_numbers_are_found_where_a_search_from_every_byte_finds_them(data: bytes) -> None:
    assert [found.span() for found in _numbers_in(data)] == [found.span() for found in _NUMBER.finditer(data)]


def test_a_number_that_some_lines_count_is_one_that_the_file_may_count() -> None:
    source = SourceFile("shop.py", PYTHON)
    spans = [(start, end) for start in range(1, source.lines + 1) for end in range(start, source.lines + 1)]
    counted = frozenset[int]().union(*(source.counts(start, end) for start, end in spans))
    assert counted == {1, 2, 3, 4}
    assert {number for number in range(1, 100) if source.may_count(number)} == counted


@given(st.text(st.one_of(st.characters(), st.sampled_from("aeéèñåß\u0301\u0327\u0345가힣ﬁ"))))
def test_accents_are_taken_off_where_there_are_any(text: str) -> None:
    assert without_accents(text) == "".join(c for c in normalize("NFD", text) if not combining(c))
