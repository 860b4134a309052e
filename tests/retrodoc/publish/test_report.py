"""The report says how far each use case can be trusted, what is doubtful and why, and what was left out."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from retrodoc.publish.book import Book, build_book
from retrodoc.publish.report import Report, report_of
from retrodoc.publish.report_markdown import report_markdown
from retrodoc.publish.report_text import MAX_CONCERNS, print_report, totals
from retrodoc_checks import StepFinding
from retrodoc_runs.models import Feature, Run, SetAside, SourceRef, Step, UseCase

Judge = Callable[[Run], Sequence[Sequence[StepFinding]]]


@pytest.fixture
def report(book: Book) -> Report:
    return report_of(book)


def printed(report: Report, *, verbose: bool = False, quiet: bool = False) -> str:
    out = io.StringIO()
    print_report(report, out, verbose=verbose, quiet=quiet)
    return out.getvalue()


def test_the_figures_are_those_of_the_verdicts(report: Report) -> None:
    """Worked out by hand: doubtful 0..1, a partial judgement 0.5, broken 0, unsupported 0.25."""
    said = report.as_dict()
    send, take, empty = said["use_cases"]

    assert (send["score_low"], send["score_high"]) == pytest.approx(((0 + 1 + 0.5 + 0 + 0 + 0.25) / 6, 3.75 / 6))
    assert (take["score_low"], take["score_high"]) == (1, 1)
    assert (empty["score_low"], empty["score_high"]) == (None, None)
    assert [send["alert"], take["alert"], empty["alert"]] == [True, False, False]
    assert said["summary"] == {
        "use_cases": 3,
        "alerts": 1,
        "unscored": 1,
        "steps": 7,
        "valid": 2,
        "doubtful": 3,
        "broken": 1,
        "unsupported": 1,
        "score_low": pytest.approx((1.75 / 6 + 1) / 2),
        "score_high": pytest.approx((3.75 / 6 + 1) / 2),
    }


def test_every_step_that_is_not_valid_is_told_with_its_reason(report: Report) -> None:
    send = report.as_dict()["use_cases"][0]
    assert [(concern["order"], concern["verdict"], concern["reasons"]) for concern in send["concerns"]] == [
        (1, "doubtful", ["could-not-fail"]),
        (3, "doubtful", ["entity-not-at-lines"]),
        (4, "doubtful", ["elsewhere-in-file"]),
        (5, "broken", ["path-missing"]),
        (6, "unsupported", ["no-citation"]),
    ]
    assert [concern["judgement"] for concern in send["concerns"]] == [None, "partial", None, None, None]
    assert send["concerns"][2]["citations"] == ["desk/orders.py:6-7"]


def test_the_accounting_adds_up(report: Report) -> None:
    entry_points = report.as_dict()["entry_points"]
    assert entry_points["total"] == (
        entry_points["documented"] + sum(entry_points["excluded"].values()) + entry_points["unaccounted"]
    )
    assert entry_points["unaccounted_labels"] == ["cli: init-db"]
    assert "entry points: total 3 = documented 1 + excluded 1 (served by the framework) + unaccounted 1" in totals(
        report
    )


def test_the_json_is_json(report: Report) -> None:
    assert json.loads(json.dumps(report.as_dict())) == report.as_dict()


def test_the_terminal_shows_each_use_case_what_is_doubtful_and_the_totals(report: Report) -> None:
    text = printed(report)
    for expected in (
        "! Send an order to the kitchen   0.29 to 0.62       1          3        1             1",
        "step 4, doubtful (desk/orders.py:6-7): `set_status` is not at the cited lines",
        "a model says partial: No station.",
        "order-desk: score 0.64 to 0.81 of 1; 3 use cases, 7 steps: 2 valid, 3 doubtful, 1 broken, 1 unsupported",
        "alerts: 1 use case can be under 0.5, marked !",
        "1 use case without a step: not scored",
        "not read: 2 paths (1 binary, 1 minified)",
        "note: 1 invented entry point was dropped.",
        "this run is not complete",
    ):
        assert expected in text
    assert "\x1b" not in text, "no colour where there is no terminal"


def test_quiet_gives_the_totals_alone(report: Report) -> None:
    assert printed(report, quiet=True).splitlines() == list(totals(report))


def many(count: int) -> Run:
    steps = tuple(Step(order=order, description="Nothing.") for order in range(1, count + 1))
    use_case = UseCase(slug="long", feature_slug="f", name="Long", steps=steps)
    return Run(
        id="r", repository="r", created_at="", complete=True, features=(Feature(slug="f"),), use_cases=(use_case,)
    )


def test_a_long_list_of_doubts_is_cut_unless_verbose(judge: Judge) -> None:
    run = many(MAX_CONCERNS + 3)
    report = report_of(build_book(run, judge(run)))
    assert "and 3 steps more (-v tells all)" in printed(report)
    assert printed(report, verbose=True).count("the step cites nothing") == MAX_CONCERNS + 3


@pytest.mark.parametrize(
    ("description", "path", "threshold", "code"),
    [
        ("`take_order` calls `occupied_table`.", "desk/orders.py", 0.5, 0),
        ("It just works.", "desk/orders.py", 0.5, 1),
        ("It just works.", "desk/orders.py", 0.0, 0),
        ("`take_order` calls `occupied_table`.", "desk/gone.py", 0.0, 1),
        ("`take_order` calls `occupied_table`.", None, 0.0, 1),
    ],
)
def test_the_exit_code_says_whether_something_was_found(
    judge: Judge, description: str, path: str | None, threshold: float, code: int
) -> None:
    refs = (SourceRef(path=path, start_line=5, end_line=6),) if path else ()
    run = many(1)
    use_case = replace(run.use_cases[0], steps=(Step(order=1, description=description, source_refs=refs),))
    run = run.model_copy(update={"use_cases": (use_case,)})
    assert report_of(build_book(run, judge(run), threshold=threshold)).exit_code == code


def test_a_run_in_which_nothing_was_checked_is_no_green_light(judge: Judge) -> None:
    run = many(0)
    report = report_of(build_book(run, judge(run)))
    assert report.exit_code == 2
    assert "score not scored of 1" not in printed(report)
    assert "nothing was checked" in printed(report)


def test_a_repositorys_text_moves_no_cursor_and_writes_no_markup(judge: Judge) -> None:
    bad = "x\x1b[2J\x1b]0;t\x07[red]y[/red]\u202e<b>"
    run = many(1)
    use_case = replace(run.use_cases[0], name=bad, slug=bad)
    run = run.model_copy(
        update={
            "repository": bad,
            "use_cases": (use_case,),
            "notes": (bad,),
            "features": (Feature(slug="f", name=bad),),
            "set_aside": (SetAside(kind="use_cases", slug=bad, reason=bad),),
        }
    )
    report = report_of(build_book(run, judge(run)))
    assert not set(printed(report, verbose=True)) & set("\x1b\x07\u202e")
    assert "[red]y[/red]" in printed(report)
    assert "<b>" not in report_markdown(report).replace("\\<b\\>", "")


def test_the_markdown_report_holds_the_same_figures(report: Report) -> None:
    text = report_markdown(report)
    assert text.startswith("# Confidence report: order-desk\n")
    assert "| Send an order to the kitchen | orders | ⚠️ 0.29 to 0.62 | ✅ 1 🟡 3 ❌ 1 ⚪ 1 |" in text
    assert "- 🟡 step 4 (`desk/orders.py:6-7`): `set_status` is not at the cited lines" in text
    assert "; a model says **partial**" in text
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_building_a_report_imports_no_terminal_library() -> None:
    """JSON for a script must not wait for tables that nobody sees."""
    program = "import sys, retrodoc.publish.report, retrodoc.publish.report_text; print('rich' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"
