"""What is a call, how far it goes, and what its receiver is; which bytes are quoted and which are commented."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrodoc_chunkers import syntax_of
from retrodoc_chunkers.receivers import MAX_GAP, MAX_RECEIVER
from retrodoc_chunkers.references import outermost, without_holes


def calls_of(source: str, path: str) -> list[str]:
    return [
        f"{one.receiver}|{one.name}" if one.receiver else one.name for one in syntax_of(source.encode(), path).calls
    ]


@pytest.mark.parametrize(
    ("path", "source", "calls"),
    [
        ("a.py", "rates = {'a': f(x), b:g(1)}", ["f", "g"]),
        ("a.py", "f = lambda row: price(row)", ["price"]),
        ("a.py", "x = a > f(1)", ["f"]),
        ("a.py", "x = a>f(1)", ["f"]),
        ("a.py", "x = row[0:last(1)]", ["last"]),
        ("a.py", "if ok: run(1)", ["run"]),
        ("a.py", "x = 1 + \\\n    f(1)", ["f"]),
        ("a.py", "(cart\n  .rows()\n  .first())", ["cart|rows", "cart\n  .rows()|first"]),
        ("a.py", "cart . rows()", ["cart|rows"]),
        ("a.rb", "cart. rows(1)\ncart\n  .rows 2\ncart .rows", ["cart", "cart|rows"] * 3),
        ("a.c", "int f() { till -> rows(1); a = b(2); }", ["till|rows", "b"]),
        ("a.py", "shop.cart.rows()", ["shop.cart|rows"]),
        ("a.py", "rows(shop.cart, total())", ["rows", "total"]),
        ("a.js", "const f = (a) => price(a);", ["price"]),
        ("a.js", "ok?a:b(1);", ["b"]),
        ("a.js", "f(...rows(1));", ["f", "rows"]),
        ("a.js", "const o = { a: f(1), b:g(2) };", ["f", "g"]),
        ("a.js", "a?.b?.(1); a?.c();", ["a|b", "a|c"]),
        ("a.js", "cart // of a till\n  /* all */ .rows();", ["cart|rows"]),
        ("a.rb", "f = ->(a) { g(a) }\nok = 1\nok ? y(1) : z(2)", ["g", "y", "z"]),
        ("a.rb", "r = 1..last(2)\ncart&.rows(1)\nShop::Cart.all(1)", ["last", "cart", "cart|rows", "Shop::Cart|all"]),
        ("a.rs", "fn f() { match x { 1 => g(2), _ => h() } }", ["g", "h"]),
        ("a.rs", "fn f() { p!(q!(1), r(2)) }", ["p!", "q!", "r"]),
        ("a.rs", "fn f() { p!(a.b(), c::d::e(1), 0..n(2), k) }", ["p!", "a|b", "c::d|e", "n"]),
        ("a.go", "package a\nfunc f() { if a > b(1) { c.d() } }", ["b", "c|d"]),
        ("A.java", "class A { int f = x(a -> b(a)) > e() ? g() : h(); }", ["x", "b", "e", "g", "h"]),
        ("a.cs", "class A { int F(int a) => G(a); }", ["G"]),
        ("a.php", "<?php $f = fn($x) => g($x); $o?->rows(1); \\App\\Till\\sum(2);", ["g", "$o|rows", "App\\Till|sum"]),
        ("a.c", "int f() { return a > b() ? c() : till->rows->sum(1); }", ["b", "c", "till->rows|sum"]),
    ],
)  # fmt: skip
def test_a_receiver_is_bound_by_an_operator(path: str, source: str, calls: list[str]) -> None:
    assert calls_of(source, path) == calls


@given(chain=st.integers(1, 120))
def test_a_long_receiver_keeps_its_end(chain: int) -> None:
    receiver = ".".join(f"row{index}" for index in range(chain))
    assert calls_of(f"{receiver}.total()", "a.py") == [f"{receiver[-MAX_RECEIVER:]}|total"]
    (macro, call) = calls_of(f"fn f() {{ p!({receiver}.total()) }}", "a.rs")
    assert macro == "p!"
    assert receiver.endswith(call.removesuffix("|total").strip("."))
    assert len(call) <= MAX_RECEIVER + len("|total")


def spans_of(source: str, path: str) -> list[str]:
    """The text of each call from its name to its end, and the lines of both where they differ."""
    data = source.encode()
    return [
        data[one.start_byte : one.end_byte].decode()
        + (f" @{one.line}-{one.end_line}" if one.end_line != one.line else f" @{one.line}")
        for one in syntax_of(data, path).calls
    ]


@pytest.mark.parametrize(
    ("path", "source", "calls"),
    [
        ("a.py", "f(1,\n  g(2))\nx.y (4)", ["f(1,\n  g(2)) @1-2", "g(2) @2", "y (4) @3"]),
        ("a.py", "\n\n\nf(1,\n\n\n2)\n\ng()", ["f(1,\n\n\n2) @4-7", "g() @9"]),
        ("a.c", "\n\n\nint x = f(1,\n\n\n2);", ["f(1,\n\n\n2) @4-7"]),
        ("a.py", "@deco\n@other(3)\n@a.b\ndef h(): k()", ["deco @1", "other(3) @2", "b @3", "k() @4"]),
        ("a.rb", "c 2, 3\nd(4) { e(5) }\nf do\n  g 6\nend", ["c 2, 3 @1", "d(4) @2", "e(5) @2", "f @3", "g 6 @4"]),
        ("a.rb", "puts \"#{a(1)}\"\nB(2)\nC::d\nx.super",
         ['puts "#{a(1)}" @1', "a(1) @1", "B(2) @2", "d @3", "x @4", "super @4"]),
        ("a.rb", "def d; super; end\ndef e; super(1); yield 2; end", ["super @1", "super(1) @2"]),
        ("a.rs", "fn f() { a!(b(1), c::d!{2}); e![3, g(4)]; h::<i>(j) }",
         ["a!(b(1), c::d!{2}) @1", "b(1) @1", "d!{2} @1", "e![3, g(4)] @1", "g(4) @1", "h::<i>(j) @1"]),
        ("A.java", "@A @B(1) class C { Object f = new G<H>(3) { }; void h() { this.<I>j(4); } }",
         ["A @1", "B @1", "G<H>(3) @1", "j(4) @1"]),
        ("a.js", "new A; new B(1); new C.D(2); a?.(3); b`x`; c()(); super.f(); `${g(5)}`",
         ["A @1", "B(1) @1", "D(2) @1", "a?.(3) @1", "b`x` @1", "c() @1", "f() @1", "g(5) @1"]),
        ("a.js", "new A\n(b(1))\nnew C /* none */ ;(d)", ["A\n(b(1)) @1-2", "b(1) @2", "C @3"]),
        ("a.ts", "a<T>(1); c!.d(3); @X.Y() class Z {}", ["a<T>(1) @1", "d(3) @1", "Y() @1"]),
        ("a.tsx", "const a = <B c={d(1)}><E.F/><G>{h(2)}</G></B>;", ["B @1", "d(1) @1", "F @1", "G @1", "h(2) @1"]),
        ("a.go", "package a\nfunc f() { i.j(3)(4); go k(5); defer l.m(6) }", ["j(3) @2", "k(5) @2", "m(6) @2"]),
        ("a.cs", "a?.B<int>(1);\nnew C { D = 1 };\nnew E(2) { };", ["B<int>(1) @1", "C @2", "E(2) @3"]),
        ("a.php", "<?php new A; new B(1); $c?->d(2); E::f(3); $g(4);", ["A @1", "B(1) @1", "d(2) @1", "f(3) @1"]),
        ("a.cpp", "int f() { A b(1); new C; new d::E(2); g<h>(3); i->j<k>(4); }",
         ["A b(1) @1", "C @1", "E(2) @1", "g<h>(3) @1", "j<k>(4) @1"]),
    ],
)  # fmt: skip
def test_a_call_goes_from_its_name_to_the_end_of_its_arguments(path: str, source: str, calls: list[str]) -> None:
    assert spans_of(source, path) == calls


@pytest.mark.parametrize(
    ("bound", "used"),
    [
        ("b = 1", "b"),
        ("b += 1", "b"),
        ("a, b = c", "b"),
        ("k { |b| }", "b"),
        ("k { |a, (b, c)| }", "b"),
        ("k { |*b| }", "b"),
        ("k { |b: 1| }", "b"),
        ("k { |**b| }", "b"),
        ("k { |&b| }", "b"),
        ("k { |b = 1| }", "b"),
        ("->(b) { }", "b"),
        ("def m(b) end", "b"),
        ("def m(b:, c: 1) end", "c"),
        ("begin\nrescue => b\nend", "b"),
        ("for b in [] do end", "b"),
    ],
)
def test_a_bare_name_of_ruby_is_a_call_unless_something_binds_it(bound: str, used: str) -> None:
    assert used not in calls_of(f"{bound}\n{used}\n", "a.rb")
    assert used in calls_of(f"{bound}\n{used}()\n", "a.rb")
    assert calls_of(f"{used}\n", "a.rb") == [used]


@pytest.mark.parametrize("source", ["def b; end", "def self.b; end", "alias a b", "undef b", ":b", "x = { b: 1 }"])
def test_a_name_of_ruby_that_is_only_mentioned_is_no_call(source: str) -> None:
    assert "b" not in calls_of(source, "a.rb")
    assert "b" in calls_of(f"{source}\nb", "a.rb")


@pytest.mark.parametrize(("gap", "receiver"), [(MAX_GAP, "cart"), (MAX_GAP + 1, "")])
def test_a_receiver_is_looked_for_within_a_bound(gap: int, receiver: str) -> None:
    comment = "/*" + "x" * (gap - len("/**/.")) + "*/"
    (call,) = syntax_of(f"cart{comment}.rows();".encode(), "a.js").calls
    assert call.receiver == receiver


def test_a_latin_1_receiver_is_read_from_the_file() -> None:
    (call,) = syntax_of(b"caf\xe9.rows(1)  # \xe9\n", "a.py").calls
    assert (call.receiver, call.name) == ("caf\xe9", "rows")


@pytest.mark.parametrize(
    ("spans", "kept"),
    [
        ([], ()),
        ([(0, 4), (4, 8)], ((0, 4), (4, 8))),
        ([(0, 9), (2, 4), (4, 9), (9, 10)], ((0, 9), (9, 10))),
        ([(0, 4), (0, 9), (2, 9)], ((0, 9),)),
        ([(0, 4), (0, 4)], ((0, 4),)),
    ],
)
def test_what_lies_inside_another_span_is_left_out(spans: list[tuple[int, int]], kept: object) -> None:
    assert outermost(spans) == kept


@st.composite
def nested(draw: st.DrawFn) -> tuple[list[tuple[int, int]], list[tuple[int, int]], list[bool]]:
    """Quoted spans and holes that nest as brackets do, and for each byte whether it is text."""
    quoted: list[tuple[int, int]] = []
    holes: list[tuple[int, int]] = []
    text: list[bool] = []
    open_ones: list[tuple[str, int]] = []
    for step in [*draw(st.text("[(]) ", max_size=30)), *"]" * 30]:
        if step in "[(":
            open_ones.append((step, len(text)))
        elif step in "])" and open_ones:
            kind, start = open_ones.pop()
            if start < len(text):
                (quoted if kind == "[" else holes).append((start, len(text)))
        text.append(bool(open_ones) and open_ones[-1][0] == "[")
    return quoted, holes, text


@given(nested())
def test_a_byte_is_text_when_the_innermost_span_around_it_is_quoted(
    given_spans: tuple[list[tuple[int, int]], list[tuple[int, int]], list[bool]],
) -> None:
    quoted, holes, text = given_spans
    pieces = without_holes(sorted(quoted), sorted(holes))
    found = {byte for start, end in pieces for byte in range(start, end)}
    assert pieces == tuple(sorted(pieces))
    assert all(start < end for start, end in pieces)
    assert sum(end - start for start, end in pieces) == len(found), "no byte twice"
    inside = {byte for start, end in (*quoted, *holes) for byte in range(start, end)}
    assert found == {byte for byte, is_text in enumerate(text) if is_text and byte in inside}
