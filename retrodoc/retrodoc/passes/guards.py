"""What stands before a handler: decorators, the callbacks of its controller, and what its route is given first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from retrodoc.passes.flow import Flow, first_literal, has_name
from retrodoc.passes.symbols import Symbol, SymbolIndex
from retrodoc.passes.words import listed
from retrodoc.surface.javascript.middleware import before_handler
from retrodoc.surface.javascript.modules import LANGUAGES
from retrodoc_runs.models import EntryPoint, SourceRef

MAX_CALLBACK_LINES = 12
"""Lines of one callback declaration that are read."""
ROUTERS = frozenset(("express", "koa", "restify", "fastify", "hono"))
"""Rules whose routes are calls of a router's verb."""
_SELF_DECLARING = frozenset("Controller JsonController Injectable Processor Resolver WebSocketGateway".split())
"""Decorators of classes that say what the class is, as its name does."""
_DESCRIBING = re.compile(r"swagger|openapi")
"""In the name of a package: its decorators describe a route to its callers, and change nothing of what runs."""
_RUBY_COMMENT = re.compile(r"(?:^|\s)#.*")
# Rails callbacks around an action.
_CALLBACK = re.compile(r"^\s*(before_action|after_action|around_action|before_filter|after_filter)\b(?P<rest>.*)$")
_SYMBOL = re.compile(r":([a-z_]\w*[?!]?)")


class Guard(NamedTuple):
    """A sentence, and the lines that it cites."""

    text: str
    ref: SourceRef


class Guards:
    """Tells them, in the verbs that the outline may use."""

    def __init__(self, index: SymbolIndex, flow: Flow, verbs: Mapping[str, str]) -> None:
        self._index = index
        self._flow = flow
        self._verbs = verbs

    def of(self, entry: EntryPoint, handler: Symbol) -> Iterator[Guard]:
        """Each of them, in the order in which they are written."""
        if self._index.sources.language(handler.path) in LANGUAGES:
            yield from self._decorated(entry, handler)
            yield from self._middleware(entry, handler)
            return
        declared = entry.declared
        for call in self._flow.decorators(handler):
            if (
                declared
                and declared.path == handler.path
                and declared.start_line
                and call.line <= (declared.end_line or 0)
            ):
                continue
            if entry.path and route_literal(self._flow.text(handler.path, call.line, call.end_line), entry.path):
                continue
            ref = SourceRef(path=handler.path, start_line=call.line, end_line=handler.definition.name_line)
            yield Guard(f"`{call.name}` wraps `{handler.name}`.", ref)
        owner = self._index.owner(handler)
        if owner is not None and self._index.sources.language(handler.path) == "ruby":
            yield from self._callbacks(owner, handler)

    def _decorated(self, entry: EntryPoint, handler: Symbol) -> Iterator[Guard]:
        """JavaScript's decorators, the class's first: what they do to a method, each decides for itself."""
        owner = self._index.owner(handler)
        for symbol in (owner, handler) if owner is not None else (handler,):
            for call in self._flow.decorators(symbol):
                declared = entry.declared
                if symbol is handler and declared and declared.start_line == call.line:
                    continue
                module = self._index.imported_from(call.name, symbol.path) or ""
                if call.name in _SELF_DECLARING or _DESCRIBING.search(module):
                    continue
                given = self._flow.text(symbol.path, call.line, call.end_line)
                names = re.findall(r"(?<![\w.'\"])[A-Z]\w+(?:\.\w+)*(?![\w.]*['\"])", given.partition("(")[2])
                literal = first_literal(given, call.name)
                told = f" with {listed(tuple(dict.fromkeys(names))[:3])}" if names else ""
                told = told or (f' with "{literal}"' if literal else "")
                ref = SourceRef(path=symbol.path, start_line=call.line, end_line=symbol.definition.name_line)
                yield Guard(f"`{call.name}` {self._verbs['decorates']} `{symbol.name}`{told}.", ref)

    def _middleware(self, entry: EntryPoint, handler: Symbol) -> Iterator[Guard]:
        """What the route is given before its handler; a call beside code without a name is told with that code."""
        declared = entry.declared
        if declared is None or entry.framework not in ROUTERS or declared.path not in self._index.sources:
            return
        for step in before_handler(self._index.sources, declared, entry.handler):
            on_line = self._flow.text(declared.path, step.last_line, step.last_line)
            literal = f' with "{step.literal}"' if step.literal else ""
            named = not entry.handler.nameless and has_name(on_line, handler.name)
            if named:
                ref = SourceRef(path=declared.path, start_line=step.start_line, end_line=step.last_line)
                yield Guard(f"`{step.name}`{literal} {self._verbs['precedes']} `{handler.name}`.", ref)
            elif not step.made:
                ref = SourceRef(path=declared.path, start_line=step.start_line, end_line=step.end_line)
                yield Guard(f"`{step.name}` runs first.", ref)

    def _callbacks(self, owner: Symbol, handler: Symbol) -> Iterator[Guard]:
        lines = self._flow.lines(owner.path)
        for number in range(owner.definition.start_line, min(owner.definition.end_line, handler.definition.start_line)):
            if not _CALLBACK.match(lines[number - 1]):
                continue
            whole, last = _whole_call(lines, number)
            found = _CALLBACK.match(whole)
            if found is None:
                continue
            names, applies = _callback_names(found["rest"], handler.name)
            for name in names if applies else ():
                ref = SourceRef(path=owner.path, start_line=number, end_line=last)
                yield Guard(f"`{found[1]}` runs `{name}`.", ref)


def _whole_call(lines: Sequence[str], number: int) -> tuple[str, int]:
    """A Ruby call without parentheses that starts at line `number`, on one line, and its last line.

    The text is empty when the end is not found within MAX_CALLBACK_LINES: what is not read whole is not told.
    """
    text = ""
    for at in range(number, min(number + MAX_CALLBACK_LINES, len(lines) + 1)):
        text = f"{text} {_RUBY_COMMENT.sub('', lines[at - 1]).strip()}".strip()
        is_open = any(text.count(opening) > text.count(closing) for opening, closing in ("[]", "()", "{}"))
        if not is_open and not text.endswith((",", "\\")):
            return text, at
    return "", number


def _callback_names(rest: str, action: str) -> tuple[list[str], bool]:
    """The methods that a callback line names, and whether they run for `action`."""
    head, _, options = (
        rest.partition(",")
        if not re.search(r"\b(only|except|if|unless)\b", rest)
        else (
            *re.split(r",?\s*:?(?=\b(?:only|except|if|unless)\b)", rest, maxsplit=1)[:1],
            "",
            rest,
        )
    )
    names = _SYMBOL.findall(head if re.search(r"\b(only|except|if|unless)\b", rest) else rest)
    only = re.search(r"\bonly\b\s*(?:=>|:)?\s*(.*?)(?:\bexcept\b|\bif\b|\bunless\b|$)", options)
    excluded = re.search(r"\bexcept\b\s*(?:=>|:)?\s*(.*?)(?:\bonly\b|\bif\b|\bunless\b|$)", options)
    if only:
        return names, bool(re.search(rf"\b{re.escape(action)}\b", only[1]))
    if excluded:
        return names, not re.search(rf"\b{re.escape(action)}\b", excluded[1])
    return names, True


def route_literal(said: str, route: str) -> str | None:
    """The longest string literal in the cited text that is a part of the route: whole segments of it."""
    literals = [text for _, text in re.findall(r"""(["'])((?:(?!\1)[^\\\n])+)\1""", said)]
    fitting = [
        text
        for text in literals
        if re.search(r"\w", text) and '"' not in text and _holds_segments(route, text.strip("/^$"))
    ]
    return max(fitting, key=len) if fitting else None


def _holds_segments(route: str, part: str) -> bool:
    """Whether a part of a route begins and ends where segments of it do: `order` is nothing of `/orders`."""
    at = route.find(part) if part else -1
    while at >= 0:
        before, after = route[:at][-1:], route[at + len(part) :][:1]
        if not re.match(r"[\w\-:<{]", before) and not re.match(r"[\w-]", after):
            return True
        at = route.find(part, at + 1)
    return False
