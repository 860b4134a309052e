"""A model in the box: llama.cpp inside this process, on a port of this machine that needs a key of its own.

No network: the weights are a file, the server listens on the loopback address alone. It is asked as any
OpenAI-compatible server is, so that answers, limits and failures are read in one place.
"""

from __future__ import annotations

import os
import secrets
import threading
from pathlib import Path
from typing import Any

from retrodoc.errors import ConfigError, ProviderError
from retrodoc.llm.gguf import ModelFile, read_model_file
from retrodoc.llm.http import Key, client, is_loopback, post
from retrodoc.llm.openai import OpenAiProvider
from retrodoc.llm.provider import CallFailed, Completion, Failure, Request, StopReason

DEFAULT_CONTEXT = 8192
"""Tokens that are set up when the file allows more: the cache of a long context takes memory whether used or not."""


class EmbeddedProvider:
    """Adapter of a GGUF file. The model is loaded at the first request.

    `context` is the size to set up, at most what the file says; `threads` defaults to one fewer than the cores.
    Raises ConfigError for a bad file, ProviderError when the extra is not installed.
    """

    name = "local"
    free = True
    narrow_schema = True

    def __init__(
        self, path: Path, *, context: int | None = None, threads: int | None = None, timeout: float = 3600.0
    ) -> None:
        self.file: ModelFile = read_model_file(path)
        limit = self.file.context or DEFAULT_CONTEXT
        self._context = min(limit, context or DEFAULT_CONTEXT)
        self.threads = threads or max(1, (os.cpu_count() or 2) - 1)
        self._timeout = timeout
        self._lock = threading.Lock()
        self._server: Any = None
        self._asked: OpenAiProvider | None = None
        self._key = Key(secrets.token_hex(16), "the embedded server")

    def complete(self, request: Request) -> Completion:
        asked = self._loaded()
        with self._lock:  # one at a time: a second would only halve the speed of the first
            completion = asked.complete(request)
        if completion.stop_reason is StopReason.UNKNOWN:
            raise CallFailed(Failure.UNREADABLE, "the model stopped for no known reason")
        return completion

    def count_input(self, request: Request) -> int | None:
        """The model's own tokens, its chat template included."""
        self._loaded()
        messages = [{"role": "system", "content": request.system}]
        messages += [{"role": message.role, "content": message.text} for message in request.messages]
        prompt = self._post("/apply-template", {"messages": messages})["prompt"]
        tokens = self._post("/tokenize", {"content": prompt, "add_special": True, "parse_special": True})["tokens"]
        return len(tokens)

    def context_size(self, model: str) -> int | None:
        del model
        return self._context

    def close(self) -> None:
        """The server ends with its last reference; a later request would load the model again."""
        with self._lock:
            if self._asked is not None:
                self._asked.close()
                self._client.close()
            self._asked = self._server = None

    def _loaded(self) -> OpenAiProvider:
        with self._lock:
            if self._asked is None:
                self._server, self._url = self._start()
                self._client = client(self._url, self._timeout)
                self._asked = OpenAiProvider(
                    f"{self._url}/v1", self._key, name=self.name, timeout=self._timeout, temperature=0.0
                )
            return self._asked

    def _start(self) -> tuple[Any, str]:
        try:
            import xllamacpp
        except ImportError as error:
            raise ProviderError(
                "the embedded model needs the extra `local`", "Run: pip install 'retrodoc[local]'"
            ) from error
        params = xllamacpp.CommonParams()
        params.model.path = str(self.file.path)
        params.n_ctx = self._context
        params.n_parallel = 1
        params.cpuparams.n_threads = self.threads
        params.cpuparams_batch.n_threads = self.threads
        params.warmup = False
        params.verbosity = -1
        params.api_keys = [self._key.value]
        params.hostnames = ["127.0.0.1"]
        params.n_threads_http = 2
        try:
            server = xllamacpp.Server(params)
        except Exception as error:
            raise ConfigError(f"{self.file.path} could not be loaded: {error}", "Try another model file.") from error
        if not is_loopback(server.listening_address):
            raise ProviderError(f"the embedded server listens on {server.listening_address}", "Report this.")
        return server, server.listening_address

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        headers = {"authorization": f"Bearer {self._key.value}"}
        response = post(self._client, self._url + path, body, headers)
        if response.status_code != 200:
            raise CallFailed(Failure.SERVER, f"{path}: status {response.status_code}", status=response.status_code)
        return response.json()
