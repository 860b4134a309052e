"""How one unit gets from its first question to its answer: repair turns, more room, halves, or set aside by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from retrodoc.llm.caller import Caller, Purpose
from retrodoc.llm.events import EventKind
from retrodoc.llm.provider import CallFailed, Completion, Failure, Message, Request
from retrodoc.llm.repair import REPAIRABLE, Flaw, Reading, read_answer, repair_message
from retrodoc.prompts import Prompt
from retrodoc.prompts.base import PromptInput, PromptOutput
from retrodoc_runs.models import SetAside

In = TypeVar("In", bound=PromptInput)
Out = TypeVar("Out", bound=PromptOutput)

MAX_SPLITS = 6
"""Halvings of one unit: 64 parts. An answer that does not fit then never will."""

EMBEDDED_ANSWER = 1500
"""Tokens of a usual answer above which an embedded model is asked in parts: small models lose the thread in long
answers, and a minute of each is safe once it is written. The parts share their beginning, which is read once."""
LEAST_ROOM = 512
ROOM_FACTOR = 4


@dataclass(frozen=True)
class Job(Generic[In, Out]):
    """One unit's question. `validate` gives further errors of meaning; after a split it sees each part's answer."""

    prompt: Prompt[In, Out]
    inputs: In
    unit: str
    validate: Callable[[Out], list[str]] | None = None


@dataclass(frozen=True)
class Model:
    """Who is asked: the model's id and the tokens of its context (None: unknown)."""

    name: str
    context: int | None


class Question(Generic[In, Out]):
    """One unit on its way. `answer` may be called once; it raises what `Caller.call` raises to stop a run."""

    def __init__(self, caller: Caller, model: Model, job: Job[In, Out], *, splits: int = 0) -> None:
        self.caller = caller
        self.model = model
        self.job = job
        self.splits = splits
        self.prompt = job.prompt
        self.inputs = job.inputs
        turns = caller.settings.repair_turns
        self.turns_left = job.prompt.defaults.repair_turns if turns is None else turns
        self.more_room = False
        self.turn = 0
        self.last: tuple[str, Reading[Out]] | None = None

    def answer(self) -> Out | SetAside:
        if self.caller.provider.narrow_schema and self._usual() > EMBEDDED_ANSWER and self._can_split():
            return self._split("one question at a time, for a model on this machine")
        request = self._first_request()
        while True:
            if request is None:
                return self._split("does not fit the model's context")
            try:
                completion, reading = self.caller.call(request, self._purpose(), self._read)
            except CallFailed as failed:
                if failed.failure is Failure.TOO_LONG:
                    request = self._smaller(request)
                    continue
                if self.more_room and failed.failure is Failure.REFUSED:
                    return self._split(str(failed))  # the model may not write that much
                return self._set_aside(f"no answer: {failed}")
            self.last = (completion.text, reading)
            if reading.flaw is None and reading.out is not None:
                return reading.out
            following = self._next(request, completion, reading)
            if not isinstance(following, Request):
                return following
            request = following
            self.turn += 1

    def _purpose(self) -> Purpose:
        return Purpose(self.prompt.name, self.job.unit, self.turn)

    def _read(self, completion: Completion) -> Reading[Out]:
        def checks(out: Out) -> list[str]:
            return [*self.inputs.check(out), *(self.job.validate(out) if self.job.validate else [])]

        return read_answer(completion, self.prompt.output, getattr(self.inputs, "language", None), checks)

    def _next(self, request: Request, completion: Completion, reading: Reading[Out]) -> Request | Out | SetAside:
        """The request to make after a flawed answer; or what becomes of the unit."""
        assert reading.flaw is not None
        if reading.flaw is Flaw.CUT:
            return self._with_more_room(request)
        if self.turns_left == 0:
            return self._exhausted(reading)
        self.turns_left -= 1
        self.caller.tell(EventKind.REPAIR, self._purpose(), reading.flaw.value)
        if reading.flaw not in REPAIRABLE:
            return replace(request, messages=request.messages[:1], attempt=request.attempt + 1)
        fields = ", ".join(self.prompt.output.model_fields)
        turns = (Message("assistant", completion.text), Message("user", repair_message(reading, fields)))
        messages = (request.messages[0], *turns)
        # The same flawed answer again: the same request would be answered from the store, with the same flaw.
        return replace(request, messages=messages, attempt=request.attempt + 1 if messages == request.messages else 0)

    def _exhausted(self, reading: Reading[Out]) -> Out | SetAside:
        assert reading.flaw is not None
        if reading.flaw is Flaw.LOOP:
            return self._split("the answer repeats itself")
        if reading.flaw is Flaw.MEANING and reading.out is not None and self.prompt.defaults.meaning_errors == "keep":
            return reading.out
        return self._set_aside(f"{reading.flaw.value} after {self.turn + 1} answers")

    # --- room ---

    def _first_request(self) -> Request | None:
        rendered = self.prompt.render(self.inputs)
        defaults = self.prompt.defaults
        narrow = self.inputs if self.caller.provider.narrow_schema else None
        request = Request(
            system=rendered.system,
            messages=(Message("user", rendered.user),),
            model=self.model.name,
            max_tokens=self._first_room(),
            schema=self.prompt.schema(narrow) if self.caller.settings.structured else None,
            schema_name=self.prompt.name,
            temperature=defaults.temperature,
        )
        return self._fitted(request)

    def _first_room(self) -> int:
        """Output tokens for the first try: four usual answers, within what the prompt allows.

        Less room makes smaller reservations, and a model that repeats itself is stopped sooner.
        """
        return min(self.prompt.defaults.max_tokens, max(LEAST_ROOM, ROOM_FACTOR * self._usual()))

    def _usual(self) -> int:
        """Output tokens of a usual answer to this question."""
        return self.prompt.defaults.typical_tokens * self.inputs.items()

    def _fitted(self, request: Request) -> Request | None:
        """The request with the output that the context leaves room for, smaller if it must be; None when none fits."""
        context = self.model.context
        if context is None:
            return request
        counted = self.caller.provider.count_input(request)
        used = counted if counted is not None else request.input_bytes() // 3
        room = context - used - 16
        if room < min(request.max_tokens, self._least_answer()):
            return self._smaller(request)
        return replace(request, max_tokens=min(request.max_tokens, room))

    def _least_answer(self) -> int:
        """Tokens under which an answer has no chance: half of the usual one's."""
        return max(64, self._usual() // 2)

    def _smaller(self, request: Request) -> Request | None:
        """The first question again, with less beside it; None when it has to be split.

        In this order: what stands beside the question goes, then the question is split, and only a question about one
        thing loses some of its code.
        """
        if len(request.messages) > 1:  # it is the repair turn that does not fit: ask afresh instead
            return replace(request, messages=request.messages[:1], attempt=request.attempt + 1)
        less = self.inputs.shrunk()
        if less is None and not self._can_split():
            less = self.inputs.pruned()
        if less is None:
            return None
        self.inputs = less
        self.caller.tell(EventKind.SHRUNK, self._purpose())
        return self._first_request()

    def _can_split(self) -> bool:
        return self.splits < MAX_SPLITS and self.inputs.halves() is not None

    def _with_more_room(self, request: Request) -> Request | Out | SetAside:
        if self.more_room:
            return self._split("the answer was cut twice")
        self.more_room = True
        room = max(request.max_tokens * 2, self.prompt.defaults.max_tokens)
        wanted = replace(request, messages=request.messages[:1], max_tokens=room)
        fitted = self._fitted(wanted)
        if fitted is None or fitted.max_tokens <= request.max_tokens:
            return self._split("the answer was cut and the context has no more room")
        self.caller.tell(EventKind.MORE_ROOM, self._purpose())
        return fitted

    def _split(self, reason: str) -> Out | SetAside:
        halves = self.inputs.halves() if self.splits < MAX_SPLITS else None
        if halves is None:
            return self._set_aside(reason)
        self.caller.tell(EventKind.SPLIT, self._purpose(), reason)
        answers: list[Out] = []
        for half in halves:
            part = Question(self.caller, self.model, replace(self.job, inputs=half), splits=self.splits + 1).answer()
            if isinstance(part, SetAside):
                return part
            answers.append(part)
        return answers[0].joined(answers[1])

    def _set_aside(self, reason: str) -> SetAside:
        rendered = self.prompt.render(self.inputs)
        text, reading = self.last or ("", Reading(None))
        return SetAside(
            kind=self.prompt.name,
            slug=self.job.unit,
            reason=reason,
            prompt=f"{rendered.system}\n{rendered.user}",
            answer=text,
            errors=reading.errors,
        )
