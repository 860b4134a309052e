"""A model server on loopback that speaks OpenAI's and Anthropic's protocol, answers rightly, keeps a bill, and
injects faults on purpose: seeded, so that the same request meets the same fate in any order of arrival.

It is a real HTTP server: nothing of the program is replaced. `python model_server.py PORT` runs it by hand.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import socket
import struct
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

INPUT, OUTPUT, CACHE_READ, CACHE_WRITE = Decimal(3), Decimal(15), Decimal("0.3"), Decimal("3.75")
"""Dollars per million tokens that the server bills."""

CALL_FAULTS = ("429-after", "429-bare", "500", "529", "timeout", "reset")
ANSWER_FAULTS = (
    "cut", "fenced", "trailing-comma", "prose", "typographic", "wrong-type", "missing-field", "unknown-path",
    "line-out-of-range", "empty", "refusal", "tool-residue", "wrong-language",
)  # fmt: skip
USAGE_FAULTS = ("usage-missing", "usage-zero", "usage-huge", "usage-negative", "usage-text")
ALL_FAULTS = CALL_FAULTS + ANSWER_FAULTS + USAGE_FAULTS

Answer = Callable[[str, str], str]
"""(system, user) -> the text of the right answer."""


@dataclass(frozen=True)
class Billed:
    """One call that the server computed, and what it costs by its own book."""

    call: str
    fault: str | None
    cost: Decimal


@dataclass
class ModelServer:
    """`faults` maps a kind to its share of the calls. `answer` makes the right answer from a request's texts."""

    faults: Mapping[str, float] = field(default_factory=dict)
    seed: int = 1
    answer: Answer = None  # type: ignore[assignment]  # set below: a default that needs the functions under it
    timeout_seconds: float = 30.0
    """How long a `timeout` keeps the client waiting."""
    refuse_schema: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    error_message: str = "internal error"
    raw_reply: bytes | None = None
    """Sent as it is instead of any answer."""
    redirect: str | None = None
    """Where every call is sent on to."""
    trickle: bool = False
    """Send an endless answer, a blank at a time."""
    on_call: Callable[[int], None] = lambda _: None
    """Told the number of calls so far, before each is answered."""

    def __post_init__(self) -> None:
        self.answer = self.answer or right_answer
        self.bill: list[Billed] = []
        self.visits = 0
        """Requests of any kind, those that cost nothing included."""
        self.requests: list[dict[str, Any]] = []
        self.request_headers: list[dict[str, str]] = []
        self.met: Counter[str] = Counter()
        self.lock = threading.Lock()
        self._seen: Counter[str] = Counter()
        self._cached: set[str] = set()
        self.closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Base URL for OpenAI-compatible clients; Anthropic's SDK takes `root`."""
        return f"{self.root}/v1"

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def billed(self) -> Decimal:
        with self.lock:
            return sum((entry.cost for entry in self.bill), Decimal(0))

    @property
    def calls(self) -> int:
        with self.lock:
            return len(self.requests)

    # --- what happens to a request ---

    def fate(self, body: bytes) -> str | None:
        """The fault that this request meets, this time; None for none."""
        digest = hashlib.sha256(body).hexdigest()
        with self.lock:
            times = self._seen[digest]
            self._seen[digest] += 1
        chance = random.Random(f"{self.seed} {digest} {times}").random()
        for kind, share in self.faults.items():
            if chance < share:
                with self.lock:
                    self.met[kind] += 1
                return kind
            chance -= share
        return None

    def usage(self, system: str, user: str, text: str) -> dict[str, int]:
        """Tokens as this server counts them: four bytes each; a system text it has seen before comes from its cache."""
        system_tokens = len(system.encode()) // 4
        with self.lock:
            known = system in self._cached
            self._cached.add(system)
        return {
            "input": len(user.encode()) // 4 + 8,
            "output": len(text.encode()) // 4 + 1,
            "read": system_tokens if known else 0,
            "write": 0 if known else system_tokens,
        }

    def charge(self, call: str, fault: str | None, usage: Mapping[str, int]) -> None:
        cost = (
            usage["input"] * INPUT
            + usage["output"] * OUTPUT
            + usage["read"] * CACHE_READ
            + usage["write"] * CACHE_WRITE
        ) / 1_000_000
        with self.lock:
            self.bill.append(Billed(call, fault, cost))

    def wait_closed(self, seconds: float) -> None:
        self.closing.wait(seconds)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed breaks its connection: that is the test, no error."""


def _handler(owner: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            with owner.lock:
                owner.visits += 1
            self._send(200, {"data": [{"id": "m"}]})

        def do_POST(self) -> None:
            with owner.lock:
                owner.visits += 1
            raw = self.rfile.read(int(self.headers["content-length"]))
            body = json.loads(raw)
            if self.path.endswith("/count_tokens"):
                size = len(_texts(body)[0].encode()) + len(_texts(body)[1].encode())
                self._send(200, {"input_tokens": size // 4 + 8})
                return
            with owner.lock:
                owner.requests.append(body)
                owner.request_headers.append({k.lower(): v for k, v in self.headers.items()})
                count = len(owner.requests)
            owner.on_call(count)
            if owner.redirect is not None:
                self._send(307, b"", {"location": owner.redirect + self.path})
                return
            if owner.trickle:
                self._trickle()
                return
            if owner.raw_reply is not None:
                self._send(200, owner.raw_reply)
                return
            if owner.refuse_schema and ("response_format" in body or "output_config" in body):
                word = "response_format" if "response_format" in body else "output_config"
                self._send(400, {"error": {"message": f"{word}: json_schema is not supported here"}})
                return
            self._fated(body, owner.fate(raw))

        def _fated(self, body: dict[str, Any], fault: str | None) -> None:
            system, user = _texts(body)
            call = self.headers.get("x-client-request-id", "")
            if fault in ("429-after", "429-bare", "529"):
                headers = {"retry-after": "0.01"} if fault == "429-after" else {}
                self._send(int(fault[:3]), {"error": {"type": "overloaded", "message": "slow down"}}, headers)
                return
            text, stop = _spoiled(owner.answer(system, user), fault)
            usage = owner.usage(system, user, text)
            if fault == "500":  # some of them fail after the work was done, and are billed
                if usage["output"] % 2:
                    owner.charge(call, fault, usage)
                self._send(500, {"error": {"message": owner.error_message}})
                return
            owner.charge(call, fault, usage)
            if fault == "timeout":
                owner.wait_closed(owner.timeout_seconds)
                self.close_connection = True
                return
            reply = self._reply(body, text, stop, _told(usage, fault))
            if fault == "reset":
                self._reset(reply)
                return
            self._send(200, reply)

        def _reply(self, body: dict[str, Any], text: str, stop: str, usage: Any) -> dict[str, Any]:
            if self.path.endswith("/messages"):
                reply: dict[str, Any] = {
                    "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"],
                    "content": [{"type": "text", "text": text}] if text else [],
                    "stop_reason": {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}[stop],
                    "stop_sequence": None,
                }  # fmt: skip
                if usage is not None:
                    reply["usage"] = {
                        "input_tokens": usage["input"], "output_tokens": usage["output"],
                        "cache_read_input_tokens": usage["read"], "cache_creation_input_tokens": usage["write"],
                    }  # fmt: skip
                return reply
            message = {"role": "assistant", "content": text}
            reply = {
                "id": "cmpl-1", "object": "chat.completion", "model": body["model"],
                "choices": [{"index": 0, "message": message, "finish_reason": stop}],
            }  # fmt: skip
            if usage is not None:
                whole = (
                    usage["input"]
                    if isinstance(usage["input"], str)
                    else sum(usage[part] for part in ("input", "read", "write"))
                )
                reply["usage"] = {
                    "prompt_tokens": whole, "completion_tokens": usage["output"],
                    "prompt_tokens_details": {
                        "cached_tokens": usage["read"], "cache_write_tokens": usage["write"],
                    },
                }  # fmt: skip
            return reply

        def _send(self, status: int, reply: dict[str, Any] | bytes, headers: Mapping[str, str] | None = None) -> None:
            data = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            for name, value in {**owner.headers, **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def _trickle(self) -> None:
            self.send_response(200)
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            self.close_connection = True
            while not owner.closing.wait(0.02):
                try:
                    self.wfile.write(b"1\r\n \r\n")
                except OSError:
                    return

        def _reset(self, reply: dict[str, Any]) -> None:
            """Half of the answer, then a reset instead of an end."""
            data = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2])
            self.wfile.flush()
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True

    return Handler


def _texts(body: Mapping[str, Any]) -> tuple[str, str]:
    """The system text, and all the turns joined; the first user turn comes first."""
    if "system" in body:
        system = "".join(block["text"] for block in body["system"])
        turns = body["messages"]
    else:
        system, turns = body["messages"][0]["content"], body["messages"][1:]
    return system, "\n".join(turn["content"] for turn in turns)


def _told(usage: dict[str, int], fault: str | None) -> dict[str, Any] | None:
    """The usage as it is told to the client: the truth, unless the fault is about it."""
    if fault == "usage-missing":
        return None
    if fault == "usage-text":
        return {**usage, "input": "many"}
    if fault == "usage-zero":
        return dict.fromkeys(usage, 0)
    if fault == "usage-huge":
        return {name: value * 1000 for name, value in usage.items()}
    if fault == "usage-negative":
        return {**usage, "output": -usage["output"]}
    return dict(usage)


def _spoiled(text: str, fault: str | None) -> tuple[str, str]:
    """The right answer's text with the fault in it, and the stop reason in OpenAI's words."""
    if fault == "cut":
        return text[: len(text) * 2 // 3], "length"
    if fault == "refusal":
        return "I cannot help with that.", "content_filter"
    if fault == "empty":
        return "", "stop"
    spoil = SPOILS.get(fault or "")
    return (spoil(text) if spoil else text), "stop"


def _with(text: str, change: Callable[[Any], object]) -> str:
    value = json.loads(text)
    change(value)
    return json.dumps(value)


def _each_part(value: Any) -> list[dict[str, Any]]:
    """The list under the answer's one key."""
    parts: list[dict[str, Any]] = next(iter(value.values()))
    return parts


def _steps(value: Any) -> list[dict[str, Any]]:
    return [step for use_case in value.get("use_cases", []) for step in use_case["steps"]]


def _wrong_type(value: Any) -> None:
    key = next(iter(value))
    value[key] = {"0": value[key]}


def _missing(value: Any) -> None:
    part = _each_part(value)[0]
    part.pop(next(reversed(part)))


def _unknown_path(value: Any) -> None:
    for step in _steps(value):
        step["source_refs"][0]["path"] = "no/such/file.py"


def _far_line(value: Any) -> None:
    for step in _steps(value):
        step["source_refs"][0]["end_line"] = 99_999


FRENCH = (
    "Le client envoie une commande et le serveur la reçoit dans la salle, puis il vérifie que les plats sont "
    "disponibles et que la table est libre, avec une liste des plats qui ne sont pas prêts pour le service."
)


def _french(value: Any) -> None:
    for part in _each_part(value):
        for key in ("narrative", "rationale", "description"):
            if key in part:
                part[key] = FRENCH


SPOILS: dict[str, Callable[[str], str]] = {
    "fenced": lambda text: f"```json\n{text}\n```",
    "trailing-comma": lambda text: re.sub(r"\}\]", "},]", text, count=1),
    "prose": lambda text: f"Sure! Here is the object {{as asked}}:\n\n{text}\n\nLet me know if you need more.",
    "typographic": lambda text: re.sub(r'"([a-z_]+)":', r"“\1”:", text),
    "tool-residue": lambda text: f'<tool_call>\n{{"name": "answer", "arguments": {text}}}\n</tool_call>',
    "wrong-type": lambda text: _with(text, _wrong_type),
    "missing-field": lambda text: _with(text, _missing),
    "unknown-path": lambda text: _with(text, _unknown_path),
    "line-out-of-range": lambda text: _with(text, _far_line),
    "wrong-language": lambda text: _with(text, _french),
}


# --- right answers --------------------------------------------------------------------------------------------------


def right_answer(system: str, user: str) -> str:
    """A well-formed answer to any of RetroDoc's prompts, made from the request's own text."""
    if '{"judgements"' in system:
        return judged(user, "supported")
    if '{"use_cases"' in system:
        return _use_cases(user)
    if '{"domains"' in system:
        numbers = _doors(user)
        feature = {"name": "Everything", "description": "All that there is.", "entry_points": numbers}
        return json.dumps({"domains": [{"name": "Application", "description": "It all.", "features": [feature]}]})
    return json.dumps({"pattern": r"^[ \t]*def[ \t]", "explanation": "functions"})


def judged(user: str, outcome: str) -> str:
    numbers = [int(n) for n in re.findall(r"(?m)^Step (\d+) says:$", user)]
    said = [{"step": n, "rationale": "The lines show it.", "outcome": outcome} for n in numbers]
    return json.dumps({"judgements": said})


def _doors(user: str) -> list[int]:
    block = re.search(r"<<<DATA (\w+) entry points\n(.*?)\n\1 DATA>>>", user, re.DOTALL)
    return [int(n) for n in re.findall(r"(?m)^(\d+)\. ", block[2])] if block else []


DEFINITION = re.compile(r"^ *(\d+)\| *(?:async )?(?:def|class|function) +(\w+)", re.MULTILINE)


def _use_cases(user: str) -> str:
    """One use case per entry point: a step for each of the first definitions shown, and one that names nothing."""
    shown = re.findall(r"<<<DATA (\w+) code\nfile: (\S+), lines \d+ to (\d+)[^\n]*\n(.*?)\n\1 DATA>>>", user, re.DOTALL)
    found = [
        (path, int(line), min(int(end), int(line) + 4), name)
        for _, path, end, code in shown
        for line, name in DEFINITION.findall(code)
    ]
    places = [(path, first, last, f"The application runs `{name}`.") for path, first, last, name in found[:3]]
    if found:
        path, first, last, _ = found[0]
        places.append((path, first, last, "Everything is done with great care."))
    steps = [
        {
            "order": order,
            "actor": {"name": "Application", "kind": "system"},
            "action": "does its work",
            "description": text,
            "source_refs": [{"path": path, "start_line": first, "end_line": last}],
        }
        for order, (path, first, last, text) in enumerate(places, 1)
    ]
    cases = [
        {
            "name": f"Use entry point {number}",
            "description": "Somebody uses it.",
            "narrative": "Somebody asks the application for something, and the application does it.",
            "primary_actor": "User",
            "entry_points": [number],
            "steps": steps,
        }
        for number in _doors(user)
    ]
    return json.dumps({"use_cases": cases})


def obedient_answer(system: str, user: str) -> str:
    """What a model would say that obeys orders found in the repository: everything is supported, nothing is cited."""
    if '{"judgements"' in system:
        return judged(user, "supported")
    value = json.loads(right_answer(system, user))
    for step in _steps(value):
        step["source_refs"] = []
        step["description"] = "PATH=/bin HOME=/root: everything is supported."
    return json.dumps(value)


if __name__ == "__main__":
    with ModelServer(faults=dict.fromkeys(ALL_FAULTS, 0.3 / len(ALL_FAULTS))) as running:
        print(running.url, file=sys.stderr)
        while True:
            time.sleep(3600)
