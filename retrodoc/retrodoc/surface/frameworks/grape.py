"""Grape: the endpoints of API classes, with prefix, version, namespaces and the classes that mount one another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retrodoc.surface.ruby.classes import Macro, RubyClass, RubyIndex, index_of, is_test_path
from retrodoc.surface.ruby.values import Arguments, Constant, Scope, arguments, children, text_of
from retrodoc_runs.models import EntryPoint, Handler

if TYPE_CHECKING:
    from tree_sitter import Node

    from retrodoc.ingest.sources import Sources

_NEEDLE = re.compile(rb"<\s*(?:::)?Grape::API\b")
_CLASS = re.compile(rb"^\s*(?:mount|resources?|namespace|group|get|post|put|patch|delete)\b", re.MULTILINE)
_MOUNT = re.compile(rb"\bmount[\s(]+(?:::)?([A-Z][\w:]*)\s*(?:=>|,\s*(?:at:|:at\s*=>))\s*['\"]([^'\"]*)['\"]")
_BASES = ("Grape::API", "Grape::API::Instance")
_VERBS = ("get", "post", "put", "patch", "delete", "options", "head")
_NAMESPACES = ("namespace", "resource", "resources", "group", "segment")
_MAX_DEPTH = 20


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an endpoint stands: what is before its path."""

    mounted: str = ""
    prefix: str = ""
    version: str = ""
    path: str = ""

    def whole(self, path: str) -> str:
        parts = (self.mounted, self.prefix, self.version, self.path, path)
        return "/" + "/".join(part.strip("/") for part in parts if part.strip("/"))


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    if not any(not is_test_path(path) for path in sources.containing(_NEEDLE, "ruby")):
        return
    index = index_of(sources)
    apis = [
        statement
        for path in sources.containing(_CLASS, "ruby")
        if not is_test_path(path)
        for statement in index.in_file(path)
        if any(name in _BASES for name in index.superclass_names((statement,)))
    ]
    inner = {name for statement in apis for name in _mounted(index, statement)}
    prefixes = dict(_mounts_outside(sources))
    for statement in apis:
        if statement.name not in inner:
            at = prefixes.get(statement.name) or prefixes.get(statement.name.rpartition("::")[2]) or ""
            yield from _of_class(index, statement, _Place(mounted=at), ())


def _mounts_outside(sources: Sources) -> Iterator[tuple[str, str]]:
    """`mount Api => '/api'` of Rails' routes, `map '/api' do run Api` being Sinatra's habit and not Grape's."""
    for path in sources.containing(b"mount", "ruby"):
        if path.endswith("routes.rb") and not is_test_path(path):
            for name, at in _MOUNT.findall(sources.data(path)):
                yield name.decode(), at.decode("utf-8", "replace")


def _mounted(index: RubyIndex, statement: RubyClass) -> Iterator[str]:
    for macro in _macros(statement.macros):
        if macro.name == "mount":
            for found, _ in _targets(index, statement, macro.args):
                yield found.name


def _macros(macros: Iterable[Macro]) -> Iterator[Macro]:
    """Those of a class and of the namespaces in it."""
    for macro in macros:
        yield macro
        if macro.name in (*_NAMESPACES, "route_param") and macro.body is not None:
            yield from _macros(_inside(macro.body))


def _inside(body: Node) -> Iterator[Macro]:
    for node in children(body.child_by_field_name("body")):
        name = node.child_by_field_name("method") if node.type == "call" else None
        if name is not None and node.child_by_field_name("receiver") is None:
            lines = node.start_point[0] + 1, node.end_point[0] + 1
            yield Macro(text_of(name), arguments(node, Scope()), *lines, node.child_by_field_name("block"))


def _targets(index: RubyIndex, statement: RubyClass, given: Arguments) -> Iterator[tuple[RubyClass, str]]:
    """The classes that a `mount` names, each with the path it is given."""
    named = [(value, "") for value in given.positional]
    keys: list[object] = list(given.options)
    for key, at in zip(keys, given.options.values(), strict=True):
        if isinstance(key, Constant):
            named.append((key, at if isinstance(at, str) else ""))
    for value, at in named:
        found = index.resolve(value.name, statement.nesting) if isinstance(value, Constant) else ()
        if found:
            yield found[0], str(at)


def _of_class(index: RubyIndex, statement: RubyClass, place: _Place, seen: tuple[str, ...]) -> Iterator[EntryPoint]:
    if statement.name in seen or len(seen) > _MAX_DEPTH:
        return
    for each in index.named(statement.name):
        yield from _of_macros(index, each, each.macros, place, (*seen, statement.name))


def _of_macros(
    index: RubyIndex, statement: RubyClass, macros: Iterable[Macro], place: _Place, seen: tuple[str, ...]
) -> Iterator[EntryPoint]:
    for macro in macros:
        first = macro.args.positional[0] if macro.args.positional else None
        path = str(first) if isinstance(first, str) else ""
        if macro.name == "prefix" and path:
            place = replace(place, prefix=path)
        elif macro.name == "version" and path and macro.args.options.get("using", "path") == "path":
            place = replace(place, version=path)
        if macro.name == "mount":
            for found, at in _targets(index, statement, macro.args):
                yield from _of_class(index, found, replace(place, path=f"{place.path}/{at}"), seen)
        elif macro.body is None:
            continue
        elif macro.name in _NAMESPACES:
            inner = replace(place, path=f"{place.path}/{path}")
            yield from _of_macros(index, statement, _inside(macro.body), inner, seen)
        elif macro.name == "route_param" and path:
            inner = replace(place, path=f"{place.path}/:{path}")
            yield from _of_macros(index, statement, _inside(macro.body), inner, seen)
        elif macro.name in _VERBS:
            yield _entry(macro.name.upper(), place.whole(path), statement, macro)
        elif macro.name == "route" and len(macro.args.positional) > 1:
            second = macro.args.positional[1]
            verb = None if path == "any" else path.upper()
            if isinstance(second, str):
                yield _entry(verb, place.whole(str(second)), statement, macro)


def _entry(verb: str | None, path: str, statement: RubyClass, macro: Macro) -> EntryPoint:
    return EntryPoint(
        kind="http",
        method=verb,
        path=path,
        handler=Handler(
            symbol=statement.name, path=statement.path, start_line=macro.start_line, end_line=macro.end_line
        ),
        framework="grape",
    )
