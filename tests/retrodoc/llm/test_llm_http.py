"""Addresses, keys, waits and limits as servers say them."""

from __future__ import annotations

import pytest

from retrodoc.errors import ConfigError, ProviderError
from retrodoc.llm.http import Key, check_base_url, failure_of, is_loopback, limits_of, read_key, retry_after
from retrodoc.llm.provider import UNBILLED, Failure, Limits


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://localhost:11434/v1", True),
        ("http://127.0.0.1/v1", True),
        ("http://127.8.9.1/v1", True),
        ("http://[::1]:80/v1", True),
        ("http://localhost.example.com/v1", False),
        ("http://127.0.0.1.example.com/v1", False),
        ("http://192.168.0.1/v1", False),
        ("https://api.openai.com/v1", False),
        ("http://0.0.0.0/v1", False),
    ],
)
def test_this_machine_is_told_from_others_by_name_alone(url: str, loopback: bool) -> None:
    assert is_loopback(url) is loopback


@pytest.mark.parametrize(
    "url", ["ftp://localhost/v1", "localhost:11434", "http://", "file:///etc/passwd", "http://key@localhost/v1",
            "http://u:p@localhost/v1", "http://localhost/v1?key=abc", ""],
)  # fmt: skip
def test_an_address_that_is_none_or_holds_a_secret_is_refused_without_repeating_the_secret(url: str) -> None:
    with pytest.raises(ConfigError) as raised:
        check_base_url(url)
    assert "abc" not in raised.value.message
    assert "u:p" not in raised.value.message


def test_the_network_is_forbidden_while_testing() -> None:
    """The switch is set for every test; without it this address would be taken."""
    with pytest.raises(ProviderError, match=r"RETRODOC_FORBID_NETWORK=1 forbids api\.openai\.com"):
        check_base_url("https://api.openai.com/v1")
    assert check_base_url("http://localhost:1/v1/") == "http://localhost:1/v1"


def test_without_the_switch_other_machines_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RETRODOC_FORBID_NETWORK")
    assert check_base_url("https://api.openai.com/v1") == "https://api.openai.com/v1"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_retry_after_as_a_date_to_come() -> None:
    found = retry_after({"retry-after": "Fri, 01 Jan 2100 00:00:00 GMT"})
    assert found is not None
    assert found > 86_400


@pytest.mark.parametrize(
    ("headers", "limits"),
    [
        ({}, Limits()),
        (
            {
                "x-ratelimit-limit-requests": "60",
                "x-ratelimit-remaining-requests": "59",
                "x-ratelimit-reset-requests": "1m2s",
            },
            Limits(requests_per_minute=60, requests_left=59, reset_seconds=62.0),
        ),
        (
            {
                "x-ratelimit-limit-tokens": "1000",
                "x-ratelimit-remaining-tokens": "0",
                "x-ratelimit-reset-tokens": "20ms",
            },
            Limits(tokens_per_minute=1000, tokens_left=0, reset_seconds=0.02),
        ),
        (
            {"anthropic-ratelimit-requests-limit": "50", "anthropic-ratelimit-tokens-remaining": "7"},
            Limits(requests_per_minute=50, tokens_left=7),
        ),
        ({"x-ratelimit-limit-requests": "many", "x-ratelimit-reset-requests": "later"}, Limits()),
        (
            {"anthropic-ratelimit-requests-limit": "50", "anthropic-ratelimit-requests-reset": "2001-01-01T00:00:00Z"},
            Limits(requests_per_minute=50, reset_seconds=None),
        ),
    ],
)
def test_rate_limits_in_headers(headers: dict[str, str], limits: Limits) -> None:
    found = limits_of(headers)
    assert (found.requests_per_minute, found.tokens_per_minute) == (
        limits.requests_per_minute,
        limits.tokens_per_minute,
    )
    assert (found.requests_left, found.tokens_left) == (limits.requests_left, limits.tokens_left)
    assert (found.reset_seconds or None) == limits.reset_seconds


@pytest.mark.parametrize(
    ("status", "message", "failure"),
    [
        (429, "slow down", Failure.RATE_LIMITED),
        (529, "overloaded", Failure.OVERLOADED),
        (500, "oops", Failure.SERVER),
        (502, "bad gateway", Failure.SERVER),
        (503, "unavailable", Failure.SERVER),
        (408, "timeout", Failure.TIMEOUT),
        (400, "This model's maximum context length is 8192 tokens", Failure.TOO_LONG),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", Failure.TOO_LONG),
        (400, "request (5030 tokens) exceeds the available context size (2048 tokens)", Failure.TOO_LONG),
        (400, "unknown parameter", Failure.REFUSED),
        (401, "bad key", Failure.REFUSED),
        (302, "moved", Failure.REFUSED),
    ],
)
def test_what_a_status_means(status: int, message: str, failure: Failure) -> None:
    assert failure_of(status, {}, message).failure is failure


def test_what_may_have_been_computed_is_never_called_unbilled() -> None:
    assert not UNBILLED & {Failure.SERVER, Failure.TIMEOUT, Failure.BROKEN, Failure.UNREADABLE}


def test_a_key_shows_where_it_came_from_and_not_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", " sk-secret \n")
    key = read_key("SOME_KEY")
    assert key == Key("sk-secret", "SOME_KEY")
    assert "secret" not in f"{key} {key!r}"
    assert key is not None
    assert key.hidden_in("invalid key sk-secret") == "invalid key [SOME_KEY]"


@pytest.mark.parametrize("value", ["", "  "])
def test_a_blank_key_is_none(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", value)
    assert read_key("SOME_KEY") is None
