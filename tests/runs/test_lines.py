"""Lines begin and end where an editor and Git say, whatever the line ends."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrodoc_runs.lines import count_lines, decode, split_lines, text_hash

SOURCES = st.lists(st.sampled_from([b"a", b"", b"\n", b"\r\n", b"\r", b"\x0c", "\u2028é".encode(), b"\xff"])).map(
    b"".join
)
LINE_TEXT = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=5)

TABLE = [
    (b"", []),
    (b"\n", [b""]),
    (b"a", [b"a"]),
    (b"a\n", [b"a"]),
    (b"a\n\n", [b"a", b""]),
    (b"a\r\nb\r\n", [b"a", b"b"]),
    (b"a\r\r\nb", [b"a\r", b"b"]),
    (b"a\rb", [b"a\rb"]),
    (b"a\x0cb\x0bc\x1cd\n", [b"a\x0cb\x0bc\x1cd"]),
    ("a\u2028b\x85c\n".encode(), ["a\u2028b\x85c".encode()]),
    (b"a\r", [b"a\r"]),
]


@pytest.mark.parametrize(("source", "lines"), TABLE)
def test_lines_end_at_the_line_feed_alone(source: bytes, lines: list[bytes]) -> None:
    assert split_lines(source) == lines


@given(SOURCES)
def test_counting_agrees_with_splitting(source: bytes) -> None:
    assert count_lines(source) == len(split_lines(source))


@given(SOURCES)
def test_no_line_holds_a_line_feed_and_all_other_bytes_are_kept(source: bytes) -> None:
    lines = split_lines(source)
    assert all(b"\n" not in line for line in lines)
    rebuilt = b"\n".join(lines)
    assert rebuilt.replace(b"\r", b"") == source.removesuffix(b"\n").replace(b"\r", b"")


@given(st.lists(LINE_TEXT, max_size=6), st.booleans())
def test_crlf_and_lf_checkouts_have_the_same_lines_and_hash(texts: list[str], final: bool) -> None:
    unix = "\n".join(texts) + ("\n" if final and texts else "")
    windows = unix.replace("\n", "\r\n")
    assert split_lines(unix.encode()) == split_lines(windows.encode())
    assert text_hash(unix.encode()) == text_hash(windows.encode())


@given(SOURCES, st.integers(-2, 8), st.integers(-2, 8))
def test_the_hash_of_a_range_is_that_of_its_lines_alone(source: bytes, start: int, end: int) -> None:
    lines = split_lines(source)
    chosen = [line for number, line in enumerate(lines, start=1) if start <= number <= end]
    assert text_hash(source, start, end) == hashlib.sha256(b"\n".join(chosen)).hexdigest()


@given(st.binary(max_size=50))
def test_any_bytes_are_text(source: bytes) -> None:
    assert isinstance(decode(source), str)


@pytest.mark.parametrize(
    ("source", "text"),
    [("é".encode(), "é"), (b"\xe9", "é"), (b"\xef\xbb\xbfx", "x"), (b"\xff\xfea", "ÿþa"), (b"\x80", "\x80")],
)
def test_text_is_utf8_without_its_mark_else_latin_1(source: bytes, text: str) -> None:
    assert decode(source) == text
