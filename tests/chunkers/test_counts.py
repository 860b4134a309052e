"""Which numbers a file's lists, parameters and fields give, and between which lines a number counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrodoc_chunkers import syntax_of
from retrodoc_chunkers.counts import Counted, CountIndex
from retrodoc_chunkers.model import Definition


def counted(source: str, path: str) -> list[tuple[int, int, int]]:
    """First line, last line and number of each count."""
    return [tuple(one) for one in syntax_of(source.encode(), path).tables().counted]


@pytest.mark.parametrize(
    ("path", "source", "counts"),
    [
        ("a.py", "def f(self, a, *b, c=1, **d): pass", [(1, 1, 4)]),
        ("a.py", "def f(cls): pass\ndef g(a, self): pass", [(2, 2, 2)]),
        ("a.py", "x = (1,\n 2)\ny = {1: 2, 3: 4}\nz = {1}\nw = []", [(1, 2, 2), (3, 3, 2), (4, 4, 1)]),
        ("a.py", "x = [\n  # one\n  1,\n  2,  # two\n]", [(3, 4, 2)]),
        ("a.py", "a, b, c = 1, 2, 3", [(1, 1, 3)]),
        ("a.py", "class A:\n  b: int\n  c: str = ''\n  d = 1\n  e.f()\n  def m(self): pass", [(2, 3, 2), (2, 4, 3)]),
        ("a.py", "class A:\n  '''doc'''\n  b: int\n  c: int", [(3, 4, 2)]),
        ("a.rb", "x = [1, # no\n 3]\ny = { a: 1, b: 2 }\nz = %i[a b]", [(1, 2, 2), (3, 3, 2), (4, 4, 2)]),
        ("a.rb", "attr_reader :a, :b, :c\nother :s, :t\nself.attr_reader :a", [(1, 1, 3)]),
        ("a.rb", "attr_accessor :a\nattr_writer :b, :c\nvalidates_presence_of :d, :e",
         [(1, 1, 1), (2, 2, 2), (3, 3, 2)]),
        ("a.rb", "def m(a, b = 1, *c, d:, **e, &f) end", [(1, 1, 6)]),
        ("a.js", "f(function (a, b, ...c) {}, [1, 2]);", [(1, 1, 2), (1, 1, 3)]),
        ("a.js", "const { x, y: z } = o;\nimport { d, e, g } from 'x';\nexport { d };",
         [(1, 1, 2), (2, 2, 3), (3, 3, 1)]),
        ("a.js", "class A {\n a = 1;\n static b = 2;\n #c;\n m() {} }", [(2, 4, 3)]),
        ("a.ts", "interface I {\n a: string;\n b(): void }\ntype T = [A, B, C];", [(2, 3, 2), (4, 4, 3)]),
        ("a.ts", "type U = A | B | (C | D);\ntype V =\n  | 'a'\n  | 'b';\ntype W = A;", [(1, 1, 3), (3, 4, 2)]),
        ("a.ts", "\ntype U = A | B;\n\ntype V = A |\nB;", [(2, 2, 2), (4, 5, 2)]),
        ("a.rs", "fn f() {\n vec![1, 2];\n\n vec![1,\n 2]; }", [(2, 2, 2), (4, 5, 2)]),
        ("a.py", "\nx = [1, 2]\n\ny = [1,\n 2]", [(2, 2, 2), (4, 5, 2)]),
        ("a.ts", "class C { private a: A; readonly b = 1; c(d: D) {} }", [(1, 1, 1), (1, 1, 2)]),
        ("a.rs", "struct S(u8, u8);\nenum E { A, B(u8) }", [(1, 1, 2), (2, 2, 1), (2, 2, 2)]),
        ("a.rs", "impl S { fn f(&self, a: u8, b: u8) {} }", [(1, 1, 2)]),
        ("a.rs", "fn f() { let a = vec![1,\n 2]; vec![]; vec![1]; vec![1; 2]; vec![1, 2, 3,]; }",
         [(1, 2, 2), (2, 2, 3)]),
        ("a.rs", "fn f() { vec![\n 1,\n 2]; vec![&a] }", [(2, 3, 2)]),
        ("a.go", "package a\nfunc f(a int, b struct {\n c int\n}) {}", [(2, 4, 2), (3, 3, 1)]),
        ("a.rs", "fn f() { vec![&a, &b, (c), #d]; }", [(1, 1, 4)]),
        ("a.rs", "struct S {\n #[a]\n b: u8,\n /// c\n d: u8 }", [(3, 5, 2)]),
        ("a.rs", "fn f() { match x {\n 1 => 2,\n _ => 3 } }", [(2, 3, 2)]),
        ("a.go", "package a\nimport (\n \"a\"\n \"b\"\n)\nconst (\n A = 1\n B\n C\n)", [(3, 4, 2), (7, 9, 3)]),
        ("a.go", "package a\nfunc f(a, b int, c string) (d, e int) {}", [(2, 2, 2), (2, 2, 3)]),
        ("a.go", "package a\ntype S struct {\n a, b int\n C\n}", [(3, 4, 3)]),
        ("A.java", "class C { int a; int b,\n c; int[] d = {1, 2}; C(C this, int q) {} }",
         [(1, 2, 4), (2, 2, 1), (2, 2, 2)]),
        ("A.java", "@A({1, 2, 3}) enum E { A, B; int c; }", [(1, 1, 2), (1, 1, 3)]),
        ("a.c", "struct s { int a,\n *b; int (*c)(int); };\nint f(void) { return 0; }",
         [(1, 2, 3), (2, 2, 1), (3, 3, 1)]),
        ("a.cpp", "class A { int a; int &f(); int *g(); int b[3]; int h(); A(); };", [(1, 1, 2)]),
        ("a.cs", "class A { int a, b;\n int C { get; } void M(int d) {} }", [(1, 2, 3), (2, 2, 1)]),
        ("a.php", "<?php class A { private $a, $b;\n const C = 1, D = 2; }", [(1, 2, 4)]),
    ],
)  # fmt: skip
def test_lists_parameters_and_fields_are_counted_where_they_stand(
    path: str, source: str, counts: list[tuple[int, int, int]]
) -> None:
    assert counted(source, path) == counts


def definition(name: str, kind: str, lines: tuple[int, int], parent: int | None = None) -> Definition:
    return Definition(name, kind, name, 0, 0, *lines, lines[0], (), parent)


DEFINITIONS = [
    definition("A", "class", (1, 9)),
    definition("f", "method", (2, 3), 0),
    definition("g", "method", (4, 5), 0),
    definition("K", "constant", (6, 6), 0),
    definition("h", "method", (7, 8), 0),
    definition("B", "class", (10, 12)),
    definition("f", "method", (11, 11), 5),
]


@pytest.mark.parametrize(
    ("lines", "numbers"),
    [
        ((1, 12), {1, 2, 3}),
        ((1, 9), {1, 3}),
        ((2, 8), {1, 3}),
        ((2, 7), {1, 2}),
        ((3, 8), {1, 2}),
        ((2, 3), {1}),
        ((2, 2), set()),
        ((13, 20), set()),
        ((10, 10), set()),
    ],
)
def test_definitions_that_share_a_parent_and_a_kind_are_counted(lines: tuple[int, int], numbers: set[int]) -> None:
    assert CountIndex((), DEFINITIONS).within(*lines) == numbers


@given(
    counts=st.lists(st.builds(lambda first, more, number: Counted(first, first + more, number),
                              st.integers(1, 20), st.integers(0, 5), st.integers(1, 9))),
    first=st.integers(1, 25), more=st.integers(0, 25),
)  # fmt: skip
def test_a_count_is_within_lines_when_all_of_it_is(counts: list[Counted], first: int, more: int) -> None:
    index = CountIndex(sorted(counts), ())
    assert index.within(first, first + more) == {
        one.number for one in counts if first <= one.first_line and one.last_line <= first + more
    }
    assert all(index.possible(one.number) for one in counts)


def test_a_number_is_possible_when_something_counts_to_it_or_so_many_share_a_parent() -> None:
    index = CountIndex((Counted(1, 2, 7),), DEFINITIONS)
    assert [number for number in range(1, 12) if index.possible(number)] == [1, 2, 3, 7]
    assert not CountIndex((), ()).possible(1)
    syntax = syntax_of(b"x = [1, 2, 3, 4]\n", "a.py")
    assert [syntax.may_count(number) for number in (1, 3, 4, 5)] == [True, False, True, False]
    assert syntax.counts(1, 1) == {1, 4}
