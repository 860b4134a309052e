"""What the judge asks of a file, in each language: definitions, calls, imports, token kinds, what encloses, counts."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from retrodoc_chunkers import TokenKind, syntax_of
from retrodoc_chunkers.grammars import ParseAbandoned, parse
from retrodoc_chunkers.lines import FAR, Lines
from retrodoc_chunkers.syntax import Syntax

TABLE = tomllib.loads((Path(__file__).parent / "cases/syntax.toml").read_text("utf-8"))
SOURCES = {path: case["source"].encode() for path, case in TABLE.items()}
KINDS = [(path, *row) for path, case in TABLE.items() for row in case["kinds"]]
ENCLOSING = [(path, *row) for path, case in TABLE.items() for row in case.get("enclosing", ())]


@pytest.mark.parametrize("path", SOURCES)
def test_definitions_are_named_nested_and_hold_their_decorators(path: str) -> None:
    found = syntax_of(SOURCES[path], path).definitions
    assert [
        f"{one.kind} {one.qualified_name} {one.start_line}-{one.end_line} ({', '.join(one.parameters)})"
        for one in found
    ] == TABLE[path]["definitions"]


@pytest.mark.parametrize("path", SOURCES)
def test_calls_carry_their_receiver_and_line(path: str) -> None:
    found = syntax_of(SOURCES[path], path).calls
    assert [f"{one.receiver}{'|' if one.receiver else ''}{one.name}@{one.line}" for one in found] == TABLE[path][
        "calls"
    ]


@pytest.mark.parametrize("path", SOURCES)
def test_imports_bind_names(path: str) -> None:
    found = syntax_of(SOURCES[path], path).imports
    assert [
        f"{one.name} = {one.module}{'' if one.imported is None else f':{one.imported}'}@{one.line}" for one in found
    ] == TABLE[path]["imports"]


@pytest.mark.parametrize("path", SOURCES)
@pytest.mark.parametrize("part", ["comments", "strings", "import_spans"])
def test_comments_quoted_text_and_imports_have_spans(path: str, part: str) -> None:
    spans = getattr(syntax_of(SOURCES[path], path), part)
    assert [SOURCES[path][start:end].decode() for start, end in spans] == TABLE[path][part]


@pytest.mark.parametrize(("path", "token", "kind"), KINDS)
def test_every_token_has_a_kind(path: str, token: str, kind: str) -> None:
    source = SOURCES[path]
    assert source.count(token.encode()) == 1, "the table must name one place"
    assert syntax_of(source, path).kind_at(source.index(token.encode())) == kind


@pytest.mark.parametrize(("path", "line", "names"), ENCLOSING)
def test_what_encloses_a_line_is_its_functions_and_classes(path: str, line: int, names: list[str]) -> None:
    assert [one.name for one in syntax_of(SOURCES[path], path).enclosing(line)] == names


@pytest.mark.parametrize(
    ("path", "source", "lines", "count", "there"),
    [
        ("a.py", b'F = ["a", "b", "c"]\n', (1, 1), 3, True),
        ("a.py", b'F = ["a", "b", "c"]\n', (1, 1), 4, False),
        ("a.py", b'F = [\n"a",\n"b",\n"c",\n]\n', (2, 4), 3, True),
        ("a.py", b'F = [\n"a",\n"b",\n"c",\n]\n', (2, 3), 3, False),
        ("a.py", b"def f(self, a, b):\n    pass\n", (1, 1), 2, True),
        ("a.py", b"class A:\n    a: int\n    b: int = 2\n    c = 3\n", (1, 4), 2, True),
        ("a.py", b"class A(Enum):\n    A = 1\n    B = 2\n    C = 3\n", (1, 4), 3, True),
        ("a.py", b"def a(): pass\ndef b(): pass\n", (1, 2), 2, True),
        ("a.rb", b"X = %w[a b c]\n", (1, 1), 3, True),
        ("a.rb", b"attr_reader :a, :b, :c\n", (1, 1), 3, True),
        ("a.js", b"const o = { a: 1, b: 2, c };\n", (1, 1), 3, True),
        ("a.ts", b"interface A { a: string; b: number }\n", (1, 1), 2, True),
        ("a.ts", b"type A = 'a' | 'b' | 'c';\n", (1, 1), 3, True),
        ("a.ts", b"enum A { B, C = 2, D }\n", (1, 1), 3, True),
        ("a.rs", b"enum Status { New, Paid, Sent }\n", (1, 1), 3, True),
        ("a.rs", b"struct S { a: u8, b: u8 }\n", (1, 1), 2, True),
        ("a.rs", b"fn f() { vec![1, 2, 3,]; }\n", (1, 1), 3, True),
        ("a.go", b"package a\nfunc f(a, b int, c string) {}\n", (2, 2), 3, True),
        ("A.java", b"enum E { A, B }\n", (1, 1), 2, True),
        ("A.java", b"class A { int a, b; String c; void m() {} }\n", (1, 1), 3, True),
        ("A.java", b"class A { int a, b; String c; }\n", (1, 1), 2, False),
        ("a.go", b"package a\ntype S struct { A, B int; C string; Base }\n", (2, 2), 4, True),
        ("a.go", b"package a\ntype S struct { A, B int; C string; Base }\n", (2, 2), 3, False),
        ("a.c", b"enum e { A, B = 2, C };\n", (1, 1), 3, True),
        ("a.c", b"int a[] = { 1, 2, 3, 4 };\n", (1, 1), 4, True),
        ("a.c", b"int f(int a, char *b, ...);\n", (1, 1), 3, True),
        ("a.c", b"struct s { int a, *b; int (*c)(int, int, int, int); };\n", (1, 1), 3, True),
        ("a.c", b"struct s { int a, *b; int (*c)(int, int, int, int); };\n", (1, 1), 2, False),
        ("a.cpp", b"class A {\nint a;\nint b;\nint f(int x, int y, int z);\nint& g();\n};\n", (1, 6), 2, True),
        ("a.cpp", b"class A {\nint a;\nint b;\nint *f();\nint& g();\n};\n", (1, 6), 4, False),
        ("a.cpp", b"std::vector<int> a{1, 2, 3};\n", (1, 1), 3, True),
        ("a.cs", b"enum E { A, B = 2, C }\n", (1, 1), 3, True),
        ("a.cs", b"class A { int a, b; string c; int D { get; set; } void M() {} }\n", (1, 1), 4, True),
        ("a.cs", b"class A { int a, b; string c; int D { get; set; } void M() {} }\n", (1, 1), 3, False),
        ("a.cs", b"var a = new[] { 1, 2, 3 };\nint[] b = [1, 2];\n", (1, 1), 3, True),
        ("a.cs", b"var a = 1;\nint[] b = [1, 2];\n", (1, 2), 2, True),
        ("a.cs", b"class A { void M(int a, int b) {} }\n", (1, 1), 2, True),
        ("a.php", b"<?php $a = ['a' => 1, 'b' => 2, 'c' => 3];\n", (1, 1), 3, True),
        ("a.php", b"<?php function f($a, int $b = 1) {}\n", (1, 1), 2, True),
        ("a.php", b"<?php class A { private $a, $b; public int $c; const D = 1; function m() {} }\n", (1, 1), 4, True),
        ("a.php", b"<?php class A { private $a, $b; public int $c; const D = 1; function m() {} }\n", (1, 1), 3, False),
        ("a.php", b"<?php enum E { case A; case B; case C; }\n", (1, 1), 3, True),
    ],
)  # fmt: skip
def test_counts_within_lines(path: str, source: bytes, lines: tuple[int, int], count: int, there: bool) -> None:
    assert (count in syntax_of(source, path).counts(*lines)) is there


@pytest.mark.parametrize(
    ("source", "path", "reason"),
    [
        (b"PROC a\n", "a.brw", "no-grammar"),
        (b"a = 1\0\n", "a.py", "binary"),
        (b"a = 1\n" * 400_000, "a.py", "too-large"),
        (b"a();" * 5_000, "a.js", "minified"),
        (b"", "a.py", None),
        (b"# caf\xe9\ncook(1)\n", "a.py", None),
    ],
)  # fmt: skip
def test_what_is_not_read_as_code_says_why(source: bytes, path: str, reason: str | None) -> None:
    syntax = syntax_of(source, path)
    assert syntax.unread_reason == reason
    assert (syntax.language is None) is (reason is not None)
    if reason:
        assert syntax.definitions == syntax.calls == syntax.comments == ()
        assert syntax.tree is None
        assert syntax.kind_at(0) is TokenKind.USE


FAR_TEXT = "\n".join(["x" * 99] * (FAR // 100 + 2))


@pytest.mark.parametrize("text", ["y", "y\ny", FAR_TEXT, FAR_TEXT[: FAR - 40], FAR_TEXT[:FAR]])
def test_lines_are_an_editors_however_far_apart_they_are(text: str) -> None:
    source = f'@a("""{text}""")\ndef b():\n    c("""{text}""", d())\ne()\n'
    read = syntax_of(source.encode(), "a.py")
    (one,) = read.definitions
    lines = text.count("\n")
    assert (one.start_line, one.name_line, one.end_line) == (1, 2 + lines, 3 + 2 * lines)
    assert [(call.name, call.line, call.end_line) for call in read.calls] == [
        ("a", 1, 1 + lines),
        ("c", 3 + lines, 3 + 2 * lines),
        ("d", 3 + 2 * lines, 3 + 2 * lines),
        ("e", 4 + 2 * lines, 4 + 2 * lines),
    ]


@pytest.mark.parametrize(("more", "looked_up"), [(-1, False), (0, True)])
def test_lines_are_looked_up_only_where_counting_them_would_cost_more(
    more: int, looked_up: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Lines, "of", lambda _lines, _byte: 0)
    assert FAR == 32_768

    def filled(before: str, after: str, length: int) -> tuple[bytes, int]:
        """A text of this length, and the line on which it ends."""
        feeds = length - len(before + after)
        return (before + "\n" * feeds + after).encode(), 0 if looked_up else 1 + feeds

    source, line = filled("b(", "c)", FAR + more)
    assert [one.end_line for one in syntax_of(source, "a.py").calls] == [line]
    source, line = filled("def b():", " c", FAR + more + 1)
    assert [one.end_line for one in syntax_of(source, "a.py").definitions] == [line]
    source, line = filled('@a("""', '""") ', FAR + more - len("\ndef "))
    (one,) = syntax_of(source + b"\ndef b(): c", "a.py").definitions
    assert one.name_line == (line + 1 if line else 0)


def test_latin_1_names_are_read_from_the_file() -> None:
    source = b"# caf\xe9\ndef caf\xe9(x):\n    return cuisin\xe9(x)\n"
    syntax = syntax_of(source, "a.py")
    assert [one.name for one in syntax.definitions] == ["caf\xe9"]
    assert [one.name for one in syntax.calls] == ["cuisin\xe9"]
    assert syntax.kind_at(source.index(b"caf")) is TokenKind.COMMENT


def test_a_byte_order_mark_is_no_part_of_the_first_name() -> None:
    syntax = syntax_of(b"\xef\xbb\xbfstart_day()\n", "day.py")
    assert [(one.name, one.start_byte) for one in syntax.calls] == [("start_day", 3)]


@pytest.fixture
def parses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The languages of all parses that are made."""
    made: list[str] = []

    def counting(source: bytes, language: str) -> object:
        made.append(language)
        return parse(source, language)

    monkeypatch.setattr("retrodoc_chunkers.syntax.parse", counting)
    return made


ASKED: dict[str, Callable[[Syntax], object]] = {
    "language": lambda syntax: syntax.language,
    "unread_reason": lambda syntax: syntax.unread_reason,
    "definitions": lambda syntax: syntax.definitions,
    "calls": lambda syntax: syntax.calls,
    "imports": lambda syntax: syntax.imports,
    "comments": lambda syntax: syntax.comments,
    "kind_at": lambda syntax: syntax.kind_at(0),
    "enclosing": lambda syntax: syntax.enclosing(1),
    "counts": lambda syntax: syntax.counts(1, 9),
    "may_count": lambda syntax: syntax.may_count(1),
    "tree": lambda syntax: syntax.tree,
}


@pytest.mark.parametrize("first", ASKED)
def test_nothing_is_parsed_before_something_is_asked_and_then_once(first: str, parses: list[str]) -> None:
    syntax = syntax_of(SOURCES["a.py"], "a.py")
    assert parses == []
    ASKED[first](syntax)
    assert parses == ["python"]
    for ask in ASKED.values():
        ask(syntax)
    assert parses == ["python"]


def test_a_forgotten_tree_is_parsed_again_only_for_itself(parses: list[str]) -> None:
    syntax = syntax_of(SOURCES["a.py"], "a.py")
    tables = syntax.tables()
    assert syntax._tree is syntax._captures is None
    assert tables[:2] == ("python", None)
    for name, ask in ASKED.items():
        if name != "tree":
            ask(syntax)
    assert parses == ["python"]
    assert syntax.tree is not None
    assert parses == ["python", "python"]
    syntax.forget_tree()
    assert syntax.tree is not None
    assert syntax.tree.root_node.text == SOURCES["a.py"]


def test_a_tree_knows_its_text_and_stays_the_same() -> None:
    syntax = syntax_of(SOURCES["a.py"], "a.py")
    tree = syntax.tree
    assert tree is not None
    assert tree.root_node.text == SOURCES["a.py"]
    assert syntax.tree is tree
    latin = syntax_of(b"# caf\xe9\n", "a.py").tree
    assert latin is not None
    assert latin.root_node.text == b"# cafx\n"


def test_tables_that_are_known_are_not_read_again(parses: list[str]) -> None:
    known = syntax_of(SOURCES["a.py"], "a.py").tables()
    syntax = Syntax(b"", "other.rb", known)
    assert (syntax.language, syntax.unread_reason) == ("python", None)
    assert [one.name for one in syntax.definitions] == ["place"]
    assert syntax.counts(5, 5) == {2}
    assert parses == ["python"]
    unread = Syntax(b"", "other.rb", syntax_of(b"\0", "a.py").tables())
    assert (unread.language, unread.unread_reason, unread.definitions) == (None, "binary", ())


def abandon(source: bytes, language: str) -> object:
    raise ParseAbandoned(language)


@pytest.mark.parametrize("first", ASKED)
@pytest.mark.parametrize("reason", ["parse-abandoned", "tangled"])
def test_what_the_parser_could_not_end_says_so_whatever_is_asked_first(
    first: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if reason == "tangled":
        monkeypatch.setattr("retrodoc_chunkers.syntax.tangled", lambda root: True)
    else:
        monkeypatch.setattr("retrodoc_chunkers.syntax.parse", abandon)
    syntax = syntax_of(SOURCES["a.py"], "a.py")
    ASKED[first](syntax)
    assert (syntax.language, syntax.unread_reason, syntax.tree) == (None, reason, None)
    assert syntax.definitions == syntax.calls == syntax.imports == syntax.strings == syntax.import_spans == ()
    assert syntax.counts(1, 99) == frozenset()
    assert syntax.kind_at(0) is TokenKind.USE
    assert syntax.enclosing(1) == ()


def test_a_token_in_two_spans_is_what_the_outer_one_is() -> None:
    source = b"import a  # import b\nfrom 'c' import d\nx = 'e # f'\nf()\n"
    syntax = syntax_of(source, "a.py")
    kinds = {
        text: syntax.kind_at(source.index(text)) for text in (b"a ", b"# import", b"import b", b"e #", b"# f", b"f()")
    }
    assert kinds == {
        b"a ": TokenKind.IMPORT, b"# import": TokenKind.COMMENT, b"import b": TokenKind.COMMENT,
        b"e #": TokenKind.STRING, b"# f": TokenKind.STRING, b"f()": TokenKind.CALL,
    }  # fmt: skip
    source = b'#include "a.h"\nint b = c("d")/*e*/;\n'
    syntax = syntax_of(source, "a.c")
    quote, end, comment = source.index(b'"d'), source.index(b")/"), source.index(b"/*")
    assert [syntax.kind_at(byte) for byte in (source.index(b'"a'), quote, end - 1, end, comment - 1, comment)] == [
        TokenKind.IMPORT, TokenKind.STRING, TokenKind.STRING, TokenKind.USE, TokenKind.USE, TokenKind.COMMENT,
    ]  # fmt: skip
    assert syntax.kind_at(comment + 4) is TokenKind.COMMENT
    assert syntax.kind_at(comment + 5) is TokenKind.USE


def test_no_constant_or_block_encloses_a_line() -> None:
    source = b"describe 'x' do\n  K = [\n    1,\n  ]\n  def f\n    2\n  end\nend\n"
    syntax = syntax_of(source, "a.rb")
    assert [one.kind for one in syntax.definitions] == ["block", "constant", "method"]
    assert [[one.name for one in syntax.enclosing(line)] for line in range(10)] == [
        [], [], [], [], [], ["f"], ["f"], ["f"], [], []
    ]  # fmt: skip
