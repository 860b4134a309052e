"""What a definition does, as far as its calls show it: which calls, in the order in which they run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from retrodoc.ingest.sources import Sources
from retrodoc.passes.noise import (
    is_attribute,
    is_decorator,
    is_element,
    is_javascript_plumbing,
    is_noise,
    is_rust_attribute,
)
from retrodoc.passes.symbols import Symbol, on_itself
from retrodoc.passes.texts import is_text
from retrodoc_chunkers import Call, Syntax, TokenKind
from retrodoc_runs.lines import split_lines

MAX_CALL_LINES = 6
"""A call that spans more lines than this (a block, a callback) is cited by its first line only."""
MAX_LITERAL = 60
"""Characters of a string literal that is worth quoting."""

MAX_CONDITION_NAMES = 4
"""A condition that looks at more is told by nobody in one sentence."""

_BRANCH = re.compile(rb"\s*(?:\}\s*)?(if|elif|else if|elsif|unless|while|case|match|switch)\b")
_CODE_NAME = re.compile(rb"[A-Za-z_$][\w$]*[?!]?")
_UNTELLING = frozenset(
    """
    if elif else elsif unless while case match switch and or not in is None True False true false nil null undefined
    self this cls let const var mut ref Some Ok Err isinstance typeof instanceof len then do end new return await
    request req res args kwargs params options settings data result value item obj object length size type
    """.split()
)
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*[?!]?")
_MUTE = {
    "ruby": is_attribute,
    "rust": is_rust_attribute,
    "javascript": is_javascript_plumbing,
    "typescript": is_javascript_plumbing,
    "tsx": is_javascript_plumbing,
}
"""By language: what is read as a call, and tells nothing of what runs."""
_MARKED = frozenset(("javascript", "typescript", "tsx"))
"""Languages in which a decorator is a call after a `@`."""
_ROUTE_VERBS = frozenset("DELETE GET HEAD OPTIONS PATCH POST PUT".split())
"""Of functions that answer a route, in Next.js: in a sentence they would stand for the verb itself."""
_CALLBACK_BEGINS = re.compile(r"=>|\bfunction\b")
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
    """`calls`, `creates`, `raises`, `checks`, `returns`; `holds` for a constant that keeps what the call gives;
    `branches` for a condition without a telling call."""
    path: str
    start_line: int
    end_line: int
    call: Call | None
    names: tuple[str, ...] = ()
    """Of a condition: what it looks at."""


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
            and not (d.kind == "block" and self._registers(call, symbol))
        )
        return iter(sorted(inside, key=_evaluated))

    def _registers(self, call: Call, symbol: Symbol) -> bool:
        """Whether a call is the one that the code was handed to: `router.get("/x", ...)`, `task :x do`."""
        d = symbol.definition
        if call.line != d.name_line:
            return False
        written = f"{call.receiver}.{call.name}" if call.receiver else call.name
        return call.end_line >= d.end_line or self.lines(symbol.path)[call.line - 1].lstrip().startswith(written)

    def acts(self, symbol: Symbol) -> Iterator[Act]:
        """The telling calls of a definition, each name and receiver once."""
        seen: set[tuple[str, str]] = set()
        source = self._sources.data(symbol.path)
        mute = _MUTE.get(self._sources.language(symbol.path) or "")
        for call in self.calls(symbol):
            key = (call.name, call.receiver)
            itself = call.name == symbol.name and on_itself(call.receiver)
            if key in seen or itself or is_noise(call) or (mute and mute(call, source)):
                continue
            if is_text(call, symbol, self._sources):
                continue
            seen.add(key)
            yield self._act(call, symbol)

    def told(self, symbol: Symbol) -> list[Act]:
        """The telling calls with the conditions around them, in order."""
        acts = list(self.acts(symbol))
        called = {act.start_line for act in acts}
        for branch in self.branches(symbol):
            if branch.start_line not in called:
                later = (at for at, act in enumerate(acts) if act.start_line >= branch.start_line)
                acts.insert(next(later, len(acts)), branch)
        return acts

    def branches(self, symbol: Symbol) -> Iterator[Act]:
        """The conditions in a definition that look at something with a name; each set of names once."""
        d = symbol.definition
        syntax = self._sources.syntax(symbol.path)
        data = self._sources.data(symbol.path)
        at = d.start_byte
        marked = self._sources.language(symbol.path) in _MARKED
        seen: set[tuple[str, ...]] = set()
        for number in range(d.start_line, d.end_line + 1):
            end = data.find(b"\n", at)
            line = data[at : end if end >= 0 else len(data)]
            found = _BRANCH.match(line) if number > d.name_line else None
            if found is not None and syntax.kind_at(at + found.start(1)) is not TokenKind.COMMENT:
                condition = line[: _condition_end(line, found.end(1))] if marked else line
                names = _looked_at(condition, at, found.end(1), syntax)
                if names and names not in seen and len(names) <= MAX_CONDITION_NAMES:
                    seen.add(names)
                    caller = self.caller(symbol, number)
                    yield Act(caller, names[0], None, None, "branches", symbol.path, number, number, None, names)
            at = end + 1 if end >= 0 else len(data)

    def decorators(self, symbol: Symbol) -> Iterator[Call]:
        """Calls and names above a definition that decorate it; what such a call is given decorates nothing."""
        d = symbol.definition
        source = self._sources.data(symbol.path)
        marked = self._sources.language(symbol.path) in _MARKED
        for call in self._sources.syntax(symbol.path).calls:
            above = d.start_byte <= call.start_byte < d.end_byte and call.line < d.name_line
            if above and not is_noise(call) and (not marked or is_decorator(call, source)):
                yield call

    def _literal(self, call: Call, path: str) -> str | None:
        """The first string that a call is given, when that is short; none of the code that it is given."""
        if call.end_line - call.line >= MAX_CALL_LINES:
            return None
        written = self._sources.data(path)[call.start_byte : call.end_byte].decode("utf-8", "replace")
        if self._sources.language(path) in _MARKED:
            written = _CALLBACK_BEGINS.split(written, maxsplit=1)[0]
        return first_literal(written, call.name)

    def caller(self, symbol: Symbol, line: int) -> str | None:
        """The innermost named function or class around a line of `symbol`; a constant or a block is none."""
        for definition in reversed(self._sources.syntax(symbol.path).enclosing(line)):
            if definition.start_byte < symbol.definition.start_byte or definition.name in _ROUTE_VERBS:
                return None
            if _IDENTIFIER.fullmatch(definition.name):
                return definition.name
        return None

    def _act(self, call: Call, symbol: Symbol) -> Act:
        end_line = call.end_line if call.end_line - call.line < MAX_CALL_LINES else call.line
        lines = self.lines(symbol.path)
        first = lines[call.line - 1] if call.line <= len(lines) else ""
        caller, how = self.caller(symbol, call.line), _how(call, self._sources.data(symbol.path))
        # Inside a Rust macro there is no syntax, only tokens: the mark of a macro call is still there to be read.
        marked = self._sources.data(symbol.path)[call.start_byte + len(call.name.encode()) :][:1] == b"!"
        macro = marked and self._sources.language(symbol.path) == "rust" and not call.name.endswith("!")
        d = symbol.definition
        if caller is None and d.kind == "constant" and d.name_line == call.line and has_name(first, d.name):
            caller, how = symbol.name, "holds"
        return Act(
            caller=caller,
            name=f"{call.name}!" if macro else call.name,
            on=_receiver(call.receiver, first),
            literal=self._literal(call, symbol.path),
            how=how,
            path=symbol.path,
            start_line=call.line,
            end_line=end_line,
            call=call,
        )


def _condition_end(line: bytes, start: int) -> int:
    """Where the parenthesis that opens after `start` is closed; the line's end when it is not, or not on this line."""
    depth = 0
    for found in re.finditer(rb"[()]", line[start:]):
        depth += 1 if found[0] == b"(" else -1
        if depth <= 0:
            return start + found.end()
    return len(line)


def _looked_at(line: bytes, at: int, start: int, syntax: Syntax) -> tuple[str, ...]:
    """Names of values in a condition, as code; the language's own words and plumbing are left out."""
    names = []
    for found in _CODE_NAME.finditer(line, start):
        name = found[0].decode()
        if name in _UNTELLING or len(name) < 2 or line[found.end() : found.end() + 1] == b"(":
            continue
        if syntax.kind_at(at + found.start()) in (TokenKind.USE, TokenKind.CALL):
            names.append(name)
    return tuple(dict.fromkeys(names))


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
    return last if has_name(line, last) else None


def has_name(text: str, name: str) -> bool:
    """Whether a name stands in a text as a whole token. No pattern is built: this is asked for every call."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not (at and _continues(text[at - 1])) and not (end < len(text) and _continues(text[end])):
            return True
        at = text.find(name, end)
    return False


def _continues(character: str) -> bool:
    return character == "_" or character == "$" or character.isalnum()


def first_literal(text: str, after: str) -> str | None:
    """The first plain string literal after a name, when it is short enough to quote and holds no markup."""
    at = text.find(after)
    found = _LITERAL.search(text, at + len(after)) if at >= 0 else None
    if found is None or ("\n" in text[at : found.start()].strip("\n") and found.start() - at > 200):
        return None
    literal = found[2].strip()
    plain = literal == found[2] and re.search(r"\w\w", literal)
    return literal if plain and len(literal) <= MAX_LITERAL else None


_QUESTION = re.compile(r"(?:is|has|can|should)_?[A-Z_]")


def _before(call: Call, source: bytes) -> list[str]:
    """The words of the line before a call and all that it is called on; none when that starts on an earlier line."""
    start = call.start_byte
    if call.receiver:
        written = call.receiver.encode()
        at = source.rfind(written, max(0, start - len(written) - 4), start)
        if at < 0 or source[at + len(written) : start] not in (b".", b"?.", b"::", b"->", b"&."):
            return []
        start = at
    return source[source.rfind(b"\n", 0, start) + 1 : start].decode("utf-8", "replace").split()


_NEW = re.compile(r"(?:^|[^\w$])new$")
_GOES_ON = re.compile(rb"[ \t]*(?:[.?\[+\-*/%&|<>=!]|::)|\s+\??\.")
"""After a call: what is returned is something that is made of what it gives."""


def _how(call: Call, source: bytes) -> str:
    name = call.name
    if is_element(call, source):
        return "renders"
    before = _before(call, source)[-3:]
    said = [word for word in before if word not in ("new", "await")]
    if said and said[-1] in ("raise", "throw"):
        return "raises"
    if name.endswith("?") or _QUESTION.match(name):
        return "checks"
    if said and said[-1] in ("return", "yield") and not _GOES_ON.match(source, call.end_byte):
        return "returns"
    if (name[:1].isupper() and not name.isupper()) or _NEW.search(" ".join(before)):
        return "creates"
    return "calls"
