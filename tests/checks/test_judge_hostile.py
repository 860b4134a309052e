"""Forty inputs that mean harm: the judge answers each with a finding, reads nothing outside, and does not swell."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest

from retrodoc_checks import FileIndex, Reason, StepFinding, Verdict, check_step
from retrodoc_runs.models import SourceRef
from retrodoc_runs.snapshot import MemorySnapshot

CODE = b"def open_gate(badge):\n    return check(badge)\n\n\ndef leave(badge):\n    return badge\n"


def files() -> MemorySnapshot:
    return MemorySnapshot(
        {"gate.py": CODE, "bin/logo.png": b"\x89PNG\0\0", "lib/a/gate.rb": b"x = 1\n", "lib/b/gate.rb": b"x = 1\n"},
        symlinks={
            "out": "/etc/hostname",
            "up": "../../etc/passwd",
            "loop": "loop",
            "first": "second",
            "second": "first",
            "dir": "lib",
            "in": "gate.py",
            "nowhere": "missing.py",
            "windows": "C:\\Windows\\win.ini",
        },
        submodules=("vendor/other",),
    )


PATHS = {
    "../gate.py": Reason.PATH_OUTSIDE,
    "lib/../../gate.py": Reason.PATH_OUTSIDE,
    "a/b/../../../etc/passwd": Reason.PATH_OUTSIDE,
    "..": Reason.PATH_OUTSIDE,
    "/etc/passwd": Reason.PATH_OUTSIDE,
    "//etc/passwd": Reason.PATH_OUTSIDE,
    "~/.ssh/id_rsa": Reason.PATH_OUTSIDE,
    "C:\\Windows\\win.ini": Reason.PATH_OUTSIDE,
    "C:/Windows/win.ini": Reason.PATH_OUTSIDE,
    "\\\\server\\share": Reason.PATH_OUTSIDE,
    "out": Reason.PATH_OUTSIDE,
    "up": Reason.PATH_OUTSIDE,
    "windows": Reason.PATH_OUTSIDE,
    "out/anything": Reason.PATH_OUTSIDE,
    "loop": Reason.PATH_MISSING,
    "first": Reason.PATH_MISSING,
    "nowhere": Reason.PATH_MISSING,
    "": Reason.PATH_MISSING,
    "gate.py\0": Reason.PATH_MISSING,
    "gate.py\0.txt": Reason.PATH_MISSING,
    "gate.py/": None,
    "gate.py/x": Reason.PATH_MISSING,
    ".git/config": Reason.PATH_MISSING,
    "lib\\a\\gate.rb": Reason.PATH_MISSING,
    "gate.rb": Reason.PATH_AMBIGUOUS,
    ".": Reason.PATH_IS_DIRECTORY,
    "lib": Reason.PATH_IS_DIRECTORY,
    "dir": Reason.PATH_IS_DIRECTORY,
    "dir/a": Reason.PATH_IS_DIRECTORY,
    "vendor/other": Reason.IN_SUBMODULE,
    "vendor/other/x.py": Reason.IN_SUBMODULE,
    "bin/logo.png": Reason.BINARY_FILE,
    "g" * 100_000: Reason.PATH_MISSING,
    "a/" * 50_000 + "b": Reason.PATH_MISSING,
    "../" * 50_000 + "b": Reason.PATH_OUTSIDE,
    "\udcff.py": Reason.PATH_MISSING,
    "%2e%2e/gate.py": Reason.PATH_MISSING,
    "gate.py?x=1": Reason.PATH_MISSING,
    "file:///etc/passwd": Reason.PATH_MISSING,
    "ＧＡＴＥ.py": Reason.PATH_MISSING,
}


@pytest.mark.parametrize(("path", "reason"), PATHS.items(), ids=[repr(path[:20]) for path in PATHS])
def test_a_path_reaches_nothing_that_it_should_not(path: str, reason: Reason | None) -> None:
    finding = check_step("`open_gate` opens.", [SourceRef(path=path, start_line=1, end_line=1)], files())

    if reason is None:
        assert finding.verdict is Verdict.VALID
    else:
        assert (finding.verdict, finding.reasons) == (Verdict.BROKEN, (reason,))


def test_a_link_that_stays_inside_is_followed() -> None:
    for path in ("in", "./in", "lib/../in"):
        finding = check_step("`open_gate` opens.", [SourceRef(path=path, start_line=1, end_line=1)], files())
        assert finding.verdict is Verdict.VALID


LINES = [(0, 0), (-5, 3), (3, 1), (1, 10**30), (10**30, 10**30), (-(10**30), 1), (1, None), (None, None)]


@pytest.mark.parametrize(("start", "end"), LINES)
def test_any_line_number_is_a_finding(start: int | None, end: int | None) -> None:
    finding = check_step("`open_gate` opens.", [SourceRef(path="gate.py", start_line=start, end_line=end)], files())

    assert isinstance(finding.verdict, Verdict)


MEGABYTES = 2_000_000
TEXTS: dict[str, Callable[[], str]] = {
    "prose": lambda: "the guest pays for the room and leaves. " * (MEGABYTES // 40),
    "one word": lambda: "a" * MEGABYTES,
    "backticks": lambda: "`" * MEGABYTES,
    "open backtick": lambda: "`" + "a " * (MEGABYTES // 2),
    "names": lambda: " ".join(f"`name_{number}`" for number in range(MEGABYTES // 14)),
    "quotes": lambda: '"' * MEGABYTES,
    "apostrophes": lambda: " 'a" * (MEGABYTES // 3),
    "parentheses": lambda: "`" + "(" * 300 + "` " + "f(" * (MEGABYTES // 2),
    "dots": lambda: "a." * (MEGABYTES // 2),
    "digits": lambda: "1" * MEGABYTES,
    "grouped digits": lambda: "1 000" * (MEGABYTES // 5),
    "separated digits": lambda: "1,000_000." * (MEGABYTES // 10),
    "slashes": lambda: "/a" * (MEGABYTES // 2),
    "negations": lambda: "not only not no never " * (MEGABYTES // 22),
    "conditions": lambda: "if a and when b or " * (MEGABYTES // 19),
    "combining accents": lambda: "e" + "\u0301" * MEGABYTES,
    "nul": lambda: "\0" * MEGABYTES,
    "lone surrogates": lambda: "\ud800" * (MEGABYTES // 3),
}


def bounded(judge: Callable[[], StepFinding]) -> StepFinding:
    """The finding; fails when it took more than 500 MB at any time."""
    tracemalloc.start()
    try:
        finding = judge()
        assert tracemalloc.get_traced_memory()[1] < 500_000_000
    finally:
        tracemalloc.stop()
    return finding


@pytest.mark.parametrize("name", TEXTS)
def test_two_megabytes_of_text_are_read(name: str) -> None:
    text = TEXTS[name]()

    finding = bounded(lambda: check_step(text, [SourceRef(path="gate.py", start_line=1, end_line=1)], files()))

    assert finding.verdict is Verdict.DOUBTFUL


def test_a_hundred_thousand_citations_are_read() -> None:
    wide = MemorySnapshot({"long.py": b"".join(b"step_%d()\n" % number for number in range(5_000))})
    ranges = [(start, start + more) for start in range(1, 5_001) for more in range(20)]
    refs = [SourceRef(path="long.py", start_line=start, end_line=min(end, 5_000)) for start, end in ranges]

    finding = check_step("`step_5` runs.", refs, wide)

    assert finding.verdict is Verdict.VALID


def test_a_hundred_thousand_citations_of_files_that_are_not_there() -> None:
    refs = [SourceRef(path=f"gone/{number}.py", start_line=1, end_line=1) for number in range(100_000)]

    finding = check_step("`open_gate` opens.", refs, files())

    assert finding.reasons == (Reason.PATH_MISSING,)


def test_a_glossary_of_twenty_thousand_names_is_read_once() -> None:
    entities = frozenset(f"Thing{number}Of{number % 7}" for number in range(20_000))
    index = FileIndex(files())

    for _ in range(200):
        check_step(
            "The guest opens thing 5 of 5.", [SourceRef(path="gate.py", start_line=1, end_line=1)], index, entities
        )


FILES: dict[str, bytes] = {
    "five megabytes on one line": b"x = 1; " * 700_000,
    "deep nesting": b"(" * 200_000,
    "deep braces": b"{" * 200_000 + b"}" * 200_000,
    "invalid UTF-8": bytes(range(1, 256)) * 400,
    "one name twenty thousand times": b"open_gate\n" * 20_000,
    "two hundred thousand empty lines": b"\n" * 200_000,
    "carriage returns": b"\r" * 1_000_000,
    "numbers": b"1 " * 500_000,
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("path", ["a.py", "a.js", "a.txt"])
def test_any_file_is_read(name: str, path: str) -> None:
    hostile = MemorySnapshot({path: FILES[name]})
    text = '`open_gate` opens 3 rooms for the guest at `/rooms/<id>`, see "x > 1".'

    finding = check_step(text, [SourceRef(path=path, start_line=1, end_line=1)], hostile)

    assert finding.verdict is Verdict.DOUBTFUL
