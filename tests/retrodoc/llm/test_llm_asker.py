"""How one unit gets to its answer: what is asked again, with what, how often, and what becomes of the rest."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from retrodoc.errors import BudgetExceeded, ProviderError
from retrodoc.llm.asker import Asker, Job, Paused
from retrodoc.llm.budget import Budget
from retrodoc.llm.caller import Caller
from retrodoc.llm.events import Event, EventKind
from retrodoc.llm.ledger import Ledger
from retrodoc.llm.pace import Backoff, Pace
from retrodoc.llm.prices import FREE, FixedPrice
from retrodoc.llm.provider import CallFailed, Completion, Failure, Limits, Request, StopReason, Usage
from retrodoc.llm.settings import LlmSettings
from retrodoc.prompts import load_prompt
from retrodoc.prompts.models import Door, JudgedStep, JudgeIn, JudgeOut
from retrodoc_runs.models import SetAside

JUDGE = load_prompt("judge")
PRICE = FixedPrice(Decimal(3), Decimal(15), Decimal("0.3"), Decimal("3.75"), "test")


def good(*steps: int) -> str:
    return json.dumps({"judgements": [{"step": n, "rationale": "Seen.", "outcome": "supported"} for n in steps]})


def end(text: str) -> Completion:
    return Completion(text, StopReason.END, Usage(500, 5 + len(text) // 4), "m")


def cut(text: str = "{") -> Completion:
    return Completion(text, StopReason.LENGTH, Usage(500, 5 + len(text) // 4), "m")


Reply = Completion | Exception | Callable[[Request], Completion]


@dataclass
class Scripted:
    """A provider that plays a script: the nth reply to the nth request."""

    replies: Sequence[Reply]
    requests: list[Request] = field(default_factory=list)
    name: str = "scripted"
    free: bool = False
    narrow_schema: bool = False
    context: int | None = None

    def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        reply = self.replies[min(len(self.requests), len(self.replies)) - 1]
        if isinstance(reply, Exception):
            raise reply
        return reply(request) if callable(reply) else reply

    def count_input(self, request: Request) -> int | None:
        return request.input_bytes() // 4

    def context_size(self, model: str) -> int | None:
        return self.context

    def close(self) -> None:
        pass


class NoWait(Pace):
    """Remembers how long it was told to wait, and does not."""

    waits: list[float]

    def rest(self, seconds: float) -> None:
        self.waits.append(seconds)

    def hold_off(self, seconds: float) -> None:
        self.waits.append(seconds)


def asker_of(
    provider: Scripted, ledger: Ledger | None = None, ceiling: Decimal = Decimal(10), **settings: Any
) -> tuple[Asker, list[Event], NoWait]:
    events: list[Event] = []
    pace = NoWait()
    pace.waits = []
    ledger = ledger or Ledger()
    price = FREE if provider.free else PRICE
    caller = Caller(
        provider, ledger, Budget(price, ceiling, spent=ledger.spent()), LlmSettings(**settings), pace,
        backoff=Backoff(1, 8), on_event=events.append, seed=1,
    )  # fmt: skip
    return Asker(caller, "m"), events, pace


def steps(*numbers: int) -> JudgeIn:
    return JudgeIn(language="en", steps=tuple(JudgedStep(number=n, text=f"step {n} does it") for n in numbers))


@pytest.fixture
def ask() -> Iterator[Callable[..., tuple[JudgeOut | SetAside, Scripted, list[Event]]]]:
    opened: list[Asker] = []

    def run(*replies: Reply, inputs: JudgeIn | None = None, **more: Any) -> Any:
        provider = Scripted(replies, context=more.pop("context", None))
        asker, events, _ = asker_of(provider, **more)
        opened.append(asker)
        return asker.ask(JUDGE, inputs or steps(1), "unit"), provider, events

    yield run
    for asker in opened:
        asker.close()


Ask = Callable[..., tuple[JudgeOut | SetAside, Scripted, list[Event]]]


def test_a_right_answer_takes_one_call(ask: Ask) -> None:
    answer, provider, _ = ask(end(good(1)))
    assert isinstance(answer, JudgeOut)
    assert len(provider.requests) == 1


def test_a_repair_turn_holds_the_question_the_answer_and_the_exact_errors_and_no_older_turn(ask: Ask) -> None:
    answer, provider, _ = ask(end('{"judgements": 1}'), end(good(2)), end(good(1)))
    assert isinstance(answer, JudgeOut)
    first, second, third = provider.requests
    assert [m.role for m in second.messages] == [m.role for m in third.messages] == ["user", "assistant", "user"]
    assert third.messages[0] == first.messages[0]
    assert third.messages[1].text == good(2)
    assert "judgements[0].step: there is no step 2" in third.messages[2].text
    assert "judgements: step 1 is missing" in third.messages[2].text


def test_what_exhausts_its_tries_is_set_aside_with_all_that_a_person_needs(ask: Ask) -> None:
    answer, provider, events = ask(end("{}"))
    assert isinstance(answer, SetAside)
    assert len(provider.requests) == 1 + JUDGE.defaults.repair_turns
    assert (answer.kind, answer.slug, answer.reason) == ("judge", "unit", "structure after 3 answers")
    assert answer.answer == "{}"
    assert answer.errors == ("judgements: Field required",)
    assert "step 1 does it" in answer.prompt
    assert events[-1].kind is EventKind.SET_ASIDE


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (end(""), "empty"),
        (Completion("No.", StopReason.REFUSAL, Usage(500, 5), "m"), "refusal"),
        (end("<tool_call>{}</tool_call>"), "tool-residue"),
    ],
)
def test_what_has_nothing_to_repair_is_asked_again_as_it_was(reply: Completion, reason: str, ask: Ask) -> None:
    answer, provider, _ = ask(reply)
    assert isinstance(answer, SetAside)
    assert answer.reason == f"{reason} after 3 answers"
    assert {request.messages for request in provider.requests} == {provider.requests[0].messages}
    assert [request.attempt for request in provider.requests] == [0, 1, 2]


def test_a_cut_answer_is_never_sent_back_and_gets_more_room_once(ask: Ask) -> None:
    answer, provider, _ = ask(cut('{"judgements": [{"step": 1, "ration'), end(good(1)))
    assert isinstance(answer, JudgeOut)
    first, second = provider.requests
    assert first.max_tokens == 512, "four usual answers, or this"
    assert second.max_tokens == JUDGE.defaults.max_tokens
    assert second.messages == first.messages


def test_cut_twice_the_unit_is_split_in_two_and_joined(ask: Ask) -> None:
    """Both halves keep the numbers of the whole."""
    halves = [end(good(1)), end(good(2, 3))]
    answer, provider, events = ask(cut(), cut(), *halves, inputs=steps(1, 2, 3))
    assert isinstance(answer, JudgeOut)
    assert [j.step for j in answer.judgements] == [1, 2, 3]
    assert [r.max_tokens for r in provider.requests[2:]] == [512, 512]
    assert EventKind.SPLIT in [event.kind for event in events]


def test_what_cannot_be_split_further_is_set_aside(ask: Ask) -> None:
    answer, provider, _ = ask(cut())
    assert isinstance(answer, SetAside)
    assert answer.reason == "the answer was cut twice"
    assert len(provider.requests) == 2


def test_a_model_that_may_not_write_more_is_asked_for_halves(ask: Ask) -> None:
    refused = CallFailed(Failure.REFUSED, "max_tokens is too large", status=400)
    answer, _, _ = ask(cut(), refused, end(good(1)), end(good(2)), inputs=steps(1, 2))
    assert isinstance(answer, JudgeOut)


def test_a_loop_is_no_lack_of_room(ask: Ask) -> None:
    answer, provider, _ = ask(cut("{" + " " * 500), end(good(1)))
    assert isinstance(answer, JudgeOut)
    assert provider.requests[1].max_tokens == provider.requests[0].max_tokens
    assert provider.requests[1].attempt == 1


def test_every_request_is_budgeted_to_the_context(ask: Ask) -> None:
    _, provider, _ = ask(end(good(1)), context=1200)
    (request,) = provider.requests
    assert request.input_bytes() // 4 + request.max_tokens <= 1200
    assert request.max_tokens < JUDGE.defaults.max_tokens


def test_a_question_over_the_context_is_split_before_it_is_sent(ask: Ask) -> None:
    long = JudgeIn(language="en", steps=tuple(JudgedStep(number=n, text="word " * 300) for n in (1, 2, 3, 4)))

    def answer_all(request: Request) -> Completion:
        shown = request.messages[0].text
        return end(good(*(n for n in (1, 2, 3, 4) if f"Step {n} says" in shown)))

    answer, provider, _ = ask(answer_all, inputs=long, context=1500)
    assert isinstance(answer, JudgeOut)
    assert [j.step for j in answer.judgements] == [1, 2, 3, 4]
    assert all(r.input_bytes() // 4 + r.max_tokens <= 1500 for r in provider.requests)


def test_a_question_about_several_things_is_split_before_it_loses_code() -> None:
    """Both entry points keep all the code; with room for one answer only, each is asked for apart."""
    from drive_units import unit_inputs
    from model_server import right_answer

    prompt, inputs = load_prompt("use_cases"), unit_inputs(1)
    inputs = inputs.model_copy(update={"documents": ("A document. " * 200,)})
    whole = prompt.render(inputs)
    used = (len(whole.system) + len(whole.user)) // 4

    def answer(request: Request) -> Completion:
        return end(right_answer(request.system, request.messages[0].text))

    provider = Scripted([answer], context=used + 200)
    asker, events, _ = asker_of(provider)
    found = asker.ask(prompt, inputs, "u")
    assert not isinstance(found, SetAside)
    assert [case.entry_points for case in found.use_cases] == [(1,), (2,)]
    kinds = [event.kind for event in events]
    assert kinds.index(EventKind.SHRUNK) < kinds.index(EventKind.SPLIT)
    code = inputs.slices[0].block
    assert all(code in request.messages[0].text for request in provider.requests)


def test_an_embedded_model_is_asked_for_two_use_cases_at_a_time() -> None:
    from drive_units import unit_inputs
    from model_server import right_answer

    doors = tuple(Door(number=n, label=f"GET /{n}") for n in range(1, 8))
    inputs = unit_inputs(1).model_copy(update={"entry_points": doors})

    def answer(request: Request) -> Completion:
        return end(right_answer(request.system, request.messages[0].text))

    provider = Scripted([answer], narrow_schema=True, free=True)
    asker, _, _ = asker_of(provider)
    found = asker.ask(load_prompt("use_cases"), inputs, "u")
    assert not isinstance(found, SetAside)
    assert [case.entry_points[0] for case in found.use_cases] == [1, 2, 3, 4, 5, 6, 7]
    assert len(provider.requests) == 4


def test_a_question_that_never_fits_is_set_aside_and_not_sent(ask: Ask) -> None:
    answer, provider, _ = ask(end(good(1)), context=600, inputs=JudgeIn(language="en", steps=(
        JudgedStep(number=1, text="word " * 3000),)))  # fmt: skip
    assert isinstance(answer, SetAside)
    assert answer.reason == "does not fit the model's context"
    assert not provider.requests


def test_a_server_that_says_too_long_makes_the_question_smaller(ask: Ask) -> None:
    too_long = CallFailed(Failure.TOO_LONG, "maximum context length", status=400)
    answer, _, _ = ask(too_long, end(good(1)), end(good(2)), inputs=steps(1, 2))
    assert isinstance(answer, JudgeOut)


def test_the_callers_own_errors_of_meaning_are_repaired_too() -> None:
    provider = Scripted([end(good(1)), end(good(1).replace("Seen.", "Seen at line 4."))])
    asker, _, _ = asker_of(provider)
    answer = asker.ask(
        JUDGE, steps(1), "u", lambda out: [] if "line" in out.prose() else ["judgements[0].rationale: names no line"]
    )
    assert isinstance(answer, JudgeOut)
    assert "judgements[0].rationale: names no line" in provider.requests[1].messages[2].text


def test_well_formed_use_cases_with_a_false_citation_are_kept_for_the_judge() -> None:
    """The prompt's file says `meaning_errors: keep`: the judge calls the citation broken, and the rest is not lost."""
    from drive_units import unit_inputs
    from model_server import SPOILS, right_answer

    prompt = load_prompt("use_cases")
    inputs = unit_inputs(1)
    rendered = prompt.render(inputs)
    bad = SPOILS["unknown-path"](right_answer(rendered.system, rendered.user))
    provider = Scripted([Completion(bad, StopReason.END, Usage(500, len(bad) // 4), "m")])
    asker, _, _ = asker_of(provider)
    answer = asker.ask(prompt, inputs, "u")
    assert not isinstance(answer, SetAside)
    assert answer.use_cases[0].steps[0].source_refs[0].path == "no/such/file.py"
    assert len(provider.requests) == 3


# --- patience ------------------------------------------------------------------------------------------------------


def failing(failure: Failure, times: int, **more: Any) -> list[Reply]:
    return [CallFailed(failure, "x", **more)] * times + [end(good(1))]


def test_retry_after_is_obeyed_and_without_it_the_wait_doubles() -> None:
    provider = Scripted([*failing(Failure.RATE_LIMITED, 1, retry_after=9.0)[:1], *failing(Failure.SERVER, 4)])
    asker, _, pace = asker_of(provider)
    assert isinstance(asker.ask(JUDGE, steps(1), "u"), JudgeOut)
    told, *own = pace.waits
    assert told == 9.0
    assert len(own) == 4
    assert all(full / 2 <= wait <= full for wait, full in zip(own, [2, 4, 8, 8], strict=True))


def test_a_call_without_an_answer_is_made_so_often_and_then_the_unit_is_set_aside() -> None:
    provider = Scripted(failing(Failure.SERVER, 99))
    asker, _, _ = asker_of(provider, call_tries=3)
    answer = asker.ask(JUDGE, steps(1), "u")
    assert isinstance(answer, SetAside)
    assert answer.reason == "no answer: server-error: x"
    assert len(provider.requests) == 3


def test_so_many_failures_in_a_row_pause_the_run_and_an_answer_begins_the_count_anew() -> None:
    replies = [*failing(Failure.SERVER, 3), *failing(Failure.SERVER, 3), *failing(Failure.SERVER, 4)]
    provider = Scripted(replies)
    asker, _, _ = asker_of(provider, call_tries=9, pause_after=4)
    for unit in ("a", "b"):
        assert isinstance(asker.ask(JUDGE, steps(1), unit), JudgeOut)
        asker.ledger._answers.clear()
    with pytest.raises(Paused, match="paused: 4 calls in a row brought no answer"):
        asker.ask(JUDGE, steps(1), "c")


@pytest.mark.parametrize("status", [401, 402, 403, 404])
def test_a_refusal_that_every_unit_would_meet_stops_the_run_at_once(status: int) -> None:
    provider = Scripted([CallFailed(Failure.REFUSED, f"status {status}: no", status=status)])
    asker, _, _ = asker_of(provider)
    with pytest.raises(ProviderError, match="refuses every request"):
        asker.ask(JUDGE, steps(1), "u")
    assert len(provider.requests) == 1


def test_a_rate_that_stays_limited_pauses_instead_of_setting_every_unit_aside() -> None:
    asker, _, _ = asker_of(Scripted(failing(Failure.RATE_LIMITED, 99)), call_tries=3)
    with pytest.raises(Paused, match="still limits the rate after 3 tries"):
        asker.ask(JUDGE, steps(1), "u")


def test_the_servers_limits_reach_the_pace() -> None:
    provider = Scripted([Completion(good(1), StopReason.END, Usage(500, 30), "m", Limits(requests_per_minute=7))])
    asker, _, pace = asker_of(provider)
    asker.ask(JUDGE, steps(1), "u")
    assert pace._buckets["requests"].per_minute == 7


# --- the store and the money ---------------------------------------------------------------------------------------


def test_an_identical_request_is_answered_from_the_runs_own_store(tmp_path: Path) -> None:
    provider = Scripted([end(good(1))])
    for _ in range(2):
        asker, events, _ = asker_of(provider, Ledger(tmp_path))
        assert isinstance(asker.ask(JUDGE, steps(1), "u"), JudgeOut)
    assert len(provider.requests) == 1
    assert [event.kind for event in events] == [EventKind.CACHED]


def test_a_repair_under_way_is_resumed_where_it_stood(tmp_path: Path) -> None:
    """The flawed answer was paid for and kept: after a crash only the repair turn is asked for."""
    asker, _, _ = asker_of(Scripted([end("{}"), _interrupt]), Ledger(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        asker.ask(JUDGE, steps(1), "u")
    again = Scripted([end(good(1))])
    asker, _, _ = asker_of(again, Ledger(tmp_path))
    assert isinstance(asker.ask(JUDGE, steps(1), "u"), JudgeOut)
    assert len(again.requests) == 1
    assert again.requests[0].messages[1].text == "{}"


def _interrupt(request: Request) -> Completion:
    raise KeyboardInterrupt


def test_another_salt_asks_again(tmp_path: Path) -> None:
    provider = Scripted([end(good(1))])
    for salt in ("", "retry-1"):
        asker, _, _ = asker_of(provider, Ledger(tmp_path))
        asker.caller.salt = salt
        asker.ask(JUDGE, steps(1), "u")
    assert len(provider.requests) == 2


@pytest.mark.parametrize(
    ("failure", "unknown"),
    [
        (Failure.RATE_LIMITED, False),
        (Failure.OVERLOADED, False),
        (Failure.UNREACHED, False),
        (Failure.SERVER, True),
        (Failure.TIMEOUT, True),
        (Failure.BROKEN, True),
        (Failure.UNREADABLE, True),
    ],
)
def test_a_failure_after_which_nobody_knows_the_bill_keeps_its_reservation(failure: Failure, unknown: bool) -> None:
    asker, _, _ = asker_of(Scripted(failing(failure, 1)))
    asker.ask(JUDGE, steps(1), "u")
    failed, answered = asker.ledger.records()
    assert failed.uncertain is unknown
    assert failed.cost == (failed.reserved if unknown else 0)
    assert asker.budget.spent == failed.cost + answered.cost


@pytest.mark.parametrize(
    "usage",
    [
        None,
        Usage(0, 0),
        Usage(500, 0),
        Usage(0, 30),
        Usage(-500, 30),
        Usage(500, -30),
        Usage(500, JUDGE.defaults.max_tokens + 1),
        Usage(10**7, 30),
        Usage(500, 30, cache_read_tokens=10**7),
    ],
)
def test_a_usage_that_cannot_be_true_is_not_believed(usage: Usage | None) -> None:
    asker, _, _ = asker_of(Scripted([Completion(good(1), StopReason.END, usage, "m")]))
    assert isinstance(asker.ask(JUDGE, steps(1), "u"), JudgeOut)
    (record,) = asker.ledger.records()
    assert record.uncertain
    assert record.cost == record.reserved > 0
    assert (record.reported is None) == (usage is None)


def test_an_interrupted_call_leaves_its_reservation_and_frees_no_room(tmp_path: Path) -> None:
    asker, _, _ = asker_of(Scripted([_interrupt]), Ledger(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        asker.ask(JUDGE, steps(1), "u")
    (record,) = Ledger(tmp_path).records()
    assert record.outcome == "interrupted"
    assert asker.budget.spent == record.cost > 0


def jobs(count: int) -> list[Job[JudgeIn, JudgeOut]]:
    return [Job(JUDGE, steps(n), f"u{n}") for n in range(count)]


def answer_each(request: Request) -> Completion:
    numbers = [n for n in range(50) if f"Step {n} says:" in request.messages[0].text]
    return end(good(*numbers))


def test_all_jobs_are_answered_each_with_its_own_answer() -> None:
    asker, events, _ = asker_of(Scripted([answer_each]), concurrency=8)
    found = {job.unit: answer for job, answer in asker.ask_all(jobs(30))}
    assert sorted(found) == sorted(f"u{n}" for n in range(30))
    for unit, answer in found.items():
        assert isinstance(answer, JudgeOut)
        assert unit == f"u{answer.judgements[0].step}"
    progress = [(e.done, e.total) for e in events if e.kind is EventKind.PROGRESS]
    assert progress == [(n, 30) for n in range(1, 31)]


def test_when_one_job_stops_the_run_those_under_way_are_still_given_and_the_count_is_said() -> None:
    """The reservation of one call is about a cent here."""
    asker, _, _ = asker_of(Scripted([answer_each]), ceiling=Decimal("0.03"), concurrency=3)
    given = []
    with pytest.raises(BudgetExceeded) as raised:
        given.extend(asker.ask_all(jobs(30)))
    assert f"{len(given)} of 30 units are done, {30 - len(given)} are left" in raised.value.message
    assert "--max-cost" in raised.value.mend
    assert asker.budget.spent <= Decimal("0.03")


def test_leaving_early_begins_no_more_jobs() -> None:
    provider = Scripted([answer_each])
    asker, _, _ = asker_of(provider, concurrency=2)
    for _ in asker.ask_all(jobs(30)):
        break
    assert len(provider.requests) < 30


def test_an_interrupt_waits_for_what_is_being_paid_for_and_keeps_it() -> None:
    """Two calls are under way when the caller leaves: both are settled by then."""
    import threading

    both = threading.Barrier(2, timeout=30)

    def together(request: Request) -> Completion:
        both.wait()
        return answer_each(request)

    asker, _, _ = asker_of(Scripted([together]), concurrency=2)
    answers = asker.ask_all(jobs(2))
    next(answers)
    answers.close()  # type: ignore[attr-defined]  # it is a generator
    assert [record.outcome for record in asker.ledger.records()] == ["ok", "ok"]
    assert asker.budget.committed == asker.budget.spent


def test_a_bug_in_a_validator_is_raised_and_not_swallowed() -> None:
    asker, _, _ = asker_of(Scripted([answer_each]))

    def broken(out: JudgeOut) -> list[str]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(asker.ask_all([Job(JUDGE, steps(1), "u", broken)]))


def test_identical_questions_at_the_same_time_are_asked_once() -> None:
    provider = Scripted([answer_each])
    asker, _, _ = asker_of(provider, concurrency=8)
    same = [Job(JUDGE, steps(1), f"u{n}") for n in range(8)]
    assert len(list(asker.ask_all(same))) == 8
    assert len(provider.requests) == 1


def test_no_jobs_is_no_call() -> None:
    asker, _, _ = asker_of(Scripted([answer_each]))
    assert list(asker.ask_all([])) == []


def test_a_heartbeat_tells_of_a_slow_call() -> None:
    import threading

    beaten = threading.Event()

    def slow(request: Request) -> Completion:
        assert beaten.wait(30), "no heartbeat came"
        return end(good(1))

    asker, _, _ = asker_of(Scripted([slow]))
    asker.caller.heartbeat_seconds = 0.02

    def watch(event: Event) -> None:
        if event.kind is EventKind.WAITING:
            assert event.unit == "u"
            beaten.set()

    asker.caller.on_event = watch
    with asker:
        asker.ask(JUDGE, steps(1), "u")
