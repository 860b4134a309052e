"""axum, actix-web and Rocket: the routes of Rust servers, with the functions that answer them.

`Router::new().route("/x", get(list))`, nested and merged through functions; `web::scope("/x")` and `web::resource`;
attributes such as `#[get("/x")]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrodoc.surface.rust.functions import Functions, RustFunction, functions_of
from retrodoc.surface.rust.syntax import (
    attributes,
    enclosing,
    in_test_module,
    is_test_path,
    string_of,
    text_of,
)
from retrodoc.surface.trees import descendants
from retrodoc_runs.models import EntryPoint, Handler, SourceRef

if TYPE_CHECKING:
    from tree_sitter import Node

    from retrodoc.ingest.sources import Sources

_NEEDLE = re.compile(rb"\b(?:axum|actix_web|rocket|utoipa_axum|poem)\b")
_VERBS = ("get", "post", "put", "patch", "delete", "head", "options", "trace")
_ANY = ("any", "to", "on")
_ATTRIBUTE = re.compile(
    r"^(?:\w+::)*(get|post|put|patch|delete|head|options|route)\s*\(\s*\"([^\"]*)\"(.*)\)$", re.DOTALL
)
_MAX_DEPTH = 12


@dataclass(frozen=True, slots=True)
class _Route:
    verb: str | None
    path: str
    handler: str
    """As it is written."""
    file: str
    node: Node


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    files = [path for path in sources.containing(_NEEDLE, "rust") if not is_test_path(path)]
    if not files:
        return
    functions = functions_of(sources)
    reader = _Reader(functions)
    yield from reader.attributes(files)
    yield from reader.built(files)


class _Reader:
    def __init__(self, functions: Functions) -> None:
        self._functions = functions
        self._seen: set[tuple[str, int]] = set()
        """Start of every chain that was read, so that a router in another is not read again from the top."""

    def _framework(self, path: str) -> str:
        data = self._functions.sources.data(path)
        return next((name for name in ("axum", "actix_web", "rocket") if name.encode() in data), "axum")

    # --- attributes

    def attributes(self, files: Sequence[str]) -> Iterator[EntryPoint]:
        for path in files:
            for found in self._functions.in_file(path):
                for said in attributes(found.node):
                    declared = _ATTRIBUTE.match(said)
                    if declared is None:
                        continue
                    verb: str | None = declared[1].upper()
                    if verb == "ROUTE":
                        named = re.search(r'method\s*=\s*"(\w+)"', declared[3])
                        verb = named[1].upper() if named else None
                    at = SourceRef(path=path, start_line=found.start_line, end_line=found.start_line)
                    yield _entry(verb, _whole("", declared[2]), found.symbol, found, at, self._framework(path))

    # --- routers

    def built(self, files: Sequence[str]) -> Iterator[EntryPoint]:
        chains: list[tuple[str, Node, list[_Route]]] = []
        for path in files:
            root = self._functions.sources.tree(path).root_node
            for call in descendants(root, "call_expression"):
                if _is_maker(text_of(call.child_by_field_name("function"))) and not in_test_module(call):
                    whole = _outermost(call)
                    chains.append((path, whole, list(self._routes(path, whole, "", 0))))
        for path in files:
            for function in self._functions.in_file(path):
                if "ServiceConfig" in text_of(function.node.child_by_field_name("parameters")):
                    chains.append((path, function.node, list(self._of_configured(function, "", 0))))
        for path, whole, routes in chains:
            if (path, whole.start_byte) in self._seen:
                continue
            for route in routes:
                yield self._entry(route)

    def _routes(self, path: str, node: Node, prefix: str, depth: int) -> Iterator[_Route]:
        """The routes of a chain of methods, of a call of a function that makes one, or of a name bound to one."""
        if depth > _MAX_DEPTH:
            return
        if node.type in ("block", "parenthesized_expression", "try_expression", "await_expression"):
            inner = [child for child in node.named_children if not child.type.endswith("comment")]
            if inner:
                yield from self._routes(path, inner[-1], prefix, depth + 1)
            return
        if node.type == "identifier":
            value = _bound_value(node)
            if value is not None:
                self._seen.add((path, value.start_byte))
                yield from self._routes(path, value, prefix, depth + 1)
            return
        calls = _chain(node)
        base = calls[-1] if calls else node
        callee = base.child_by_field_name("function") if base.type == "call_expression" else None
        if callee is not None and callee.type == "field_expression":  # methods of a name: `app.route(..)`
            value = callee.child_by_field_name("value")
            if value is not None and value.type == "identifier":
                yield from self._routes(path, value, prefix, depth + 1)
        elif callee is not None:
            calls = calls[:-1]
            written, given = text_of(callee), _arguments(base)
            if re.search(r"(?:^|::)(?:scope|resource)$", written) and given and given[0].type == "string_literal":
                prefix = _whole(prefix, string_of(given[0]))
            elif not _is_maker(written):
                yield from self._of_function(path, written, prefix, depth)
        for call in reversed(calls):
            yield from self._method(path, call, prefix, depth)

    def _of_function(self, path: str, written: str, prefix: str, depth: int) -> Iterator[_Route]:
        function = self._functions.resolve(written, path)
        body = function.node.child_by_field_name("body") if function is not None else None
        if function is None or body is None:
            return
        tail = [child for child in body.named_children if not child.type.endswith("comment")][-1:]
        for node in tail:
            self._seen.add((function.path, node.start_byte))
            yield from self._routes(function.path, node, prefix, depth + 1)

    def _method(self, path: str, call: Node, prefix: str, depth: int) -> Iterator[_Route]:
        callee = call.child_by_field_name("function")
        name = text_of(callee.child_by_field_name("field")) if callee is not None else ""
        given = _arguments(call)
        first = given[0] if given else None
        text = string_of(first) if first is not None and first.type == "string_literal" else None
        if name == "route" and text is not None and len(given) > 1:
            for verb, handler in _methods_of(given[1]):
                yield _Route(verb, _whole(prefix, text), handler, path, given[1])
        elif name == "route" and first is not None and len(given) == 1:
            for verb, handler in _methods_of(first):
                yield _Route(verb, prefix or "/", handler, path, first)
        elif name in ("nest", "nest_service") and text is not None and len(given) > 1:
            yield from self._nested(path, given[1], _whole(prefix, text), depth)
        elif name in ("service", "merge") and first is not None:
            yield from self._nested(path, first, prefix, depth)
        elif name == "configure" and first is not None:
            yield from self._configured(path, text_of(first), prefix, depth)

    def _nested(self, path: str, node: Node, prefix: str, depth: int) -> Iterator[_Route]:
        self._seen.add((path, node.start_byte))
        yield from self._routes(path, node, prefix, depth + 1)

    def _configured(self, path: str, written: str, prefix: str, depth: int) -> Iterator[_Route]:
        """actix: `configure(function)`, whose parameter gets `route` and `service` calls."""
        function = self._functions.resolve(written, path)
        if function is not None:
            self._seen.add((function.path, function.node.start_byte))
            yield from self._of_configured(function, prefix, depth)

    def _of_configured(self, function: RustFunction, prefix: str, depth: int) -> Iterator[_Route]:
        parameters = function.node.child_by_field_name("parameters")
        named = (
            [text_of(each.child_by_field_name("pattern")) for each in parameters.named_children] if parameters else []
        )
        for call in descendants(function.node, "call_expression"):
            if depth <= _MAX_DEPTH and _base_name(call) in named and _is_outermost(call):
                for each in reversed(_chain(call)):
                    yield from self._method(function.path, each, prefix, depth + 1)

    def _entry(self, route: _Route) -> EntryPoint:
        found = self._functions.resolve(route.handler, route.file) if re.match(r"^[\w:]+$", route.handler) else None
        start, end = route.node.start_point[0] + 1, route.node.end_point[0] + 1
        at = SourceRef(path=route.file, start_line=start, end_line=end)
        framework = self._framework(route.file)
        if found is None and not re.match(r"^[\w:]+$", route.handler):  # a closure in place
            place = Handler(symbol="closure", path=route.file, start_line=start, end_line=end)
            return EntryPoint(
                kind="http", method=route.verb, path=route.path, handler=place, framework=framework, declared=at
            )
        return _entry(route.verb, route.path, route.handler, found, at, framework)


def _entry(
    verb: str | None, path: str, symbol: str, found: RustFunction | None, at: SourceRef, framework: str
) -> EntryPoint:
    handler = Handler(symbol=symbol)
    if found is not None:
        handler = Handler(symbol=found.symbol, path=found.path, start_line=found.start_line, end_line=found.end_line)
    return EntryPoint(kind="http", method=verb, path=path, handler=handler, framework=framework, declared=at)


def _is_maker(written: str) -> bool:
    return bool(
        re.search(r"(?:^|::)(?:Router|App|OpenApiRouter|Route)(?:::<[^>]*>)?::(?:new|default|with_openapi)$", written)
    )


def _methods_of(node: Node) -> Iterator[tuple[str | None, str]]:
    """`get(list).post(create)`, `web::get().to(list)`: each verb with what answers it."""
    for call in reversed(_chain(node)):
        callee = call.child_by_field_name("function")
        if callee is None:
            continue
        named = callee.child_by_field_name("field") if callee.type == "field_expression" else callee
        name = text_of(named).rpartition("::")[2]
        given = _arguments(call)
        if name in _VERBS and given:
            yield name.upper(), text_of(given[-1])
        elif name in _ANY and given:
            verb = _verb_before(callee) if name == "to" else None
            yield verb, text_of(given[-1])


def _verb_before(callee: Node) -> str | None:
    """Of `web::get().to(handler)`."""
    value = callee.child_by_field_name("value")
    found = re.search(r"\b(get|post|put|patch|delete|head)\(\)", text_of(value))
    return found[1].upper() if found else None


def _chain(node: Node) -> list[Node]:
    """The calls of a chain of methods, the last first."""
    calls: list[Node] = []
    current: Node | None = node
    while current is not None and current.type == "call_expression":
        calls.append(current)
        callee = current.child_by_field_name("function")
        current = (
            callee.child_by_field_name("value") if callee is not None and callee.type == "field_expression" else None
        )
    return calls


def _base_name(call: Node) -> str:
    node: Node | None = call
    while node is not None and node.type in ("call_expression", "field_expression"):
        node = node.child_by_field_name("function") or node.child_by_field_name("value")
    return text_of(node)


def _is_outermost(call: Node) -> bool:
    return call.parent is None or call.parent.type != "field_expression"


def _outermost(call: Node) -> Node:
    node = call
    while node.parent is not None and node.parent.type == "field_expression" and node.parent.parent is not None:
        node = node.parent.parent
    return node


def _bound_value(name: Node) -> Node | None:
    """What the last `let` of that name before it binds."""
    function = enclosing(name, "function_item")
    found: Node | None = None
    for declaration in descendants(function, "let_declaration") if function is not None else ():
        pattern = text_of(declaration.child_by_field_name("pattern")).removeprefix("mut ")
        if pattern == text_of(name) and declaration.end_byte <= name.start_byte:
            found = declaration.child_by_field_name("value")
    return found


def _arguments(call: Node) -> list[Node]:
    listed = call.child_by_field_name("arguments")
    return [each for each in listed.named_children if not each.type.endswith("comment")] if listed is not None else []


def _whole(prefix: str, path: str) -> str:
    joined = f"{prefix.rstrip('/')}/{path.lstrip('/')}" if path not in ("", "/") else prefix
    return joined or "/"
