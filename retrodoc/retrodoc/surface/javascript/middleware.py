"""Decides what a route of JavaScript runs before its handler: what else its registration is given, in order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from retrodoc.surface.trees import descendants

from .router_calls import VERBS
from .syntax import FUNCTIONS, arguments, key_of, string_of, text_of
from .values import evaluator_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from retrodoc.ingest.sources import Sources
    from retrodoc_runs.models import Handler, SourceRef

_HOOKS = ("onRequest", "preParsing", "preValidation", "preHandler")
"""Of Fastify's options, in the order in which they run."""
_MAX_LITERAL = 60


class Step(NamedTuple):
    """What runs before a handler, as a person reads it at the route; lines are 1-based and inclusive."""

    name: str
    """`auth.required`; of `allow('admin')`, `allow`."""
    made: bool
    """Whether it is what a call of that name gives."""
    literal: str | None
    """The first argument of that call, when that is a plain string."""
    start_line: int
    end_line: int
    last_line: int
    """Where the handler itself is written in the registration."""


def before_handler(sources: Sources, declared: SourceRef, handler: Handler) -> Iterator[Step]:
    """What the registration at `declared` is given between its path and its handler; nothing where that is not seen.

    What comes after the handler, such as one of errors, does not run before it.
    """
    lines = (declared.start_line or 0, declared.end_line or 0)
    call = _registrations(sources, declared.path).get(lines)
    given = arguments(call) if call is not None else []
    if given and given[0].type in ("string", "template_string", "regex", "array") and len(given) > 1:
        given = given[1:]
    flat = [each for node in given for each in _flat(node)]
    end = next((at for at in reversed(range(len(flat))) if _is_handler(flat[at], handler)), 0)
    for node in flat[:end]:
        found = _step(node, flat[end].start_point[0] + 1)
        if found is not None:
            yield found


def _is_handler(node: Node, handler: Handler) -> bool:
    if handler.nameless:
        return node.type in FUNCTIONS and node.start_point[0] + 1 == handler.start_line
    last = re.split(r"[.#]", handler.symbol)[-1]
    return bool(re.search(rf"(?<![\w$]){re.escape(last)}(?![\w$])", text_of(node)))


def _registrations(sources: Sources, path: str) -> dict[tuple[int, int], Node]:
    """The calls of a router's verb by their first and last line, the outermost of a chain; a file is walked once."""
    tables = _TABLES.setdefault(sources, {})
    if path not in tables:
        tables[path] = {}
        for call in descendants(evaluator_of(sources).file(path).root, "call_expression"):
            callee = call.child_by_field_name("function")
            if callee is None or callee.type != "member_expression":
                continue
            if text_of(callee.child_by_field_name("property")) in VERBS:
                lines = (call.start_point[0] + 1, call.end_point[0] + 1)
                known = tables[path].get(lines)
                if known is None or call.end_byte > known.end_byte:
                    tables[path][lines] = call
    return tables[path]


_TABLES: WeakKeyDictionary[Sources, dict[str, dict[tuple[int, int], Node]]] = WeakKeyDictionary()


def _flat(node: Node) -> Iterator[Node]:
    if node.type == "array":
        for child in node.named_children:
            yield from _flat(child)
    elif node.type == "object":
        pairs = {key_of(child.child_by_field_name("key")): child for child in node.named_children}
        for hook in _HOOKS:
            value = pairs[hook].child_by_field_name("value") if hook in pairs else None
            if value is not None:
                yield from _flat(value)
    else:
        yield node


def _step(node: Node, last: int) -> Step | None:
    made = node.type == "call_expression"
    named = node.child_by_field_name("function") if made else node
    if named is None or named.type not in ("identifier", "member_expression") or "(" in text_of(named):
        return None
    first = next(iter(arguments(node)), None) if made else None
    literal = string_of(first) if first is not None and first.type == "string" else None
    plain = literal is not None and literal.isprintable() and len(literal) <= _MAX_LITERAL and '"' not in literal
    lines = (node.start_point[0] + 1, node.end_point[0] + 1)
    return Step(text_of(named).removeprefix("this."), made, literal if plain else None, *lines, last)
