"""When the next call may be sent: limits of settings and server, Retry-After, back-off, and when to give up.

Waiting is done on the stop signal, so that a stopped run never sleeps on.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from retrodoc.llm.provider import Limits

MAX_RETRY_AFTER = 900.0
"""Seconds. A server that says longer is asked again after this; its next refusal counts as one more try."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits between tries: `first` seconds, doubled each time up to `longest`, each shortened at random by up to half
    so that calls that failed together do not come back together."""

    first: float = 1.0
    longest: float = 60.0

    def seconds(self, failures: int, chance: random.Random) -> float:
        """The wait after that many failures in a row, 1 and up."""
        full: float = min(self.longest, self.first * 2.0 ** (failures - 1))
        return full * (1 - chance.random() / 2)


@dataclass
class _Bucket:
    """What a limit per minute leaves: it fills evenly and holds a minute's worth."""

    per_minute: float
    level: float
    at: float

    def wait(self, amount: float, now: float) -> float:
        """Seconds until `amount` is there, 0 when it is; more than the bucket holds counts as a full bucket."""
        self.level = min(self.per_minute, self.level + (now - self.at) * self.per_minute / 60)
        self.at = now
        missing = min(amount, self.per_minute) - self.level
        return max(0.0, missing * 60 / self.per_minute)


@dataclass
class Pace:
    """The gate that every call passes, shared by threads.

    `requests_per_minute` and `tokens_per_minute` come from settings; what the server's headers say can only tighten
    them. `clock` gives seconds and never goes back. `stop`, when set, ends every wait.
    """

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    clock: Callable[[], float] = time.monotonic
    stop: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _not_before: float = 0.0
    _buckets: dict[str, _Bucket] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._tighten("requests", self.requests_per_minute)
        self._tighten("tokens", self.tokens_per_minute)

    def enter(self, tokens: int) -> None:
        """Return when a call of so many tokens, in and out, may be sent, or when the run is stopped."""
        while (wait := self._take(tokens)) > 0 and not self.stop.is_set():
            self.rest(wait)

    def rest(self, seconds: float) -> None:
        """Wait, or less when the run is stopped."""
        self.stop.wait(seconds)

    def hold_off(self, seconds: float) -> None:
        """Nobody sends for so long: the server said so."""
        with self._lock:
            self._not_before = max(self._not_before, self.clock() + min(seconds, MAX_RETRY_AFTER))

    def observe(self, limits: Limits) -> None:
        """Heed the rate-limit headers of an answer or a refusal."""
        with self._lock:
            self._tighten("requests", limits.requests_per_minute)
            self._tighten("tokens", limits.tokens_per_minute)
        if limits.reset_seconds is not None and 0 in (limits.requests_left, limits.tokens_left):
            self.hold_off(limits.reset_seconds)

    def _take(self, tokens: int) -> float:
        amounts = {"requests": 1, "tokens": tokens}
        with self._lock:
            now = self.clock()
            waits = [bucket.wait(amounts[name], now) for name, bucket in self._buckets.items()]
            wait = max([self._not_before - now, *waits, 0.0])
            if wait <= 0:
                for name, bucket in self._buckets.items():
                    bucket.level -= amounts[name]
        return wait

    def _tighten(self, name: str, per_minute: int | None) -> None:
        if not per_minute or per_minute < 0:
            return
        bucket = self._buckets.get(name)
        if bucket is None:
            self._buckets[name] = _Bucket(per_minute, per_minute, self.clock())
        elif per_minute < bucket.per_minute:
            bucket.level = min(bucket.level, per_minute)
            bucket.per_minute = per_minute
