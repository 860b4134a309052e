"""Reading an answer: what is cleaned, what is never guessed, and the name and path of each flaw."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrodoc.llm.provider import Completion, StopReason
from retrodoc.llm.repair import Flaw, Reading, error_path, loops, read_answer, repair_message
from retrodoc.prompts.models import JudgeOut, PatternOut

GOOD = '{"judgements": [{"step": 1, "rationale": "It is there.", "outcome": "supported"}]}'


def read(text: str, stop: StopReason = StopReason.END, **more: Any) -> Reading[JudgeOut]:
    return read_answer(Completion(text, stop, None, "m"), JudgeOut, **more)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        (GOOD, ()),
        (f"\ufeff \n{GOOD}\n", ()),
        (f"```json\n{GOOD}\n```", ("fence",)),
        (f"```\n{GOOD}\n```", ("fence",)),
        (f"```json\n{GOOD}", ("fence",)),
        (f"Here {{you}} are:\n{GOOD}\nAnything else?", ("prose around",)),
        (f"<think>{{maybe}} not</think>\n{GOOD}", ("thoughts",)),
        (GOOD.replace("}]", "},]"), ("trailing comma",)),
        (GOOD.replace("}]}", "},\n],\n}"), ("trailing comma",)),
        (GOOD.replace('"step"', "“step”"), ("typographic quotes",)),
        (GOOD.replace('"It is there."', "“It is there.”"), ("typographic quotes",)),
        (GOOD.replace('"It is there."', "«It is there.»"), ("typographic quotes",)),
        (GOOD.replace('"It is there."', "„It is there.“"), ("typographic quotes",)),
        (GOOD.replace("is there", "is\nthere"), ("raw control character",)),
        (GOOD.replace("is there", r"is \_there"), ("stray backslash",)),
        (f"```json\n{GOOD.replace('}]', '},]')}\n```", ("fence", "trailing comma")),
    ],
)
def test_what_is_cleaned_without_asking_again(text: str, cleaned: tuple[str, ...]) -> None:
    reading = read(text)
    assert reading.flaw is None
    assert reading.out is not None
    assert reading.out.judgements[0].step == 1
    assert reading.cleaned == cleaned


@pytest.mark.parametrize(
    ("text", "stop", "flaw"),
    [
        ("", StopReason.END, Flaw.EMPTY),
        (" \n\t ", StopReason.END, Flaw.EMPTY),
        ("", StopReason.LENGTH, Flaw.CUT),
        (GOOD, StopReason.LENGTH, Flaw.CUT),
        (GOOD[:-1], StopReason.END, Flaw.CUT),
        (GOOD[:40], StopReason.UNKNOWN, Flaw.CUT),
        ("```json\n" + GOOD[:60], StopReason.END, Flaw.CUT),
        ('{"judgements": [' + " " * 500, StopReason.LENGTH, Flaw.LOOP),
        ('{"judgements": [{"step": ' + "1" * 500, StopReason.END, Flaw.LOOP),
        ('{"a": "' + "and so on, " * 60, StopReason.LENGTH, Flaw.LOOP),
        (GOOD, StopReason.REFUSAL, Flaw.REFUSAL),
        ("I'm sorry, I can't help with that.", StopReason.END, Flaw.REFUSAL),
        ("Je ne peux pas répondre à cela.", StopReason.END, Flaw.REFUSAL),
        ("", StopReason.TOOL, Flaw.TOOL_RESIDUE),
        (f"<tool_call>{GOOD}</tool_call>", StopReason.END, Flaw.TOOL_RESIDUE),
        (f"[TOOL_CALLS] {GOOD}", StopReason.END, Flaw.TOOL_RESIDUE),
        ("All steps are supported.", StopReason.END, Flaw.SYNTAX),
        ("{step: 1}", StopReason.END, Flaw.SYNTAX),
        ('{"judgements": NaN}', StopReason.END, Flaw.SYNTAX),
        ('{"judgements": [], "judgements": []}', StopReason.END, Flaw.SYNTAX),
        ("[1, 2]", StopReason.END, Flaw.SYNTAX),
        ('{"judgements": ' + "[" * 50_000 + "]" * 50_000 + "}", StopReason.END, Flaw.SYNTAX),
        ("{" * 100_000, StopReason.END, Flaw.LOOP),
        ('{"judgements": {}}', StopReason.END, Flaw.STRUCTURE),
        ('{"judgements": [], "note": 1}', StopReason.END, Flaw.STRUCTURE),
        ("{}", StopReason.END, Flaw.STRUCTURE),
    ],
)
def test_each_flaw_has_its_name(text: str, stop: StopReason, flaw: Flaw) -> None:
    reading = read(text, stop)
    assert reading.flaw is flaw
    assert reading.out is None
    assert reading.errors


def test_an_error_of_structure_gives_its_path_and_reason() -> None:
    reading = read('{"judgements": [{"step": "first", "outcome": "maybe"}]}')
    assert reading.errors == (
        "judgements[0].step: Input should be a valid integer, unable to parse string as an integer",
        "judgements[0].rationale: Field required",
        "judgements[0].outcome: Input should be 'supported', 'partial' or 'unsupported'",
    )


def test_an_error_of_meaning_comes_from_the_caller_and_keeps_what_was_read() -> None:
    reading = read(GOOD, checks=lambda out: [f"judgements: {len(out.judgements)} of 2"])
    assert (reading.flaw, reading.errors) == (Flaw.MEANING, ("judgements: 1 of 2",))
    assert reading.out is not None


def test_the_repair_turn_carries_the_exact_errors_and_nothing_of_the_repository() -> None:
    message = repair_message(read('{"judgements": [{"step": 1, "rationale": "r", "outcome": "maybe"}]}'), "judgements")
    assert "- judgements[0].outcome: Input should be 'supported', 'partial' or 'unsupported'" in message
    assert "(judgements)" in message


def test_errors_are_counted_by_their_path_without_numbers() -> None:
    assert error_path("judgements[12].step: there is no step 12") == "judgements[].step"


def test_a_pattern_with_single_backslashes_is_read_as_it_was_meant() -> None:
    text = r'{"pattern": "^\s*def\s+\w+", "explanation": "e"}'
    reading = read_answer(Completion(text, StopReason.END, None, "m"), PatternOut)
    assert reading.out is not None
    assert reading.out.pattern == r"^\s*def\s+\w+"


@pytest.mark.parametrize(
    ("text", "looping"),
    [("ab" * 200, True), ("x" * 299, False), (" " * 400, True), ("".join(map(str, range(300))), False)],
)
def test_a_loop_is_one_piece_over_and_over(text: str, looping: bool) -> None:
    assert loops(text) is looping


JSON_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
JUDGEMENTS = st.builds(
    lambda items: {"judgements": items},
    st.lists(
        st.fixed_dictionaries(
            {"step": st.integers(0, 99), "rationale": JSON_TEXT, "outcome": st.sampled_from(["supported", "partial"])}
        ),
        max_size=4,
    ),
)
WRAPPINGS = [
    "{}", "```json\n{}\n```", "Sure, here it is:\n{}", "{}\nI hope this helps.", "<think>hm {{x}}</think>{}",
]  # fmt: skip


@given(value=JUDGEMENTS, wrapping=st.sampled_from(WRAPPINGS), indent=st.sampled_from([None, 2]), plain=st.booleans())
def test_whatever_stands_around_an_answer_it_is_read_unchanged(
    value: dict[str, Any], wrapping: str, indent: int | None, plain: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=plain)
    reading = read(wrapping.replace("{{", "{").replace("}}", "}").replace("{}", text))
    assert reading.out == JudgeOut.model_validate(value)


@given(value=JUDGEMENTS, wrapping=st.sampled_from(WRAPPINGS[:3]), cut=st.floats(0, 1))
def test_an_answer_that_was_cut_is_never_read(value: dict[str, Any], wrapping: str, cut: float) -> None:
    """Wherever it was cut, and whatever stop reason the server gave: the last value is not known to be whole."""
    text = json.dumps(value)
    kept = int(len(text) * cut)
    if kept == len(text):
        kept -= 1
    reading = read(wrapping.split("{}")[0].replace("{{", "{") + text[:kept])
    assert reading.out is None
    assert reading.flaw in (Flaw.CUT, Flaw.LOOP, Flaw.EMPTY, Flaw.SYNTAX)


@given(text=st.text(max_size=300))
def test_any_text_is_read_or_named(text: str) -> None:
    reading = read(text)
    assert (reading.out is None) == (reading.flaw is not None)
