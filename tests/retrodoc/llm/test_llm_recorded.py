"""Answers without a server: what is missing is written to be answered, and what was answered is checked like any.

The recordings here are made by the tests themselves, from the loopback server's right answers.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from drive_units import PRICE, unit_inputs
from model_server import ModelServer, right_answer

from retrodoc.llm.asker import Asker, Job
from retrodoc.llm.ledger import Ledger
from retrodoc.llm.provider import PendingAnswer
from retrodoc.llm.settings import LlmSettings
from retrodoc.llm.setup import choose, make_asker
from retrodoc.prompts import load_prompt
from retrodoc_runs.models import SetAside

PROMPT = load_prompt("use_cases")
JOBS = [Job(PROMPT, unit_inputs(n), f"u{n}") for n in range(3)]


def recorded(folder: Path) -> Asker:
    settings = LlmSettings(provider=f"recorded:{folder}")
    chosen = choose(settings)
    assert chosen is not None
    return make_asker(chosen, settings, Ledger())


def pending(folder: Path) -> list[Path]:
    return sorted((folder / "pending").glob("*.md"))


def answer_file(question: Path) -> Path:
    """The file that a question names, found as a person finds it: by reading."""
    line = question.read_text().split("into:\n\n")[1].split("\n")[0]
    return Path(line.strip())


def right(question: Path) -> str:
    text = question.read_text()
    system, user = text.split("## system\n\n")[1].split("\n\n## user\n\n")
    return right_answer(system, user)


def give(question: Path, text: str) -> None:
    target = answer_file(question)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)


def test_all_missing_answers_are_written_down_before_the_run_stops_and_says_how_many(tmp_path: Path) -> None:
    with pytest.raises(PendingAnswer) as raised:
        list(recorded(tmp_path).ask_all(JOBS))
    assert raised.value.pending == 3
    assert raised.value.message == "3 answers are pending; 0 of 3 units are done"
    assert str(tmp_path / "pending") in raised.value.mend
    assert len(pending(tmp_path)) == 3


def test_a_question_can_be_read_and_holds_all_that_a_model_would_get(tmp_path: Path) -> None:
    with pytest.raises(PendingAnswer):
        recorded(tmp_path).ask(PROMPT, unit_inputs(1), "u1")
    (question,) = pending(tmp_path)
    text = question.read_text()
    rendered = PROMPT.render(unit_inputs(1))
    assert rendered.system.strip() in text
    assert rendered.user.strip() in text
    assert '"source_refs"' in text.split("## schema of the answer")[1]


def test_once_answered_the_run_goes_on_and_the_question_goes_away(tmp_path: Path) -> None:
    with pytest.raises(PendingAnswer):
        list(recorded(tmp_path).ask_all(JOBS))
    first, *others = pending(tmp_path)
    give(first, f"Here you are:\n```json\n{right(first)}\n```")
    with pytest.raises(PendingAnswer) as raised:
        list(recorded(tmp_path).ask_all(JOBS))
    assert raised.value.message == "2 answers are pending; 1 of 3 units are done"
    for question in others:
        give(question, right(question))
    answers = [answer for _, answer in recorded(tmp_path).ask_all(JOBS)]
    assert len(answers) == 3
    assert not any(isinstance(answer, SetAside) for answer in answers)
    assert pending(tmp_path) == []


def test_a_wrong_answer_leads_to_a_question_that_says_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(PendingAnswer):
        recorded(tmp_path).ask(PROMPT, unit_inputs(1), "u1")
    (question,) = pending(tmp_path)
    answer = right(question)
    give(question, answer.replace("narrative", "story"))
    with pytest.raises(PendingAnswer):
        recorded(tmp_path).ask(PROMPT, unit_inputs(1), "u1")
    (repair,) = pending(tmp_path)
    assert repair != question
    assert "use_cases[0].narrative: Field required" in repair.read_text()
    give(repair, answer)
    assert not isinstance(recorded(tmp_path).ask(PROMPT, unit_inputs(1), "u1"), SetAside)


def test_an_answer_that_a_person_corrects_is_read_again_within_the_same_run(tmp_path: Path) -> None:
    settings = LlmSettings(provider=f"recorded:{tmp_path / 'answers'}")
    chosen = choose(settings)
    assert chosen is not None

    def ask_in_the_run() -> object:
        return make_asker(chosen, settings, Ledger(tmp_path / "run")).ask(PROMPT, unit_inputs(1), "u1")

    with pytest.raises(PendingAnswer):
        ask_in_the_run()
    (question,) = pending(tmp_path / "answers")
    answer, target = right(question), answer_file(question)
    give(question, answer.replace("narrative", "story"))
    with pytest.raises(PendingAnswer):
        ask_in_the_run()
    target.write_text(answer)
    assert not isinstance(ask_in_the_run(), SetAside)


def test_an_empty_answer_file_is_no_answer(tmp_path: Path) -> None:
    with pytest.raises(PendingAnswer):
        recorded(tmp_path).ask(PROMPT, unit_inputs(1), "u1")
    give(pending(tmp_path)[0], " \n")
    with pytest.raises(PendingAnswer):
        recorded(tmp_path).ask(PROMPT, unit_inputs(1), "u1")


def test_a_run_is_reproduced_from_what_it_recorded_whoever_answered(tmp_path: Path) -> None:
    with ModelServer() as server:
        settings = LlmSettings(
            provider="openai", model="m", base_url=server.url, prices={"m": PRICE}, max_cost=Decimal(5), record=tmp_path
        )
        chosen = choose(settings)
        assert chosen is not None
        with make_asker(chosen, settings, Ledger()) as asker:
            live = {job.unit: answer for job, answer in asker.ask_all(JOBS)}
    replayed = {job.unit: answer for job, answer in recorded(tmp_path).ask_all(JOBS)}
    assert replayed == live
    assert "come from openai, model m" in (tmp_path / "ORIGIN.md").read_text()


def test_a_recording_costs_nothing_and_needs_no_approval(tmp_path: Path) -> None:
    with pytest.raises(PendingAnswer):
        recorded(tmp_path).ask(PROMPT, unit_inputs(1), "u1")
    give(pending(tmp_path)[0], right(pending(tmp_path)[0]))
    asker = recorded(tmp_path)
    asker.ask(PROMPT, unit_inputs(1), "u1")
    (record,) = asker.ledger.records()
    assert (record.cost, record.uncertain) == (0, False)
