"""Answers without a server: a folder in which each request finds its answer, or is written down to be answered.

    DIR/answers/<name>.txt   an answer, as text
    DIR/pending/<name>.md    a request without one: what to answer, and into which file

A name is the prompt's, and the hash of what is asked. Who answers does not matter: a person, a chat window, another
tool, or `Recorder`, which keeps what a real provider said.
"""

from __future__ import annotations

import json
import os
import re
import threading
from contextlib import suppress
from pathlib import Path

from retrodoc.errors import OutputError
from retrodoc.llm.provider import Completion, PendingAnswer, Provider, Request, StopReason, Usage

ORIGIN = "ORIGIN.md"
"""File of a recording folder that says where its answers come from; never read."""


class RecordedProvider:
    """Answers from a folder; costs nothing. A request without an answer is written to `pending/` and raises
    PendingAnswer; an empty answer file counts as none."""

    name = "recorded"
    free = True
    narrow_schema = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def complete(self, request: Request) -> Completion:
        name = record_name(request)
        answer = self._folder / "answers" / f"{name}.txt"
        pending = self._folder / "pending" / f"{name}.md"
        text = _read(answer)
        if text.strip():
            with suppress(OSError):
                pending.unlink(missing_ok=True)
            return Completion(text, StopReason.END, Usage(), request.model, cached=True)
        write_whole(pending, pending_text(request, answer))
        raise PendingAnswer(
            f"1 answer is pending: {name}",
            f"Answer the files in {self._folder / 'pending'}, each into the file that it names, then run this again.",
        )

    def count_input(self, request: Request) -> int | None:
        del request
        return None

    def context_size(self, model: str) -> int | None:
        del model
        return None

    def close(self) -> None:
        """Nothing is held."""


class Recorder:
    """A provider whose usable answers are also kept in a folder, in the form that RecordedProvider reads."""

    def __init__(self, provider: Provider, folder: Path) -> None:
        self._provider = provider
        self._folder = folder
        self.name = provider.name
        self.free = provider.free
        self.narrow_schema = provider.narrow_schema

    def complete(self, request: Request) -> Completion:
        completion = self._provider.complete(request)
        if completion.stop_reason in (StopReason.END, StopReason.UNKNOWN) and completion.text.strip():
            write_whole(self._folder / "answers" / f"{record_name(request)}.txt", completion.text)
            origin = f"The answers in this folder come from {self.name}, model {completion.model}.\n"
            write_whole(self._folder / ORIGIN, origin)
        return completion

    def count_input(self, request: Request) -> int | None:
        return self._provider.count_input(request)

    def context_size(self, model: str) -> int | None:
        return self._provider.context_size(model)

    def close(self) -> None:
        self._provider.close()


def record_name(request: Request) -> str:
    """File name of a request's answer: the same whoever is asked, so that a run is reproduced from its recordings."""
    return f"{re.sub(r'[^a-z0-9_-]', '-', request.schema_name.lower())}-{request.text_key()[:24]}"


def pending_text(request: Request, answer: Path) -> str:
    """A request as a person can read it and paste it."""
    turns = "\n\n".join(f"## {message.role}\n\n{message.text.strip()}" for message in request.messages)
    schema = ""
    if request.schema is not None:
        schema = f"\n\n## schema of the answer\n\n{json.dumps(request.schema, indent=1, ensure_ascii=False)}"
    return (
        f"# A question for a model\n\nWrite the answer (one JSON object) into:\n\n    {answer}\n\n"
        f"## system\n\n{request.system.strip()}\n\n{turns}{schema}\n"
    )


def write_whole(target: Path, text: str) -> None:
    """Whole or not at all. Raises OutputError."""
    partial = target.with_name(f"{target.name}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8")
        partial.replace(target)
    except OSError as error:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise OutputError(
            f"{target} could not be written: {error.strerror}", "Free some room or choose another."
        ) from error


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
