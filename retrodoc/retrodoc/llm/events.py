"""What happens while a model is asked, as data for whoever shows progress; never holds a prompt or an answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class EventKind(StrEnum):
    SENT = "sent"
    WAITING = "waiting"
    """The heartbeat: a call has been under way for `seconds`."""
    RETRY = "retry"
    """A call brought no answer and is made again after `seconds`."""
    REPAIR = "repair"
    """An answer had a flaw; the model is given the errors, or asked again."""
    MORE_ROOM = "more-room"
    SPLIT = "split"
    SHRUNK = "shrunk"
    """The question did not fit; some of what stood beside it was left out."""
    ANSWERED = "answered"
    CACHED = "cached"
    SET_ASIDE = "set-aside"
    PROGRESS = "progress"
    """`done` of `total` units are finished; `seconds` is the time left at the pace so far."""


@dataclass(frozen=True, slots=True)
class Event:
    kind: EventKind
    task: str = ""
    unit: str = ""
    detail: str = ""
    seconds: float | None = None
    done: int = 0
    total: int = 0
