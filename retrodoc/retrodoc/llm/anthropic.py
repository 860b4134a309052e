"""Anthropic's own API, through its SDK: structured output, prompt caching, its count of tokens.

The SDK is imported when first used and comes with the extra `anthropic`.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from retrodoc.errors import ProviderError
from retrodoc.llm.http import Key, check_base_url, client, failure_of, limits_of
from retrodoc.llm.provider import CallFailed, Completion, Failure, Request, StopReason, Usage

if TYPE_CHECKING:
    import anthropic

ANTHROPIC_URL = "https://api.anthropic.com"
_STOPS = {
    "end_turn": StopReason.END,
    "stop_sequence": StopReason.END,
    "max_tokens": StopReason.LENGTH,
    "model_context_window_exceeded": StopReason.LENGTH,
    "refusal": StopReason.REFUSAL,
    "tool_use": StopReason.TOOL,
    "pause_turn": StopReason.LENGTH,
}


class AnthropicProvider:
    """Adapter of the Messages API. Raises ProviderError when the extra is not installed."""

    name = "anthropic"
    free = False
    narrow_schema = False

    def __init__(
        self, key: Key | None, base_url: str = ANTHROPIC_URL, *, timeout: float = 300.0, context: int | None = None
    ) -> None:
        try:
            import anthropic
        except ImportError as error:
            raise ProviderError(
                "Anthropic's API needs the extra `anthropic`", "Run: pip install 'retrodoc[anthropic]'"
            ) from error
        self._sdk = anthropic
        url = check_base_url(base_url)
        self._key = key
        self._context = context
        self._client = anthropic.Anthropic(
            api_key=key.value if key is not None else "none",
            base_url=url,
            timeout=timeout,
            max_retries=0,  # every try is reserved and settled, so every try is ours
            http_client=client(url, timeout),
        )
        self._lock = threading.Lock()
        self._structured = True
        self._counts = True

    def complete(self, request: Request) -> Completion:
        while True:
            body = self._body(request)
            try:
                response = self._client.messages.with_raw_response.create(
                    **body, max_tokens=request.max_tokens, extra_headers={"x-client-request-id": request.call_id}
                )
                message = response.parse()
            except self._sdk.APIStatusError as error:
                failed = self._status_failure(error)
                if error.status_code == 400 and self._give_way(body, failed.detail):
                    continue
                raise failed from error
            except Exception as error:
                raise self._transport_failure(error) from error
            return self._completion(message, request, limits_of(response.headers))

    def count_input(self, request: Request) -> int | None:
        """By the counting endpoint, which costs nothing; None when it is not there or is limiting just now."""
        if not self._counts:
            return None
        try:
            return self._client.messages.count_tokens(**self._body(request)).input_tokens
        except self._sdk.APIStatusError as error:
            if error.status_code in (404, 405, 501):
                self._counts = False
            return None
        except (self._sdk.APIError, ValueError):
            return None

    def context_size(self, model: str) -> int | None:
        del model
        return self._context

    def close(self) -> None:
        self._client.close()

    def _body(self, request: Request) -> dict[str, Any]:
        """The system text comes first and is the same for a whole pass, so it is what the cache keeps."""
        system = [{"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}]
        body: dict[str, Any] = {
            "model": request.model,
            "system": system,
            "messages": [{"role": message.role, "content": message.text} for message in request.messages],
        }
        if request.schema is not None and self._structured:
            body["output_config"] = {"format": {"type": "json_schema", "schema": dict(request.schema)}}
        return body

    def _give_way(self, body: dict[str, Any], message: str) -> bool:
        text = message.lower()
        if "output_config" in body and any(w in text for w in ("output_config", "output format", "schema", "grammar")):
            self._structured = False
            return True
        return False

    def _completion(self, message: anthropic.types.Message, request: Request, limits: Any) -> Completion:
        try:
            text = "".join(block.text for block in message.content if block.type == "text")
            stop = _STOPS.get(str(message.stop_reason), StopReason.UNKNOWN)
            return Completion(text, stop, _usage(message.usage), message.model or request.model, limits)
        except (AttributeError, TypeError) as error:
            raise CallFailed(Failure.UNREADABLE, "the response is no message") from error

    def _status_failure(self, error: anthropic.APIStatusError) -> CallFailed:
        message = self._key.hidden_in(error.message) if self._key is not None else error.message
        return failure_of(error.status_code, error.response.headers, message)

    def _transport_failure(self, error: Exception) -> CallFailed:
        import httpx2

        if isinstance(error, self._sdk.APITimeoutError):
            return CallFailed(Failure.TIMEOUT, "no answer in time")
        if isinstance(error, self._sdk.APIConnectionError):
            cause = error.__cause__
            if isinstance(cause, (httpx2.ConnectError, httpx2.ConnectTimeout)):
                return CallFailed(Failure.UNREACHED, str(cause) or type(cause).__name__)
            return CallFailed(Failure.BROKEN, type(cause or error).__name__)
        if isinstance(error, (self._sdk.APIError, ValueError, httpx2.HTTPError)):
            return CallFailed(Failure.UNREADABLE, type(error).__name__)
        raise error


def _usage(usage: Any) -> Usage | None:
    counts = (
        getattr(usage, "input_tokens", None),
        getattr(usage, "output_tokens", None),
        getattr(usage, "cache_read_input_tokens", None) or 0,
        getattr(usage, "cache_creation_input_tokens", None) or 0,
    )
    if not all(isinstance(count, int) and not isinstance(count, bool) for count in counts):
        return None
    return Usage(*counts)  # type: ignore[arg-type]  # each was just seen to be an int
