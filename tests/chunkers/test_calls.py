"""What counts as the receiver of a call: what its operator binds to it, and nothing that only stands before it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrodoc_chunkers import syntax_of
from retrodoc_chunkers.references import MAX_RECEIVER


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
