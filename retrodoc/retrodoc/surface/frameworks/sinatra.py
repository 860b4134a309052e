"""Sinatra: routes of applications in classes or at the top of a file, namespaces and `config.ru` prefixes joined."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrodoc.surface.ruby.classes import Macro, RubyClass, RubyIndex, index_of, is_test_path
from retrodoc.surface.ruby.values import Arguments, Constant, Regexp, Scope, arguments, children, text_of
from retrodoc_runs.models import EntryPoint, Handler

if TYPE_CHECKING:
    from tree_sitter import Node

    from retrodoc.ingest.sources import Sources

_VERBS = ("get", "post", "put", "patch", "delete", "options", "head", "link", "unlink")
_BASES = ("Sinatra::Base", "Sinatra::Application", "Padrino::Application")
_SINATRA = re.compile(rb"<\s*(?:::)?(?:Sinatra|Padrino)::|^\s*require\s+['\"]sinatra", re.MULTILINE)
_ROUTE = re.compile(rb"^\s*(?:get|post|put|patch|delete|options|head|namespace)[\s(]+[\"'%/:]", re.MULTILINE)


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    if not sources.containing(_SINATRA, "ruby"):
        return
    index = index_of(sources)
    mounted = dict(_mounts(sources))
    for path in sources.containing(_ROUTE, "ruby"):
        if is_test_path(path):
            continue
        for statement in index.in_file(path):
            if _is_application(index, statement):
                prefix = mounted.get(statement.name, mounted.get(statement.name.rpartition("::")[2], ""))
                yield from _of_class(statement, prefix)
        if re.search(rb"^\s*require\s+['\"]sinatra(?:/reloader)?['\"]", sources.data(path), re.MULTILINE):
            root = sources.tree(path).root_node
            yield from _of_statements(root.named_children, path, "", "main")


def _is_application(index: RubyIndex, statement: RubyClass) -> bool:
    return statement.kind == "class" and any(name in _BASES for name in index.superclass_names((statement,)))


def _of_class(statement: RubyClass, prefix: str) -> Iterator[EntryPoint]:
    for macro in statement.macros:
        yield from _route(macro, statement.path, prefix, statement.name)


def _of_statements(nodes: Iterable[Node], path: str, prefix: str, symbol: str) -> Iterator[EntryPoint]:
    for node in nodes:
        name = node.child_by_field_name("method") if node.type == "call" else None
        if name is not None and node.child_by_field_name("receiver") is None:
            macro = Macro(
                text_of(name),
                arguments(node, Scope()),
                node.start_point[0] + 1,
                node.end_point[0] + 1,
                node.child_by_field_name("block"),
            )
            yield from _route(macro, path, prefix, symbol)


def _route(macro: Macro, path: str, prefix: str, symbol: str) -> Iterator[EntryPoint]:
    written = _path_of(macro.args)
    if macro.body is None:
        return
    if macro.name == "namespace":
        inner = prefix + (written or "")
        yield from _of_statements(children(macro.body.child_by_field_name("body")), path, inner, symbol)
    elif macro.name in _VERBS and written is not None:
        yield EntryPoint(
            kind="http",
            method=macro.name.upper(),
            path=(prefix + written) or "/",
            handler=Handler(symbol=symbol, path=path, start_line=macro.start_line, end_line=macro.end_line),
            framework="sinatra",
        )


def _path_of(given: Arguments) -> str | None:
    first = given.positional[0] if given.positional else None
    if isinstance(first, Regexp):
        return first.source
    return str(first) if isinstance(first, str) else None


def _mounts(sources: Sources) -> Iterator[tuple[str, str]]:
    """`map '/api' do run Api end` and `Rack::URLMap.new('/api' => Api)` of a `config.ru`."""
    for path in sources.containing(re.compile(rb"^\s*map\b|URLMap", re.MULTILINE), "ruby"):
        if not path.endswith(".ru"):
            continue
        yield from _mapped(sources.tree(path).root_node.named_children, "")


def _mapped(nodes: Iterable[Node], prefix: str) -> Iterator[tuple[str, str]]:
    for node in nodes:
        name = node.child_by_field_name("method") if node.type == "call" else None
        if name is None:
            continue
        given, block = arguments(node, Scope()), node.child_by_field_name("block")
        first = given.positional[0] if given.positional else None
        if text_of(name) == "map" and block is not None and isinstance(first, str):
            yield from _mapped(children(block.child_by_field_name("body")), prefix + str(first).rstrip("/"))
        elif text_of(name) in ("run", "use"):
            for value in given.positional:
                if isinstance(value, Constant):
                    yield value.name, prefix
            for inner in given.nodes:
                yield from _url_map(inner, prefix)


def _url_map(node: Node, prefix: str) -> Iterator[tuple[str, str]]:
    receiver = node.child_by_field_name("receiver") if node.type == "call" else None
    if receiver is None:
        return
    if text_of(receiver) == "Rack::URLMap":
        for path, value in arguments(node, Scope()).options.items():
            if isinstance(value, Constant) and isinstance(path, str):
                yield value.name, str(path).rstrip("/")
    elif receiver.type in ("constant", "scope_resolution"):  # `run Api.new`
        yield text_of(receiver), prefix
