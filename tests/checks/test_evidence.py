"""Where a promise is kept: whole tokens, by their kind, by line, by window of lines."""

from __future__ import annotations

import pytest

from retrodoc_checks import FileIndex
from retrodoc_checks.citations import Cited
from retrodoc_checks.evidence import (
    NO_SCOPE,
    Scope,
    imported_from,
    keeping_kinds,
    kept_at,
    kinds_at,
    lines_by_kind,
    qualifier_lines,
    windows_holding,
)
from retrodoc_checks.names import Kind, Promise, read_step
from retrodoc_checks.power import MAX_SHARE, passing_share, shares
from retrodoc_checks.source import UNKNOWN, SourceFile, bits_of, plain_utf8, route_key, windows_of
from retrodoc_checks.words import fewer_than
from retrodoc_runs.snapshot import MemorySnapshot

DESK = b"""\
from bar import pour, ring_bell as bell


class Desk:
    def arm(self):
        self.hooks.append(self.ring_bell)  # pour later
        return pour(1_000, "pour")

    def quiet(self):
        @wraps
        def inner():
            return _secret

        return inner
"""


def lines(kind: Kind, parts: tuple[str, ...], content: bytes = DESK, path: str = "desk.py", call: bool = False):
    source = SourceFile(path, content)
    return {str(key): value for key, value in lines_by_kind(source, Promise(kind, parts[-1], parts, call)).items()}


def promise(text: str) -> Promise:
    (found,) = read_step(text).promises
    return found


def cited(content: bytes, start: int, end: int, path: str = "desk.py") -> Cited:
    return Cited(SourceFile(path, content), start, end)


def test_a_name_is_found_by_kind() -> None:
    assert lines(Kind.NAME, ("pour",)) == {"import": [1], "comment": [6], "call": [7], "string": [7]}
    assert lines(Kind.NAME, ("arm",)) == {"definition": [5]}
    assert lines(Kind.NAME, ("ring_bell",)) == {"import": [1], "use": [6]}
    assert lines(Kind.NAME, ("wraps",)) == {"call": [10]}
    assert lines(Kind.NAME, ("ring",)) == {}
    assert lines(Kind.NAME, ("secret",)) == {"use": [12]}
    assert lines(Kind.NAME, ("_secret",)) == {"use": [12]}


def test_without_a_grammar_a_call_is_a_name_and_a_parenthesis_on_the_same_line() -> None:
    content = b"pour(x)\npour (y)\npour, z\npour\n"

    assert lines(Kind.NAME, ("pour",), content, "a.txt", call=True) == {"call": [1, 2], "use": [3, 4]}
    assert lines(Kind.NAME, ("pour",), content, "a.txt") == {"unknown": [1, 2, 3, 4]}


TOKENS = [
    # path, content, name, is it there
    ("a.py", "user_id", "user", False),
    ("a.py", "users", "user", False),
    ("a.py", "xuser", "user", False),
    ("a.py", "user.id", "user", True),
    ("a.py", "a-user", "user", True),
    ("a.py", "'a-user'", "user", False),
    ("a.py", "'user-a'", "user", False),
    ("a.py", "# user-a", "user", False),
    ("a.py", "'- user -'", "user", True),
    ("a.txt", "user-a", "user", False),
    ("a.txt", "a-user", "user", False),
    ("a.txt", "-user-", "user", True),
    ("a.py", "__user", "user", True),
    ("a.py", "x__user", "user", False),
    ("a.py", "éuser", "user", False),
    ("a.py", "useré", "user", False),
    ("a.txt", "«user»", "user", True),
    ("a.py", "User", "user", False),
    ("a.js", "$user", "user", False),
    ("a.js", "user$", "user", False),
    ("a.js", "$user", "$user", True),
    ("a.rb", "$user", "user", True),
    ("a.txt", "$user", "$user", True),
    ("a.rb", "@user", "user", True),
    ("a.rb", "user?", "user", False),
    ("a.rb", "user?", "user?", True),
    ("a.rb", "user!", "user", False),
    ("a.rb", "user != 1", "user", True),
    ("a.rb", "user!=1", "user", True),
    ("a.py", "user!=1", "user", True),
    ("a.rs", "fn f() { user!(1) }", "user", False),
    ("a.rs", "fn f() { user!(1) }", "user!", True),
    ("a.py", "user", "user", True),
    ("a.py", "cafe\u0301", "café", True),
    ("a.py", "café", "cafe", False),
    ("a.py", "x = _", "_", True),
]


@pytest.mark.parametrize(("path", "content", "name", "there"), TOKENS)
def test_a_name_is_a_whole_token(path: str, content: str, name: str, there: bool) -> None:
    source = SourceFile(path, content.encode())

    assert source.has_name(name) is there
    assert bool(source.name_lines(name)) is there


TEXTS = [
    ("x = '--dry-run'", "--dry-run", True),
    ("x = '--dry-run-all'", "--dry-run", False),
    ("x = 'a--dry-run'", "--dry-run", False),
    ("f('Order sent')", "Order sent", True),
    ("f('Order  sent')", "Order sent", True),
    ("f('Order sentinel')", "Order sent", False),
    ("f('Order\n sent')", "Order sent", True),
    ("f('order sent')", "Order sent", False),
    ('x = y["a"]', "y['a']", True),
    ("if x>0:", "x > 0", False),
    ("if x > 0:", "x > 0", True),
    ("True and Trues", "True", True),
    ("Trues", "True", False),
    ("SHOP_TOKEN_FILE", "SHOP_TOKEN", False),
    ("'oscar/basket.html'", "basket.html", True),
    ("a->b", "a", True),
    ("i--", "i", True),
    ("éa", "a", False),
    ("aé", "a", False),
]


@pytest.mark.parametrize(("content", "literal", "there"), TEXTS)
def test_a_text_is_bounded_on_both_sides(content: str, literal: str, there: bool) -> None:
    assert bool(SourceFile("a.txt", content.encode()).text_lines(literal)) is there


def test_each_kind_of_promise_is_looked_for_in_its_way() -> None:
    content = b"f('Order  sent')\nget('/rooms/<id>', 7)\n"

    assert lines(Kind.TEXT, ("Order sent",), content) == {"string": [1]}
    assert lines(Kind.NAME, ("Order sent",), content) == {}
    assert lines(Kind.ENTITY, ("Orders", "Order"), content) == {"string": [1]}
    assert lines(Kind.NUMBER, ("7",), content) == {"use": [2]}
    assert lines(Kind.NUMBER, ("8",), content) == {"use": []}
    assert lines(Kind.ROUTE, ("", "/rooms/{id}"), content) == {"string": [2]}


def test_a_text_in_a_comment_does_not_count() -> None:
    place = cited(b"x = 1  # --dry-run\n", 1, 1)

    assert not kept_at(place, promise("`--dry-run`"))
    assert kinds_at(place, promise("`--dry-run`"), NO_SCOPE) == {"comment"}


NUMBERS = [
    ("x = 100", "100", True),
    ("x = 1000", "100", False),
    ("x = 1_000", "1000", True),
    ("f(1,200)", "1200", False),
    ("f(1,200)", "200", True),
    ("s = '1,200 rows'", "1200", True),
    ("# 100", "100", False),
    ("s = '100'", "100", True),
    ("render_404()", "404", True),
    ("HTTP_404_NOT", "404", True),
    ("item1", "1", False),
    ("x = 2.50", "2.5", True),
    ("t = '30s'", "30", True),
    ("t = '30px'", "30", True),
    ("t = '30x7'", "30", False),
    ("v = 1.100", "100", False),
]


@pytest.mark.parametrize(("content", "value", "there"), NUMBERS)
def test_a_number_is_found_by_its_value(content: str, value: str, there: bool) -> None:
    assert (value in SourceFile("a.py", content.encode()).numbers) is there


def test_a_number_may_be_a_count_of_what_is_at_the_lines() -> None:
    content = b"A = [1, 2, 3]\nB = 7\nC = [\n    1,\n    2,\n]\n"

    assert kept_at(cited(content, 1, 1), promise("three rows"))
    assert not kept_at(cited(content, 2, 2), promise("three rows"))
    assert kept_at(cited(content, 3, 6), promise("two rows"))
    assert kinds_at(cited(content, 3, 6), promise("two rows"), NO_SCOPE) == {"use"}
    assert kinds_at(cited(b"A = [1, 2, 4]\n", 1, 1), promise("three rows"), NO_SCOPE) == set()
    assert not kept_at(cited(content, 3, 4), promise("five rows"))
    assert kept_at(cited(content, 1, 4), promise("7 rows"))
    assert not kept_at(cited(content, 3, 4), promise("7 rows"))
    assert not kept_at(cited(b"A = [1, 2, 3]\n", 1, 1, "a.txt"), promise("four rows"))


ROUTES = {
    "/a/<int:id>/": "a/{id}",
    "/a/:id": "a/{id}",
    "/a/{id}": "a/{id}",
    "/a/<id>": "a/{id}",
    "^a/$": "a",
    "/a/{id:[0-9]+}": "a/{id}",
    ":id/edit": "{id}/edit",
    "/a/b": "a/b",
}


@pytest.mark.parametrize("path", ROUTES)
def test_a_parameter_is_the_same_in_every_notation(path: str) -> None:
    assert route_key(path) == ROUTES[path]


APP = b"""\
app.get("/rooms/:id", show)
app.post("/rooms", create)
app.get("/rooms/:id/edit", edit)
// app.get("/keys", keys)
"""


def test_a_route_is_a_whole_string_with_its_verb_beside() -> None:
    def at(line: int, text: str) -> bool:
        return kept_at(cited(APP, line, line, "app.js"), promise(text))

    assert at(1, "`GET /rooms/<id>`")
    assert not at(1, "`POST /rooms/<id>`")
    assert not at(1, "`/rooms`")
    assert at(2, "`POST /rooms`")
    assert not at(2, "`GET /rooms`")
    assert not at(3, "`/rooms/<id>`")
    assert not at(4, "`/keys`")
    assert kept_at(cited(b"route /rooms/{id} show\n", 1, 1, "routes.txt"), promise("`/rooms/<id>`"))


def test_a_call_needs_a_call_or_a_definition() -> None:
    assert not kept_at(cited(DESK, 6, 6), promise("`ring_bell()`"))
    assert kept_at(cited(DESK, 6, 6), promise("`ring_bell`"))
    assert kept_at(cited(DESK, 7, 7), promise("`pour()`"))
    assert kept_at(cited(DESK, 5, 5), promise("`arm()`"))
    assert kept_at(cited(b"CALL pour (x)\n", 1, 1, "a.txt"), promise("`pour()`"))
    assert not kept_at(cited(b"CALL pour, x\n", 1, 1, "a.txt"), promise("`pour()`"))


def test_what_encloses_a_range_counts() -> None:
    assert kept_at(cited(DESK, 6, 7), promise("`arm`"))
    assert kept_at(cited(DESK, 6, 7), promise("`Desk`"))
    assert not kept_at(cited(DESK, 7, 9), promise("`arm`"))
    assert kept_at(cited(DESK, 14, 14), promise("`quiet`"))
    assert not kept_at(cited(DESK, 12, 12), promise("`quiet`")), "the innermost function is `inner`"
    assert kept_at(cited(DESK, 12, 12), promise("`inner`"))
    assert kept_at(cited(DESK, 6, 7), Promise(Kind.ENTITY, "Desk", ("Desk", "desk", "desks")))


def test_a_qualifier_is_in_scope_by_text_class_or_import() -> None:
    assert kept_at(cited(DESK, 6, 7), promise("`Desk.arm`"))
    assert kept_at(cited(DESK, 7, 7), promise("`bar.pour`"))
    assert kept_at(cited(DESK, 6, 6), promise("`hooks.append`"))
    assert not kept_at(cited(DESK, 7, 7), promise("`hooks.pour`"))
    assert not kept_at(cited(DESK, 7, 7), promise("`Bar.pour`"))
    assert kept_at(cited(DESK, 7, 7), promise("`hooks.pour`"), Scope(frozenset({"hooks"})))
    assert not kept_at(cited(DESK, 7, 7), promise("`hooks.Bar.pour`"), Scope(frozenset({"hooks"})))
    assert imported_from(SourceFile("desk.py", DESK), "bar", "pour")
    assert imported_from(SourceFile("desk.py", DESK), "ring_bell", "bell")
    assert not imported_from(SourceFile("desk.py", DESK), "bar", "bell_tower")
    assert kept_at(cited(DESK, 7, 7), promise("`Desk.bar.pour`"))
    assert qualifier_lines(SourceFile("desk.py", DESK), "pour") == [7, 1]


def test_the_kinds_that_keep_a_promise() -> None:
    assert [str(kind) for kind in keeping_kinds(promise("`a()`"))] == ["definition", "call"]
    assert UNKNOWN in keeping_kinds(promise("`a`"))
    assert keeping_kinds(Promise(Kind.ENTITY, "A", ("A",))) == keeping_kinds(promise("`a`"))
    assert "import" not in keeping_kinds(promise("`a`"))
    assert "string" in keeping_kinds(promise("`A_B`"))
    assert "comment" not in keeping_kinds(promise("`A_B`"))


def test_a_file_named_by_the_step_promises_nothing_about_its_lines() -> None:
    assert kept_at(cited(b"x = 1\n", 1, 1, "shop/models.py"), promise("in models.py"))
    assert kept_at(cited(b"x = 1\n", 1, 1, "models.py"), promise("in models.py"))
    assert not kept_at(cited(b"x = 1\n", 1, 1, "shop/xmodels.py"), promise("in models.py"))
    assert not kept_at(cited(b"x = 1\n", 1, 1, "xmodels.py"), promise("in models.py"))


def test_windows_hold_what_their_lines_hold() -> None:
    for length in range(1, 6):
        for places in ([1], [3], [1, 5], [2, 3], []):
            expected = bits_of(
                start for start in range(1, 7 - length) if any(start <= line < start + length for line in places)
            )
            assert windows_of(bits_of(places), length, 6 - length) == expected


def test_bits_are_the_same_for_few_and_for_many_lines() -> None:
    many = list(range(1, 40, 3))

    assert bits_of(many) == sum(1 << (line - 1) for line in many)
    assert bits_of([1, 1, 3]) == 0b101
    assert bits_of([]) == 0
    assert windows_of(bits_of([1]), 5, 0) == 0


def test_windows_with_fewer_words() -> None:
    planes = [0b0101, 0b0011]  # counts of windows 1 to 4: 3, 2, 1, 0

    assert [fewer_than(number, planes, 0b1111) for number in range(5)] == [0, 0b1000, 0b1100, 0b1110, 0b1111]
    assert fewer_than(2, planes, 0b0100) == 0b0100


def test_the_passing_share_counts_the_other_windows() -> None:
    content = b"go()\nstop()\ngo()\nwait()\n"

    assert passing_share(cited(content, 1, 1), [promise("`go`")], NO_SCOPE) == 0.5
    assert passing_share(cited(content, 1, 2), [promise("`go`")], NO_SCOPE) == 1.0
    assert passing_share(cited(content, 1, 2), [promise("`go`"), promise("`stop`")], NO_SCOPE) == pytest.approx(2 / 3)
    assert passing_share(cited(content, 1, 4), [promise("`go`")], NO_SCOPE) == 1.0
    assert passing_share(cited(content, 1, 1), [], NO_SCOPE) == 1.0
    assert shares([cited(content, 1, 1), cited(content, 4, 4)], [promise("`go`")], NO_SCOPE) == [0.5, 1.0]
    assert MAX_SHARE == 0.40


def test_windows_are_looked_up_once_for_each_length() -> None:
    source = SourceFile("desk.py", DESK)
    first = windows_holding(source, promise("`pour`"), 2)

    assert windows_holding(source, promise("`pour`"), 2) == first
    assert windows_holding(source, promise("`pour`"), 3) != first
    assert windows_holding(source, promise("`pour`"), 99) == 0


def test_a_file_is_compared_in_one_form() -> None:
    assert plain_utf8(b"a\r\nb") == b"a\nb"
    assert plain_utf8(b"\xef\xbb\xbfa") == b"a"
    assert plain_utf8(b"caf\xe9") == "café".encode()
    assert plain_utf8("cafe\u0301 ＂x＂".encode()) == "café ＂x＂".encode()


def test_a_forgotten_index_is_made_again() -> None:
    source = SourceFile("desk.py", DESK)
    before = source.name_lines("pour")
    source.forget()

    assert source.name_lines("pour") == before
    assert source.lines == 14


def test_an_index_reads_a_file_once() -> None:
    class Counting(MemorySnapshot):
        reads = 0

        def read(self, path: str, max_bytes: int | None = None) -> bytes | None:
            type(self).reads += 1
            return super().read(path, max_bytes)

    index = FileIndex(Counting({"a.py": "x = 1\n"}))

    assert index.source("a.py") is index.source("a.py")
    assert Counting.reads == 1
    assert index.source("gone.py") is None


def test_windows_with_a_structural_count_are_those_that_hold_the_whole_list() -> None:
    content = b"A = [1, 2, 3]\nB = 7\nC = [\n    8,\n    9,\n    7,\n]\n"
    source = SourceFile("a.py", content)

    assert windows_holding(source, promise("three rows"), 1) == 0b0000001
    assert windows_holding(source, promise("three rows"), 3) == bits_of([1, 4])
    assert windows_holding(source, promise("four rows"), 1) == 0
    assert windows_holding(source, promise("seven rows"), 1) == bits_of([2, 6])
    assert windows_holding(source, promise("three rows"), 7) == 1
    assert [windows_holding(source, promise("three rows"), length) for length in (8, 9, 99)] == [0, 0, 0]
    assert windows_holding(SourceFile("a.py", b"B = 7\nA = [1, 2, 4]\n\n"), promise("three rows"), 2) == bits_of([1, 2])


def test_a_structural_count_in_a_long_file_is_sampled_evenly() -> None:
    source = SourceFile("a.py", b"A = [1, 2, 3]\n" * 1000)
    windows = windows_holding(source, promise("three rows"), 1)

    assert windows == (1 << 1000) - 1
    rare = SourceFile("a.py", b"B = 7\n" * 999 + b"A = [1, 2, 4]\n")
    assert windows_holding(rare, promise("three rows"), 1).bit_count() <= 3


@pytest.mark.parametrize(("number", "counts"), [(1, False), (2, True), (200, True), (201, False)])
def test_a_number_counts_members_from_two_to_two_hundred(number: int, counts: bool) -> None:
    content = b"A = [" + b"0, " * number + b"]\nB = 7\n"
    rows = promise(f"{number} rows")

    assert kept_at(cited(content, 1, 1), rows) is counts
    assert windows_holding(SourceFile("a.py", content), rows, 1) == counts
    assert windows_holding(SourceFile("a.py", content), rows, 1, structural=False) == 0


@pytest.mark.parametrize(
    ("lines", "at", "windows"),
    [(400, 1, [1]), (400, 8, [8]), (400, 400, [400]), (401, 7, [7, 8]), (401, 8, []), (401, 401, [401])],
)
def test_up_to_400_windows_are_counted_one_by_one_and_then_every_second(
    lines: int, at: int, windows: list[int]
) -> None:
    content = b"B = 7\n" * (at - 1) + b"A = [1, 2, 4]\n" + b"B = 7\n" * (lines - at)

    assert windows_holding(SourceFile("a.py", content), promise("three rows"), 1) == bits_of(windows)
    assert passing_share(cited(content, at, at), [promise("three rows")], NO_SCOPE) == max(len(windows), 1) / lines


def test_the_answers_about_one_file_are_bounded() -> None:
    source = SourceFile("desk.py", DESK)
    seen = []
    for length in range(1, 200):
        windows_holding(source, promise("`pour`"), length)
        seen.append(len(source.windows_seen))

    assert seen[:65] == [*range(1, 65), 1]
    assert max(seen) == 64


CLASSES = b"""\
class Order:
    def cancel(self):
        self.state = 1

    def pay(self):
        self.paid = 1
        self.cancel()
reset(cancel)


class Refund:
    def cancel(self):
        self.state = 2
"""


@pytest.mark.parametrize(
    ("text", "length", "starts"),
    [
        ("`Order.cancel`", 1, [2, 3, 7]),
        ("`Order.cancel`", 2, [1, 2, 6, 7]),
        ("`Order.cancel`", 3, [1, 2, 5, 6, 7]),
        ("`Refund.cancel`", 1, [12, 13]),
        ("`Refund.cancel`", 3, [10, 11]),
        ("`Order.pay`", 1, [5, 6, 7]),
        ("`Refund.pay`", 1, []),
        ("`Refund.pay`", 7, [5]),
        ("`cancel`", 1, [2, 3, 7, 8, 12, 13]),
    ],
)
def test_a_method_is_found_at_its_lines_within_the_class_that_is_named(
    text: str, length: int, starts: list[int]
) -> None:
    assert windows_holding(SourceFile("a.py", CLASSES), promise(text), length) == bits_of(starts)
