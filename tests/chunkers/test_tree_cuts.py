"""Where a tree lets a file be cut, and how much is lost there: drawn in the margin of the files of cases/cuts.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from retrodoc_chunkers.cuts import Limit, Ruler
from retrodoc_chunkers.grammars import parse
from retrodoc_chunkers.tree_cuts import TreeCuts

CASES = tomllib.loads((Path(__file__).parent / "cases/cuts.toml").read_text("utf-8"))
RANKS = "DPSBLC"


def tree_cuts(source: bytes, language: str, budget: int) -> TreeCuts:
    return TreeCuts(parse(source, language).root_node, language, source, Ruler(source, "utf-8"), budget)


def plain(case: dict[str, Any]) -> str:
    """The file of a case, without its margin."""
    return "\n".join(line[5:] for line in case["text"].split("\n")[:-1])


def drawn(source: str, language: str, budget: int) -> str:
    """The file with the best cut of each line in its margin."""
    data = source.encode()
    found = tree_cuts(data, language, budget)
    best = {cut[0]: cut for cut in sorted(found.cuts, reverse=True)}
    lines = []
    offset = 0
    for line in data.split(b"\n"):
        cut = best.pop(offset, None)
        margin = ""
        if cut is not None:
            rank = found.rank_of(cut)
            margin = f"{RANKS[rank]}{cut[2]}{'?' if rank != cut[1] else ''}"
        lines.append(f"{margin:4}|{line.decode()}".rstrip())
        offset += len(line) + 1
    assert not best, "each place begins a line"
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", CASES)
def test_the_places_of_a_file_have_their_rank_and_depth(name: str) -> None:
    case = CASES[name]
    assert drawn(plain(case), case["language"], case["budget"]) == case["text"], case["why"]


@pytest.mark.parametrize("name", CASES)
def test_the_places_are_the_same_with_carriage_returns(name: str) -> None:
    case = CASES[name]
    source = plain(case).replace("\n", "\r\n")
    # What is over the budget may only be over it by its line ends.
    margins = [line[:3] for line in drawn(source, case["language"], case["budget"]).split("\n")]
    expected = [line[:3] for line in case["text"].split("\n")]
    assert [one for one, wanted in zip(margins, expected, strict=True) if wanted.strip()] == [
        one for one in expected if one.strip()
    ]


def needed(source: str, language: str, budget: int, part: str = "") -> str:
    """The file with the places in need drawn into it; only those strictly inside `part`, when there is one."""
    data = source.encode()
    start = data.index(part.encode())
    text = data
    for offset, rank, depth in reversed(
        tree_cuts(data, language, budget).in_need(start, start + len(part.encode()) if part else len(data))
    ):
        text = text[:offset] + f"‹{RANKS[rank]}{depth}›".encode() + text[offset:]
    return text.decode()


@pytest.mark.parametrize(
    ("language", "budget", "source", "part", "text"),
    [
        ("python", 8, "x = [1, 22, 333]\n", "",
         "x‹L2› ‹L2›=‹L2› ‹L2›[‹L3›1‹L3›,‹L3› ‹L3›22‹L3›,‹L3› ‹L3›333‹L3›]‹L0›\n"),
        ("python", 8, "x = [1, 22, 333]\n", "22, 333", "x = [1, 22‹L3›,‹L3› ‹L3›333]\n"),
        ("rust", 12, "/// words\n#[one]\n#[two]\nfn g() { a(); }\nfn h() {}\n", "",
         "/// words\n‹D0›#[one]‹L0›\n#[two]‹L0›\n‹L0›fn‹L1› ‹L1›g‹L1›()‹L1› ‹L1›{ a(); }‹L0›\n‹D0›fn h() {}‹L0›\n"),
        ("javascript", 10, "// é\nconst a = 1; f(\n  22);\n", "",
         "// é‹L0›\n‹L0›const‹L1› ‹L1›a = 1‹L1›;‹L0› ‹L0›f(\n  22);‹L0›\n"),
        ("python", 10, "@one\n@two\ndef f(): pass\n", "",
         "@one‹L1›\n‹L1›@two‹L1›\n‹L1›def‹L2› ‹L2›f‹L2›()‹L2›:‹L2› ‹L2›pass‹L0›\n"),
        ("typescript", 8, "class A {\n  @O() @P()\n  f() {} }\n", "",
         "class‹L1› ‹L1›A‹L1› ‹L1›{‹L2›\n‹D2›  ‹D2›@O()‹L2› @P()‹L2›\n  ‹L2›f() {}‹L2› ‹L2›}‹L0›\n"),
        ("rust", 12, "#[one]\n#[two]\nfn g() { a(); }\n", "",
         "#[one]‹L0›\n#[two]‹L0›\n‹L0›fn‹L1› ‹L1›g‹L1›()‹L1› ‹L1›{ a(); }‹L0›\n"),
        ("python", 100, "x = [1, 22, 333]\n", "", "x = [1, 22, 333]‹L0›\n"),
    ],
)  # fmt: skip
def test_in_need_there_are_places_within_lines(language: str, budget: int, source: str, part: str, text: str) -> None:
    assert needed(source, language, budget, part) == text


CLASS = "class {} {{\n  m() {{ return 1; }}\n}}\n"


@pytest.mark.parametrize(
    ("source", "budget", "limits"),
    [
        (CLASS.format("A") + CLASS.format("B"), 30, [Limit(0, 31, 32)]),
        (CLASS.format("A") + CLASS.format("B"), 40, []),
        (CLASS.format("A") + "f();\n" + CLASS.format("B") + CLASS.format("C"), 30,
         [Limit(0, 31, 37), Limit(37, 68, 69)]),
        ("// é\n" + CLASS.format("A") + "// on B\nexport " + CLASS.format("B"), 30, [Limit(6, 37, 38)]),
        (CLASS.format("A"), 30, []),
        (CLASS.format("A") + "if (x) {\n}\n", 30, []),
        (CLASS.format("A") + "export function f() {}\nexport const g = () => 1;\n", 30, []),
    ],
)  # fmt: skip
def test_a_class_that_is_cut_ends_its_last_chunk_at_the_next_class(
    source: str, budget: int, limits: list[Limit]
) -> None:
    assert tree_cuts(source.encode(), "javascript", budget).limits() == limits
