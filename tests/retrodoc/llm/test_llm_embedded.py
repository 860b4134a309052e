"""A real model in this process, when RETRODOC_TEST_GGUF names one; without it these tests skip, visibly."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from retrodoc.llm.embedded import EmbeddedProvider
from retrodoc.llm.ledger import Ledger
from retrodoc.llm.provider import CallFailed, Failure, Message, Request, StopReason
from retrodoc.llm.settings import LlmSettings
from retrodoc.llm.setup import choose, make_asker
from retrodoc.prompts import load_prompt
from retrodoc.prompts.models import JudgedStep, JudgeIn, JudgeOut, Slice

pytestmark = pytest.mark.model

SCHEMA = {
    "type": "object",
    "properties": {"fruit": {"type": "string", "enum": ["apple", "pear"]}},
    "required": ["fruit"],
    "additionalProperties": False,
}
ASK = Request("You answer in JSON.", (Message("user", "Name a vegetable."),), "m", max_tokens=40, schema=SCHEMA)


@pytest.fixture(scope="module")
def model_path() -> Path:
    named = os.environ.get("RETRODOC_TEST_GGUF")
    if not named or not Path(named).is_file():
        pytest.skip("RETRODOC_TEST_GGUF names no model file")
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    return Path(named)


@pytest.fixture(scope="module")
def provider(model_path: Path) -> Iterator[EmbeddedProvider]:
    made = EmbeddedProvider(model_path, context=2048, threads=1)
    yield made
    made.close()


def test_the_grammar_binds_the_answer(provider: EmbeddedProvider) -> None:
    """A vegetable is asked for; the grammar knows two fruits."""
    completion = provider.complete(ASK)
    assert completion.stop_reason is StopReason.END
    assert completion.text.replace(" ", "").replace("\n", "") in ('{"fruit":"apple"}', '{"fruit":"pear"}')
    assert completion.usage is not None
    assert completion.usage.output_tokens > 0


def test_a_stop_for_length_is_recognised(provider: EmbeddedProvider) -> None:
    assert provider.complete(replace(ASK, max_tokens=3)).stop_reason is StopReason.LENGTH


def test_the_models_own_count_is_what_it_reads(provider: EmbeddedProvider) -> None:
    usage = provider.complete(ASK).usage
    assert usage is not None
    assert provider.count_input(ASK) == usage.all_input


def test_a_request_over_the_context_is_refused_by_name(provider: EmbeddedProvider) -> None:
    with pytest.raises(CallFailed) as raised:
        provider.complete(replace(ASK, messages=(Message("user", "word " * 3000),)))
    assert raised.value.failure is Failure.TOO_LONG


def test_the_port_of_this_machine_wants_its_own_key(provider: EmbeddedProvider) -> None:
    import httpx2

    provider.complete(ASK)
    response = httpx2.post(f"{provider._url}/v1/chat/completions", json={"messages": []}, trust_env=False)
    assert response.status_code == 401


def test_a_whole_question_is_answered_with_every_step_judged_once(model_path: Path) -> None:
    settings = LlmSettings(provider="local", model=str(model_path), context_size=2048, threads=1)
    chosen = choose(settings)
    assert chosen is not None
    code = (Slice(path="orders.py", start_line=3, text="def close(order):\n    order.closed = True\n"),)
    inputs = JudgeIn(
        language="en", steps=tuple(JudgedStep(number=n, text="`close` sets `order.closed`.", code=code) for n in (4, 9))
    )
    with make_asker(chosen, settings, Ledger()) as asker:
        answer = asker.ask(load_prompt("judge"), inputs, "u")
        (record,) = asker.ledger.records()
    assert isinstance(answer, JudgeOut)
    assert sorted(judgement.step for judgement in answer.judgements) == [4, 9]
    assert (record.cost, record.outcome, record.uncertain) == (0, "ok", False)
