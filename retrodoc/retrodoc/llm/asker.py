"""The door to a model: typed questions in, typed answers or units set aside out, within the approved cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from retrodoc.errors import RetroDocError
from retrodoc.llm.budget import Budget
from retrodoc.llm.caller import Caller, Paused, Purpose, Stopped
from retrodoc.llm.events import Event, EventKind
from retrodoc.llm.ledger import Ledger
from retrodoc.llm.provider import PendingAnswer, Provider
from retrodoc.llm.question import Job, Model, Question
from retrodoc.llm.workers import Workers
from retrodoc.prompts import Prompt
from retrodoc.prompts.base import PromptInput, PromptOutput
from retrodoc_runs.models import SetAside

In = TypeVar("In", bound=PromptInput)
Out = TypeVar("Out", bound=PromptOutput)

KEPT_SECONDS = 0.1
"""A unit that took less was answered from the run's store: no model is that quick."""


@dataclass
class Asker:
    """Asks one model, for one run. Thread-safe; use `with`, or `close`.

    `retrodoc.llm.setup` makes one from settings.
    """

    caller: Caller
    model: str

    @property
    def provider(self) -> Provider:
        return self.caller.provider

    @property
    def ledger(self) -> Ledger:
        return self.caller.ledger

    @property
    def budget(self) -> Budget:
        return self.caller.budget

    def __enter__(self) -> Asker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the heartbeat and let go of the provider's connections."""
        self.caller.close()

    def ask(
        self, prompt: Prompt[In, Out], inputs: In, unit: str, validate: Callable[[Out], list[str]] | None = None
    ) -> Out | SetAside:
        """The answer, or the unit set aside with its reason.

        Raises BudgetExceeded before a call that could pass the ceiling, Paused, PendingAnswer or ProviderError when
        asking on makes no sense; what was paid for is kept and not paid again.
        """
        model = Model(self.model, self.context())
        answer = Question(self.caller, model, Job(prompt, inputs, unit, validate)).answer()
        if isinstance(answer, SetAside):
            self.caller.tell(EventKind.SET_ASIDE, Purpose(prompt.name, unit), answer.reason)
        return answer

    def ask_all(self, jobs: Iterable[Job[In, Out]]) -> Iterator[tuple[Job[In, Out], Out | SetAside]]:
        """Each job with its answer, as they finish, `concurrency` at a time.

        When one raises what stops the run, no new one is begun; those under way finish and are given; then it is
        raised, its message saying how many were done and are left. Answers that a person has yet to write are
        gathered over all jobs before PendingAnswer is raised.
        """
        todo = list(jobs)
        if not todo:
            return
        workers: Workers[Job[In, Out], Out | SetAside] = Workers(
            lambda job: self.ask(job.prompt, job.inputs, job.unit, job.validate),
            min(self.caller.settings.concurrency, len(todo)),
        )
        problems: list[RetroDocError] = []
        pending: list[PendingAnswer] = []
        done, took = 0, list[float]()
        try:
            for result in workers.results(todo, lambda: not problems):
                if isinstance(result.error, PendingAnswer):
                    pending.append(result.error)
                elif isinstance(result.error, RetroDocError):
                    problems.append(result.error)
                elif result.error is not None:
                    raise result.error
                elif result.answer is not None:
                    done += 1
                    if result.seconds > KEPT_SECONDS:
                        took.append(result.seconds)
                    self._progress(result.job.prompt.name, done, len(todo), took)
                    yield result.job, result.answer
        except BaseException:  # an interrupt, a bug, or the caller left: begin no more
            self.caller.pace.stop.set()
            if not self.provider.free:  # what is under way is being paid for: it is waited for, settled and kept
                workers.wait()
            raise
        if problems:
            raise _with_counts(problems[0], done, len(todo))
        if pending:
            count = sum(error.pending for error in pending)
            said = "1 answer is" if count == 1 else f"{count} answers are"
            message = f"{said} pending; {done} of {len(todo)} units are done"
            raise PendingAnswer(message, pending[0].mend, pending=count)

    def input_chars(self, prompt: Prompt[Any, Any], answer_tokens: int | None = None) -> int | None:
        """Characters of input that surely fit the model's context beside the answer; None when it is not known.

        Counted at two and a half characters a token, which code stays above with every common tokenizer.
        """
        context = self.context()
        if context is None:
            return None
        room = context - min(answer_tokens or prompt.defaults.max_tokens, context // 2) - 300
        return max(0, int(room * 2.5))

    def context(self) -> int | None:
        """Tokens of the model's context: the setting or the provider's figure, whichever is smaller."""
        known = [
            size for size in (self.caller.settings.context_size, self.caller.provider.context_size(self.model)) if size
        ]
        return min(known) if known else None

    def _progress(self, task: str, done: int, total: int, took: list[float]) -> None:
        """`took`: seconds of the units that were truly asked. Those answered from the store say nothing of the rest."""
        if self.caller.on_event is None:
            return
        width = min(self.caller.settings.concurrency, total)
        left = sum(took) / len(took) * (total - done) / width if took else None
        self.caller.on_event(Event(EventKind.PROGRESS, task, seconds=left, done=done, total=total))


def _with_counts(problem: RetroDocError, done: int, total: int) -> RetroDocError:
    """The same error, saying what was done and what is left."""
    problem.message = f"{problem.message}; {done} of {total} units are done, {total - done} are left"
    problem.args = (problem.message,)
    return problem


__all__ = ["Asker", "Job", "Paused", "Stopped"]
