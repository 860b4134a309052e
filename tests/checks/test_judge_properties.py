"""What must hold of a verdict for every step and every file, not only for the examples at hand."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from retrodoc_checks import Reason, Verdict, check_step
from retrodoc_checks.citations import MAX_LINES
from retrodoc_runs.models import SourceRef
from retrodoc_runs.snapshot import MemorySnapshot

NAMES = ("hold_room", "charge_card", "print_key", "open_gate", "send_mail", "Guest", "Desk")
WORDS = ("the", "guest", "pays", "room", "card", "not", "without", "le", "client", "30", "seven", "if", "and", ",", ".")

lines_of_code = st.lists(
    st.sampled_from(
        [
            "",
            "def check_in(guest):",
            "    hold_room(guest)",
            "    print_key(guest)",
            "    return guest",
            "class Desk:",
            "    limit = 30",
            "    # charge_card comes later",
            '    log("send_mail")',
            "from bar import open_gate",
            "    open_gate(Guest())",
            "ROWS = [1, 2, 3, 4, 5, 6, 7]",
        ]
    ),
    min_size=1,
    max_size=70,
)
pieces = st.one_of(st.sampled_from([f"`{name}`" for name in NAMES]), st.sampled_from(WORDS))
texts = st.lists(pieces, max_size=12).map(" ".join)


@st.composite
def steps(draw: st.DrawFn) -> tuple[str, list[SourceRef], list[str]]:
    """A text, citations that may be wrong, and the lines of `desk.py`."""
    lines = draw(lines_of_code)
    refs = []
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(1, len(lines)))
        refs.append(SourceRef(path="desk.py", start_line=start, end_line=draw(st.integers(start, len(lines)))))
    return draw(texts), refs, lines


def repository(lines: list[str], end: str = "\n", other: str = "def elsewhere():\n    pass\n") -> MemorySnapshot:
    return MemorySnapshot({"desk.py": "".join(line + end for line in lines).encode(), "other.py": other})


@given(steps())
@settings(max_examples=200, deadline=None)
def test_the_order_of_the_citations_changes_nothing(step: tuple[str, list[SourceRef], list[str]]) -> None:
    text, refs, lines = step
    files = repository(lines)

    assert check_step(text, refs, files) == check_step(text, refs[::-1], files)


@given(steps())
@settings(max_examples=200, deadline=None)
def test_a_citation_given_twice_changes_nothing(step: tuple[str, list[SourceRef], list[str]]) -> None:
    text, refs, lines = step
    files = repository(lines)

    assert check_step(text, refs, files) == check_step(text, [*refs, refs[0]], files)


@given(steps())
@settings(max_examples=200, deadline=None)
def test_line_ends_and_a_byte_order_mark_change_nothing(step: tuple[str, list[SourceRef], list[str]]) -> None:
    text, refs, lines = step
    expected = check_step(text, refs, repository(lines))

    assert check_step(text, refs, repository(lines, end="\r\n")) == expected
    marked = MemorySnapshot(
        {
            "desk.py": b"\xef\xbb\xbf" + "".join(f"{line}\n" for line in lines).encode(),
            "other.py": "def elsewhere():\n    pass\n",
        }
    )
    assert check_step(text, refs, marked) == expected


@given(steps(), st.integers(0, 3))
@settings(max_examples=200, deadline=None)
def test_a_range_that_ends_past_the_file_is_always_broken(
    step: tuple[str, list[SourceRef], list[str]], number: int
) -> None:
    text, refs, lines = step
    past = SourceRef(path="desk.py", start_line=refs[0].start_line, end_line=len(lines) + 1 + number)

    finding = check_step(text, [*refs[1:], past], repository(lines))

    assert finding.verdict is Verdict.BROKEN
    assert Reason.LINE_PAST_END in finding.reasons


@given(steps(), texts, st.sampled_from(["gone.py", "../desk.py", "/desk.py", "DESK.py"]))
@settings(max_examples=200, deadline=None)
def test_no_text_mends_a_broken_step(step: tuple[str, list[SourceRef], list[str]], more: str, path: str) -> None:
    text, refs, lines = step
    false = [*refs, SourceRef(path=path, start_line=1, end_line=1)]
    files = repository(lines)

    assert check_step(text, false, files).verdict is Verdict.BROKEN
    assert check_step(f"{text}. {more}", false, files).verdict is Verdict.BROKEN


@given(steps(), st.integers(1, 120))
@settings(max_examples=300, deadline=None)
def test_a_valid_step_stays_valid_when_unrelated_lines_are_added_below(
    step: tuple[str, list[SourceRef], list[str]], added: int
) -> None:
    """In a file of over 40 lines already: a shorter one may become long enough for 40 % to count."""
    text, refs, lines = step
    lines = [*lines, *["zzq = zzq + zzq"] * max(0, 41 - len(lines))]
    before = check_step(text, refs, repository(lines))

    after = check_step(text, refs, repository([*lines, *["zzq = zzq + zzq"] * added]))

    if before.verdict is Verdict.VALID:
        assert after.verdict is Verdict.VALID


@given(steps())
@settings(max_examples=200, deadline=None)
def test_a_valid_step_names_only_what_the_file_has(step: tuple[str, list[SourceRef], list[str]]) -> None:
    """A valid step is valid no longer when a name that is nowhere is added to it."""
    text, refs, lines = step

    finding = check_step(f"`nowhere_at_all` is called. {text}", refs, repository(lines))

    assert finding.verdict is not Verdict.VALID


@given(steps(), st.integers(MAX_LINES + 1, MAX_LINES + 40))
@settings(max_examples=100, deadline=None)
def test_a_range_over_80_lines_is_never_valid(step: tuple[str, list[SourceRef], list[str]], length: int) -> None:
    text, _, lines = step
    long = [*lines, *["zzq = 1"] * (3 * length)]
    wide = SourceRef(path="desk.py", start_line=1, end_line=length)

    finding = check_step(text, [wide], repository(long))

    assert finding.reasons == (Reason.NOT_SPECIFIC,)


@given(steps())
@settings(max_examples=200, deadline=None)
def test_strength_is_a_share_and_reasons_are_in_the_order_of_the_table(
    step: tuple[str, list[SourceRef], list[str]],
) -> None:
    text, refs, lines = step
    finding = check_step(text, refs, repository(lines))
    order = list(Reason)

    assert 0.0 <= finding.strength <= 1.0
    assert [order.index(reason) for reason in finding.reasons] == sorted({order.index(r) for r in finding.reasons})
    assert all(missing.reason in finding.reasons for missing in finding.missing)


@given(st.text(max_size=300), st.binary(max_size=300), st.integers(-3, 12), st.integers(-3, 12), st.text(max_size=30))
@settings(max_examples=300, deadline=None)
def test_nothing_that_a_step_or_a_file_holds_is_an_exception(
    text: str, content: bytes, start: int, end: int, path: str
) -> None:
    files = MemorySnapshot({"a.py": content, "b.rb": content, "c.txt": content})

    for cited in ("a.py", "b.rb", "c.txt", path):
        finding = check_step(text, [SourceRef(path=cited, start_line=start, end_line=end)], files, ("Order",))
        assert isinstance(finding.verdict, Verdict)
