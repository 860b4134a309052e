"""What the judge asks of a file, in each language: definitions, calls, imports, token kinds, what encloses, counts."""

from __future__ import annotations

import pytest

from retrodoc_chunkers import TokenKind, syntax_of

SOURCES = {
    "a.py": b'''"""About price_of."""
from shutil import move as mv

@route("/x")
def place(self, basket, count=1):
    """Docs."""
    total = price_of(basket)  # later
    return f"sum {label(total)} of"
''',
    "a.rb": b"""require "json"
class Till < Desk
  scope :open, -> { where(a: 1) }
  def close?(rows, deep: false)
    report = build_report(rows) # was here
    audit
    log "x #{size(report)} y"
  end
end
""",
    "a.js": b"""import { openDoor as od } from "./door.js";
const { shut } = require("shut");
export const enter = async (badge) => {
  if (checkBadge(badge)) return `Room ${name(badge)} x`; // note
};
app.get("/orders", (req, res) => { $list.show(); });
""",
    "a.ts": b"""export class Cart {
  @Input() rows: Row[] = [];
  total(tax: number): number { return new Sum<Row>(this.rows).of(tax); }
}
""",
    "a.tsx": b"""export const Page = ({ rows }: Props) => <List rows={sorted(rows)}>text</List>;
""",
    "a.rs": b"""use crate::rates::{Table, sum_rows as add};
/// Adds.
#[get("/x")]
fn total(rows: &[Row], deep: bool) -> u32 {
    println!("{} of", add(rows, rows.first()));
    rows.iter().map(parse_row).sum::<u32>()
}
impl Shelf { fn count(&self) -> u32 { 0 } }
""",
    "a.go": b"""package shop
import f "fmt"
type Order struct { ID, Rows int }
func (o *Order) Total(a, b int) int { f.Println("x"); return sum(a, o.Rows) }
""",
    "A.java": b"""package shop;
import java.util.List;
class Shelf {
    private int rows = 1;
    @Override int count(List<Book> books, int more) { return new Sum(books).size(); }
}
""",
}

DEFINITIONS = {
    "a.py": ["function place 4-8 (self, basket, count)"],
    "a.rb": ["class Till 2-9 ()", "block Till.open 3-3 ()", "method Till.close? 4-8 (rows, deep)"],
    "a.js": ["function enter 3-5 (badge)", "block get /orders 6-6 ()"],
    "a.ts": ["class Cart 1-4 ()", "method Cart.total 3-3 (tax)"],
    "a.tsx": ["function Page 1-1 ({ rows })"],
    "a.rs": ["function total 3-7 (rows, deep)", "class Shelf 8-8 ()", "method Shelf.count 8-8 ()"],
    "a.go": ["struct Order 3-3 ()", "method Order.Total 4-4 (a, b)"],
    "A.java": ["class Shelf 3-6 ()", "constant Shelf.rows 4-4 ()", "method Shelf.count 5-5 (books, more)"],
}

CALLS = {
    "a.py": ["route@4", "price_of@7", "label@8"],
    "a.rb": ["require@1", "scope@3", "where@3", "build_report@5", "audit@6", "log@7", "size@7"],
    "a.js": ["require@2", "checkBadge@4", "name@4", "app|get@6", "$list|show@6"],
    "a.ts": ["Input@2", "Sum@3", "new Sum<Row>(this.rows)|of@3"],
    "a.tsx": ["List@1", "sorted@1"],
    "a.rs": ["get@3", "println!@5", "add@5", "rows|first@5", "rows|iter@6", "rows.iter()|map@6",
             "rows.iter().map(parse_row)|sum@6"],
    "a.go": ["f|Println@4", "sum@4"],
    "A.java": ["Override@5", "Sum@5", "new Sum(books)|size@5"],
}  # fmt: skip

IMPORTS = {
    "a.py": [("mv", "shutil", "move", 2)],
    "a.rb": [("json", "json", None, 1)],
    "a.js": [("od", "./door.js", "openDoor", 1), ("shut", "shut", "shut", 2)],
    "a.ts": [],
    "a.tsx": [],
    "a.rs": [("Table", "crate::rates", "Table", 1), ("add", "crate::rates", "sum_rows", 1)],
    "a.go": [("f", "fmt", None, 2)],
    "A.java": [("List", "java.util", "List", 2)],
}

KINDS = [
    ("a.py", b"price_of.", TokenKind.COMMENT),
    ("a.py", b"move", TokenKind.IMPORT),
    ("a.py", b"route", TokenKind.CALL),
    ("a.py", b"/x", TokenKind.STRING),
    ("a.py", b"place", TokenKind.DEFINITION),
    ("a.py", b"basket,", TokenKind.USE),
    ("a.py", b"Docs", TokenKind.COMMENT),
    ("a.py", b"price_of(", TokenKind.CALL),
    ("a.py", b"later", TokenKind.COMMENT),
    ("a.py", b"sum ", TokenKind.STRING),
    ("a.py", b"label", TokenKind.CALL),
    ("a.py", b'of"', TokenKind.STRING),
    ("a.rb", b"open", TokenKind.DEFINITION),
    ("a.rb", b"audit", TokenKind.CALL),
    ("a.rb", b"was", TokenKind.COMMENT),
    ("a.rb", b"x #", TokenKind.STRING),
    ("a.rb", b"size", TokenKind.CALL),
    ("a.rb", b"report)", TokenKind.USE),
    ("a.rb", b'y"', TokenKind.STRING),
    ("a.js", b"openDoor", TokenKind.IMPORT),
    ("a.js", b"shut }", TokenKind.IMPORT),
    ("a.js", b"enter", TokenKind.DEFINITION),
    ("a.js", b"Room", TokenKind.STRING),
    ("a.js", b"name", TokenKind.CALL),
    ("a.js", b"$list", TokenKind.USE),
    ("a.ts", b"Input", TokenKind.CALL),
    ("a.ts", b"Sum", TokenKind.CALL),
    ("a.tsx", b"text", TokenKind.STRING),
    ("a.rs", b"sum_rows", TokenKind.IMPORT),
    ("a.rs", b"Adds", TokenKind.COMMENT),
    ("a.rs", b"println", TokenKind.CALL),
    ("a.rs", b"{} of", TokenKind.STRING),
    ("a.rs", b"add(", TokenKind.CALL),
    ("a.rs", b"parse_row", TokenKind.USE),
    ("a.go", b"Total", TokenKind.DEFINITION),
    ("a.go", b"Println", TokenKind.CALL),
    ("A.java", b"count", TokenKind.DEFINITION),
    ("A.java", b"Book>", TokenKind.USE),
]


@pytest.mark.parametrize("path", SOURCES)
def test_definitions_are_named_nested_and_hold_their_decorators(path: str) -> None:
    found = syntax_of(SOURCES[path], path).definitions
    assert [
        f"{one.kind} {one.qualified_name} {one.start_line}-{one.end_line} ({', '.join(one.parameters)})"
        for one in found
    ] == [line.replace("(self, ", "(") for line in DEFINITIONS[path]]


@pytest.mark.parametrize("path", SOURCES)
def test_calls_carry_their_receiver_and_line(path: str) -> None:
    found = syntax_of(SOURCES[path], path).calls
    assert [f"{one.receiver}{'|' if one.receiver else ''}{one.name}@{one.line}" for one in found] == CALLS[path]


@pytest.mark.parametrize("path", SOURCES)
def test_imports_bind_names(path: str) -> None:
    assert [tuple(one) for one in syntax_of(SOURCES[path], path).imports] == IMPORTS[path]


@pytest.mark.parametrize(("path", "token", "kind"), KINDS)
def test_every_token_has_a_kind(path: str, token: bytes, kind: TokenKind) -> None:
    source = SOURCES[path]
    assert source.count(token) == 1, "the table must name one place"
    assert syntax_of(source, path).kind_at(source.index(token)) is kind


@pytest.mark.parametrize(
    ("path", "line", "names"),
    [
        ("a.py", 3, []),
        ("a.py", 4, ["place"]),
        ("a.py", 8, ["place"]),
        ("a.rb", 1, []),
        ("a.rb", 3, ["Till"]),
        ("a.rb", 5, ["Till", "close?"]),
        ("a.rb", 9, ["Till"]),
        ("a.rb", 10, []),
        ("a.rs", 2, []),
        ("a.rs", 3, ["total"]),
        ("A.java", 5, ["Shelf", "count"]),
    ],
)  # fmt: skip
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


def test_latin_1_names_are_read_from_the_file() -> None:
    source = b"# caf\xe9\ndef caf\xe9(x):\n    return cuisin\xe9(x)\n"
    syntax = syntax_of(source, "a.py")
    assert [one.name for one in syntax.definitions] == ["caf\xe9"]
    assert [one.name for one in syntax.calls] == ["cuisin\xe9"]
    assert syntax.kind_at(source.index(b"caf")) is TokenKind.COMMENT


def test_a_byte_order_mark_is_no_part_of_the_first_name() -> None:
    syntax = syntax_of(b"\xef\xbb\xbfstart_day()\n", "day.py")
    assert [(one.name, one.start_byte) for one in syntax.calls] == [("start_day", 3)]
