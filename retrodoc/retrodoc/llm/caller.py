"""How one call is made: its room taken, its reservation written, tried again with patience, settled and kept."""

from __future__ import annotations

import random
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import TypeVar

from retrodoc.errors import ProviderError, RetroDocError
from retrodoc.llm.budget import Budget, counted_bound, input_bound
from retrodoc.llm.events import Event, EventKind
from retrodoc.llm.ledger import CallRecord, KeptAnswer, Ledger, Reservation
from retrodoc.llm.pace import Backoff, Pace
from retrodoc.llm.provider import (
    UNBILLED,
    CallFailed,
    Completion,
    Failure,
    PendingAnswer,
    Provider,
    Request,
    Usage,
)
from retrodoc.llm.recorded import RecordedProvider
from retrodoc.llm.repair import REPAIRABLE, Reading, error_path
from retrodoc.llm.settings import LlmSettings
from retrodoc.prompts.base import PromptOutput

Out = TypeVar("Out", bound=PromptOutput)

HEARTBEAT_SECONDS = 15.0
STOPS_THE_RUN = frozenset({401, 402, 403, 404, 407})
"""Statuses that the next unit would meet too: the key, the account, the address or the model is wrong."""
BYTES_PER_TOKEN = 100
"""No tokenizer averages more over a text that is not one long run of blanks; used to disbelieve a usage of nothing."""


class Paused(ProviderError):
    """Too many calls in a row brought no answer. The run can be resumed; nothing is lost."""


class Stopped(RetroDocError):
    """The run was told to stop; what is under way was settled."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a call is for: the pass, the unit, and the turn within it (0 for the first question)."""

    task: str
    unit: str
    turn: int = 0


@dataclass
class Caller:
    """Makes calls to one provider for one run. Thread-safe.

    `salt` makes requests differ from those kept under another salt. `seed` makes the waits repeatable; `now` gives
    the UTC time for the ledger.
    """

    provider: Provider
    ledger: Ledger
    budget: Budget
    settings: LlmSettings
    pace: Pace
    backoff: Backoff = field(default_factory=Backoff)
    on_event: Callable[[Event], None] | None = None
    salt: str = ""
    seed: int | None = None
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    heartbeat_seconds: float = HEARTBEAT_SECONDS

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)  # noqa: S311 - jitter, no secret
        self._lock = threading.Lock()
        self._failures_in_a_row = 0
        self._same: dict[str, threading.Lock] = {}
        self._under_way: dict[str, tuple[Purpose, float]] = {}
        self._closed = threading.Event()
        self._heart: threading.Thread | None = None

    def close(self) -> None:
        """Stop the heartbeat and let go of the provider's connections."""
        self._closed.set()
        self.provider.close()

    def call(
        self, request: Request, purpose: Purpose, read: Callable[[Completion], Reading[Out]]
    ) -> tuple[Completion, Reading[Out]]:
        """One answered call and what `read` makes of it, tried as often as settings say; a kept answer is no call.

        Raises CallFailed when it brought no answer, and what stops a run: BudgetExceeded, Paused, Stopped,
        PendingAnswer, ProviderError, OutputError.
        """
        key = request.key(self.provider.name + self.salt)
        with self._one_at_a_time(key):
            # A folder of recordings is its own store, and what a person corrects there must be seen.
            kept = self.ledger.answer(key) if self.provider.name != RecordedProvider.name else None
            if kept is not None:
                self.tell(EventKind.CACHED, purpose)
                completion = kept.completion()
                return completion, read(completion)
            bound = self._input_bound(request)
            failures = 0
            while True:
                try:
                    return self._once(request, purpose, key, bound, read)
                except CallFailed as failed:
                    failures += 1
                    self._after_failure(failed, failures, purpose)

    def tell(self, kind: EventKind, purpose: Purpose, detail: str = "", seconds: float | None = None) -> None:
        if self.on_event is not None:
            self.on_event(Event(kind, purpose.task, purpose.unit, detail, seconds))

    # --- one try ---

    def _once(
        self, request: Request, purpose: Purpose, key: str, bound: int, read: Callable[[Completion], Reading[Out]]
    ) -> tuple[Completion, Reading[Out]]:
        self.pace.enter(bound // 3 + request.max_tokens)
        if self.pace.stop.is_set():
            raise Stopped("the run was stopped", "Run the same command again to go on.")
        hold = self.budget.reserve(bound, request.max_tokens)
        cost, tokens = hold.cost, hold.tokens
        sent = False
        try:
            reservation = Reservation(
                call=uuid.uuid4().hex,
                task=purpose.task,
                unit=purpose.unit,
                turn=purpose.turn,
                provider=self.provider.name,
                model=request.model,
                key=key,
                input_bound=bound,
                max_tokens=request.max_tokens,
                cost=hold.cost,
            )
            self.ledger.reserve(reservation)
            sent = True
            record, result = self._send(request, reservation, read)
            cost, tokens = record.cost, record.usage.total or (hold.tokens if record.uncertain else 0)
        finally:
            self.budget.settle(hold, cost if sent else Decimal(0), tokens if sent else 0)
        if isinstance(result, BaseException):
            raise result
        return result

    def _send(
        self, request: Request, reservation: Reservation, read: Callable[[Completion], Reading[Out]]
    ) -> tuple[CallRecord, tuple[Completion, Reading[Out]] | CallFailed | PendingAnswer]:
        """The call itself and its line in the ledger. An interrupt or a bug leaves the reservation as it stands."""
        purpose = Purpose(reservation.task, reservation.unit, reservation.turn)
        started = time.monotonic()
        try:
            with self._beating(reservation.call, purpose):
                completion = self.provider.complete(request.with_call_id(reservation.call))
        except CallFailed as failed:
            unknown = failed.failure not in UNBILLED
            record = self._record(reservation, failed.failure.value, None, unknown, started)
            self.ledger.settle(record)
            return record, failed
        except PendingAnswer as pending:
            record = self._record(reservation, "pending", None, False, started)
            self.ledger.settle(record)
            return record, pending
        record = self._record(reservation, "ok", completion, not _believable(completion, request, reservation), started)
        self._keep(reservation, completion, record)
        reading = read(completion)
        paths = tuple(error_path(e) for e in reading.errors) if reading.flaw in REPAIRABLE else ()
        outcome = reading.flaw.value if reading.flaw is not None else "ok"
        record = record.model_copy(update={"outcome": outcome, "cleaned": reading.cleaned, "error_paths": paths})
        self.ledger.settle(record)
        with self._lock:
            self._failures_in_a_row = 0
        self.pace.observe(completion.limits)
        self.tell(EventKind.ANSWERED, purpose, seconds=record.seconds)
        return record, (completion, reading)

    def _record(
        self, reservation: Reservation, outcome: str, completion: Completion | None, unknown: bool, started: float
    ) -> CallRecord:
        """`unknown`: what was billed is not known, so the reservation is what it cost."""
        usage = completion.usage if completion is not None else None
        told = usage or Usage()
        price = self.budget.price
        counted = Usage() if unknown else told
        cost = reservation.cost if unknown else (price.cost(counted) if price is not None else Decimal(0))
        return CallRecord(
            **reservation.model_dump(include={"call", "task", "unit", "provider", "model", "key", "turn"}),
            outcome=outcome,
            input_tokens=counted.input_tokens,
            output_tokens=counted.output_tokens,
            cache_read_tokens=counted.cache_read_tokens,
            cache_write_tokens=counted.cache_write_tokens,
            cost=cost,
            reserved=reservation.cost,
            uncertain=unknown and not self.provider.free,
            reported=_as_dict(usage) if unknown and usage is not None else None,
            seconds=round(time.monotonic() - started, 3),
            at=self.now().strftime("%Y-%m-%dT%H:%M:%SZ"),
        )

    def _keep(self, reservation: Reservation, completion: Completion, record: CallRecord) -> None:
        self.ledger.keep(
            KeptAnswer(
                call=reservation.call,
                key=reservation.key,
                model=completion.model,
                stop_reason=completion.stop_reason,
                text=completion.text,
                usage=None if record.uncertain or completion.usage is None else _as_dict(completion.usage),
                cost=record.cost,
                uncertain=record.uncertain,
            )
        )

    def _input_bound(self, request: Request) -> int:
        by_bytes = input_bound(request.input_bytes(), len(request.messages))
        counted = self.provider.count_input(request)
        return by_bytes if counted is None else counted_bound(counted, by_bytes)

    def _after_failure(self, failed: CallFailed, failures: int, purpose: Purpose) -> None:
        """Wait before the next try, or raise: the failure itself, or what stops the run."""
        self.pace.observe(failed.limits)
        if failed.status in STOPS_THE_RUN:
            raise ProviderError(
                f"{self.provider.name} refuses every request: {failed.detail}",
                "Check the key, the model's name and the base URL; `retrodoc doctor` says what is set.",
            ) from failed
        if failed.failure is Failure.TOO_LONG:
            raise failed
        limited = failed.failure is Failure.RATE_LIMITED
        with self._lock:
            self._failures_in_a_row += 0 if limited else 1
            in_a_row = self._failures_in_a_row
        if in_a_row >= self.settings.pause_after:
            raise Paused(
                f"paused: {in_a_row} calls in a row brought no answer, the last one: {failed}",
                "What was done is saved; run the same command again to go on.",
            ) from failed
        if failed.failure is Failure.REFUSED or failures >= self.settings.call_tries:
            if limited:
                raise Paused(
                    f"paused: the server still limits the rate after {failures} tries: {failed}",
                    "Run the same command again later, or set llm.requests_per_minute.",
                ) from failed
            raise failed
        seconds = self.backoff.seconds(failures, self._chance)
        if failed.retry_after is not None:
            self.pace.hold_off(failed.retry_after)
            seconds = max(failed.retry_after, 0.0)
        self.tell(EventKind.RETRY, purpose, str(failed), seconds)
        if failed.retry_after is None:
            self.pace.rest(seconds)

    # --- being watched ---

    @contextmanager
    def _one_at_a_time(self, key: str) -> Iterator[None]:
        """Two units that ask exactly the same: the second waits for the first's answer."""
        with self._lock:
            lock = self._same.setdefault(key, threading.Lock())
        with lock:
            yield

    @contextmanager
    def _beating(self, call: str, purpose: Purpose) -> Iterator[None]:
        self.tell(EventKind.SENT, purpose)
        with self._lock:
            self._under_way[call] = (purpose, time.monotonic())
            if self._heart is None and self.on_event is not None:
                self._heart = threading.Thread(target=self._beat, name="heartbeat", daemon=True)
                self._heart.start()
        try:
            yield
        finally:
            with self._lock:
                del self._under_way[call]

    def _beat(self) -> None:
        while not self._closed.wait(self.heartbeat_seconds):
            with self._lock:
                oldest = min(self._under_way.values(), key=lambda call: call[1], default=None)
            if oldest is not None and (waited := time.monotonic() - oldest[1]) >= self.heartbeat_seconds:
                self.tell(EventKind.WAITING, oldest[0], seconds=waited)


def _believable(completion: Completion, request: Request, reservation: Reservation) -> bool:
    """Whether a reported usage can be true: within what was asked for, and not nothing for something."""
    usage = completion.usage
    if usage is None:
        return False
    parts = (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens)
    least_in = request.input_bytes() // BYTES_PER_TOKEN
    least_out = -(-len(completion.text.encode()) // BYTES_PER_TOKEN)
    return (
        min(parts) >= 0
        and least_in <= usage.all_input <= reservation.input_bound
        and least_out <= usage.output_tokens <= reservation.max_tokens
    )


def _as_dict(usage: Usage) -> dict[str, int]:
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_tokens": usage.cache_read_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
    }
