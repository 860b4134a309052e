"""Both protocols against a real server: what goes out, what comes back, and what each failure is called."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from model_server import ModelServer

from retrodoc.llm.anthropic import AnthropicProvider
from retrodoc.llm.http import Key
from retrodoc.llm.openai import OpenAiProvider
from retrodoc.llm.provider import CallFailed, Failure, Message, Provider, Request, StopReason, Usage

KEY = Key("sk-test-0123456789", "TEST_KEY")
SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}
REQUEST = Request(
    system="You answer.", messages=(Message("user", "Hello"),), model="m-1", max_tokens=99, schema=SCHEMA, call_id="c-7"
)
Connect = Callable[[ModelServer], Provider]


@pytest.fixture(params=["openai", "anthropic"])
def protocol(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def connect(protocol: str) -> Iterator[Connect]:
    made: list[Provider] = []

    def make(server: ModelServer, timeout: float = 10.0) -> Provider:
        if protocol == "openai":
            made.append(OpenAiProvider(server.url, KEY, timeout=timeout))
        else:
            made.append(AnthropicProvider(KEY, server.root, timeout=timeout))
        return made[-1]

    yield make
    for provider in made:
        provider.close()


@pytest.fixture
def server(model_server: ModelServer) -> ModelServer:
    model_server.answer = lambda system, user: '{"a": "b"}'
    return model_server


def test_a_request_carries_its_texts_limits_schema_and_id(server: ModelServer, connect: Connect, protocol: str) -> None:
    completion = connect(server).complete(REQUEST)
    assert (completion.text, completion.stop_reason, completion.model) == ('{"a": "b"}', StopReason.END, "m-1")
    (body,), (headers,) = server.requests, server.request_headers
    assert headers["x-client-request-id"] == "c-7"
    assert "temperature" not in body, "some models refuse one"
    assert headers["authorization"] == f"Bearer {KEY.value}"
    if protocol == "openai":
        assert body["messages"] == [
            {"role": "system", "content": "You answer."},
            {"role": "user", "content": "Hello"},
        ]
        assert body["max_tokens"] == 99
        assert body["response_format"]["json_schema"] == {"name": "answer", "strict": True, "schema": SCHEMA}
    else:
        assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
        assert body["messages"] == [{"role": "user", "content": "Hello"}]
        assert body["output_config"]["format"] == {"type": "json_schema", "schema": SCHEMA}


def test_each_token_is_counted_once_and_cached_ones_apart(server: ModelServer, connect: Connect) -> None:
    provider = connect(server)
    system = "s" * 400
    first = provider.complete(replace(REQUEST, system=system)).usage
    second = provider.complete(replace(REQUEST, system=system)).usage
    assert first == Usage(input_tokens=9, output_tokens=3, cache_write_tokens=100)
    assert second == Usage(input_tokens=9, output_tokens=3, cache_read_tokens=100)


def test_a_server_that_refuses_a_schema_is_asked_without_from_then_on(server: ModelServer, connect: Connect) -> None:
    server.refuse_schema = True
    provider = connect(server)
    assert provider.complete(REQUEST).text == '{"a": "b"}'
    before = server.calls
    provider.complete(REQUEST)
    assert server.calls == before + 1
    assert not {"response_format", "output_config"} & set(server.requests[-1])


@pytest.mark.parametrize(
    ("fault", "failure", "retry"),
    [
        ("429-after", Failure.RATE_LIMITED, 0.01),
        ("429-bare", Failure.RATE_LIMITED, None),
        ("500", Failure.SERVER, None),
        ("529", Failure.OVERLOADED, None),
        ("reset", Failure.BROKEN, None),
    ],
)
def test_a_failed_call_has_its_name(
    fault: str, failure: Failure, retry: float | None, server: ModelServer, connect: Connect
) -> None:
    server.faults = {fault: 1.0}
    with pytest.raises(CallFailed) as raised:
        connect(server).complete(REQUEST)
    assert (raised.value.failure, raised.value.retry_after) == (failure, retry)


def test_a_server_that_does_not_answer_in_time(server: ModelServer, protocol: str) -> None:
    server.faults = {"timeout": 1.0}
    made: Provider = (
        OpenAiProvider(server.url, KEY, timeout=0.2)
        if protocol == "openai"
        else AnthropicProvider(KEY, server.root, timeout=0.2)
    )
    with pytest.raises(CallFailed) as raised:
        made.complete(REQUEST)
    made.close()
    assert raised.value.failure is Failure.TIMEOUT


def test_nobody_there_means_nothing_was_sent(connect: Connect) -> None:
    with ModelServer() as gone:
        provider = connect(gone)
    with pytest.raises(CallFailed) as raised:
        provider.complete(REQUEST)
    assert raised.value.failure is Failure.UNREACHED


def test_no_redirect_is_followed(server: ModelServer, connect: Connect) -> None:
    """The key would follow it."""
    with ModelServer() as other:
        server.redirect = other.root
        with pytest.raises(CallFailed) as raised:
            connect(server).complete(REQUEST)
        assert raised.value.failure is Failure.REFUSED
        assert other.visits == 0


def test_an_answer_without_end_is_left(server: ModelServer, protocol: str) -> None:
    """A byte now and then keeps a timeout that counts from the last byte from ever running out."""
    server.trickle = True
    made: Provider = (
        OpenAiProvider(server.url, KEY, timeout=0.3)
        if protocol == "openai"
        else AnthropicProvider(KEY, server.root, timeout=0.3)
    )
    with pytest.raises(CallFailed) as raised:
        made.complete(REQUEST)
    made.close()
    assert raised.value.failure is Failure.TIMEOUT


def test_an_answer_too_large_to_be_one_is_left(
    server: ModelServer, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrodoc.llm.http.MAX_RESPONSE", 1000)
    server.raw_reply = b'{"x": "' + b"y" * 2000 + b'"}'
    with pytest.raises(CallFailed) as raised:
        connect(server).complete(REQUEST)
    assert raised.value.failure is Failure.BROKEN


@pytest.mark.parametrize(
    ("fault", "stop"),
    [("cut", StopReason.LENGTH), ("refusal", StopReason.REFUSAL), ("empty", StopReason.END)],
)
def test_why_the_model_stopped(fault: str, stop: StopReason, server: ModelServer, connect: Connect) -> None:
    server.faults = {fault: 1.0}
    assert connect(server).complete(REQUEST).stop_reason is stop


@pytest.mark.parametrize("fault", ["usage-missing", "usage-text"])
def test_a_usage_that_is_no_count_is_none(fault: str, server: ModelServer, connect: Connect) -> None:
    server.faults = {fault: 1.0}
    assert connect(server).complete(REQUEST).usage is None


def test_the_servers_limits_are_read(server: ModelServer, connect: Connect, protocol: str) -> None:
    name = "x-ratelimit-limit-requests" if protocol == "openai" else "anthropic-ratelimit-requests-limit"
    server.headers = {name: "40"}
    assert connect(server).complete(REQUEST).limits.requests_per_minute == 40


def test_the_counting_endpoint_is_used_where_there_is_one(server: ModelServer, connect: Connect, protocol: str) -> None:
    counted = connect(server).count_input(REQUEST)
    assert counted == (None if protocol == "openai" else (len("You answer.") + len("Hello")) // 4 + 8)
    assert server.calls == 0


def test_a_key_that_a_server_quotes_is_hidden(server: ModelServer, connect: Connect) -> None:
    """Some servers repeat the key in their refusal; the message ends up on a screen and in a ledger."""
    server.faults = {"500": 1.0}
    server.error_message = f"internal error with {KEY.value}"
    with pytest.raises(CallFailed) as raised:
        connect(server).complete(REQUEST)
    assert KEY.value not in str(raised.value)
    assert "[TEST_KEY]" in str(raised.value)


def test_a_request_that_is_made_again_varies_where_the_first_had_no_temperature(server: ModelServer) -> None:
    provider = OpenAiProvider(server.url, temperature=0.0)
    provider.complete(REQUEST)
    provider.complete(replace(REQUEST, attempt=1))
    provider.close()
    assert [body["temperature"] for body in server.requests] == [0.0, 0.4]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ({"choices": []}, Failure.UNREADABLE),
        ({"choices": [{"message": None}]}, Failure.UNREADABLE),
        ({"nothing": 1}, Failure.UNREADABLE),
        ([1], Failure.UNREADABLE),
        ("no json", Failure.UNREADABLE),
        ({"error": {"code": 503, "message": "upstream"}}, Failure.SERVER),
        ({"error": {"code": 400, "message": "maximum context length"}}, Failure.TOO_LONG),
    ],
)
def test_a_reply_of_another_shape_is_a_failure_and_no_crash(
    reply: object, expected: Failure, server: ModelServer
) -> None:
    server.raw_reply = reply.encode() if isinstance(reply, str) else json.dumps(reply).encode()
    provider = OpenAiProvider(server.url)
    with pytest.raises(CallFailed) as raised:
        provider.complete(REQUEST)
    provider.close()
    assert raised.value.failure is expected


@pytest.mark.parametrize(
    ("message", "text", "stop"),
    [
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab", StopReason.END),
        ({"content": None, "refusal": "No."}, "No.", StopReason.REFUSAL),
        ({"content": None, "tool_calls": [{}]}, "", StopReason.TOOL),
        ({"content": None}, "", StopReason.END),
    ],
)
def test_messages_as_various_servers_write_them(
    message: dict[str, object], text: str, stop: StopReason, server: ModelServer
) -> None:
    server.raw_reply = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()
    provider = OpenAiProvider(server.url)
    completion = provider.complete(REQUEST)
    provider.close()
    assert (completion.text, completion.stop_reason) == (text, stop)
