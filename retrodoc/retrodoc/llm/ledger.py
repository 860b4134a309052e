"""What was called and what it cost, written down as it happens, so that a crash neither loses nor repeats a payment.

Three things in a run's folder:

    reservations.jsonl  one line before each call: its worst case
    answers/            each answer with its usage, before it is used
    calls.jsonl         one line after each call: what it came to

A reservation without its line after is a call that a crash cut short. If its answer was kept, the real usage is
settled; else nobody knows what was billed, and the reservation stands, marked uncertain.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from retrodoc.errors import OutputError, RunError
from retrodoc.llm.provider import Completion, StopReason, Usage

T = TypeVar("T", bound=BaseModel)
CALLS, RESERVATIONS, ANSWERS = "calls.jsonl", "reservations.jsonl", "answers"


class Reservation(BaseModel):
    """A call that is about to be sent, and the most that it can cost."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    call: str
    task: str
    """The pass: the prompt's name."""
    unit: str
    provider: str
    model: str
    key: str
    input_bound: int
    max_tokens: int
    cost: Decimal
    turn: int = 0
    """0 for the first question, 1 and up for repair turns and repeated questions."""


class CallRecord(BaseModel):
    """One call, as a line of calls.jsonl."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    call: str
    task: str
    unit: str
    provider: str
    model: str
    key: str
    turn: int = 0
    outcome: str
    """`ok`, a flaw of the answer, a failure of the call, or `interrupted`."""
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost: Decimal = Decimal(0)
    reserved: Decimal = Decimal(0)
    uncertain: bool = False
    """The usage did not arrive or cannot be true: `cost` is the reservation."""
    reported: dict[str, int] | None = None
    """The usage that was not believed."""
    seconds: float = 0.0
    cleaned: tuple[str, ...] = ()
    error_paths: tuple[str, ...] = ()
    at: str = ""
    """UTC, ISO 8601, when it ended."""

    @property
    def usage(self) -> Usage:
        return Usage(self.input_tokens, self.output_tokens, self.cache_read_tokens, self.cache_write_tokens)


class KeptAnswer(BaseModel):
    """An answer as it arrived, so that the same request is never paid for twice."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    call: str
    key: str
    model: str
    stop_reason: StopReason
    text: str
    usage: dict[str, int] | None
    cost: Decimal
    uncertain: bool

    def completion(self) -> Completion:
        usage = Usage(**self.usage) if self.usage is not None else None
        return Completion(self.text, self.stop_reason, usage, self.model, cached=True)


@dataclass
class Ledger:
    """The book of one run. Thread-safe; one process at a time (the run's own lock sees to that).

    `folder` is the run's; None keeps the book in memory. Raises RunError when a book cannot be read, OutputError
    when it cannot be written.
    """

    folder: Path | None = None
    _open: dict[str, Reservation] = field(default_factory=dict)
    _records: list[CallRecord] = field(default_factory=list)
    _answers: dict[str, KeptAnswer] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        if self.folder is None:
            return
        self._records = [_parsed(CallRecord, line, self.folder / CALLS) for line in _lines(self.folder / CALLS)]
        done = {record.call for record in self._records}
        for line in _lines(self.folder / RESERVATIONS):
            reservation = _parsed(Reservation, line, self.folder / RESERVATIONS)
            if reservation.call not in done:
                self._close_interrupted(reservation)

    # --- writing ---

    def reserve(self, reservation: Reservation) -> None:
        """Before the call is sent."""
        with self._lock:
            self._append(RESERVATIONS, reservation)
            self._open[reservation.call] = reservation

    def keep(self, answer: KeptAnswer) -> None:
        """As soon as an answer is here, before anything is made of it."""
        if self.folder is not None:
            target = self._answer_path(answer.key)
            _write(target, answer.model_dump_json(indent=1))
        with self._lock:
            self._answers[answer.key] = answer

    def settle(self, record: CallRecord) -> None:
        """After the call: what it came to."""
        with self._lock:
            self._append(CALLS, record)
            self._open.pop(record.call, None)
            self._records.append(record)

    # --- reading ---

    def answer(self, key: str) -> KeptAnswer | None:
        """The answer to an identical request, if one was kept."""
        with self._lock:
            found = self._answers.get(key)
        if found is not None or self.folder is None:
            return found
        try:
            return KeptAnswer.model_validate_json(self._answer_path(key).read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValidationError):
            return None  # half an answer is no answer: it is asked for again

    def records(self) -> tuple[CallRecord, ...]:
        """Settled calls, oldest first."""
        with self._lock:
            return tuple(self._records)

    def spent(self) -> Decimal:
        """Dollars of all settled calls; where the bill is uncertain, the reservation."""
        return sum((record.cost for record in self.records()), Decimal(0))

    # --- files ---

    def _close_interrupted(self, reservation: Reservation) -> None:
        kept = self.answer(reservation.key)
        facts: dict[str, Any] = {"outcome": "interrupted", "cost": reservation.cost, "uncertain": True}
        if kept is not None and kept.call == reservation.call:
            facts = {"outcome": "ok", "cost": kept.cost, "uncertain": kept.uncertain, **(kept.usage or {})}
        self.settle(_interrupted(reservation, **facts))

    def _answer_path(self, key: str) -> Path:
        assert self.folder is not None
        return self.folder / ANSWERS / key[:2] / f"{key}.json"

    def _append(self, name: str, value: BaseModel) -> None:
        if self.folder is None:
            return
        path = self.folder / name
        line = value.model_dump_json(exclude_defaults=True).encode() + b"\n"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                _append_whole(handle, line)
            finally:
                os.close(handle)
        except OSError as error:
            raise OutputError(
                f"{path} could not be written: {error.strerror}", "Free some room and go on: nothing is lost."
            ) from error


def read_records(folder: Path) -> tuple[CallRecord, ...]:
    """The calls of a run, oldest first, without touching anything: the run may be under way.

    Reservations without a line after them are included, as interrupted and uncertain.
    """
    records = [_parsed(CallRecord, line, folder / CALLS) for line in _lines(folder / CALLS, mend=False)]
    done = {record.call for record in records}
    for line in _lines(folder / RESERVATIONS, mend=False):
        reservation = _parsed(Reservation, line, folder / RESERVATIONS)
        if reservation.call not in done:
            records.append(_interrupted(reservation, outcome="interrupted", cost=reservation.cost, uncertain=True))
    return tuple(records)


def _interrupted(reservation: Reservation, **facts: Any) -> CallRecord:
    same = reservation.model_dump(include={"call", "task", "unit", "provider", "model", "key", "turn"})
    return CallRecord(**same, reserved=reservation.cost, **facts)


def _append_whole(handle: int, line: bytes) -> None:
    """All of the line or nothing: a full disk must not leave half a line in the book."""
    size = os.fstat(handle).st_size
    try:
        written = os.write(handle, line)
        while written < len(line):
            written += os.write(handle, line[written:])
        os.fsync(handle)
    except OSError:
        with suppress(OSError):
            os.ftruncate(handle, size)
        raise


def _write(target: Path, text: str) -> None:
    """Whole or not at all."""
    partial = target.with_suffix(f".{threading.get_ident()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:  # noqa: PTH123 - a descriptor, for its mode
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        partial.replace(target)
    except OSError as error:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise OutputError(f"{target} could not be written: {error.strerror}", "Free some room and go on.") from error


def _lines(path: Path, *, mend: bool = True) -> Iterable[bytes]:
    """Whole lines. What follows the last line feed is a line that a crash cut short: with `mend` it is removed."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror}") from error
    end = data.rfind(b"\n") + 1
    if mend and end < len(data):
        with path.open("r+b") as book:
            book.truncate(end)
    return [line for line in data[:end].split(b"\n") if line]


def _parsed(kind: type[T], line: bytes, path: Path) -> T:
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        raise RunError(
            f"{path} is damaged: {error.errors(include_url=False)[0]['msg']}",
            "Mend or remove that line; the money in it is then not counted.",
        ) from error
