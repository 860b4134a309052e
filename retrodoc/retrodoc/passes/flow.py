"""What a definition does, as far as its calls show it: which calls, in the order in which they run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from retrodoc.ingest.sources import Sources
from retrodoc.passes.noise import is_attribute, is_noise
from retrodoc.passes.symbols import Symbol
from retrodoc_chunkers import Call
from retrodoc_runs.lines import split_lines

MAX_CALL_LINES = 6
"""A call that spans more lines than this (a block, a callback) is cited by its first line only."""
MAX_LITERAL = 60
"""Characters of a string literal that is worth quoting."""

_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*[?!]?")
_LITERAL = re.compile(r"""[(\s,]\s*(?:[a-z_]+\s*[=:]\s*)?(?:(["'])((?:(?!\1)[^\\{}#$%<`«»“”\n])+)\1)""")


@dataclass(frozen=True, slots=True)
class Act:
    """One call as it is told: the caller, the name, what it is called on, and the lines."""

    caller: str | None
    """None for code without a name of its own, such as a callback."""
    name: str
    on: str | None
    literal: str | None
    how: str
    """`calls`, `creates`, `raises`, `checks` or `returns`."""
    path: str
    start_line: int
    end_line: int
    call: Call


class Flow:
    """Reads the calls of definitions; keeps the lines of each file that it has looked at."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._lines: dict[str, list[str]] = {}

    def lines(self, path: str) -> list[str]:
        """The file's lines as text, for a look at a few of them."""
        if path not in self._lines:
            self._lines[path] = [line.decode("utf-8", "replace") for line in split_lines(self._sources.data(path))]
        return self._lines[path]

    def text(self, path: str, start_line: int, end_line: int) -> str:
        """Lines joined by line feeds (1-based, inclusive)."""
        return "\n".join(self.lines(path)[start_line - 1 : end_line])

    def calls(self, symbol: Symbol) -> Iterator[Call]:
        """All calls inside a definition, decorators left out, in the order in which they are evaluated."""
        d = symbol.definition
        inside = (
            call
            for call in self._sources.syntax(symbol.path).calls
            if d.start_byte <= call.start_byte
            and call.end_byte <= d.end_byte
            and call.line >= d.name_line
            and not (d.kind == "block" and call.line == d.name_line and call.end_line >= d.end_line)
        )
        return iter(sorted(inside, key=_evaluated))

    def acts(self, symbol: Symbol) -> Iterator[Act]:
        """The telling calls of a definition, each name and receiver once."""
        seen: set[tuple[str, str]] = set()
        source = self._sources.data(symbol.path)
        ruby = self._sources.language(symbol.path) == "ruby"
        for call in self.calls(symbol):
            key = (call.name, call.receiver)
            if key in seen or is_noise(call) or call.name == symbol.name or (ruby and is_attribute(call, source)):
                continue
            seen.add(key)
            yield self._act(call, symbol)

    def decorators(self, symbol: Symbol) -> Iterator[Call]:
        """Calls and names above a definition that decorate it."""
        d = symbol.definition
        for call in self._sources.syntax(symbol.path).calls:
            if d.start_byte <= call.start_byte < d.end_byte and call.line < d.name_line and not is_noise(call):
                yield call

    def _act(self, call: Call, symbol: Symbol) -> Act:
        end_line = call.end_line if call.end_line - call.line < MAX_CALL_LINES else call.line
        lines = self.lines(symbol.path)
        first = lines[call.line - 1] if call.line <= len(lines) else ""
        cited = self.text(symbol.path, call.line, end_line)
        return Act(
            caller=symbol.name if _IDENTIFIER.fullmatch(symbol.name) else None,
            name=call.name,
            on=_receiver(call.receiver, first),
            literal=first_literal(cited, call.name),
            how=_how(call.name, first),
            path=symbol.path,
            start_line=call.line,
            end_line=end_line,
            call=call,
        )


def _evaluated(call: Call) -> tuple[int, int]:
    """Inner calls run before outer ones, but a block or callback is told after the call that opens it."""
    opens_block = call.end_line - call.line >= MAX_CALL_LINES
    return (call.start_byte if opens_block else call.end_byte, call.start_byte)


def _receiver(written: str, line: str) -> str | None:
    """The last name of a receiver (`self.request.basket` is `basket`), when it stands on the line as a name."""
    if not written or "\n" in written or written.endswith((")", "]", "}", '"', "'")):
        return None
    names = _IDENTIFIER.findall(written)
    last = names[-1] if names else ""
    if len(last.strip("$_")) < 2 or last in ("self", "this", "cls", "super", "new", "crate", "Self"):
        return None
    return last if re.search(rf"(?<![\w$]){re.escape(last)}(?![\w$])", line) else None


def first_literal(text: str, after: str) -> str | None:
    """The first plain string literal after a name, when it is short enough to quote and holds no markup."""
    at = text.find(after)
    found = _LITERAL.search(text, at + len(after)) if at >= 0 else None
    if found is None or ("\n" in text[at : found.start()].strip("\n") and found.start() - at > 200):
        return None
    literal = found[2].strip()
    plain = literal == found[2] and re.search(r"\w\w", literal)
    return literal if plain and len(literal) <= MAX_LITERAL else None


def _how(name: str, line: str) -> str:
    stripped = line.lstrip()
    if re.match(r"(raise|throw)\b", stripped):
        return "raises"
    if name.endswith("?") or re.match(r"(is|has|can|should)_?[A-Z_]", name):
        return "checks"
    if name[:1].isupper() and not name.isupper():
        return "creates"
    if re.match(r"(return|yield|await return)\b", stripped):
        return "returns"
    return "calls"
