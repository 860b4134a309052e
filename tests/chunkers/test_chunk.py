"""Chunks: join to the file, respect the budget, start on definitions and never cut one that fits."""

from __future__ import annotations

import itertools
import tomllib
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from retrodoc_chunkers import Chunk, chunk_source, syntax_of
from retrodoc_chunkers.chunk import chunks_from, chunks_to
from retrodoc_chunkers.grammars import ParseAbandoned
from retrodoc_chunkers.pattern import Pattern

CASES = Path(__file__).parent / "cases"
FRAGMENTS = {
    path: entry["pieces"] for path, entry in tomllib.loads((CASES / "fragments.toml").read_text("utf-8")).items()
}
any_time = settings(deadline=None)


@st.composite
def made_up_files(draw: st.DrawFn) -> tuple[bytes, str]:
    path = draw(st.sampled_from(sorted(FRAGMENTS)))
    parts = draw(st.lists(st.sampled_from(FRAGMENTS[path]), max_size=12))
    return "".join(parts).encode(), path


def check_chunks(source: bytes, chunks: list[Chunk], max_chars: int) -> None:
    """What holds for every file: no gap, no overlap, the budget, an editor's lines, part i of n."""
    assert b"".join(source[one.start_byte : one.end_byte] for one in chunks) == source
    edge = 0
    try:
        source.decode()
        encoding = "utf-8"
    except UnicodeDecodeError:
        encoding = "latin-1"
    for part, one in enumerate(chunks, 1):
        assert one.start_byte == edge < one.end_byte
        edge = one.end_byte
        assert len(source[one.start_byte : one.end_byte].decode(encoding)) <= max_chars
        assert one.start_line == source.count(b"\n", 0, one.start_byte) + 1
        assert one.end_line == source.count(b"\n", 0, one.end_byte - 1) + 1
        assert (one.part, one.parts) == (part, len(chunks))
        assert one.how in {"file", "definition", "statement", "pattern", "blank-line", "line", "character"}
        assert (one.how == "file") is (part == 1)


def check_definitions(source: bytes, path: str, chunks: list[Chunk], max_chars: int) -> None:
    """No definition that fits the budget is split."""
    cuts = {one.start_byte for one in chunks[1:]}
    for one in syntax_of(source, path).definitions:
        if (
            one.kind != "constant"
            and len(source[one.start_byte : one.end_byte].decode("utf-8", "replace")) <= max_chars
        ):
            assert not [cut for cut in cuts if one.start_byte < cut < one.end_byte], one


def cut(source: str, path: str, max_chars: int) -> list[tuple[str, str]]:
    """How each chunk was cut, and its first line."""
    data = source.encode()
    chunks = chunk_source(data, path, max_chars)
    check_chunks(data, chunks, max_chars)
    return [(one.how, data[one.start_byte : one.end_byte].decode().lstrip("\n").split("\n")[0]) for one in chunks]


def function(name: str, lines: int) -> str:
    return f"def {name}():\n" + "".join(f"    step_{index} = {index}\n" for index in range(lines))


def test_a_file_under_the_budget_is_one_chunk_and_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrodoc_chunkers.chunk.parse", None)
    assert cut(function("f", 3), "a.py", 100) == [("file", "def f():")]
    assert cut("é" * 90 + "\n", "a.py", 100) == [("file", "é" * 90)]


def test_neighbours_are_packed_together_up_to_the_budget() -> None:
    source = function("f", 4) + function("g", 4) + function("h", 4)
    assert len(function("f", 4)) == 69
    assert cut(source, "a.py", 160) == [("file", "def f():"), ("definition", "def h():")]
    assert cut(source, "a.py", 100) == [("file", "def f():"), ("definition", "def g():"), ("definition", "def h():")]


@pytest.mark.parametrize(
    ("path", "before", "definition"),
    [
        ("a.py", "# about g\n", "@deco(1)\n@other\ndef g():\n    return 1\n"),
        ("a.rb", "# about g\n", "def g\n  1\nend\n"),
        ("a.js", "/** about g */\n", "export function g() {\n  return 1;\n}\n"),
        ("a.js", "// about g\n", "const g = () => {\n  return 1;\n};\n"),
        ("a.js", "// about g\n", "app.get('/x', (req, res) => {\n  res.end();\n});\n"),
        ("a.js", "// about g\n", "describe('x', () => {\n  it('y', () => {});\n});\n"),
        ("a.js", "// about g\n", "module.exports.g = function () {\n  return 1;\n};\n"),
        ("a.rb", "# about g\n", "describe 'x' do\n  it 'y'\nend\n"),
        ("a.rb", "# about g\n", "task :g => [:h] do\n  run\nend\n"),
        ("a.ts", "// about g\n", "@Comp({})\nexport class G {\n  a = 1;\n}\n"),
        ("a.ts", "// about g\n", "export const g = (a: number) => {\n  return a;\n};\n"),
        ("a.rs", "/// about g\n", "#[test]\n#[other]\nfn g() {\n    one();\n}\n"),
        ("a.go", "// about g\n", "func g() {\n\treturn\n}\n"),
        ("a.go", "// about g\n", "type G struct {\n\tA int\n}\n"),
        ("A.java", "/** about g */\n", "@Ann\nclass G {\n  int a;\n}\n"),
        ("a.cs", "// about g\n", "[Ann]\nclass G {\n  int a;\n}\n"),
        ("a.php", "// about g\n", "function g() {\n  return 1;\n}\n"),
        ("a.c", "/* about g */\n", "static int *g(void)\n{\n  return 0;\n}\n"),
        ("a.cpp", "// about g\n", "template <class T>\nclass G {\n  int a;\n};\n"),
        ("a.cpp", "/** about g */\n", "template <class T>\n[[nodiscard]] int g(T a) {\n  return a;\n}\n"),
        ("a.c", "// about g\n", "__attribute__((used))\nint g(void)\n{\n  return 0;\n}\n"),
        ("a.c", "/* about g */\n", "typedef struct {\n  int a;\n} g;\n"),
        ("a.cs", "/// about g\n", "[A]\n[B(1)]\npublic class G {\n  int a;\n}\n"),
        ("a.cs", "// about g\n", 'app.MapGet("/x", () => {\n  One();\n});\n'),
        ("a.php", "/** about g */\n", "#[A]\n#[B(1)]\nfinal class G {\n  public $a;\n}\n"),
        ("a.php", "// about g\n", "Route::get('/x', function () {\n  one();\n})->name('x');\n"),
        ("a.rb", "# about g\n", "RSpec.describe G do\n  it { one }\nend\n"),
        ("a.js", "// about g\n", "test.each([1])('x', () => {\n  one();\n});\n"),
        ("a.js", "/** about g */\n", "export default () => {\n  return 1;\n};\n"),
    ],
)
def test_comments_and_decorators_stay_with_their_definition(path: str, before: str, definition: str) -> None:
    prologue = "<?php\n" if path == "a.php" else ""
    filler = {"a.py": "x = 1\n", "a.rb": "x = 1\n", "a.go": "var x = 1\n", "a.rs": "use x::y;\n"}.get(path, "int x;\n")
    filler = {"a.js": "x();\n", "a.ts": "x();\n", "a.php": "x();\n", "a.cs": "X();\n"}.get(path, filler)
    source = prologue + filler * 4 + before + definition + filler * 4
    budget = len(source) - len(filler) * 4
    assert cut(source, path, budget)[1] == ("definition", before.rstrip("\n")), "the comment starts the chunk"
    bare = prologue + filler * 4 + before + "\n" + definition + filler * 4
    assert ("definition", definition.split("\n")[0]) in cut(bare, path, budget - 1), "a blank line parts them"


CLASS = "class {name}:\n" + "".join(f"    def m{index}(self):\n        return {index}\n\n" for index in range(4))


def test_a_class_over_the_budget_is_cut_between_its_members() -> None:
    assert len(CLASS.format(name="A")) == 153
    assert cut(CLASS.format(name="A"), "a.py", 100) == [("file", "class A:"), ("definition", "    def m2(self):")]


def test_the_rest_of_a_class_is_not_packed_with_the_next_class() -> None:
    source = CLASS.format(name="A") + "class B:\n    x = 1\n"
    chunks = cut(source, "a.py", 130)
    assert [first for _, first in chunks][-1] == "class B:"
    assert len(chunks) == 3, "though the rest of A and B would fit together"
    chunks = cut(CLASS.format(name="A") + "def b():\n    x = 1\n", "a.py", 130)
    assert len(chunks) == 2, "a function is no other class"


def test_a_function_over_the_budget_is_cut_between_its_statements() -> None:
    source = (
        "def f():\n    a = [\n        1,\n        2,\n    ]\n    b = [\n        3,\n        4,\n    ]\n    return a\n"
    )
    assert cut(source, "a.py", 60) == [("file", "def f():"), ("statement", "    b = [")]


def test_a_statement_set_apart_is_preferred() -> None:
    source = "x = 1\ny = 2\n\nz = 3\nw = 4\nv = 5\n"
    assert cut(source, "a.py", 25) == [("file", "x = 1"), ("statement", "z = 3")]


def test_text_over_the_budget_is_cut_at_blank_lines_then_lines_then_characters() -> None:
    assert cut("one\ntwo\n\nthree\nfour\n", "a.txt", 12) == [("file", "one"), ("blank-line", "three")]
    assert cut("one\ntwo\nthree\nfour\n", "a.txt", 12) == [("file", "one"), ("line", "three")]
    assert cut("a\n \n \nb", "a.txt", 6) == [("file", "a"), ("blank-line", "b")]
    assert cut("one\ntwo\n\nx", "a.txt", 9) == [("file", "one"), ("blank-line", "x")]
    assert cut("one\n\n\t \nx", "a.txt", 8) == [("file", "one"), ("blank-line", "x")]
    assert cut("ab\n\ncdefghi\nj\nkl\n\nm\n", "a.txt", 5) == [
        ("file", "ab"), ("blank-line", "cdefg"), ("character", "hi"), ("line", "kl"), ("blank-line", "m")
    ]  # fmt: skip
    assert cut("abcdefghij\n", "a.txt", 4) == [("file", "abcd"), ("character", "efgh"), ("character", "ij")]


def test_a_long_string_is_cut_at_its_blank_lines() -> None:
    source = 'x = """\none\ntwo\n\nthree\nfour\nfive\n"""\n'
    assert [how for how, _ in cut(source, "a.py", 20)] == ["file", "blank-line"]


def test_a_carriage_return_is_not_parted_from_its_line_feed() -> None:
    chunks = chunk_source(b"abc\r\ndef\r\n", "a.txt", 4)
    assert [one.end_byte for one in chunks] == [3, 5, 8, 10]
    assert [one.end_byte for one in chunk_source(b"a\t\t\tb\t\t", "a.txt", 3)] == [3, 6, 7]
    assert [one.end_byte for one in chunk_source(b"\r\n\r\n", "a.txt", 1)] == [1, 2, 3, 4]


def test_chunks_name_the_definitions_that_they_hold_and_those_around_them() -> None:
    source = CLASS.format(name="A").encode() + b"def f(): pass\n"
    chunks = chunk_source(source, "a.py", 100)
    assert [[one.qualified_name for one in chunk.definitions] for chunk in chunks] == [
        ["A.m0", "A.m1"],
        ["A.m2", "A.m3", "f"],
    ]
    assert [[one.name for one in chunk.enclosing] for chunk in chunks] == [["A"], ["A"]]
    whole = chunk_source(source, "a.py")[0]
    assert [one.name for one in whole.definitions] == ["A", "f"]
    two = chunk_source((CLASS.format(name="A") + CLASS.format(name="B")).encode(), "a.py")[0]
    assert [one.name for one in two.definitions] == ["A", "B"]
    assert whole.enclosing == ()


def test_chunks_are_the_same_whatever_the_line_ends() -> None:
    source = (CLASS.format(name="A") + function("f", 5)).encode()
    plain = chunk_source(source, "a.py", 100)
    carriage = chunk_source(source.replace(b"\n", b"\r\n"), "a.py", 112)
    assert [one.start_line for one in plain] == [one.start_line for one in carriage]


@pytest.mark.parametrize("max_chars", [0, -1])
def test_a_budget_of_nothing_is_an_error(max_chars: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        chunk_source(b"x", "a.py", max_chars)


def test_comments_are_parted_from_their_definition_in_need_and_attributes_are_not() -> None:
    source = "/// words\n" * 8 + "#[one]\n#[two]\nfn g() {\n    a();\n}\n"
    assert cut(source, "a.rs", 81) == [("file", "/// words"), ("definition", "#[one]")]
    check_definitions(source.encode(), "a.rs", chunk_source(source.encode(), "a.rs", 81), 81)


def test_the_rest_of_an_exported_or_decorated_class_is_not_packed_with_the_next() -> None:
    members = "".join(f"  m{index}() {{\n    return {index};\n  }}\n" for index in range(4))
    source = f"export class A {{\n{members}}}\nexport class B {{\n  x() {{}}\n}}\n"
    assert cut(source, "a.js", 100)[-1] == ("definition", "export class B {")
    decorated = CLASS.format(name="A") + "@deco\nclass B:\n    x = 1\n"
    assert cut(decorated, "a.py", 130)[-1] == ("definition", "@deco")
    twice = CLASS.format(name="A") + "@one\n@two\nclass B:\n    x = 1\n"
    assert cut(twice, "a.py", 130)[-1] == ("definition", "@one")


def test_the_default_budget() -> None:
    source = b"x = 1\n" * 1_001
    assert [one.end_byte for one in chunk_source(source, "a.py")] == [6_000, 6_006]
    assert len(chunk_source(source[:6_000], "a.py")) == 1
    assert [one.end_byte for one in chunk_source(b"x" * 6_001, "a.txt")] == [6_000, 6_001]


def test_a_blank_line_before_an_indented_paragraph_is_the_lesser_place() -> None:
    assert cut("one\n\ntwo\n\n  three\n\n  four\n", "a.txt", 21) == [("file", "one"), ("blank-line", "two")]
    assert cut("one\n\ntwo\n\nthree\n\n  four\n", "a.txt", 19) == [("file", "one"), ("blank-line", "three")]
    assert cut("one\n\n\ntwo\nsix", "a.txt", 9) == [("file", "one"), ("blank-line", "two")]


def test_chunks_travel_without_their_file() -> None:
    source = (CLASS.format(name="A") + "é = 1\n").encode()
    chunks = chunk_source(source, "a.py", 100)
    tuples = chunks_to(chunks)
    assert tuples[0] == (0, chunks[0].end_byte, 1, chunks[0].end_line, "file", 1, 2)
    back = chunks_from(tuples, source, "a.py")
    assert back == chunks
    assert [[one.name for one in chunk.definitions] for chunk in back] == [["m0", "m1"], ["m2", "m3", "é"]]


def test_a_chunk_keeps_no_tree_and_cannot_be_changed() -> None:
    chunk = chunk_source(b"def f(): pass\n", "a.py")[0]
    assert [one.name for one in chunk.definitions] == ["f"]
    assert chunk._file.syntax()._tree is None
    assert chunk.unread_reason is None
    assert chunk_source(b"\0", "a.py")[0].unread_reason == "binary"
    assert "_file" not in repr(chunk)
    with pytest.raises(FrozenInstanceError):
        chunk.part = 2  # type: ignore[misc]


def test_what_the_parser_gives_up_is_cut_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def abandon(source: bytes, language: str) -> None:
        raise ParseAbandoned(language)

    source = "x = (\n  1)\n\ny = 2\n"
    assert cut(source, "a.py", 12) == [("file", "x = ("), ("statement", "y = 2")]
    monkeypatch.setattr("retrodoc_chunkers.chunk.parse", abandon)
    assert cut(source, "a.py", 12) == [("file", "x = ("), ("blank-line", "y = 2")]


@pytest.mark.parametrize(
    ("edges", "definitions", "enclosing"),
    [
        ((0, 26), [["A"]], [[]]),
        ((0, 10, 26), [[], ["m"]], [["A"], ["A"]]),
        ((0, 9, 26), [[], ["m"]], [["A"], ["A"]]),
        ((0, 8, 14, 26), [[], [], []], [["A"], ["A", "m"], ["A", "m"]]),
        ((0, 25, 26), [["A"], []], [[], []]),
        ((0, 24, 26), [[], []], [["A", "m"], ["A", "m"]]),
    ],
)
def test_a_definition_is_in_a_chunk_wholly_or_around_it(
    edges: tuple[int, ...], definitions: list[list[str]], enclosing: list[list[str]]
) -> None:
    source = b"class A:\n def m(s): 1 + 1\n"
    assert len(source) == 26
    tuples = [(start, end, 1, 1, "line", 1, 1) for start, end in itertools.pairwise(edges)]
    chunks = chunks_from(tuples, source, "a.py")
    assert [[one.name for one in chunk.definitions] for chunk in chunks] == definitions
    assert [[one.name for one in chunk.enclosing] for chunk in chunks] == enclosing


def test_a_match_of_a_pattern_after_a_blank_line_is_a_match() -> None:
    chunks = chunk_source(b"one\n\ntwo\n\nsix\n", "a.txt", 12, pattern=Pattern("^six"))
    assert [(one.how, one.start_byte) for one in chunks] == [("file", 0), ("pattern", 10)]
    chunks = chunk_source(b"one\n\ntwo\n\nsix\n", "a.txt", 5, pattern=Pattern("^six"))
    assert [one.how for one in chunks] == ["file", "blank-line", "pattern"]
    chunks = chunk_source(b"one\n\ntwo\n\nsix\n", "a.txt", 12, pattern=Pattern("^two"))
    assert [(one.how, one.start_byte) for one in chunks] == [("file", 0), ("pattern", 5)]


def test_a_guarded_header_is_cut_before_its_declarations() -> None:
    declarations = "".join(f"/* about f{index} */\nint f{index}(void);\n\n" for index in range(6))
    chunks = cut(f"#ifndef A_H\n#define A_H\n{declarations}#endif\n", "a.h", 100)
    assert [how for how, _ in chunks] == ["file", "definition", "definition"]


# What holds for every input. Last, because a table says sooner what is wrong.


@any_time
@given(source=st.binary(max_size=400), path=st.sampled_from(sorted(FRAGMENTS)), max_chars=st.integers(1, 120))
@example(source=b"", path="a.py", max_chars=1)
@example(source=b"\r\n\r\n", path="a.py", max_chars=1)
@example(source="e\u0301\u0301\U0001f600".encode(), path="a.py", max_chars=1)
def test_any_bytes_and_any_budget(source: bytes, path: str, max_chars: int) -> None:
    check_chunks(source, chunk_source(source, path, max_chars), max_chars)


@any_time
@given(text=st.text(max_size=400), path=st.sampled_from(sorted(FRAGMENTS)), max_chars=st.integers(1, 120))
def test_any_text_and_any_budget(text: str, path: str, max_chars: int) -> None:
    source = text.encode("utf-8", "surrogatepass")
    check_chunks(source, chunk_source(source, path, max_chars), max_chars)


@any_time
@given(file=made_up_files(), max_chars=st.integers(10, 200), crlf=st.booleans())
@example(file=(b"/// about\n#[a]\n#[b]\nstruct S { a: u8 }\n", "a.rs"), max_chars=30, crlf=True)
@example(file=(b"/// about\n#[a] // b\nstruct S { a: u8 }\n", "a.rs"), max_chars=31, crlf=True)
def test_a_definition_that_fits_is_never_split(file: tuple[bytes, str], max_chars: int, crlf: bool) -> None:
    source, path = file
    if crlf:
        source = source.replace(b"\n", b"\r\n")
    chunks = chunk_source(source, path, max_chars)
    check_chunks(source, chunks, max_chars)
    check_definitions(source, path, chunks, max_chars)


@any_time
@given(file=made_up_files(), cut=st.integers(0, 300), junk=st.binary(max_size=5), max_chars=st.integers(10, 100))
def test_a_damaged_file_is_still_cut_right(file: tuple[bytes, str], cut: int, junk: bytes, max_chars: int) -> None:
    source = file[0][:cut] + junk + file[0][cut:]
    check_chunks(source, chunk_source(source, file[1], max_chars), max_chars)
