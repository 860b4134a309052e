"""What each format of a check must hold, whatever a step or a path contains."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

import retrodoc
from retrodoc.checking import CheckResult, CitationResult, StepResult, UseCaseScore
from retrodoc.checking.result import MovedCitation
from retrodoc.publish.check_json import check_json, error_json
from retrodoc.publish.check_schema import CheckErrorShape, CheckShape, schema
from retrodoc.publish.check_text import check_text
from retrodoc.publish.github import check_github, error_github
from retrodoc.publish.junit import check_junit, error_junit
from retrodoc.publish.sarif import check_sarif, error_sarif
from retrodoc.publish.wording import MEANING, RULES, explain
from retrodoc_checks import Missing, Place, Reason, StepFinding, Verdict
from retrodoc_runs.models import SourceRef
from retrodoc_runs.readers import Unparsed

FAIL_ON = ("broken", "unsupported")
NASTY = "a\x00\x1b[31m\x07%0A::error::x,y:z <b>&\"']]>\r\n\u202e\ufffe`\ud800"


def ref(path: str = "src/pay.py", start: int | None = 3, end: int | None = 9) -> SourceRef:
    return SourceRef(path=path, start_line=start, end_line=end)


def made(*steps: StepResult, **more: object) -> CheckResult:
    slugs = dict.fromkeys(step.use_case for step in steps)
    base = {
        "target": "docs",
        "repository": "github.com/acme/shop",
        "kind": "markdown",
        "subfolder": "",
        "use_cases": tuple(UseCaseScore(slug, 0.25, 1.0) for slug in slugs),
        "checked_at_commit": "c" * 40,
    }
    return CheckResult(**(base | {"steps": steps} | more))  # type: ignore[arg-type]


def step(finding: StepFinding, order: int = 1, text: str = "`pay` asks.", **more: object) -> StepResult:
    citations = (CitationResult(ref()),)
    values = {"use_case": "docs/pay", "page": "docs/pay.md", "line": 12, "citations": citations} | more
    return StepResult(order=order, text=text, finding=finding, **values)  # type: ignore[arg-type]


VALID = StepFinding(Verdict.VALID, (Reason.ALL_FOUND,), strength=0.9)
BROKEN = StepFinding(Verdict.BROKEN, (Reason.PATH_MISSING, Reason.LINE_PAST_END), hint=Place("src/pays.py", 3))


def past_end(*labels: str, reasons: tuple[Reason, ...] = (Reason.LINE_PAST_END,), **more: object) -> StepFinding:
    """What the judge says of citations past line 40 of a file."""
    facts = {"false": [f"{label} line-past-end" for label in labels], "file-ends": ["src/pay.py:40"]} | more
    return StepFinding(Verdict.BROKEN, reasons, hint=Place("src/pay.py", 7), facts=facts)  # type: ignore[arg-type]


DOUBTFUL = StepFinding(
    Verdict.DOUBTFUL,
    (Reason.ELSEWHERE_IN_FILE, Reason.NOWHERE),
    (Missing("pay", Reason.ELSEWHERE_IN_FILE, Place("src/pay.py", 40)), Missing("gone", Reason.NOWHERE)),
    Place("src/pay.py", 40),
)
UNSUPPORTED = StepFinding(Verdict.UNSUPPORTED, (Reason.NO_CITATION,))
DRIFTED = (
    CitationResult(ref(), "moved", "src/pays.py", (13, 19)),
    CitationResult(ref("src/b.py", 1, 2), "changed"),
    CitationResult(ref("src/c.py", None, None), "gone"),
)
EVERYTHING = made(
    step(VALID),
    step(BROKEN, 2),
    step(DOUBTFUL, 3),
    step(UNSUPPORTED, 4, citations=()),
    step(VALID, 5, citations=DRIFTED),
    step(BROKEN, 6, use_case="run", page="", line=None, status="wrong-from-the-start"),
    step(DOUBTFUL, 7, text=NASTY, use_case=NASTY, page="docs/a b%.md", citations=(CitationResult(ref(NASTY, 0, -1)),)),
    unparsed=(Unparsed("src/a.py:1O", 4, "docs/pay.md"),),
    left_out=(("docs/adr/1.md", "decision"),),
    foreign={"github.com/acme/other": 2},
    unscored=("nothing",),
    untouched=3,
    base="b" * 40,
)


def test_the_json_has_the_published_shape() -> None:
    CheckShape.model_validate_json("".join(check_json(EVERYTHING)).encode("utf-8", "replace"))
    CheckErrorShape.model_validate_json(error_json("no", "mend", "docs"))


def test_the_published_schema_is_that_of_the_models() -> None:
    file = Path(retrodoc.__file__).parent / "schemas" / "check.schema.json"
    assert json.loads(file.read_text("utf-8")) == schema(), "run `python -m retrodoc.publish.check_schema`"


def test_the_json_says_where_a_name_is_instead() -> None:
    data = json.loads("".join(check_json(EVERYTHING)))
    assert data["steps"][2]["missing"] == [
        {"name": "pay", "where": "src/pay.py:40", "reason": "elsewhere-in-file"},
        {"name": "gone", "where": None, "reason": "nowhere"},
    ]
    assert data["steps"][2]["hint"] == "src/pay.py:40"
    assert data["steps"][4]["citations"] == [
        {
            "path": "src/pay.py",
            "start_line": 3,
            "end_line": 9,
            "status": "moved",
            "new_path": "src/pays.py",
            "new_lines": [13, 19],
        },
        {"path": "src/b.py", "start_line": 1, "end_line": 2, "status": "changed", "new_path": None, "new_lines": None},
        {
            "path": "src/c.py",
            "start_line": None,
            "end_line": None,
            "status": "gone",
            "new_path": None,
            "new_lines": None,
        },
    ]
    assert data["unparsed"] == [{"text": "src/a.py:1O", "line": 4, "page": "docs/pay.md"}]


def test_the_json_counts_what_it_lists() -> None:
    data = json.loads("".join(check_json(EVERYTHING)))
    summary = data["summary"]
    assert summary["steps"] == len(data["steps"]) == sum(summary[verdict.value] for verdict in Verdict)
    assert (summary["moved"], summary["changed"], summary["gone"], summary["whole_file_citations"]) == (1, 1, 1, 1)
    assert (summary["foreign_citations"], summary["unparsed"], summary["untouched_steps"]) == (2, 1, 3)


def test_an_empty_result_is_json_too() -> None:
    data = json.loads("".join(check_json(made())))
    assert (data["steps"], data["use_cases"], data["unparsed"]) == ([], [], [])


def test_sarif_has_a_rule_for_each_result() -> None:
    (run,) = json.loads(check_sarif(EVERYTHING, FAIL_ON))["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert {rule["id"] for rule in rules} >= {reason.value for reason in Reason}
    assert all(rules[one["ruleIndex"]]["id"] == one["ruleId"] for one in run["results"])
    assert [one["ruleId"] for one in run["results"] if one["properties"]["order"] == 2] == [
        "path-missing",
        "line-past-end",
    ]


def test_sarif_shows_a_finding_at_the_line_that_says_it_else_at_the_lines_it_cites() -> None:
    (run,) = json.loads(check_sarif(EVERYTHING, FAIL_ON))["runs"]
    by_order = {one["properties"]["order"]: one["locations"] for one in run["results"]}
    assert by_order[2][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "docs/pay.md", "uriBaseId": "SRCROOT"},
        "region": {"startLine": 12, "endLine": 12},
    }
    assert by_order[6][0]["physicalLocation"]["region"] == {"startLine": 3, "endLine": 9}
    assert by_order[7][0]["physicalLocation"]["artifactLocation"]["uri"] == "docs/a%20b%25.md"


def test_sarif_paths_start_from_the_repositorys_root() -> None:
    (run,) = json.loads(check_sarif(made(step(BROKEN), subfolder="server"), FAIL_ON))["runs"]
    uris = {place["physicalLocation"]["artifactLocation"]["uri"] for place in run["results"][0]["relatedLocations"]}
    assert uris == {"server/src/pay.py"}
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "server/docs/pay.md"


@pytest.mark.parametrize(("fail_on", "level"), [(("broken",), "warning"), (("doubtful",), "error")])
def test_sarif_levels_follow_what_is_a_failure(fail_on: tuple[str, ...], level: str) -> None:
    (run,) = json.loads(check_sarif(made(step(DOUBTFUL)), fail_on))["runs"]
    assert {one["level"] for one in run["results"]} == {level}


def test_a_sarif_fingerprint_outlives_moved_lines_and_not_another_text() -> None:
    def prints(one: StepResult) -> list[str]:
        (run,) = json.loads(check_sarif(made(one), FAIL_ON))["runs"]
        return [result["partialFingerprints"]["retrodoc/v1"] for result in run["results"]]

    assert prints(step(BROKEN)) == prints(step(BROKEN, line=99))
    assert prints(step(BROKEN)) != prints(step(BROKEN, text="another"))
    assert len(set(prints(step(BROKEN)))) == 2


def test_junit_counts_and_parses() -> None:
    root = ElementTree.fromstring("".join(check_junit(EVERYTHING, FAIL_ON)))
    cases = list(root.iter("testcase"))
    assert len(cases) == int(root.attrib["tests"]) == 7
    assert len(list(root.iter("failure"))) == int(root.attrib["failures"]) == 3
    assert len(list(root.iter("skipped"))) == int(root.attrib["skipped"]) == 2
    assert sum(int(suite.attrib["tests"]) for suite in root.iter("testsuite")) == 7


def test_junit_makes_drift_a_failure_on_request() -> None:
    root = ElementTree.fromstring("".join(check_junit(made(step(VALID, citations=DRIFTED)), ("drift",))))
    (failure,) = root.iter("failure")
    assert failure.attrib["type"] == "drift"
    assert "src/b.py:1-2 changed since" in failure.attrib["message"]


@given(text=st.text())
def test_no_text_breaks_junit(text: str) -> None:
    one = step(BROKEN, text=text, use_case=text, page=text, citations=(CitationResult(ref(text)),))
    ElementTree.fromstring("".join(check_junit(made(one, target=text), FAIL_ON)).encode("utf-8", "replace"))
    ElementTree.fromstring(error_junit(text, text).encode("utf-8", "replace"))


COMMAND = re.compile(r"::(error|warning) ([a-zA-Z]+=[^:,]*)(,[a-zA-Z]+=[^:,]*)*::[^\r\n]*")


def test_every_format_for_people_says_where_a_text_moved() -> None:
    result, said = made(step(DOUBTFUL, citations=DRIFTED)), "src/pay.py:3-9 moved to src/pays.py:13-19"
    for printed in (check_text(result), check_github(result, FAIL_ON), check_junit(result, FAIL_ON)):
        assert said in "\n".join(printed)


def test_what_a_change_only_moved_is_listed_up_to_a_bound_and_whole_on_request() -> None:
    moved = tuple(MovedCitation("docs/pay.md", line, ref(), (13, 19)) for line in range(1, 31))
    short, whole = ("\n".join(check_text(made(moved=moved), verbose=verbose)) for verbose in (False, True))
    assert "30 citations not judged, since the change only moved what is cited:" in short
    assert (short.count("src/pay.py:3-9 is at src/pay.py:13-19 by now"), "and 10 more (--verbose" in short) == (
        20,
        True,
    )
    assert (whole.count("src/pay.py:3-9 is at src/pay.py:13-19 by now"), "more (--verbose" in whole) == (30, False)


def test_a_step_without_a_text_is_shown_as_such() -> None:
    assert "docs/pay.md:12  (no text of its own)" in "\n".join(check_text(made(step(BROKEN, text=""))))


def test_github_gets_errors_first_and_totals_last() -> None:
    lines = list(check_github(EVERYTHING, FAIL_ON))
    kinds = [line.split(" ")[0] for line in lines if line.startswith("::")]
    assert kinds == ["::error"] * 3 + ["::warning"] * 3
    assert lines[0].startswith("::error file=docs/pay.md,line=12,endLine=12,title=broken%3A docs/pay%2C step 2::")
    assert "7 steps" in "\n".join(lines[6:])


@given(text=st.text())
def test_no_text_escapes_from_a_workflow_command(text: str) -> None:
    one = step(BROKEN, text=text, use_case=text, page=text, citations=(CitationResult(ref(text)),))
    lines = list(check_github(made(one, repository=text), FAIL_ON))
    assert all("\n" not in line and "\r" not in line for line in lines)
    assert COMMAND.fullmatch(lines[0])
    assert not any("::" in line for line in lines[1:])
    assert "\n" not in error_github(text, text)


@given(text=st.text())
def test_no_text_moves_the_cursor_of_a_terminal(text: str) -> None:
    one = step(DOUBTFUL, text=text, use_case=text, page=text, citations=(CitationResult(ref(text)),))
    shown = list(check_text(made(one, repository=text, unparsed=(Unparsed(text, 1, text),)), verbose=True))
    assert not re.search("[\x00-\x08\x0a-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "".join(shown))


def test_the_text_shows_what_needs_a_look_and_quiet_the_totals_alone() -> None:
    everything = "\n".join(check_text(EVERYTHING))
    assert "docs/pay.md:12" in everything
    assert "src/pay.py:3-9 moved to src/pays.py:13-19" in everything
    assert "src/c.py gone since" in everything
    assert "1 text that looks like a citation and cannot be read" in everything
    assert "2 citations of github.com/acme/other" in everything
    quiet = list(check_text(EVERYTHING, quiet=True))
    assert quiet[0] == "7 steps in 3 pages: 2 valid, 2 doubtful, 2 broken, 1 unsupported"
    assert len(quiet) <= 6


def test_steps_that_are_broken_by_one_line_alone_are_counted() -> None:
    """Some generators count what follows the final line feed as a line, and break by hundreds."""
    both = (Reason.PATH_MISSING, Reason.LINE_PAST_END)
    steps = [step(past_end("src/pay.py:9-41", "src/pay.py:41")), step(past_end("src/pay.py:41"), 2)]
    steps += [step(past_end("src/pay.py:41", "src/pay.py:42"), 3), step(past_end("src/pay.py:41", reasons=both), 4)]
    steps += [step(past_end("src/pay.py:41", **{"false-more": 1}), 5)]
    said = "2 of the broken steps cite only one line too many: what follows a file's last line feed is no line"
    assert list(check_text(made(*steps), quiet=True)).count(said) == 1
    assert "too many" not in "".join(check_text(made(*steps[2:]), quiet=True))


def test_every_reason_and_verdict_has_words_and_none_claims_truth() -> None:
    assert set(RULES) == set(Reason)
    assert set(MEANING) == set(Verdict)
    words = " ".join([*RULES.values(), *MEANING.values()]).lower()
    assert not re.search(r"\b(correct|true|proves?|accurate|right|verified)\b", words)


@pytest.mark.parametrize(
    ("finding", "refs", "sentences"),
    [
        (
            DOUBTFUL,
            (ref(),),
            [
                "`pay` is not at the cited lines, but elsewhere in the file (see src/pay.py:40)",
                "`gone` is nowhere in the repository",
            ],
        ),
        (
            BROKEN,
            (ref(),),
            [
                "src/pay.py:3-9: the cited file does not exist",
                "src/pay.py:3-9: a cited line is after the end of its file (perhaps src/pays.py:3)",
            ],
        ),
        (
            past_end("src/pay.py:3-41"),
            (),
            ["src/pay.py:3-41: the file ends at line 40; the citation is one past it (perhaps src/pay.py:7)"],
        ),
        (
            past_end("./src/pay.py:41", "src/pay.py:1060-52"),
            (ref(),),
            [
                "./src/pay.py:41: the file ends at line 40; the citation is one past it (perhaps src/pay.py:7)",
                "src/pay.py:1060-52: the file ends at line 40; the citation is 1,020 past it",
            ],
        ),
        (
            StepFinding(
                Verdict.BROKEN,
                (Reason.PATH_MISSING, Reason.LINE_BEFORE_FIRST, Reason.RANGE_REVERSED),
                facts={"false": ["a b.py path-missing", "src/c.py:0--1 line-before-first range-reversed"]},
            ),
            (ref(), ref("a b.py"), ref("src/c.py", 0, -1)),
            [
                "a b.py: the cited file does not exist",
                "src/c.py:0--1: a cited line is before line 1, and a cited range ends before it starts",
            ],
        ),
        (
            StepFinding(
                Verdict.BROKEN,
                (Reason.PATH_MISSING,),
                facts={"false": [f"{name}.py path-missing" for name in "abcdefg"], "false-more": 80},
            ),
            (),
            [*[f"{name}.py: the cited file does not exist" for name in "abcde"], "82 more citations are false"],
        ),
        (
            replace(DOUBTFUL, missing=DOUBTFUL.missing[1:], hint=None, facts={"not-searched": 2}),
            (),
            [
                "`gone` is nowhere in the repository",
                "a name is elsewhere in the cited file",
                "2 files are not in this clone and were not searched",
            ],
        ),
        (UNSUPPORTED, (), ["the step cites nothing"]),
        (VALID, (ref(),), ["every name, number and entity is at the cited lines, as code"]),
        (
            StepFinding(Verdict.VALID, (Reason.ALL_FOUND,), facts={"commit-not-here": ["abc", "def"]}),
            (ref(),),
            [
                "every name, number and entity is at the cited lines, as code",
                "commit abc, def is not in this clone, so the checked commit was read instead",
            ],
        ),
    ],
)
def test_a_finding_in_words(finding: StepFinding, refs: tuple[SourceRef, ...], sentences: list[str]) -> None:
    assert explain(finding, refs) == sentences


def test_errors_are_documents_of_their_format() -> None:
    TypeAdapter(CheckErrorShape).validate_json(error_json("no page", "give one"))
    (run,) = json.loads(error_sarif("no page", "give one"))["runs"]
    assert run["invocations"][0]["executionSuccessful"] is False
    root = ElementTree.fromstring(error_junit("no page", "give one"))
    assert root.attrib["errors"] == "1"
    assert error_github("no page", "give\none") == "::error title=retrodoc::no page. give%0Aone"


def test_a_score_reads_as_it_does_on_the_pages() -> None:
    """Rounded down, as `score_text` does: 0.79 here and 0.78 on its page would be two scores."""
    result = made(step(BROKEN))
    scores = tuple(replace(one, score_low=0.785714, score_high=0.999) for one in result.use_cases)
    printed = "\n".join(check_text(replace(result, use_cases=scores)))
    assert "score 0.78 to 0.99," in printed
