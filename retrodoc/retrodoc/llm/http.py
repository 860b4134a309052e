"""How an HTTP exchange with a model server goes right or wrong: addresses, keys, limits, and names for failures."""

from __future__ import annotations

import ipaddress
import os
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from retrodoc.errors import ConfigError, ProviderError
from retrodoc.llm.provider import CallFailed, Failure, Limits

if TYPE_CHECKING:
    import httpx2

FORBID_NETWORK = "RETRODOC_FORBID_NETWORK"
"""Set to 1, no provider talks to anything but this machine: for tests, and for whoever wants to be sure."""
MAX_RESPONSE = 32 * 1024 * 1024
"""Bytes. An answer of a million tokens is about 4 MB; more is no answer."""
CONNECT_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Key:
    """An API key. Printing it, in a log or a traceback, shows where it came from and not what it is."""

    value: str
    variable: str

    def __repr__(self) -> str:
        return f"Key(from {self.variable})"

    def hidden_in(self, text: str) -> str:
        """`text` without the key, should a server quote it."""
        return text.replace(self.value, f"[{self.variable}]") if self.value else text


def read_key(variable: str) -> Key | None:
    """The key in that environment variable; None when it is not set or blank."""
    value = os.environ.get(variable, "").strip()
    return Key(value, variable) if value else None


def checked_url(url: str) -> str:
    """`url` without its final slash. Raises ConfigError when it is none that could be asked."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"base URL {url!r} is no http or https address", "Such as http://localhost:11434/v1.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigError("a base URL holds no user, password, query or fragment", "Keys go in environment variables.")
    return url.rstrip("/")


def check_base_url(url: str) -> str:
    """The same for who is about to connect. Raises ProviderError as well, when it is forbidden."""
    checked = checked_url(url)
    if os.environ.get(FORBID_NETWORK) == "1" and not is_loopback(url):
        raise ProviderError(
            f"{FORBID_NETWORK}=1 forbids {urlsplit(url).hostname}", "Unset it, or use a server on this machine."
        )
    return checked


def is_loopback(url: str) -> bool:
    """Whether an address is this very machine, by its name alone: nothing is resolved."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def client(base_url: str, timeout: float) -> httpx2.Client:
    """A client that follows no redirect (a key would follow it), asks no proxy for this machine, and reads no answer
    that is endless in time or size: `timeout` bounds each wait, and all of an answer's body."""
    import httpx2

    def bounded(response: httpx2.Response) -> None:
        response.stream = _bounded_stream()(response.stream, time.monotonic() + timeout)

    return httpx2.Client(
        timeout=httpx2.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS)),
        follow_redirects=False,
        trust_env=not is_loopback(base_url),
        limits=httpx2.Limits(max_connections=100, max_keepalive_connections=64),
        event_hooks={"response": [bounded]},
    )


@cache
def _bounded_stream() -> Any:
    import httpx2

    class Bounded(httpx2.SyncByteStream):
        """Another stream's bytes, until the deadline or MAX_RESPONSE. A server that sends one byte now and then never
        runs into a timeout that counts from the last byte."""

        def __init__(self, stream: Any, deadline: float) -> None:
            self._stream = stream
            self._deadline = deadline

        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for piece in self._stream:
                size += len(piece)
                if size > MAX_RESPONSE:
                    raise httpx2.RemoteProtocolError(f"the answer is over {MAX_RESPONSE} bytes")
                if time.monotonic() > self._deadline:
                    raise httpx2.ReadTimeout("the answer did not end in time")
                yield piece

        def close(self) -> None:
            self._stream.close()

    return Bounded


def post(client: httpx2.Client, url: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> httpx2.Response:
    """The whole response, whatever its status. Raises CallFailed when there is none."""
    import httpx2

    try:
        return client.post(url, json=body, headers=headers)
    except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout) as error:
        raise CallFailed(Failure.UNREACHED, str(error) or type(error).__name__) from error
    except httpx2.TimeoutException as error:
        raise CallFailed(Failure.TIMEOUT, str(error) or type(error).__name__) from error
    except httpx2.HTTPError as error:
        raise CallFailed(Failure.BROKEN, str(error) or type(error).__name__) from error


def failure_of(status: int, headers: Mapping[str, str], message: str) -> CallFailed:
    """The failure that a status other than 2xx means. `message` is the server's, the key taken out."""
    if status == 429:
        failure = Failure.RATE_LIMITED
    elif status == 529:
        failure = Failure.OVERLOADED
    elif status == 408:
        failure = Failure.TIMEOUT
    elif status >= 500:
        failure = Failure.SERVER
    elif says_too_long(message):
        failure = Failure.TOO_LONG
    else:
        failure = Failure.REFUSED
    return CallFailed(
        failure,
        f"status {status}: {' '.join(message.split())[:300]}",
        status=status,
        retry_after=retry_after(headers),
        limits=limits_of(headers),
    )


def says_too_long(message: str) -> bool:
    """Whether a refusal is about the context's size; each server words it in its own way."""
    text = message.lower()
    return any(
        words in text
        for words in ("context length", "context_length", "context size", "context window", "prompt is too long",
                      "too many tokens", "maximum context")
    )  # fmt: skip


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from `retry-after-ms`, or `retry-after` as seconds or as a date."""
    for name, factor in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) * factor
        except ValueError:
            return _until(value)
        return seconds if 0 <= seconds < float("inf") else None
    return None


def _until(date: str) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def limits_of(headers: Mapping[str, str]) -> Limits:
    """Rate limits from the headers of OpenAI-compatible servers or of Anthropic's."""
    for prefix, order in (("x-ratelimit-", "{field}-{what}"), ("anthropic-ratelimit-", "{what}-{field}")):

        def header(what: str, field: str, prefix: str = prefix, order: str = order) -> str | None:
            return headers.get(prefix + order.format(what=what, field=field))

        found = Limits(
            requests_per_minute=_count(header("requests", "limit")),
            tokens_per_minute=_count(header("tokens", "limit")),
            requests_left=_count(header("requests", "remaining")),
            tokens_left=_count(header("tokens", "remaining")),
            reset_seconds=_reset(header("requests", "reset")) or _reset(header("tokens", "reset")),
        )
        if found != Limits():
            return found
    return Limits()


def _count(value: str | None) -> int | None:
    return int(value) if value is not None and value.isdecimal() else None


def _reset(value: str | None) -> float | None:
    """Seconds from `6m0s`, `20ms`, `1.5`, or a date and time in ISO 8601."""
    if value is None:
        return None
    if re.fullmatch(r"\d+(\.\d+)?", value):
        return float(value)
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|[hms])", value)
    if parts and "".join(n + u for n, u in parts) == value:
        return sum(float(n) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600}[u] for n, u in parts)
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return max(0.0, (moment - datetime.now(UTC)).total_seconds()) if moment.tzinfo else None
