"""A run is arranged so that nothing in it is lost, and scored as the judge scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from retrodoc.publish.book import UNCATEGORISED, Book, build_book
from retrodoc.publish.layout import Layout, output_of
from retrodoc.publish.prose import code, score_text, table
from retrodoc_checks import FileIndex, StepFinding, check_step
from retrodoc_checks.score import Score
from retrodoc_runs.models import Domain, EntryPoint, Feature, Handler, Run, SourceRef, Step, UseCase
from retrodoc_runs.snapshot import MemorySnapshot

Judge = Callable[[Run], Sequence[Sequence[StepFinding]]]


def test_a_use_case_of_no_known_feature_is_uncategorised(book: Book) -> None:
    placed = {
        it.use_case.slug: (domain.domain.slug, feature.feature.slug)
        for domain in book.domains
        for feature in domain.features
        for it in feature.use_cases
    }
    assert placed == {
        "send-an-order": ("floor", "orders"),
        "take-an-order": ("floor", "orders"),
        "find-the-way": (UNCATEGORISED, UNCATEGORISED),
    }


def test_pages_never_share_a_path_whatever_the_slugs() -> None:
    """Slugs that differ in what a file name cannot hold."""
    slugs = ["Send", "send", "SEND!", "../send", "送る", "README"]
    run = Run(
        id="r",
        repository="r",
        created_at="",
        domains=tuple(Domain(slug=slug) for slug in slugs),
        features=tuple(Feature(slug=slug, domain_slug=slugs[at // 3]) for at, slug in enumerate(slugs)),
        use_cases=tuple(UseCase(slug=slug, feature_slug="send", steps=()) for slug in slugs)
        + tuple(UseCase(slug="u", feature_slug=slug, steps=()) for slug in slugs),
    )
    book = build_book(run, [[] for _ in run.use_cases])
    pages = [domain.page for domain in book.domains]
    pages += [feature.page for feature in book.features]
    pages += [it.page for it in book.use_cases]

    assert len({page.lower() for page in pages}) == len(pages) == 2 + 6 + 12
    assert all(page.startswith("docs/functional/") and ".." not in page for page in pages)


def test_what_is_not_scored_is_never_averaged_in(book: Book) -> None:
    floor, uncategorised = book.domains
    assert uncategorised.score is None
    assert book.score == floor.score


def test_of_two_doors_with_one_label_a_page_shows_the_one_its_steps_cite() -> None:
    """Two programs of a repository can both answer `GET /`."""
    doors = tuple(
        EntryPoint(kind="http", method="GET", path="/", handler=Handler(symbol=name, path="app.py", **lines))
        for name, lines in (
            ("shop", {"start_line": 1, "end_line": 4}),
            ("admin", {"start_line": 6, "end_line": 9}),
            ("blog", {"start_line": 11, "end_line": 14}),
        )
    )
    label = doors[0].label
    cited = {"shop": ((1, 2),), "admin": ((7, 7),), "none": (), "both": ((3, 7),)}
    use_cases = tuple(
        UseCase(
            slug=slug,
            feature_slug="f",
            entry_points=(label,),
            steps=tuple(
                Step(order=1, description="x", source_refs=(SourceRef(path="app.py", start_line=a, end_line=b),))
                for a, b in lines
            ),
        )
        for slug, lines in cited.items()
    )
    run = Run(id="r", repository="r", created_at="", entry_points=doors, use_cases=use_cases)
    index = FileIndex(MemorySnapshot({"app.py": b"\n" * 20}))
    findings = [[check_step(step.description, step.source_refs, index) for step in it.steps] for it in use_cases]
    book = build_book(run, findings)

    told = {it.slug: [entry.handler.symbol for entry in book.doors_of(it, label)] for it in use_cases}
    assert told == {
        "shop": ["shop"],
        "admin": ["admin"],
        "none": ["shop", "admin", "blog"],
        "both": ["shop", "admin"],
    }
    assert book.doors_of(use_cases[0], "http: GET /gone") == ()


def test_a_verdict_for_each_step_is_needed(run: Run, judge: Judge) -> None:
    findings = list(judge(run))
    with pytest.raises(ValueError, match="zip"):
        build_book(run, findings[:-1])
    with pytest.raises(ValueError, match="zip"):
        build_book(run, [findings[0][:-1], *findings[1:]])


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [(1, 1, "1.00"), (0.996, 0.996, "0.99"), (0, 1, "0.00 to 1.00"), (2 / 3, 2 / 3, "0.66"), (0.29, 0.29, "0.29")],
)
def test_only_a_perfect_score_reads_as_one(low: float, high: float, text: str) -> None:
    assert score_text(Score(low, high)) == text


def test_no_score_says_so() -> None:
    assert score_text(None) == "not scored"


@pytest.mark.parametrize(
    ("text", "span"),
    [("a", "`a`"), ("a`b", "``a`b``"), ("`a`", "`` `a` ``"), ("a\n b", "`a b`"), ("", "")],
)
def test_a_code_span_shows_exactly_its_text(text: str, span: str) -> None:
    assert code(text) == span


def test_a_table_leaves_out_columns_that_say_nothing() -> None:
    assert table(["A", "B", "C"], [["1", "", "`x|y`"], ["2", "", "z"]]) == (
        "| A | C |\n| --- | --- |\n| 1 | `x\\|y` |\n| 2 | z |"
    )
    assert table(["A"], []) == ""


@pytest.mark.parametrize(
    ("out", "root", "folder", "source_root", "outside"),
    [
        (None, "repo/server", "docs", "", False),
        ("repo/site", "repo/site", "", "../server", False),
        ("elsewhere/site", "elsewhere/site", "", "../../repo/server", True),
    ],
)
def test_pages_know_their_way_to_the_documented_folder(
    tmp_path: Path, out: str | None, root: str, folder: str, source_root: str, outside: bool
) -> None:
    documented = tmp_path / "repo" / "server"
    documented.mkdir(parents=True)
    output = output_of(documented, tmp_path / "repo", out=tmp_path / out if out else None)
    assert (output.root, output.layout) == (tmp_path / root, Layout(folder))
    assert (output.source_root, output.outside) == (source_root, outside)
