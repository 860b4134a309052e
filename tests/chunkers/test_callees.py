"""What a call calls is the same read from its text, which is fast, and from the tree, which is sure."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from tree_sitter import QueryCursor

from retrodoc_chunkers import parameters, syntax_of
from retrodoc_chunkers.callees import CALLEES, MAX_PATH, CallRow, read_calls
from retrodoc_chunkers.grammars import parse, query
from retrodoc_chunkers.parameters import parameter_names, plain_parameters
from retrodoc_chunkers.receivers import MAX_RECEIVER

STATEMENTS = {
    "python": "x = {}\n",
    "javascript": "x = {};\n",
    "typescript": "x = {};\n",
    "tsx": "x = {};\n",
    "rust": "fn f() {{ x = {}; }}\n",
    "go": "package a\nfunc f() {{ x = {} }}\n",
    "java": "class A {{ Object x = {}; }}\n",
}
NAMES = [
    "a",
    "total",
    "self",
    "this",
    "super",
    "crate",
    "_",
    "B2",
    "new",
    "await",
    "if",
    "func",
    "u8",
    "import",
    "match",
]
NAMES += ["$", "$a", "café", "x" * 40, "None", "None_", "async", "switch", "return", "function", "undefined"]
SEPARATORS = [".", "?.", "::", " . ", "\n  .", ". ", " /* on */ .", "! .", "?."]
CALLED = [
    "()",
    "(1)",
    "(b)",
    " (c)",
    "('d(')",
    "(e())",
    "<F>()",
    "::<g>()",
    "[h]",
    "[i()]",
    "",
    "?",
    "{}",
    "(j, k.l())",
]


@st.composite
def expressions(draw: st.DrawFn) -> str:
    """A path of names and calls, some of them none in any language."""
    text = draw(st.sampled_from(["", "", "", "new ", "await ", "(", "!", "*", "&"])) + draw(st.sampled_from(NAMES))
    text += draw(st.sampled_from(CALLED))
    for _ in range(draw(st.integers(0, 4))):
        text += draw(st.sampled_from(SEPARATORS)) + draw(st.sampled_from(NAMES)) + draw(st.sampled_from(CALLED))
    if text.startswith("("):
        text += draw(st.sampled_from([")", ")()", ").m()"]))
    return text


def both(source: bytes, language: str) -> tuple[list[CallRow], list[CallRow]] | None:
    """The calls as the text says, and as the tree says; None for what is no code."""
    tree = parse(source, language)
    if tree.root_node.has_error:
        return None
    nodes = QueryCursor(query(language, "references")).captures(tree.root_node).get("call.whole", [])
    return (
        sorted(read_calls(nodes, language, source, "utf-8", damaged=False)),
        sorted(read_calls(nodes, language, source, "utf-8", damaged=True)),
    )


def rows(language: str, expression: str) -> list[CallRow]:
    """The calls of an expression, both ways, by their place in it."""
    statement = STATEMENTS[language]
    at = len(statement[: statement.index("{}")].replace("{{", "{").encode())
    read = both(statement.format(expression).encode(), language)
    assert read is not None
    assert read[0] == read[1]
    return [(start - at, name, receiver, end - at) for start, name, receiver, end in read[0]]


@pytest.mark.parametrize(
    ("language", "expression", "calls"),
    [
        ("python", "a(b(1), 2)", [(0, "a", "", 10), (2, "b", "", 6)]),
        ("python", "a.b.c(1)", [(4, "c", "a.b", 8)]),
        ("python", "a()()", [(0, "a", "", 3)]),
        ("python", "a().b(c.d()).e", [(0, "a", "", 3), (4, "b", "a()", 12), (8, "d", "c", 11)]),
        ("python", "(a)(1)", []),
        ("python", "a[b(1)](2)", [(2, "b", "", 6)]),
        ("python", "await_(1)", [(0, "await_", "", 9)]),
        ("python", "f'{a(1)}'.b()", [(3, "a", "", 7), (10, "b", "f'{a(1)}'", 13)]),
        ("python", "caf\u00e9.b()", [(6, "b", "caf\u00e9", 9)]),
        ("javascript", "a?.b?.(1)", [(3, "b", "a", 9)]),
        ("javascript", "new A(b())", [(6, "b", "", 9)]),
        ("javascript", "$.a($b())", [(2, "a", "$", 9), (4, "$b", "", 8)]),
        ("javascript", "super.a(this.b())", [(6, "a", "super", 17), (13, "b", "this", 16)]),
        ("javascript", "function () { a() }()", [(14, "a", "", 17)]),
        ("typescript", "a<B>(1).c!.d(2)", [(0, "a", "", 7), (11, "d", "a<B>(1).c!", 15)]),
        ("rust", "a::b(1)?.c::<D>(2)", [(3, "b", "a", 7), (9, "c", "a::b(1)?", 18)]),
        ("rust", "A { b: c() }", [(7, "c", "", 10)]),
        ("rust", "u8::from(a)", [(4, "from", "u8", 11)]),
        ("go", "(a)(b.c(1))", [(1, "a", "", 11), (6, "c", "b", 10)]),
        ("go", "func() { a() }()", [(9, "a", "", 12)]),
        ("java", "a.b().c.d(e())", [(2, "b", "a", 5), (8, "d", "a.b().c", 14), (10, "e", "", 13)]),
        ("java", "this.<A>b(1)", [(8, "b", "", 12)]),
        ("java", "new A(b())", [(6, "b", "", 9)]),
    ],
)
def test_a_call_has_a_name_a_receiver_and_an_end(language: str, expression: str, calls: list[CallRow]) -> None:
    assert rows(language, expression) == calls


@pytest.mark.parametrize(
    "length", [MAX_RECEIVER - 1, MAX_RECEIVER, MAX_RECEIVER + 1, MAX_PATH - 3, MAX_PATH, MAX_PATH + 9]
)
def test_a_receiver_of_any_length_keeps_its_end(length: int) -> None:
    path = "x" * length
    (plain,) = rows("python", f"{path}.a(1)")
    assert plain == (length + 1, "a", path[-MAX_RECEIVER:], length + 5)
    *_, chained = rows("python", f"b().{path}.a(1)")
    assert chained[1:3] == ("a", f"b().{path}"[-MAX_RECEIVER:])
    *_, (_, _, receiver, _) = rows("rust", f"{path}::b()?.c()")
    assert receiver == f"{path}::b()?"[-MAX_RECEIVER:]


class Unasked:
    """A call node of which nothing is known but where it is."""

    def __init__(self, start: int, end: int) -> None:
        self.byte_range = start, end


@pytest.mark.parametrize(
    ("language", "source", "calls"),
    [
        ("python", "a(b(1), 2)", [(0, "a", "", 10), (2, "b", "", 6)]),
        ("python", "a.b.c(1)", [(4, "c", "a.b", 8)]),
        ("python", "aa.b.c(1)", [(5, "c", "aa.b", 9)]),
        ("python", "a().b(c.d())", [(0, "a", "", 3), (4, "b", "a()", 12), (8, "d", "c", 11)]),
        ("python", "a().b.c(1)", [(0, "a", "", 3), (6, "c", "a().b", 10)]),
        ("python", "a()\n .b(1)", [(0, "a", "", 3), (6, "b", "a()", 10)]),
        ("python", " " * 9 + "x" * 299 + "()", [(9, "x" * 299, "", 310)]),
        ("python", "a()." + "x" * 299 + "()", [(0, "a", "", 3), (4, "x" * 299, "a()", 305)]),
        ("python", "x" * 250 + ".a()", [(251, "a", "x" * 200, 254)]),
        ("javascript", "a.$b(1)", [(2, "$b", "a", 7)]),
        ("javascript", "$.b(1)", [(2, "b", "$", 6)]),
        ("javascript", "$(1)", [(0, "$", "", 4)]),
        ("javascript", "a?.b?.c(1)", [(6, "c", "a?.b", 10)]),
        ("typescript", "this.a(1)", [(5, "a", "this", 9)]),
        ("tsx", "super.a()", [(6, "a", "super", 9)]),
        ("rust", "a::b(1)", [(3, "b", "a", 7)]),
        ("rust", "aa::b::c(1)", [(7, "c", "aa::b", 11)]),
        ("rust", "a.b()?.c()", [(2, "b", "a", 5), (7, "c", "a.b()?", 10)]),
        ("rust", "Self::a()", [(6, "a", "Self", 9)]),
        ("go", "a.b(1)", [(2, "b", "a", 6)]),
        ("java", "a.b(c())", [(2, "b", "a", 8), (4, "c", "", 7)]),
    ],
)
def test_a_plain_call_is_read_without_asking_the_tree(language: str, source: str, calls: list[CallRow]) -> None:
    nodes = [Unasked(_first(source, start) if receiver else start, end) for start, _, receiver, end in calls]
    assert sorted(read_calls(nodes, language, source.encode(), "utf-8", damaged=False)) == calls  # type: ignore[arg-type]


def _first(source: str, name_start: int) -> int:
    """Where the call with this name starts: after the last opening parenthesis that is still open."""
    depth = 0
    for at in range(name_start - 1, -1, -1):
        depth += (source[at] == ")") - (source[at] == "(")
        if depth < 0:
            return at + 1
    return 0


PARTS = [
    "a",
    "self",
    "cls",
    "this",
    " b",
    "c=1",
    "d: int",
    "e: int = 2",
    "*f",
    "**g",
    "*",
    "/",
    "&h",
    "i:",
    "j = (1, 2)",
]
PARTS += [
    "{ k, l }",
    "[m]",
    "...n",
    "o?: p",
    "q = 'r, s'",
    "void",
    "# t\n u",
    "/* v */ w",
    "\n x",
    "y=lambda z: z",
    "",
    "(A)",
    "aa: B<C, D>",
    "bb = cc < dd",
    "ee > ff",
    "private gg?: (hh: ii) => jj",
    "kk = ll => mm",
    "nn = (oo, pp) => { qq }",
    "rr = 's\\', tt'",
    "uu = `vv, ${ww}`",
    'xx = "yy(" + [zz, 1]',
    "f: g[h[i, j], (k)]",
    "l=f'{m}, {n!r}'",
    "int a1",
    "final A.B<C<D>, ?> b1[]",
    "E... c1",
    "@F d1 e1",
    "f1 == g1",
    "a\u00b7b",
]
LISTS = {
    "python": "def f({}): pass\n",
    "javascript": "function f({}) {{}}\n",
    "typescript": "function f({}) {{}}\n",
    "java": "void f({}) {{}}\n",
    "ruby": "def f({}) end\n",
}


@given(language=st.sampled_from(sorted(LISTS)), parts=st.lists(st.sampled_from(PARTS), max_size=5))
@example(language="python", parts=["self", "*", "a", "/"])
def test_the_text_of_a_parameter_list_says_what_the_tree_says(language: str, parts: list[str]) -> None:
    source = LISTS[language].format(",".join(parts)).encode()
    tree = parse(source, language)
    assume(not tree.root_node.has_error)
    listed = tree.root_node.children[0].child_by_field_name("parameters")
    assume(listed is not None)
    assert listed is not None
    plain = plain_parameters(source[listed.start_byte : listed.end_byte].decode(), language)
    assert plain is None or plain == parameter_names(listed, source, "utf-8")


@pytest.mark.parametrize(
    ("text", "language", "names"),
    [
        ("()", "c", ()),
        ("(a, b)", "python", ("a", "b")),
        ("(self, a, cls)", "python", ("a", "cls")),
        ("(a: int, *, b: str = c, **d, /, *e)", "python", ("a", "b", "d", "e")),
        ("(a, b,)", "python", ("a", "b")),
        ("(\n  a,\n  b\n)", "ruby", ("a", "b")),
        ("(this, a)", "typescript", ("a",)),
        ("(a: b)", "typescript", ("a",)),
        ("(private readonly a: B<C, D<E>>, b?: (c) => void, ...d: e[])", "typescript", ("a", "b", "d")),
        ("(a: b = c < d, e > f)", "typescript", None),
        ("({ a }: b)", "typescript", None),
        ("(@A() b: c)", "typescript", None),
        ("(a = 1)", "javascript", ("a",)),
        ("(a = [1, (2)], b = {c: 3}, ...d)", "javascript", ("a", "b", "d")),
        ("(a == b)", "javascript", None),
        ("(a /* b */)", "javascript", None),
        ("(a = `b, ${c}`)", "javascript", None),
        ("(a: b)", "javascript", None),
        ("(a: b)", "ruby", None),
        ("(final Map<A, List<B>> c, int[] d, E... f)", "java", ("c", "d", "f")),
        ("(@A b c)", "java", None),
        ("(int)", "java", None),
        ("(int)", "c", None),
        ("(a)", "go", None),
        ("a", "javascript", None),
        ("(a", "javascript", None),
        ("(a!", "javascript", None),
        ("!a)", "javascript", None),
        ("(a=(1, 2), *, b={3: [4]})", "python", ("a", "b")),
        ("(a=[[[1, 2]]])", "python", None),
        ("(a: dict[str, b.C] | None = None, **d: e)", "python", ("a", "d")),
        ("(a='b, c', d=\"e(\")", "python", ("a", "d")),
        ("(a='b\\', c')", "python", None),
        ("(a=f'{b}', c=1)", "python", None),
        ("(a, # b\n c)", "python", None),
        ("(a=lambda b: c)", "python", None),
        ("(void)", "typescript", None),
        ("(avoid)", "javascript", ("avoid",)),
        ("(a\u00b2)", "python", None),
        ("(2a)", "python", None),
    ],
)  # fmt: skip
def test_a_parameter_list_is_read_from_its_text_where_that_is_plain(
    text: str, language: str, names: tuple[str, ...] | None
) -> None:
    assert plain_parameters(text, language) == names


class Unread:
    """A form that nobody may ask."""

    def __getattr__(self, name: str) -> object:
        raise AssertionError(name)


def test_names_alone_are_read_without_a_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parameters, "_form", lambda _language: Unread())
    plain = plain_parameters.__wrapped__
    assert plain("(self, rows, limit)", "python") == ("rows", "limit")
    for text, language in (("(a, b=1)", "python"), ("(a,b)", "python"), ("(a, b)", "java")):
        with pytest.raises(AssertionError):
            plain(text, language)


@pytest.mark.parametrize(("length", "from_text"), [(parameters.MAX_PLAIN, 1), (parameters.MAX_PLAIN + 1, 0)])
def test_a_long_list_of_parameters_is_not_kept(length: int, from_text: int) -> None:
    name = "a" * (length - len("()"))
    plain_parameters.cache_clear()
    (one,) = syntax_of(f"def f({name}): pass\n".encode(), "a.py").definitions
    assert one.parameters == (name,)
    assert plain_parameters.cache_info().misses == from_text


@given(language=st.sampled_from(sorted(CALLEES)), expression=expressions())
def test_the_text_of_a_call_says_what_the_tree_says(language: str, expression: str) -> None:
    assume("await" not in expression or language != "rust")  # an operator there, and nobody calls what it gives
    read = both(STATEMENTS[language].format(expression).encode(), language)
    assume(read is not None)
    assert read is not None
    assert read[0] == read[1]
