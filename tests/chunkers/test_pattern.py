"""A regex that somebody proposed is used only after it was measured on real lines, and the reason is always known."""

from __future__ import annotations

import dataclasses
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrodoc_chunkers import chunk_source
from retrodoc_chunkers.pattern import (
    BROAD,
    MAX_BREADTH,
    MAX_EXCESS,
    Decision,
    Judged,
    Measure,
    Pattern,
    PatternError,
    compile_pattern,
    decide,
    dump_judged,
    judge,
    largest,
    load_usable,
    measure,
)
from retrodoc_chunkers.probe import looks_like_start, probe
from retrodoc_chunkers.proposing import MAX_CORRECTIONS, Sample, feedback_on, find_pattern, sample_of

TABLE = tomllib.loads((Path(__file__).parent / "cases/patterns.toml").read_text("utf-8"))


def files_of(name: str) -> dict[str, bytes]:
    if name == "elixir-crlf":
        return {path: text.replace(b"\n", b"\r\n") for path, text in files_of("elixir").items()}
    return {path: text.lstrip("\n").encode() for path, text in TABLE["files"][name].items()}


def test_the_table_holds_forty_patterns() -> None:
    assert len(TABLE["case"]) == 40
    assert {case["decision"] for case in TABLE["case"]} == {decision.value for decision in Decision}


@pytest.mark.parametrize("case", TABLE["case"], ids=lambda case: case["why"])
def test_each_pattern_gets_its_decision(case: dict[str, str]) -> None:
    judged = judge(case["regex"], files_of(case["on"]))
    assert judged.decision == case["decision"], judged.measured or judged.error
    assert bool(judged.error) is (judged.decision is Decision.NOT_COMPILED)


def test_the_second_bound_refuses_where_breadth_does_not() -> None:
    judged = judge(r"^\s+local\b|^function|^local f|= function", files_of("lua"))
    assert judged.measured is not None
    assert judged.measured.breadth < MAX_BREADTH
    assert judged.measured.recall == 1.0
    assert judged.measured.excess > MAX_EXCESS
    assert judged.decision is Decision.TOO_BROAD


@pytest.mark.parametrize(
    ("regex", "reason"),
    [
        ("x" * 501, "501 characters"),
        ("(?:a?b)" * 71 + "{3}", ""),
        ("x{600}y{600}", "too complex"),
        ("(x)" * 500, "1500 characters"),
        ("\ud800", "cannot be encoded"),
    ],
)
def test_a_regex_over_a_cap_is_refused(regex: str, reason: str) -> None:
    if not reason:
        compile_pattern(regex)
        return
    with pytest.raises(PatternError, match=reason):
        compile_pattern(regex)


@settings(deadline=None)
@given(regex=st.text(max_size=40), line=st.binary(max_size=60))
def test_any_regex_is_judged_and_never_raises(regex: str, line: bytes) -> None:
    judged = judge(regex, {"a": b"def f():\n" + line, "b": line})
    assert judged.decision in Decision


@settings(deadline=None)
@given(source=st.binary(max_size=300), max_chars=st.integers(1, 60))
def test_chunks_by_a_pattern_join_to_the_file(source: bytes, max_chars: int) -> None:
    chunks = chunk_source(source, "a.unknown", max_chars, pattern=Pattern("^[a-z]|^def"))
    assert b"".join(source[one.start_byte : one.end_byte] for one in chunks) == source


def test_a_pattern_cuts_a_file_at_its_matches() -> None:
    source = files_of("lua")["till.lua"]
    chunks = chunk_source(source, "till.brw", 170, pattern=Pattern(r"^(?:local )?function\b|^[\w.:]+ = function\b"))
    assert [(one.how, source[one.start_byte :].split(b"\n")[0]) for one in chunks] == [
        ("file", b"local M = {}"),
        ("pattern", b"function M.open(drawer)"),
        ("pattern", b"local function close(drawer)"),
        ("pattern", b"M.total = function(rows)"),
        ("pattern", b"function M:print(text)"),
    ]


def test_only_the_twenty_largest_files_are_measured_and_no_minified_one() -> None:
    files = {f"{index:02}.lua": b"function f()\n" * index for index in range(30)}
    files["bundle.lua"] = b"function f()" * 10_000
    assert len(largest(files)) == 20
    assert "bundle.lua" not in largest(files)
    assert next(iter(largest(files))) == "29.lua"
    assert measure(Pattern("^function"), files).files == 20


def asked(answers: list[str]) -> tuple[list[Sample], object]:
    """An author that gives prepared answers, and the samples that it was shown."""
    shown: list[Sample] = []

    def propose(sample: Sample) -> str:
        shown.append(sample)
        return answers[len(shown) - 1]

    return shown, propose


GOOD = r"^\s*(?:def|defp|defmodule|defmacro)\s"


def test_a_good_first_answer_is_not_corrected() -> None:
    shown, propose = asked([GOOD])
    found = find_pattern(files_of("elixir"), propose)
    assert (found.pattern, found.decision, len(shown)) == (Pattern(GOOD), Decision.ACCEPTED, 1)
    assert shown[0].extensions == (".ex",)
    assert shown[0].names == ("shop.ex",)
    assert "defmodule Shop.Cart do" in shown[0].lines
    assert "look-ahead" in shown[0].rules


def test_each_correction_says_what_was_wrong() -> None:
    shown, propose = asked(["^(?=def)", "^.*", r"^\s*def\s", GOOD])
    found = find_pattern(files_of("elixir"), propose)
    assert found.decision is Decision.ACCEPTED
    assert [sample.feedback and sample.feedback.regex for sample in shown] == [None, "^(?=def)", "^.*", r"^\s*def\s"]
    problems = [sample.feedback.problem for sample in shown if sample.feedback]
    assert "does not compile" in problems[0]
    assert "100%" in problems[1]
    assert "trailing |" in problems[1]
    assert "2 of 5" in problems[2]
    assert [missed.text for missed in shown[3].feedback.missed] == [  # type: ignore[union-attr]
        "defmodule Shop.Cart do",
        "defp price(row) do",
        "defmacro fast(block) do",
    ]
    assert [missed.line for missed in shown[3].feedback.missed] == [1, 20, 27]  # type: ignore[union-attr]


def test_after_three_corrections_the_best_usable_answer_is_taken() -> None:
    shown, propose = asked([r"^\s*def\s", r"^\s*(?:def|defp|defmodule)\s", "^x", "^(?=y)"])
    found = find_pattern(files_of("elixir"), propose)
    assert len(shown) == 1 + MAX_CORRECTIONS
    assert (found.pattern, found.decision) == (Pattern(r"^\s*(?:def|defp|defmodule)\s"), Decision.BELOW)
    shown, propose = asked(["^x", ".*", "^(?=y)", r"^\s*defmacro"])
    found = find_pattern(files_of("elixir"), propose)
    assert (found.pattern, found.decision) == (None, Decision.TOO_BROAD)


def test_what_cannot_be_checked_is_not_used_and_not_asked_again() -> None:
    shown, propose = asked(["^def"])
    found = find_pattern(files_of("table"), propose)
    assert (found.pattern, found.decision, len(shown)) == (None, Decision.NOT_CHECKABLE, 1)


def test_at_most_eight_missed_lines_are_shown() -> None:
    files = {"a.x": b"".join(b"def f%d():\n    pass\n" % index for index in range(100))}
    judged = judge("^nothing", files)
    assert len(feedback_on(judged).missed) == 8
    assert {missed.line for missed in feedback_on(judged).missed} == set(range(1, 200, 24)) - {193}


def test_a_sample_shows_the_largest_files_first() -> None:
    files = {"small.x": b"one\n", "large.x": b"two\n\n" + b"three\n" * 100, "none": b""}
    sample = sample_of(files)
    assert sample.lines[:2] == ("two", "three")
    assert sample.lines[-1] == "one"
    assert sample.extensions == (".x",)


def test_a_saved_pattern_is_used_as_it_was_measured() -> None:
    text = dump_judged(judge(GOOD, files_of("elixir")))
    assert json.loads(text)["recall"] == 1.0
    pattern, judged = load_usable(text, {})
    assert pattern == Pattern(GOOD)
    assert judged.decision is Decision.ACCEPTED
    pattern, _ = load_usable(dump_judged(judge(".*", files_of("elixir"))), {})
    assert pattern is None


def test_a_pattern_edited_by_hand_is_measured_again() -> None:
    saved = json.loads(dump_judged(judge(GOOD, files_of("elixir"))))
    edited = json.dumps({**saved, "regex": ".*"})
    pattern, judged = load_usable(edited, files_of("elixir"))
    assert (pattern, judged.decision) == (None, Decision.TOO_BROAD)
    with pytest.raises(ValueError, match="regex"):
        load_usable("[]", {})


@pytest.mark.parametrize(
    ("line", "start"),
    [
        ("def f():", True),
        ("  private static class Foo extends Bar {", True),
        ("pub async fn f<T>(x: u8) {", True),
        ("local function f(x)", True),
        ("M.total = function(rows)", True),
        ('resource "aws_instance" "shop" {', True),
        ("CREATE OR REPLACE PROCEDURE burn IS", True),
        ("       MAIN-PARA.", True),
        ("       DATA DIVISION.", True),
        ("# def f():", False),
        ("-- function f(x)", False),
        ("// class Foo {", False),
        ("      * MAIN-PARA.", False),
        ("function of the engine that drives it.", False),
        ("return function(x)", False),
        ("classes = 3", False),
        ("            approach.", False),
        ("union all", False),
        ("", False),
    ],
)
def test_the_probe_knows_a_start_from_prose_and_comments(line: str, start: bool) -> None:
    assert looks_like_start(line) is start


def measured(**changed: float) -> Measure:
    """A pattern that finds 95 of 100 definition lines in a file of 1,000, and what is different about it."""
    facts: dict[str, Any] = {
        "files": 1, "definition_lines": 100, "found": 95, "matched": 100, "breadth": 0.1, "broadest": "a",
        "excess_in_file": 1.0, "missed": (), **changed,
    }  # fmt: skip
    return Measure(**facts)


@pytest.mark.parametrize(
    ("changed", "decision"),
    [
        ({}, Decision.ACCEPTED),
        ({"found": 90}, Decision.ACCEPTED),
        ({"found": 89}, Decision.BELOW),
        ({"found": 50}, Decision.BELOW),
        ({"found": 49}, Decision.DROPPED),
        ({"breadth": 0.40}, Decision.ACCEPTED),
        ({"breadth": 0.41}, Decision.TOO_BROAD),
        ({"matched": 200}, Decision.ACCEPTED),
        ({"matched": 201}, Decision.TOO_BROAD),
        ({"excess_in_file": 3.0}, Decision.ACCEPTED),
        ({"excess_in_file": 3.01}, Decision.TOO_BROAD),
        ({"definition_lines": 0, "found": 0, "matched": 0}, Decision.NOT_CHECKABLE),
        ({"definition_lines": 0, "found": 0, "matched": 9, "breadth": 0.5}, Decision.TOO_BROAD),
    ],
)
def test_each_threshold_is_where_it_is_said_to_be(changed: dict[str, float], decision: Decision) -> None:
    assert decide(measured(**changed)) is decision


def test_excess_in_a_file_counts_only_where_a_fifth_of_it_is_matched() -> None:
    definitions = b"def f():\n" * 5
    broad = {"a.x": definitions + b"x = 1\n" * 10 + b"y = 2\n" * 24}
    assert measure(Pattern("^def|^x"), broad).excess_in_file == 15 / 5
    assert measure(Pattern("^def|^x"), {"a.x": broad["a.x"] + b"z\n" * 40}).excess_in_file == 0
    assert measure(Pattern("^def|^x|^z"), {"a.x": broad["a.x"] + b"z\n"}).excess_in_file == 16 / 5
    decorated = {"a.x": b"@one\n@two\ndef f():\n" * 5}
    figures = measure(Pattern("^@|^def"), decorated)
    assert (figures.matched, figures.found, figures.excess_in_file) == (15, 5, 1.0)
    assert measure(Pattern("^@two"), decorated).recall == 1.0


def test_breadth_is_of_the_lines_that_hold_something() -> None:
    figures = measure(Pattern("^def"), {"b.x": b"def f():\n\n\n\nx\n", "a.x": b"def f():\ny\ny\ny\n"})
    assert (figures.breadth, figures.broadest) == (0.5, "b.x")
    assert figures.excess == 1.0
    nothing = measure(Pattern("^nothing"), {"b.x": b"def f():\n"})
    assert (nothing.breadth, nothing.broadest, nothing.recall) == (0.0, "", 0.0)


def test_only_the_first_thousand_bytes_of_a_line_are_matched() -> None:
    source = b" " * 999 + b"def\n" + b" " * 997 + b"def\n" + b"def\r\n"
    assert Pattern("def$").matches(source) == [1, 2]
    assert Pattern("def$").definition_starts(source) == [1003, 2004]


def test_the_caps_and_thresholds_are_those_of_the_design() -> None:
    from retrodoc_chunkers import pattern, proposing

    assert (pattern.ACCEPT_RECALL, pattern.DROP_RECALL, pattern.MAX_BREADTH) == (0.90, 0.50, 0.40)
    assert (pattern.MAX_EXCESS, pattern.MAX_EXCESS_IN_FILE, pattern.BROAD) == (2.0, 3.0, 0.20)
    assert (pattern.MAX_LENGTH, pattern.MAX_MEMORY, pattern.MAX_PROGRAM) == (500, 1_048_576, 1_000)
    assert (pattern.MAX_LINE, pattern.LARGEST, pattern.MISSED_SHOWN) == (1_000, 20, 8)
    assert (proposing.MAX_CORRECTIONS, proposing.SAMPLE_FILES, proposing.SAMPLE_LINES) == (3, 5, 40)
    assert proposing.SAMPLE_WIDTH == 160


def test_a_saved_pattern_shows_its_figures() -> None:
    files = {"a.x": b"def f():\n" * 2 + b"  def g():\n" + b"y\n" * 7}
    saved = json.loads(dump_judged(judge("^def", files)))
    assert len(saved.pop("measured_regex")) == 16
    assert saved == {
        "regex": "^def", "decision": "below", "recall": 0.6667, "breadth": 0.2, "excess": 0.6667,
        "definition_lines": 3, "files": 1, "error": "",
    }  # fmt: skip
    broken = json.loads(dump_judged(judge("(", files)))
    assert (broken["recall"], broken["breadth"], broken["excess"]) == (None, None, None)
    assert (broken["definition_lines"], broken["files"]) == (0, 0)
    assert broken["error"]


def test_what_is_judged_cannot_be_changed() -> None:
    judged = judge("^def", files_of("elixir"))
    for frozen in (judged, judged.measured, Pattern("x"), feedback_on(judged), sample_of(files_of("elixir"))):
        assert frozen is not None
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(frozen, dataclasses.fields(frozen)[0].name, "y")
    found = find_pattern(files_of("table"), lambda sample: "x")
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.pattern = None  # type: ignore[misc]


def test_feedback_says_which_bound_was_passed() -> None:
    broad = feedback_on(judge(".*", files_of("lua")))
    assert broad.problem.startswith("it matches 100% of the lines of till.lua, 40% is the most allowed")
    excess = feedback_on(judge(r"^\s+local\b|^function|^local f|= function", files_of("lua")))
    assert excess.problem == "it matches 10 lines where 4 look like definitions: it matches other lines too"
    assert (broad.missed, excess.missed) == ((), ())


def test_a_sample_is_cut_to_size() -> None:
    files = {f"{index}.x": b"%d %s\n" % (index, b"y" * 300) * (60 - index) for index in range(7)}
    sample = sample_of(files)
    assert len(sample.lines) == 5 * 40
    assert {len(line) for line in sample.lines} == {160}
    assert [sample.lines[index * 40][0] for index in range(5)] == ["0", "1", "2", "3", "4"]
    assert len(sample_of({f"{index:03}.x": b"" for index in range(70)}).names) == 50
    assert sample_of({"a.b/none": b"", "c.d": b""}).extensions == (".d",)


def test_what_re2_refuses_is_said_in_its_words_and_nowhere_else(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(PatternError, match=r"^invalid perl operator: \(\?=$"):
        compile_pattern("(?=def)")
    assert capfd.readouterr() == ("", "")


def test_a_regex_may_use_the_caps_up() -> None:
    assert compile_pattern("x{498}y{498}").programsize == 1_000
    with pytest.raises(PatternError, match="1002 instructions, 1000 are allowed"):
        compile_pattern("x{499}y{499}")
    assert compile_pattern("x" * 500)


@pytest.mark.parametrize(
    ("changed", "recall", "excess"),
    [
        ({"definition_lines": 0, "found": 0, "matched": 7}, 0.0, 7.0),
        ({"definition_lines": 1, "found": 1, "matched": 3}, 1.0, 3.0),
        ({"definition_lines": 4, "found": 1, "matched": 8}, 0.25, 2.0),
    ],
)
def test_recall_and_excess_are_per_definition_line(changed: dict[str, float], recall: float, excess: float) -> None:
    assert (measured(**changed).recall, measured(**changed).excess) == (recall, excess)


def test_a_file_of_one_line_is_measured_too() -> None:
    figures = measure(Pattern("^def"), {"a.x": b"def f():\n"})
    assert (figures.breadth, figures.excess_in_file) == (1.0, 1.0)
    figures = measure(Pattern("^def|^x"), {"a.x": b"def f():\nx\nx\n"})
    assert figures.excess_in_file == 3.0


def test_a_share_of_exactly_a_fifth_is_not_broad() -> None:
    figures = measure(Pattern("^x"), {"a.x": b"x\n" + b"y\n" * 4})
    assert (figures.breadth, figures.excess_in_file) == (BROAD, 0.0)
    assert measure(Pattern("^x"), {"a.x": b"x\n" + b"y\n" * 3}).excess_in_file == 1.0


def test_the_broadest_file_counts_in_any_order() -> None:
    broad, narrow = b"x\ny\n", b"x\n" + b"y\n" * 3
    for names in (("a", "b"), ("b", "a")):
        figures = measure(Pattern("^x"), {names[0]: broad, names[1]: narrow})
        assert (figures.breadth, figures.broadest) == (0.5, names[0])
    assert measure(Pattern("^x"), {"large": broad + b"y\n" * 9, "small": broad}).broadest == "small"
    figures = measure(Pattern("^x"), {"large": broad * 4, "small": narrow})
    assert (figures.breadth, figures.broadest) == (0.5, "large")


def test_decorators_explain_their_matches_line_by_line() -> None:
    source = b"@one\n@two\ndef f():\n" * 3 + b"x\n"
    figures = measure(Pattern("^@|^def|^x"), {"a.x": source})
    assert (figures.matched, figures.excess_in_file) == (10, 10 / 9)


def test_a_missed_line_is_shown_up_to_120_characters() -> None:
    figures = measure(Pattern("^nothing"), {"a.x": b"  def f(" + b"y" * 200 + b"\n"})
    assert [len(one.text) for one in figures.missed] == [120]


def test_a_saved_pattern_is_json_for_people() -> None:
    text = dump_judged(judge("^défi", {"a.x": b"def f():\n" + b"y\n" * 6}))
    assert text.startswith('{\n  "regex": "^défi",\n')
    saved = json.loads(dump_judged(judge("^def", {"a.x": b"def f():\n" + b"y\n" * 6})))
    assert saved["breadth"] == 0.1429


@pytest.mark.parametrize("regex", ["^x", "^y", "^z", "^w", "^v"])
def test_any_edit_is_measured_again(regex: str) -> None:
    saved = json.loads(dump_judged(judge(GOOD, files_of("elixir"))))
    pattern, judged = load_usable(json.dumps({**saved, "regex": regex}), files_of("elixir"))
    assert (pattern, judged.decision) == (None, Decision.DROPPED)


def test_the_end_of_a_file_is_no_line_of_it() -> None:
    assert Pattern("^$|^x").definition_starts(b"x\n") == [0]
    assert Pattern("^$|^x").definition_starts(b"x\n\n") == [0, 2]
    assert Pattern("^$|^x").definition_starts(b"y\nx") == [2]


def test_the_probe_looks_at_a_thousand_characters() -> None:
    assert looks_like_start(" " * 995 + "def f()")
    assert not looks_like_start(" " * 996 + "def f()")


def test_decorators_are_those_right_above() -> None:
    assert probe(["def f():", "@x"]).decorators == {0: ()}
    assert probe(["@a", "", "@b", "@c", "def f():"]).decorators == {4: (3, 2)}
    assert probe(["@a", "def f():", "def g():"]) == ((1, 2), {1: (0,), 2: ()})


def test_what_does_not_compile_is_worth_less_than_what_finds_nothing() -> None:
    for answers in (["(", "^nothing", "(", "("], ["^nothing", "(", "(", "("]):
        _, propose = asked(answers)
        assert find_pattern(files_of("elixir"), propose).decision is Decision.DROPPED


def test_at_the_bound_of_breadth_it_is_the_excess_that_is_told() -> None:
    judged = Judged("x", Decision.TOO_BROAD, measured(breadth=MAX_BREADTH, matched=300))
    assert feedback_on(judged).problem.startswith("it matches 300 lines where 100 look like definitions")


def test_a_sample_looks_at_the_beginning_of_a_file() -> None:
    assert sample_of({"a.x": b"\n" * 99_999 + b"yz"}).lines == ("y",)
