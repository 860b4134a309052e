"""What a model is to RetroDoc: a request, an answer with its usage and why it stopped, and the ways a call fails."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from retrodoc.errors import ProviderError


class StopReason(StrEnum):
    """Why the model stopped, the same on every provider."""

    END = "end"
    LENGTH = "length"
    """Cut at the token limit or at the context's end: the text is a fragment."""
    REFUSAL = "refusal"
    """The provider says that the model declined, or its filter did."""
    TOOL = "tool"
    """The model asked for a tool; RetroDoc offers none."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Message:
    """One turn. `role` is `user` or `assistant`."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Request:
    """All that a provider needs for one call, and nothing of where it goes.

    `schema` is a JSON schema of the answer, or None for free text; `max_tokens` bounds the output. `attempt` counts
    the times that this very request was made before without a usable answer: a provider may vary its sampling by it.
    """

    system: str
    messages: tuple[Message, ...]
    model: str
    max_tokens: int
    schema: Mapping[str, Any] | None = None
    schema_name: str = "answer"
    temperature: float | None = None
    attempt: int = 0
    call_id: str = ""
    """Sent as a request id, so that a bill can be compared call by call; not part of what is asked."""

    def text_key(self) -> str:
        """SHA-256 (hex) of what is asked, whoever is asked, with whatever limits and grammar."""
        return _digest([self.schema_name, self.system, [[m.role, m.text] for m in self.messages]])

    def key(self, provider: str) -> str:
        """SHA-256 (hex) of all that can change the answer of `provider`."""
        return _digest(
            [provider, self.model, self.max_tokens, self.temperature, self.attempt, self.schema, self.text_key()]
        )

    def input_bytes(self) -> int:
        """UTF-8 bytes of all that is sent to be read by the model, the schema included."""
        total = len(self.system.encode()) + sum(len(m.text.encode()) for m in self.messages)
        if self.schema is not None:
            total += len(json.dumps(self.schema).encode())
        return total

    def with_call_id(self, call_id: str) -> Request:
        return replace(self, call_id=call_id)


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, each counted once: `input_tokens` are those read at the full price, neither from the cache
    nor into it. `output_tokens` include what the model thought without saying."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    @property
    def all_input(self) -> int:
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens

    @property
    def total(self) -> int:
        return self.all_input + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
        )


@dataclass(frozen=True, slots=True)
class Limits:
    """What the server said of its rate limits in its headers; None where it said nothing. Seconds and counts."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    requests_left: int | None = None
    tokens_left: int | None = None
    reset_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer. `usage` is None when the server reported none, or none that can be read."""

    text: str
    stop_reason: StopReason
    usage: Usage | None
    model: str
    limits: Limits = Limits()
    cached: bool = False
    """Answered without a call, from the run's own store or a folder of recordings."""


class Failure(StrEnum):
    """Why a call brought no answer."""

    RATE_LIMITED = "rate-limited"
    OVERLOADED = "overloaded"
    SERVER = "server-error"
    TIMEOUT = "timeout"
    UNREACHED = "unreached"
    """No connection was made: nothing was sent."""
    BROKEN = "connection-broken"
    """The connection ended before the answer did."""
    UNREADABLE = "unreadable-response"
    TOO_LONG = "context-exceeded"
    """The request does not fit the model's context; it was refused unread."""
    REFUSED = "request-refused"
    """The server will never accept this request: wrong key, wrong model, wrong parameter."""


UNBILLED = frozenset({Failure.RATE_LIMITED, Failure.OVERLOADED, Failure.UNREACHED, Failure.TOO_LONG, Failure.REFUSED})
"""Failures for which nothing was computed, by the providers' own documents: status 4xx, and 529. A status 500 or a
broken connection may hide a computed answer, so its reservation stands."""

RETRIED = frozenset(set(Failure) - {Failure.REFUSED, Failure.TOO_LONG})


class CallFailed(Exception):
    """One call brought no answer. Never holds the key; `detail` is short and may quote the server."""

    def __init__(
        self,
        failure: Failure,
        detail: str = "",
        *,
        status: int | None = None,
        retry_after: float | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(f"{failure.value}: {detail}" if detail else failure.value)
        self.failure = failure
        self.detail = detail
        self.status = status
        self.retry_after = retry_after
        self.limits = limits or Limits()


class PendingAnswer(ProviderError):
    """A folder of recordings has no answer to this request yet; the request was written there as a file."""

    def __init__(self, message: str, mend: str = "", *, pending: int = 1) -> None:
        super().__init__(message, mend)
        self.pending = pending


@runtime_checkable
class Provider(Protocol):
    """Something that answers requests. Thread-safe.

    `name` is such as `anthropic`, `openai`, `local`, `recorded`; `free` says that no call can cost money;
    `narrow_schema`, that a schema made for this one request is worth its while (a grammar compiled here).
    """

    name: str
    free: bool
    narrow_schema: bool

    def complete(self, request: Request) -> Completion:
        """The answer. Raises CallFailed when there is none, PendingAnswer or ProviderError when there can be none."""
        ...

    def count_input(self, request: Request) -> int | None:
        """Input tokens by the provider's own count; None when it has no way to count, or could not just now."""
        ...

    def context_size(self, model: str) -> int | None:
        """Tokens that fit one request with its answer; None when unknown."""
        ...

    def close(self) -> None:
        """Let go of connections and memory. May be called twice."""
        ...
