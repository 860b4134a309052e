"""What a citation reaches, why it reaches nothing, and which file it probably meant."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from retrodoc_checks import FileIndex, Place, Reason, check_step
from retrodoc_checks.citations import Cited, FalseCitation, resolve_ref, too_wide
from retrodoc_checks.elsewhere import Elsewhere
from retrodoc_checks.names import Kind, Promise
from retrodoc_checks.source import SourceFile
from retrodoc_runs.models import SourceRef
from retrodoc_runs.snapshot import MemorySnapshot

PATHS = ("shop/cart.py", "shop/pay.py", "lib/pay.py", "docs/Guide.md", "docs/guide.md", "a/x/Tax.rb", "b/x/Tax.rb")
FILES = MemorySnapshot(dict.fromkeys(PATHS, "one\ntwo\nthree\n") | {"empty.py": "", "app.bin": "\0"})

OUTSIDE, MISSING, FOLDER = Reason.PATH_OUTSIDE, Reason.PATH_MISSING, Reason.PATH_IS_DIRECTORY

# path -> why it is false, and the file that is the hint
FALSE: dict[str, tuple[Reason, str | None]] = {
    "/shop/cart.py": (OUTSIDE, None),
    "~/cart.py": (OUTSIDE, None),
    "C:\\cart.py": (OUTSIDE, None),
    "c:/cart.py": (OUTSIDE, None),
    "\\\\host\\cart.py": (OUTSIDE, None),
    "..": (OUTSIDE, None),
    "../cart.py": (OUTSIDE, None),
    "shop/../../cart.py": (OUTSIDE, None),
    "": (MISSING, None),
    "shop/cart.py\0": (MISSING, None),
    "..cart": (MISSING, None),
    ".": (FOLDER, None),
    "shop/..": (FOLDER, None),
    "shop": (FOLDER, None),
    "app.bin": (Reason.BINARY_FILE, None),
    # what it probably meant
    "nothing.py": (MISSING, None),
    "cart.py": (MISSING, "shop/cart.py"),
    "CART.py": (MISSING, "shop/cart.py"),
    "art.py": (MISSING, None),
    "other/cart.py": (MISSING, "shop/cart.py"),
    "shop\\cart.py": (MISSING, "shop/cart.py"),
    "SHOP/PAY.PY": (MISSING, "shop/pay.py"),
    "LIB/PAY.PY": (MISSING, "lib/pay.py"),
    "other/pay.py": (MISSING, None),
    "pay.py": (Reason.PATH_AMBIGUOUS, None),
    "x/Tax.rb": (Reason.PATH_AMBIGUOUS, None),
    "b\\x\\Tax.rb": (MISSING, "b/x/Tax.rb"),
    "docs\\Guide.md": (MISSING, "docs/Guide.md"),
    "docs\\guide.md": (MISSING, "docs/guide.md"),
    "docs/GUIDE.md": (MISSING, None),
}


@pytest.mark.parametrize("path", FALSE)
def test_a_path_that_is_no_file_says_why_and_what_it_meant(path: str) -> None:
    reason, meant = FALSE[path]
    hint = None if meant is None else Place(meant, 2)

    found = resolve_ref(SourceRef(path=path, start_line=2, end_line=3), FileIndex(FILES))
    assert isinstance(found, FalseCitation)
    assert (found.reasons, found.hint) == ((reason,), hint)


BEFORE, REVERSED, PAST = Reason.LINE_BEFORE_FIRST, Reason.RANGE_REVERSED, Reason.LINE_PAST_END

# first and last line of a file of three -> what is reached, or why nothing is
LINES: list[tuple[tuple[int | None, int | None], tuple[int, int] | tuple[Reason, ...]]] = [
    ((None, None), (1, 3)),
    ((1, 3), (1, 3)),
    ((1, 1), (1, 1)),
    ((3, 3), (3, 3)),
    ((2, None), (2, 2)),
    ((0, 1), (BEFORE,)),
    ((-1, 3), (BEFORE,)),
    ((1, 0), (BEFORE, REVERSED)),
    ((3, 2), (REVERSED,)),
    ((1, 4), (PAST,)),
    ((4, 4), (PAST,)),
    ((4, 3), (REVERSED, PAST)),
    ((4, None), (PAST,)),
    ((0, 4), (BEFORE, PAST)),
]


@pytest.mark.parametrize(("lines", "reached"), LINES)
def test_lines_are_there_or_say_on_which_side_they_are_not(
    lines: tuple[int | None, int | None], reached: tuple[int, int] | tuple[Reason, ...]
) -> None:
    found = resolve_ref(SourceRef(path="shop/cart.py", start_line=lines[0], end_line=lines[1]), FileIndex(FILES))

    if isinstance(found, Cited):
        assert (found.start, found.end) == reached
        assert found.length == found.end - found.start + 1
    else:
        assert found.reasons == reached
        assert (found.path, found.source and found.source.path) == ("shop/cart.py", "shop/cart.py")


@pytest.mark.parametrize("path", ["+page.svelte", "(shop)/page.tsx", " a.py", "...py", "a..b/c.py"])
def test_a_file_may_have_any_name(path: str) -> None:
    found = resolve_ref(SourceRef(path=path, start_line=1), FileIndex(MemorySnapshot({path: "one\n"})))

    assert isinstance(found, Cited)


def test_of_an_empty_file_no_line_is_cited() -> None:
    found = resolve_ref(SourceRef(path="empty.py"), FileIndex(FILES))

    assert isinstance(found, Cited)
    assert (found.start, found.end, found.length) == (1, 0, 0)


@pytest.mark.parametrize(
    ("lines", "cited", "longest", "wide"),
    [
        (300, 80, 9, False),
        (300, 81, 9, True),
        (40, 40, 9, False),
        (41, 16, 9, False),
        (41, 17, 9, True),
        (50, 20, 9, False),
        (50, 21, 9, True),
        (300, 1, 1000, False),
        (300, 1, 1001, True),
    ],
)
def test_a_range_is_too_wide_from_these_bounds_on(lines: int, cited: int, longest: int, wide: bool) -> None:
    source = SourceFile("a.txt", b"x" * longest + b"\n" + b"x\n" * (lines - 1))

    assert too_wide([Cited(source, 1, cited)]) is wide
    assert too_wide([Cited(source, 2, 2), Cited(source, 1, cited)]) is wide
    assert not too_wide([])


CODE = {
    "a.py": "def pay():\n    pass\n\n# refund is done by hand\nSIZES = [1, 2, 4]\n",
    "b.py": "def weigh():\n    pass\n",
    "c.py": "weigh()\n",
    "d.py": "def ship():\n    pass\n",
    "e.py": "class Parcel:\n    pass\n",
}

# step -> reason of what is missing, its place, whether the facts say as what it stands elsewhere
ELSEWHERE: dict[str, tuple[Reason, Place | None, list[str] | None]] = {
    "`ship`": (Reason.ELSEWHERE_IN_REPOSITORY, Place("d.py", 1), None),
    "`weigh`": (Reason.ELSEWHERE_IN_REPOSITORY, None, None),
    "`nowhere_at_all`": (Reason.NOWHERE, None, None),
    "`refund`": (Reason.ELSEWHERE_IN_FILE, None, ["refund: comment"]),
    '"done by hand"': (Reason.ELSEWHERE_IN_FILE, None, None),
    "`pay`": (Reason.ELSEWHERE_IN_FILE, Place("a.py", 1), None),
    "A parcel": (Reason.ENTITY_NOT_AT_LINES, Place("e.py", 1), None),
    "A refund": (Reason.ENTITY_NOT_AT_LINES, None, None),
    "A pay": (Reason.ENTITY_NOT_AT_LINES, Place("a.py", 1), None),
    "7 rows": (Reason.NUMBER_NOT_FOUND, None, None),
    "4 rows": (Reason.NUMBER_NOT_FOUND, Place("a.py", 5), None),
    "three rows": (Reason.NUMBER_NOT_FOUND, None, None),
}


@pytest.mark.parametrize("text", ELSEWHERE)
def test_what_is_not_at_the_lines_is_looked_for_in_the_file_and_then_in_the_others(text: str) -> None:
    ref = SourceRef(path="a.py", start_line=3, end_line=3)
    finding = check_step(text, [ref], MemorySnapshot(CODE), ("Parcel", "Pay", "Refund"))

    (missing,) = finding.missing
    assert (missing.reason, missing.where, finding.facts.get("elsewhere-only-as")) == ELSEWHERE[text]


@pytest.mark.parametrize(("cited", "place"), [(3, Place("z.py", 1)), (4, None)])
def test_one_other_place_is_no_hint_when_the_search_stopped_before_it_saw_all(cited: int, place: Place | None) -> None:
    files = {f"a{number}.py": "x = 1\nParcel()\nParcel()\n" for number in range(cited)}
    refs = [SourceRef(path=path, start_line=1, end_line=1) for path in files]
    finding = check_step("A parcel", refs, MemorySnapshot(files | {"z.py": "class Parcel:\n    pass\n"}), ("Parcel",))

    assert [(one.reason, one.where) for one in finding.missing] == [(Reason.ENTITY_NOT_AT_LINES, place)]


def test_what_was_found_is_frozen() -> None:
    for one in (
        Cited(SourceFile("a.py", b"x\n"), 1, 1),
        FalseCitation(()),
        Elsewhere(Promise(Kind.NAME, "a", ("a",)), frozenset()),
    ):
        with pytest.raises(FrozenInstanceError):
            setattr(one, next(iter(one.__slots__)), None)
