"""What became of cited lines: same, moved, changed or gone; white space and comments do not count."""

# ruff: noqa: E501  the tables of edits read best with one edit a line

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, field

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from retrodoc_checks import drift as drift_module
from retrodoc_checks.drift import CitationDrift, Drift, DriftStatus, step_drift
from retrodoc_checks.findings import Reason, StepFinding, Verdict
from retrodoc_runs.lines import split_lines, text_hash
from retrodoc_runs.models import SourceRef
from retrodoc_runs.snapshot import MemorySnapshot

SAME, MOVED, CHANGED, GONE, WRONG = DriftStatus


def follow(
    before: dict[str, str] | None, after: dict[str, str], ref: SourceRef, renames: dict[str, str] | None = None
) -> CitationDrift:
    old = None if before is None else MemorySnapshot(before)
    return Drift(old, MemorySnapshot(after), lambda: renames or {}).of(ref)


CART = """\
import decimal


class Cart:
    def total(self):
        # every line counts
        amount = sum(self.lines)
        return amount

    def clear(self):
        self.lines = []
        return None

    def close(self):
        self.open = False
        return None
"""


@dataclass(frozen=True)
class Edit:
    """`old` becomes `new` in CART (all of it when `old` is empty); lines `cited` are then `status`, at `lines`."""

    old: str
    new: str
    cited: tuple[int, int]
    status: DriftStatus
    lines: tuple[int, int] | None = None
    name: str = field(default="cart.py")


BODY = (7, 8)
# fmt: off
EDITS = {
    "nothing": Edit("decimal", "decimal", BODY, SAME),
    "another-place-of-the-file": Edit("self.open = False", "self.open = None", BODY, SAME),
    "lines-added-above": Edit("import decimal", "import decimal\nimport math", BODY, MOVED, (8, 9)),
    "lines-removed-above": Edit("import decimal\n\n\n", "", BODY, MOVED, (4, 5)),
    "a-cited-line": Edit("sum(self.lines)", "sum(self.items)", BODY, CHANGED),
    "a-name-that-grew": Edit("return amount", "return amounts", BODY, CHANGED),
    "the-first-letter-of-the-file": Edit("import decimal", "jmport decimal", (1, 1), CHANGED),
    "case-alone": Edit("return amount", "return Amount", BODY, CHANGED),
    "cited-lines-removed": Edit("        amount = sum(self.lines)\n        return amount\n", "        pass\n", BODY, CHANGED),
    "cited-lines-removed-alone": Edit("        amount = sum(self.lines)\n        return amount\n", "", BODY, GONE),
    "method-removed": Edit(CART[CART.index("    def total") : CART.index("    def clear")], "", BODY, GONE),
    "end-of-the-file-removed": Edit(CART[CART.index("    def close") :], "", (15, 16), GONE),
    "the-first-of-three-cited-lines-removed": Edit("    def clear(self):\n", "", (10, 12), CHANGED),
    "one-of-the-cited-lines-removed": Edit("        amount = sum(self.lines)\n", "", BODY, CHANGED),
    "a-line-put-in-between": Edit("sum(self.lines)\n", "sum(self.lines)\n        amount += 1\n", BODY, CHANGED),
    "cited-line-moved-below": Edit("", CART.replace("import decimal\n", "") + "import decimal\n", (1, 1), MOVED, (16, 16)),
    "everything": Edit("", "x = 1\n", BODY, CHANGED),
    "emptied": Edit("", "", BODY, GONE),
    # white space and comments
    "indented": Edit("        return amount", "            return amount", BODY, SAME),
    "tabs": Edit("        return amount", "\treturn amount  ", BODY, SAME),
    "spaces-around-signs": Edit("amount = sum(self.lines)", "amount=sum( self.lines )", BODY, SAME),
    "a-space-between-words": Edit("return amount", "returnamount", BODY, CHANGED),
    "comment-above-reworded": Edit("every line counts", "all lines count", BODY, SAME),
    "comment-above-removed": Edit("        # every line counts\n", "", BODY, MOVED, (6, 7)),
    "comment-at-the-end-of-a-line": Edit("return amount", "return amount  # in euros", BODY, SAME),
    "comment-put-between": Edit("        return amount", "        # done\n        return amount", BODY, MOVED, (7, 9)),
    "blank-line-put-between": Edit("        return amount", "\n        return amount", BODY, MOVED, (7, 9)),
    "comment-within-the-range-reworded": Edit("every line counts", "all lines count", (5, 8), SAME),
    "comment-at-the-edge-of-the-range-moved": Edit("import decimal", "# first\n# second", (6, 8), MOVED, (7, 9)),
    "statement-broken-over-lines": Edit("sum(self.lines)", "sum(\n            self.lines\n        )", BODY, MOVED, (7, 10)),
    "docstring-added": Edit("def total(self):", 'def total(self):\n        """Of all lines."""', (5, 8), MOVED, (5, 9)),
    "cited-comment-reworded": Edit("every line counts", "all lines count", (6, 6), CHANGED),
    "cited-comment-indented": Edit("        # every", "    #  every", (6, 6), SAME),
    "cited-comment-moved": Edit("import decimal", "import decimal\nimport math", (6, 6), MOVED, (7, 7)),
    "cited-comment-while-code-beside-it-changes": Edit("return amount", "return 0", (6, 6), SAME),
    "line-ends": Edit("", CART.replace("\n", "\r\n"), BODY, SAME),
    "byte-order-mark": Edit("", "\ufeff" + CART, (1, 1), SAME),
    "last-line-feed": Edit("", CART.rstrip("\n"), (16, 16), SAME),
    # copies
    "copies-all-pushed-down": Edit("import decimal", "import decimal\nimport math", (12, 12), MOVED, (13, 13)),
    "copies-all-pushed-down-the-other": Edit("import decimal", "import decimal\nimport math", (16, 16), MOVED, (17, 17)),
    "a-second-copy": Edit("import decimal", "import decimal\ndef f():\n        return amount", (8, 8), CHANGED),
    "a-third-copy-while-the-neighbours-stay": Edit("import decimal", "import decimal\ndef f():\n        return None", (12, 12), MOVED, (14, 14)),
    "a-third-copy-and-other-neighbours": Edit("", "x\n        return None\n" + CART.replace("self.lines = []", "self.lines = ()"), (12, 12), CHANGED),
    "the-cited-copy-edited": Edit("self.lines = []\n        return None", "self.lines = []\n        return 0", (12, 12), CHANGED),
    "the-other-copy-edited": Edit("self.open = False\n        return None", "self.open = 1\n        return 0", (12, 12), SAME),
    "copied-and-gone-from-its-place": Edit("", "x\n" + "        amount = sum(self.lines)\n        return amount\n" * 2, BODY, CHANGED),
    "a-comment-beside-one-of-two-copies": Edit(
        "self.lines = []\n        return None", "self.lines = []\n        return None  # empty", (12, 12), SAME
    ),
    "copies-exchanged": Edit(
        "", CART.replace("self.lines = []", "@").replace("self.open = False", "self.lines = []").replace("@", "self.open = False"), (11, 11), MOVED, (15, 15)
    ),
    "the-last-line-while-what-is-above-changes": Edit("self.open = False", "self.open = None", (16, 16), SAME),
    # a whole file
    "whole-file-comment": Edit("every line counts", "all lines count", (0, 0), SAME),
    "whole-file-code": Edit("return amount", "return 0", (0, 0), CHANGED),
    "whole-file-alike": Edit("decimal", "decimal", (0, 0), SAME),
}
# fmt: on


def reference(path: str, cited: tuple[int, int]) -> SourceRef:
    return SourceRef(path=path) if cited == (0, 0) else SourceRef(path=path, start_line=cited[0], end_line=cited[1])


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_makes_this_of_the_cited_lines(name: str) -> None:
    edit = EDITS[name]
    after = CART.replace(edit.old, edit.new) if edit.old else edit.new
    assert edit.old == "" or CART.count(edit.old) == 1 or edit.new == edit.old
    assert follow({edit.name: CART}, {edit.name: after}, reference(edit.name, edit.cited)) == CitationDrift(
        edit.status, None, edit.lines
    )


STRINGS = {
    "space-in-a-string": ("x.py", 'log("a b")\n', 'log("a  b")\n', CHANGED),
    "space-outside-a-string": ("x.py", 'log("a b")\n', 'log( "a b" )\n', SAME),
    "comment-sign-in-a-string": ("x.py", 'log("a # b")\n', 'log("a # c")\n', CHANGED),
    "indent-in-a-long-string": ("x.py", 'q = """\n  a\n"""\n', 'q = """\n    a\n"""\n', CHANGED),
    "ruby-comment": ("x.rb", "total = 1 # a\n", "total = 1 # b\n", SAME),
    "javascript-block-comment": ("x.js", "f(/* a */ 1);\n", "f(/* b\n c */ 1);\n", MOVED),
    "rust-comment": ("x.rs", "fn f() {} // a\n", "fn f() {} // b\n", SAME),
    "sql-without-a-grammar": ("x.lua", "a = 1 -- b\n", "a = 1 -- c\n", CHANGED),
    "space-without-a-grammar": ("x.lua", "a = 1\n", "a=1 \n", SAME),
    "words-joined": ("x.py", "a not in b\n", "a notin b\n", CHANGED),
    "latin-1": ("x.lua", "a = 'é'\n", "a = 'è'\n", CHANGED),
}


@pytest.mark.parametrize("name", STRINGS)
def test_what_counts_depends_on_the_language(name: str) -> None:
    path, before, after, status = STRINGS[name]
    assert (
        follow({path: before}, {path: after}, reference(path, (1, len(split_lines(before.encode()))))).status == status
    )


PAIR = "a\nf()\ng()\nb\nf()\ng()\nc\n"
"""Two copies of two lines; the first is at 2 to 3, the second at 5 to 6."""

COPIES = {
    "rank-holds-when-what-is-below-changed": (PAIR, "n\n" + PAIR.replace("b\n", "B\n"), (2, 3), MOVED, (3, 4)),
    "rank-does-not-hold-when-what-is-above-changed": (PAIR, "n\n" + PAIR.replace("b\n", "B\n"), (5, 6), CHANGED, None),
    "another-copy-came-to-the-cited-lines": (PAIR, "n\nn\nn\n" + PAIR, (5, 6), MOVED, (8, 9)),
    "another-copy-came-to-the-cited-lines-in-reverse": (PAIR, "B\nf()\ng()\nc\n" + PAIR[:12], (2, 3), MOVED, (6, 7)),
    "neighbours-tell-among-more-copies": (PAIR, "n\nf()\ng()\nm\n" + PAIR, (2, 3), MOVED, (6, 7)),
    "neighbours-tell-the-second-among-more-copies": (PAIR, "n\nf()\ng()\nm\n" + PAIR, (5, 6), MOVED, (9, 10)),
    "neighbours-tell-among-fewer-copies": (PAIR, "n\na\nf()\ng()\nb\n", (2, 3), MOVED, (3, 4)),
    "neighbours-say-which-one-went": (PAIR, "n\na\nf()\ng()\nb\nc\n", (5, 6), GONE, None),
    "copies-with-the-same-neighbours-cannot-be-told": ("a\nx\nb\na\nx\nb\n", "n\na\nx\nb\n", (2, 2), CHANGED, None),
    "blank-lines-are-no-neighbours": (PAIR, "n\nf()\ng()\nm\na\n\nf()\ng()\n\nb\n", (2, 3), MOVED, (7, 8)),
    "the-start-of-the-file-is-a-neighbour": ("x\na\nx\nb\n", "x\na\nn\nx\nb\nx\n", (1, 1), SAME, None),
    "copy-at-the-first-line": ("a\nx\nb\nx\nc\n", "x\nc\na\nx\nb\n", (2, 2), MOVED, (4, 4)),
    "blank-line-within-what-was-removed": ("a\nx\n\ny\nb\n", "a\n\nb\n", (2, 4), GONE, None),
    "only-blank-lines-cited-and-removed": ("a\n\nb\n", "a\nb\n", (2, 2), GONE, None),
    "only-blank-lines-cited": ("a\n\nb\n", "n\na\n\nb\n", (2, 2), CHANGED, None),
    "only-a-blank-line-cited-on-another-side": ("a\nc\n\nb\n", "n\na\nc\n\nb\n", (3, 3), CHANGED, None),
    "only-blank-lines-cited-and-there": ("a\n\nb\n", "A\n\nb\n", (2, 2), SAME, None),
}


@pytest.mark.parametrize("name", COPIES)
def test_copies_are_told_apart_by_rank_and_neighbours(name: str) -> None:
    before, after, cited, status, lines = COPIES[name]
    assert follow({"x.lua": before}, {"x.lua": after}, reference("x.lua", cited)) == CitationDrift(status, None, lines)


WIDE = "# a\n# b\n# c\nx = 1\n# d\n# e\n# f\ny = 2\n"
"""Lines 1 to 7 are one line of code, and three of comments above and below."""

WIDENED = {
    "up-to-the-code-above": ("n = 0\n# a\nx = 1\n# d\n# e\n# f\ny = 2\n", (2, 6)),
    "down-to-the-code-below": ("x = 1\n# d\ny = 2\n", (1, 2)),
    "up-to-the-start-of-the-file": ("# z\nx = 1\n\n# d\ny = 2\n", (1, 4)),
    "as-far-as-the-citation-reached": ("\n" * 9 + "x = 1\n\n\n\n\ny = 2\n", (7, 13)),
    "not-beyond-the-last-code-of-the-file": ("\n" * 6 + "# c\nx = 1\n# d\n# e\n", (5, 8)),
}


@pytest.mark.parametrize("name", WIDENED)
def test_lines_without_code_around_the_cited_code_go_with_it(name: str) -> None:
    after, lines = WIDENED[name]
    assert follow({"x.py": WIDE}, {"x.py": after}, reference("x.py", (1, 7))) == CitationDrift(MOVED, None, lines)


def test_comments_go_with_code_of_one_line_and_of_two() -> None:
    def moved(before: str, after: str, start: int, end: int) -> tuple[int, int] | None:
        return follow({"x.py": before}, {"x.py": after}, reference("x.py", (start, end))).new_lines

    assert moved("x = 1\n# d\n# e\ny = 2\n", "import z\n\nx = 1\n# q\n# e\ny = 2\n", 1, 3) == (3, 5)
    two = "# a\n# b\nx = 1\ny = 2\n# d\nz = 3\n"
    assert moved(two, "\n" * 9 + "x = 1\ny = 2\n\nz = 3\n", 1, 5) == (8, 12)


FILES = {
    "deleted": ({}, {}, CitationDrift(GONE)),
    "renamed": ({"basket.py": CART}, {"cart.py": "basket.py"}, CitationDrift(MOVED, "basket.py", BODY)),
    "renamed-to-a-later-name": ({"tray.py": CART}, {"cart.py": "tray.py"}, CitationDrift(MOVED, "tray.py", BODY)),
    "renamed-and-pushed-down": ({"basket.py": "\n" + CART}, {"cart.py": "basket.py"}, CitationDrift(MOVED, "basket.py", (8, 9))),
    "renamed-and-edited": ({"basket.py": CART.replace("amount", "sum")}, {"cart.py": "basket.py"}, CitationDrift(CHANGED, "basket.py")),
    "renamed-and-cited-lines-removed": (
        {"basket.py": CART.replace("        amount = sum(self.lines)\n        return amount\n", "")}, {"cart.py": "basket.py"}, CitationDrift(GONE, "basket.py"),
    ),
    "renamed-and-binary": ({"basket.py": "\0"}, {"cart.py": "basket.py"}, CitationDrift(CHANGED, "basket.py")),
    "renamed-to-nowhere": ({}, {"cart.py": "basket.py"}, CitationDrift(GONE)),
    "copied-under-another-name": ({"basket.py": CART}, {}, CitationDrift(GONE)),
    "there-still-and-another-renamed": ({"cart.py": CART}, {"cart.py": "basket.py"}, CitationDrift(SAME)),
    "became-binary": ({"cart.py": "\0" + CART}, {}, CitationDrift(CHANGED)),
    "became-a-folder": ({"cart.py/a.py": CART}, {}, CitationDrift(GONE)),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_went_or_was_renamed(name: str) -> None:
    after, renames, expected = FILES[name]
    assert follow({"cart.py": CART}, after, reference("cart.py", BODY), renames) == expected


def test_renames_are_asked_for_only_when_a_cited_file_is_missing() -> None:
    def ask() -> dict[str, str]:
        raise AssertionError("asked")

    drift = Drift(MemorySnapshot({"a.py": "x"}), MemorySnapshot({"a.py": "y"}), ask)
    assert drift.of(reference("a.py", (1, 1))).status == CHANGED


@pytest.mark.parametrize(
    "ref",
    [
        reference("nowhere.py", (1, 1)),
        reference("cart.py", (17, 17)),
        reference("cart.py", (16, 17)),
        reference("cart.py", (-1, 2)),
        reference("cart.py", (0, 2)),
        reference("cart.py", (8, 7)),
        reference("../cart.py", (1, 1)),
        reference("/cart.py", (1, 1)),
        reference("", (1, 1)),
    ],
    ids=str,
)
def test_lines_that_were_never_there_are_wrong_from_the_start(ref: SourceRef) -> None:
    assert follow({"cart.py": CART}, {"cart.py": CART}, ref) == CitationDrift(WRONG)


def long_file(*removed: int) -> str:
    return "".join(
        f"line {number}\n" for number in range(1, 4 * drift_module.MAX_COMPARED_LINES) if number not in removed
    )


def test_lines_removed_from_the_middle_of_a_long_file_are_gone() -> None:
    assert (
        follow({"x.lua": long_file()}, {"x.lua": long_file(4000, 4001)}, reference("x.lua", (4000, 4001))).status
        is GONE
    )
    assert (
        follow({"x.lua": long_file()}, {"x.lua": long_file(4000)}, reference("x.lua", (4000, 4001))).status is CHANGED
    )


def test_when_too_much_changed_to_compare_nothing_is_said_to_be_gone() -> None:
    after = long_file(1, 4000, 4 * drift_module.MAX_COMPARED_LINES - 1)
    assert follow({"x.lua": long_file()}, {"x.lua": after}, reference("x.lua", (4000, 4000))).status is CHANGED


@pytest.mark.parametrize(("removed", "added", "status"), [
    (2_000, 1_000, GONE), (2_001, 1_000, CHANGED), (1_000, 2_000, GONE), (1_000, 2_001, CHANGED),
])  # fmt: skip
def test_two_thousand_lines_between_two_differences_are_compared(removed: int, added: int, status: DriftStatus) -> None:
    before = ["top", "a", "left", "gone", "right", *(f"a{number}" for number in range(removed - 4)), "end"]
    after = ["top", "b", "left", "right", *(f"b{number}" for number in range(added - 3)), "end"]

    assert (
        follow({"x.lua": "\n".join(before)}, {"x.lua": "\n".join(after)}, reference("x.lua", (4, 4))).status is status
    )


@pytest.mark.parametrize(("bound", "kept"), [(10**9, 9), (4 * len(CART) + 2, 2), (4 * len(CART) + 1, 1), (1, 1)])
def test_the_files_that_were_used_last_are_kept_within_a_bound(
    monkeypatch: pytest.MonkeyPatch, bound: int, kept: int
) -> None:
    monkeypatch.setattr(drift_module, "MAX_HELD_BYTES", bound)
    before = {f"f{number}.py": CART for number in range(9)}
    drift = Drift(MemorySnapshot(before), MemorySnapshot({path: "\n" + text for path, text in before.items()}))
    for path in [*before, *before]:
        assert drift.of(reference(path, BODY)) == CitationDrift(MOVED, None, (8, 9))
    assert list(drift._pairs) == list(before)[-kept:]


def test_a_binary_file_that_did_not_change_was_never_lines() -> None:
    assert follow({"a.bin": "\0\n"}, {"a.bin": "\0\n"}, reference("a.bin", (1, 1))) == CitationDrift(WRONG)


def test_a_path_is_normalised_as_the_judge_does() -> None:
    ref = reference("./shop/../cart.py", BODY)
    assert follow({"cart.py": CART}, {"cart.py": "\n" + CART}, ref) == CitationDrift(MOVED, None, (8, 9))


def test_without_the_old_files_the_citations_own_hash_stands_for_its_text() -> None:
    hashed = SourceRef(path="cart.py", start_line=7, end_line=8, text_hash=text_hash(CART.encode(), 7, 8))
    assert follow(None, {"cart.py": CART}, hashed) == CitationDrift(SAME)
    assert follow(None, {"cart.py": "\n" + CART}, hashed) == CitationDrift(MOVED, None, (8, 9))
    assert follow(None, {"cart.py": CART.replace("amount", "sum")}, hashed) == CitationDrift(CHANGED)
    assert follow(None, {"cart.py": CART + CART[CART.index("        amount") :]}, hashed) == CitationDrift(SAME)
    assert follow(None, {"cart.py": "\n" + CART * 2}, hashed) == CitationDrift(CHANGED)
    assert follow(None, {}, hashed) == CitationDrift(GONE)
    assert follow(None, {"cart.py": CART}, reference("cart.py", BODY)) == CitationDrift(WRONG)
    whole = SourceRef(path="cart.py", text_hash=text_hash(CART.encode()))
    assert follow(None, {"cart.py": CART.replace("\n", "\r\n")}, whole) == CitationDrift(SAME)
    assert follow(None, {"cart.py": CART + "x"}, whole) == CitationDrift(CHANGED)


HASHED = {
    "first-lines": ("a\nb\nc\n", (2, 3), "b\nc\nx\n", MOVED, (1, 2)),
    "last-lines": ("a\nb\nc\n", (1, 2), "x\na\nb\n", MOVED, (2, 3)),
    "one-line": ("a\nb\nc\n", (1, 1), "x\ny\na\nz\n", MOVED, (3, 3)),
    "where-they-were-at-the-end": ("a\nb\nc\n", (3, 3), "x\nc\nc\n", SAME, None),
    "where-they-were-at-the-start": ("a\nb\nc\n", (1, 1), "a\na\nc\n", SAME, None),
    "two-copies": ("a\nb\nc\n", (1, 1), "x\na\na\n", CHANGED, None),
    "file-too-short": ("a\nb\nc\n", (1, 3), "a\nb\n", CHANGED, None),
    "emptied": ("a\nb\nc\n", (1, 1), "", CHANGED, None),
    "line-zero": ("a\nb\nc\n", (0, 1), "a\nb\nc\n", WRONG, None),
    "reversed": ("a\nb\nc\n", (2, 1), "a\nb\nc\n", WRONG, None),
}


@pytest.mark.parametrize("name", HASHED)
def test_a_hash_is_found_at_any_lines(name: str) -> None:
    before, (start, end), after, status, lines = HASHED[name]
    digest = text_hash(before.encode(), start, end)
    ref = SourceRef(path="x.lua", start_line=start, end_line=end, text_hash=digest)
    assert follow(None, {"x.lua": after}, ref) == CitationDrift(status, None, lines)


GRAVITY = [
    ((), Verdict.UNSUPPORTED, SAME),
    ((SAME, MOVED), Verdict.VALID, MOVED),
    ((CHANGED, MOVED, SAME), Verdict.DOUBTFUL, CHANGED),
    ((CHANGED, GONE), Verdict.VALID, GONE),
    ((SAME, WRONG), Verdict.VALID, WRONG),
    ((SAME, SAME), Verdict.BROKEN, WRONG),
]


@pytest.mark.parametrize(("statuses", "verdict", "expected"), GRAVITY)
def test_a_step_is_as_bad_as_its_worst_citation(
    statuses: tuple[DriftStatus, ...], verdict: Verdict, expected: DriftStatus
) -> None:
    finding = StepFinding(verdict, (Reason.ALL_FOUND,))
    assert step_drift(finding, [CitationDrift(status) for status in statuses]) == expected


LINES = st.lists(
    st.sampled_from(["a = 1", "b()", "", "  c", "# note", "return x", 'f("s  t")']), min_size=1, max_size=9
)


@given(LINES, LINES, st.data())
def test_what_is_reported_as_moved_or_same_holds_the_same_text(
    old: list[str], new: list[str], data: st.DataObject
) -> None:
    start = data.draw(st.integers(1, len(old)))
    end = data.draw(st.integers(start, len(old)))
    path = data.draw(st.sampled_from(["x.py", "x.lua"]))
    found = follow({path: "\n".join(old) + "\n"}, {path: "\n".join(new) + "\n"}, reference(path, (start, end)))
    if found.status in (SAME, MOVED):
        first, last = found.new_lines or (start, end)
        assert 1 <= first <= last <= len(new)
        assert code(new[first - 1 : last], path) == code(old[start - 1 : end], path)
        assert (found.new_lines is None) == (found.status is SAME)
    else:
        assert found.status in (CHANGED, GONE)
        assert old[start - 1 : end] != new[start - 1 : end]


def code(lines: list[str], path: str) -> str:
    kept = [line for line in lines if not (path.endswith("py") and line.startswith("#"))] or lines
    if not "".join(kept).strip():
        kept = lines
    return " ".join(" ".join(line.split()) if '"' not in line else line for line in kept if line.strip())


@given(LINES, st.integers(0, 5), st.data())
def test_lines_added_at_the_top_move_what_is_there_once_by_as_many(
    lines: list[str], added: int, data: st.DataObject
) -> None:
    start = data.draw(st.integers(1, len(lines)))
    end = data.draw(st.integers(start, len(lines)))
    block = "\n".join(lines[start - 1 : end])
    before = "\n".join(["top = 0", *lines, ""])
    assume(block.strip() and f"\n{before}".count(f"\n{block}\n") == 1)
    found = follow({"x.py": before}, {"x.py": "import x\n" * added + before}, reference("x.py", (start + 1, end + 1)))
    moved = CitationDrift(MOVED, None, (start + 1 + added, end + 1 + added))
    assert found == (moved if added else CitationDrift(SAME))


@given(LINES, st.data())
def test_a_file_that_did_not_change_holds_every_citation(lines: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(1, len(lines)))
    end = data.draw(st.integers(start, len(lines)))
    text = "\n".join(lines) + "\n"
    assert follow({"x.py": text}, {"x.py": text.replace("\n", "\r\n")}, reference("x.py", (start, end))).status is SAME


def test_what_became_of_a_citation_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        CitationDrift(SAME).status = GONE  # type: ignore[misc]
