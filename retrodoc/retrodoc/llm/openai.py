"""Any server that speaks OpenAI's chat completions: OpenAI, Ollama, vLLM, llama.cpp, OpenRouter, a gateway.

Servers differ in what they take. What one refuses by name (a JSON schema, `max_tokens`, a temperature) is left out,
once for all later requests, and the request is made again.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from retrodoc.llm.http import Key, check_base_url, client, failure_of, limits_of, post
from retrodoc.llm.provider import CallFailed, Completion, Failure, Request, StopReason, Usage

OPENAI_URL = "https://api.openai.com/v1"
RETRY_TEMPERATURE = 0.4
"""Of a request that is made again because its answer was empty or went round in circles: at 0 it would do so again."""

MAX_CONCESSIONS = 6
"""Forms of one request that are tried before giving up: schema, JSON mode, neither; the limit's name; temperature."""

_STOPS = {
    "stop": StopReason.END,
    "length": StopReason.LENGTH,
    "max_tokens": StopReason.LENGTH,
    "content_filter": StopReason.REFUSAL,
    "tool_calls": StopReason.TOOL,
    "function_call": StopReason.TOOL,
}


class OpenAiProvider:
    """Adapter of `/chat/completions`. `context` is the model's context in tokens, where somebody knows it."""

    free = False
    narrow_schema = False

    def __init__(
        self,
        base_url: str = OPENAI_URL,
        key: Key | None = None,
        *,
        name: str = "openai",
        timeout: float = 300.0,
        context: int | None = None,
        temperature: float | None = None,
    ) -> None:
        self.name = name
        self._url = check_base_url(base_url)
        self._key = key
        self._client = client(self._url, timeout)
        self._context = context
        self._temperature = temperature
        self._lock = threading.Lock()
        self._schema_modes = ["json_schema", "json_object", "none"]
        self._limit_name = "max_completion_tokens" if self._url == OPENAI_URL else "max_tokens"
        self._send_temperature = True

    def complete(self, request: Request) -> Completion:
        headers = {"x-client-request-id": request.call_id} if request.call_id else {}
        if self._key is not None:
            headers["authorization"] = f"Bearer {self._key.value}"
        for _ in range(MAX_CONCESSIONS):
            body = self._body(request)
            response = post(self._client, f"{self._url}/chat/completions", body, headers)
            if response.status_code // 100 == 2:
                return self._completion(_json(response), request, limits_of(response.headers))
            message = self._hidden(_message(response))
            if response.status_code in (400, 422) and self._give_way(body, message):
                continue
            raise failure_of(response.status_code, response.headers, message)
        raise CallFailed(Failure.REFUSED, "the server refuses every form of the request")

    def count_input(self, request: Request) -> int | None:
        """The protocol has no way to count."""
        del request
        return None

    def context_size(self, model: str) -> int | None:
        del model
        return self._context

    def close(self) -> None:
        self._client.close()

    # --- what goes out ---

    def _body(self, request: Request) -> dict[str, Any]:
        messages = [{"role": "system", "content": request.system}]
        messages += [{"role": message.role, "content": message.text} for message in request.messages]
        body: dict[str, Any] = {"model": request.model, "messages": messages, self._limit_name: request.max_tokens}
        temperature = self._temperature if request.temperature is None else request.temperature
        if request.attempt:
            temperature = max(temperature or 0.0, RETRY_TEMPERATURE)
        if temperature is not None and self._send_temperature:
            body["temperature"] = temperature
        if request.schema is not None and self._schema_modes[0] == "json_schema":
            schema = {"name": request.schema_name, "strict": True, "schema": request.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif request.schema is not None and self._schema_modes[0] == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body

    def _give_way(self, body: Mapping[str, Any], message: str) -> bool:
        """Leave out what the server refused by name; False when the refusal is about something else."""
        text = message.lower()
        with self._lock:
            if "response_format" in body and any(w in text for w in ("response_format", "json_schema", "schema")):
                if body["response_format"]["type"] == self._schema_modes[0]:  # another thread may have been first
                    self._schema_modes = self._schema_modes[1:]
                return True
            if "max_tokens" in body and "max_completion_tokens" in text:
                self._limit_name = "max_completion_tokens"
                return True
            if "max_completion_tokens" in body and "max_completion_tokens" in text and "unsupported" in text:
                self._limit_name = "max_tokens"
                return True
            if "temperature" in body and "temperature" in text:
                self._send_temperature = False
                return True
        return False

    # --- what comes back ---

    def _completion(self, data: Mapping[str, Any], request: Request, limits: Any) -> Completion:
        if isinstance(data.get("error"), Mapping) and not data.get("choices"):  # some gateways say 200 and an error
            message = self._hidden(str(data["error"].get("message", data["error"])))
            raise failure_of(_status(data["error"]), {}, message)
        try:
            choice = data["choices"][0]
            message = choice["message"]
            content = message.get("content")
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise CallFailed(Failure.UNREADABLE, "no choices[0].message in the response") from error
        stop = _STOPS.get(str(choice.get("finish_reason")), StopReason.UNKNOWN)
        if message.get("refusal") and not content:
            stop, content = StopReason.REFUSAL, message["refusal"]
        elif message.get("tool_calls") and not content:
            stop = StopReason.TOOL
        return Completion(
            text=_text(content),
            stop_reason=stop,
            usage=_usage(data.get("usage")),
            model=str(data.get("model") or request.model),
            limits=limits,
        )

    def _hidden(self, text: str) -> str:
        return self._key.hidden_in(text) if self._key is not None else text


def _text(content: Any) -> str:
    """A string, or the text parts of a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(str(p.get("text", "")) for p in content if isinstance(p, Mapping) and p.get("type") == "text")
    return ""


def _usage(data: Any) -> Usage | None:
    """Tokens, each counted once; None when the figures are missing or are no counts."""
    if not isinstance(data, Mapping):
        return None
    given, written = data.get("prompt_tokens"), data.get("completion_tokens")
    details = data.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    stored = details.get("cache_write_tokens") if isinstance(details, Mapping) else None
    cached, stored = cached or 0, stored or 0
    counts = (given, written, cached, stored)
    if not all(isinstance(count, int) and not isinstance(count, bool) for count in counts):
        return None
    assert isinstance(given, int) and isinstance(written, int)  # noqa: PT018 - for the type checker
    return Usage(given - cached - stored, written, cached, stored)


def _json(response: Any) -> Mapping[str, Any]:
    try:
        data = response.json()
    except ValueError as error:
        raise CallFailed(Failure.UNREADABLE, "the response is not JSON", status=response.status_code) from error
    if not isinstance(data, Mapping):
        raise CallFailed(Failure.UNREADABLE, "the response is no JSON object", status=response.status_code)
    return data


def _message(response: Any) -> str:
    """The server's own words on a refusal."""
    try:
        error = response.json().get("error")
    except (ValueError, AttributeError):
        return str(response.text[:500])
    return str(error.get("message", error) if isinstance(error, Mapping) else error or response.text[:500])


def _status(error: Mapping[str, Any]) -> int:
    code = error.get("code")
    return code if isinstance(code, int) and 400 <= code < 600 else 500
