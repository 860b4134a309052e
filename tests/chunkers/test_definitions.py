"""What is a definition, how it is named, what it takes and what it belongs to; and where no definition is one."""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrodoc_chunkers import syntax_of
from retrodoc_chunkers.definitions import MAX_QUALIFIED, plain_name

CASES = Path(__file__).parent / "cases"
TABLE: list[dict[str, Any]] = tomllib.loads((CASES / "definitions.toml").read_text("utf-8"))["case"]
FRAGMENTS = tomllib.loads((CASES / "fragments.toml").read_text("utf-8"))


@pytest.mark.parametrize("case", TABLE, ids=lambda case: f"{case['path']}: {case['source'][:30]}")
def test_definitions_have_kind_name_lines_and_parameters(case: dict[str, Any]) -> None:
    syntax = syntax_of(case["source"].encode(), case["path"])
    assert [
        f"{one.kind} {one.qualified_name} {one.start_line}-{one.end_line} ({', '.join(one.parameters)})"
        for one in syntax.definitions
    ] == case["definitions"]


@pytest.mark.parametrize("case", TABLE, ids=lambda case: f"{case['path']}: {case['source'][:30]}")
def test_names_are_known_by_the_byte_at_which_they_start(case: dict[str, Any]) -> None:
    source = case["source"].encode()
    starts = syntax_of(source, case["path"]).tables().definitions.name_starts
    assert [source[start : start + 4].decode() for start in sorted(starts)] == case["names"]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("cart", "cart"),
        ("'cart row'", "cart row"),
        ("Shelf<T>", "Shelf"),
        ("Shelf<T>::at", "Shelf::at"),
        ("Shelf<A<B>, C>::Row<D>::at", "Shelf::Row::at"),
        ("Box<dyn Fn() -> u8>", "Box"),
        ("Box<A => B>::at", "Box::at"),
        ("<T>", "<T>"),
        ("a < b", "a < b"),
        ("Cart::operator<", "Cart::operator<"),
        ("Cart<T>::operator<=>", "Cart::operator<=>"),
        ("operator->", "operator->"),
        ("operator()", "operator()"),
        ("operator bool() const", "operator bool"),
        ("A<B>::operator const C *() const", "A::operator const C *"),
        ("my_operator<T>", "my_operator"),
    ],
)
def test_a_name_is_plain(written: str, name: str) -> None:
    assert plain_name(written) == name


def test_a_qualified_name_keeps_its_end() -> None:
    source = "".join(f"{' ' * depth}class Part{depth:03}:\n" for depth in range(90)) + " " * 90 + "x = 1\n"
    names = [one.qualified_name for one in syntax_of(source.encode(), "a.py").definitions]
    whole = ".".join(f"Part{depth:03}" for depth in range(90))
    assert names[89] == whole[:719]
    deep = "".join(f"{' ' * depth}class Part{depth:03}:\n" for depth in range(140)) + " " * 140 + "x = 1\n"
    last = syntax_of(deep.encode(), "a.py").definitions[139]
    assert len(last.qualified_name) == MAX_QUALIFIED
    assert last.qualified_name.endswith(".Part138.Part139")


@pytest.mark.parametrize("letter", ["x", "é", "\U0001f600"])
def test_a_label_is_cut_to_size(letter: str) -> None:
    (one,) = syntax_of(f"it('{letter * 200}', () => {{}});".encode(), "a.js").definitions
    assert one.name == f"it {letter * 200}"[: 80 + 3]
    (one,) = syntax_of(f"it('{letter * 20} \n  {letter}', () => {{}});".encode(), "a.js").definitions
    assert one.name == f"it {letter * 20} {letter}"
    (one,) = syntax_of(f"TEST({'x' * 200}) {{}}".encode(), "a.cpp").definitions
    assert one.name == f"TEST {'x' * 200}"[:80]


def test_a_definition_ends_on_its_last_line() -> None:
    (one, two) = syntax_of(b"#define A 1\n#define B(x) \\\n  x\n", "a.c").definitions
    assert (one.start_line, one.end_line, two.start_line, two.end_line) == (1, 1, 2, 3)
    (one,) = syntax_of(b"TEST(A, B)\n{\n  c();\n}\n", "a.cpp").definitions
    assert (one.start_line, one.end_line, one.end_byte) == (1, 4, 21)


def test_names_stand_on_their_own_line() -> None:
    source = b"@deco\n@other\ndef f():\n  pass\n\nclass A(\n  B,\n): pass\n"
    assert [(one.name, one.start_line, one.name_line) for one in syntax_of(source, "a.py").definitions] == [
        ("f", 1, 3),
        ("A", 6, 6),
    ]
    source = b"static int\nf(void)\n{\n}\nit(\n  'x',\n  () => {});"
    assert [one.name_line for one in syntax_of(source[:23], "a.c").definitions] == [2]
    assert [(one.start_line, one.name_line) for one in syntax_of(source[23:], "a.js").definitions] == [(1, 2)]


@st.composite
def made_up_files(draw: st.DrawFn) -> tuple[bytes, str]:
    path = draw(st.sampled_from(sorted(set(FRAGMENTS) - {"a.txt"})))
    parts = draw(st.lists(st.sampled_from(FRAGMENTS[path]["pieces"]), max_size=12))
    return "".join(parts).encode(), path


@settings(deadline=None)
@given(made_up_files())
def test_definitions_are_in_order_and_nest(file: tuple[bytes, str]) -> None:
    source, path = file
    syntax = syntax_of(source, path)
    found = syntax.definitions
    starts = syntax.tables().definitions.name_starts
    for one, following in itertools.pairwise(found):
        assert (one.start_byte, -one.end_byte) <= (following.start_byte, -following.end_byte)
    for index, one in enumerate(found):
        assert one.start_line == source.count(b"\n", 0, one.start_byte) + 1
        assert one.end_line == source.count(b"\n", 0, one.end_byte - 1) + 1
        assert one.start_line <= one.name_line <= one.end_line
        text = source[one.start_byte : one.end_byte]
        assert text == text.strip(), "it begins and ends with what it is"
        if one.kind != "block":
            assert any(one.start_byte <= start < one.end_byte for start in starts)
        around = [
            place for place, other in enumerate(found[:index])
            if other.end_byte >= one.end_byte and other.kind != "constant"
        ]  # fmt: skip
        assert one.parent == (around[-1] if around else None)
        assert one.qualified_name.endswith(one.name)
        if one.parent is not None:
            assert one.qualified_name.startswith(found[one.parent].qualified_name + ".")
