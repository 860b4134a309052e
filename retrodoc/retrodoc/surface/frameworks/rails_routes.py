"""Rails: every route that a routes file declares, with the controller method that answers it.

`config/routes.rb` is read as Rails' own mapper would (resources, scopes, concerns, drawn files, engines and their
mounts), and each `controller#action` is followed to the method, also an inherited or mixed-in one. An action that
only has a template, or whose controller lives in a package, keeps its name and has no lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retrodoc.surface.ruby.classes import RubyClass, RubyIndex, index_of, is_test_path, symbols
from retrodoc.surface.ruby.devise import DeviseModel
from retrodoc.surface.ruby.inflect import camelize, inflector_of, underscore
from retrodoc.surface.ruby.route_mapper import Endpoint, Route, RouteMapper
from retrodoc.surface.ruby.route_reader import RouteReader, Surroundings
from retrodoc.surface.ruby.route_scope import normalize
from retrodoc.surface.ruby.values import UNKNOWN, Constant, Value, text_of
from retrodoc_runs.models import EntryPoint, Handler, SourceRef

if TYPE_CHECKING:
    from tree_sitter import Node

    from retrodoc.ingest.sources import Sources

_DRAWS = re.compile(rb"(?:[Rr]outes|\.routes)\.(?:draw|append|prepend)\b")
_PLUGIN_ROUTES = re.compile(r"(?:^|/)plugins/[^/]+/config/routes\.rb$")
_MAIN_OWNERS = ("Rails.application", "Rails::Application", "ActionController::Routing", "app", "application")


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    files = [path for path in sources.containing(_DRAWS, "ruby") if not is_test_path(path)]
    if not files:
        return
    application = _Application(sources, files)
    for route in application.routes():
        yield application.entry_point(route)


@dataclass(frozen=True, slots=True)
class _Drawn:
    """One `X.routes.draw do` and the application or engine that it draws for."""

    owner: str
    path: str
    block: Node

    @property
    def is_engine(self) -> bool:
        return not (self.owner in _MAIN_OWNERS or self.owner.endswith(("Application", ".application")))


class _Application:
    def __init__(self, sources: Sources, files: list[str]) -> None:
        self._sources = sources
        self._index = index_of(sources)
        self._controllers = _Controllers(sources, self._index)
        self._drawn = [drawn for path in files for drawn in _drawn_in(sources, path)]
        self._helpers: dict[str, Node | None] = {}
        self._inflector = inflector_of(sources)
        self._api_only = bool(sources.containing(re.compile(rb"^\s*config\.api_only\s*=\s*true", re.MULTILINE), "ruby"))

    def routes(self) -> Iterator[Route]:
        """Those of the application, then those of each engine under every path that it is mounted at."""
        mounts: list[tuple[str, Route]] = []
        for drawn in self._drawn:
            if not drawn.is_engine:
                mapper = self._read(drawn)
                mounts.extend(mapper.mounts)
                yield from mapper.routes
        yield from self._plugin_routes()
        pending = [drawn for drawn in self._drawn if drawn.is_engine]
        mappers = {drawn: self._read(drawn) for drawn in pending}
        for mapper in mappers.values():
            mounts.extend(mapper.mounts)
        for drawn, mapper in mappers.items():
            places = [route for name, route in mounts if _same_engine(name, drawn.owner)]
            for prefix in [place.path for place in places] or [""]:
                for route in mapper.routes:
                    yield replace(route, path=normalize(f"{prefix}/{route.path}"))

    def _plugin_routes(self) -> Iterator[Route]:
        """Plugins whose routes file is the bare body of a `draw`, evaluated by the application's own routes."""
        for path in self._sources.of("ruby"):
            if _PLUGIN_ROUTES.search(path) and not _DRAWS.search(self._sources.data(path)):
                mapper = RouteMapper(self._inflector, self._api_only)
                RouteReader(mapper, path, self._around(path)).run_file(self._sources.tree(path).root_node)
                yield from mapper.routes

    def _read(self, drawn: _Drawn) -> RouteMapper:
        mapper = RouteMapper(self._inflector, self._api_only)
        reader = RouteReader(mapper, drawn.path, self._around(drawn.path))
        module = self._isolated(drawn.owner) if drawn.is_engine else None
        root = self._sources.tree(drawn.path).root_node
        if module is not None:
            mapper.scope((), {"module": module}, lambda: reader.run_drawn(root, drawn.block))
        else:
            reader.run_drawn(root, drawn.block)
        return mapper

    def _isolated(self, owner: str) -> str | None:
        """The module under which an engine's controllers are looked for (`isolate_namespace Shop`)."""
        for statement in self._index.resolve(owner):
            for macro in statement.macros:
                if macro.name == "isolate_namespace" and macro.args.positional:
                    named = macro.args.positional[0]
                    return underscore(named.name) if isinstance(named, Constant) else None
        return None

    def _around(self, routes_path: str) -> Surroundings:
        folder = routes_path.rpartition("/")[0]

        def draw(name: str) -> tuple[str, Node] | None:
            wanted = f"{folder}/routes/{name}.rb".lstrip("/")
            paths = [wanted] if wanted in self._sources else []
            paths = paths or [each for each in self._sources.paths if each.endswith(f"config/routes/{name}.rb")]
            return (paths[0], self._sources.tree(paths[0]).root_node) if paths else None

        return Surroundings(draw, self._constant, self._helper, self._devise_model)

    def _helper(self, name: str) -> Node | None:
        """`def name` in a file that extends Rails' mapper."""
        if name not in self._helpers:
            self._helpers[name] = next(self._helpers_named(name), None)
        return self._helpers[name]

    def _helpers_named(self, name: str) -> Iterator[Node]:
        for path in self._sources.containing(b"def " + name.encode(), "ruby"):
            if b"Routing" in self._sources.data(path) and not is_test_path(path):
                yield from _methods_named(self._sources.tree(path).root_node, name)

    def _constant(self, name: str) -> Value:
        owner, _, last = name.rpartition("::")
        for statement in self._index.resolve(owner) if owner else ():
            value = statement.constants.get(last, UNKNOWN)
            if value is not UNKNOWN:
                return value
        return Constant(name)

    def _devise_model(self, name: str) -> DeviseModel | None:
        qualified = name if name[:1].isupper() else camelize(name)
        modules: list[str] = []
        providers: list[str] = []
        statements = self._index.resolve(qualified)
        for statement in self._index.ancestors(statements):
            for macro in statement.macros:
                if macro.name == "devise":
                    modules.extend(each for value in macro.args.positional for each in symbols(value))
                    providers.extend(symbols(macro.args.options.get("omniauth_providers")))
        return DeviseModel(modules, providers) if modules else None

    def entry_point(self, route: Route) -> EntryPoint:
        declared = SourceRef(
            path=route.declared.path, start_line=route.declared.start_line, end_line=route.declared.end_line
        )
        return EntryPoint(
            kind="http",
            method=route.verb,
            path=route.path,
            name=route.name,
            handler=self._handler(route),
            framework="rails",
            declared=declared,
        )

    def _handler(self, route: Route) -> Handler:
        if route.endpoint is not None:
            return self._endpoint(route, route.endpoint)
        return self._controllers.handler(route.controller or "", route.action or "", route.declared.path)

    def _endpoint(self, route: Route, endpoint: Endpoint) -> Handler:
        if endpoint.inline:
            place = route.declared
            return Handler(
                symbol=endpoint.symbol, path=place.path, start_line=place.start_line, end_line=place.end_line
            )
        name, _, action = endpoint.symbol.partition("#")
        statements = self._index.resolve(name)
        if action:
            method = self._index.method(statements, action)
            if method is not None:
                return Handler(
                    symbol=endpoint.symbol, path=method.path, start_line=method.start_line, end_line=method.end_line
                )
        elif statements and not is_test_path(statements[0].path):
            first = statements[0]
            return Handler(
                symbol=endpoint.symbol, path=first.path, start_line=first.start_line, end_line=first.end_line
            )
        return Handler(symbol=endpoint.symbol)


class _Controllers:
    """Finds the method of a `controller#action`."""

    _PATH = re.compile(r"^(?:(.*?)/)?(?:app/)?controllers/(.+)_controller\.rb$")

    def __init__(self, sources: Sources, index: RubyIndex) -> None:
        self._index = index
        self._by_name: dict[str, list[tuple[str, str]]] = {}
        self._handlers: dict[tuple[str, str, str], Handler] = {}
        for path in sources.of("ruby"):
            found = self._PATH.match(path)
            if found and not is_test_path(path):
                self._by_name.setdefault(found[2], []).append((found[1] or "", path))

    def handler(self, controller: str, action: str, routes_path: str) -> Handler:
        root = re.sub(r"/?config/routes(/.*)?\.rb$", "", routes_path)
        key = (controller, action, root)
        if key not in self._handlers:
            self._handlers[key] = self._find(controller, action, root)
        return self._handlers[key]

    def _find(self, controller: str, action: str, root: str) -> Handler:
        statements = self._statements(controller, root)
        if not statements:
            return Handler(symbol=f"{camelize(controller)}Controller#{action}")
        symbol = f"{statements[0].name}#{action}"
        method = self._index.method(statements, action)
        if method is None or is_test_path(method.path):
            return Handler(symbol=symbol)
        return Handler(symbol=symbol, path=method.path, start_line=method.start_line, end_line=method.end_line)

    def _statements(self, controller: str, root: str) -> tuple[RubyClass, ...]:
        files = sorted(self._by_name.get(controller, ()), key=lambda file: (file[0] != root, file))
        wanted = controller.replace("_", "").lower() + "controller"
        for _, path in files:
            for statement in self._index.in_file(path):
                if underscore(statement.name).replace("_", "") == wanted:
                    return (statement, *(each for each in self._index.named(statement.name) if each is not statement))
        return self._index.named(f"{camelize(controller)}Controller")


def _methods_named(root: Node, name: str) -> Iterator[Node]:
    pending = [root]
    while pending:
        node = pending.pop()
        named = node.child_by_field_name("name") if node.type == "method" else None
        if named is not None and text_of(named) == name:
            yield node
        elif node.type != "method":
            pending.extend(node.named_children)


def _drawn_in(sources: Sources, path: str) -> Iterator[_Drawn]:
    """Every `<owner>.routes.draw do` of a file, wherever it stands."""
    pending = [sources.tree(path).root_node]
    while pending:
        node = pending.pop()
        if node.type == "call":
            block, receiver = node.child_by_field_name("block"), node.child_by_field_name("receiver")
            name = node.child_by_field_name("method")
            if block is not None and receiver is not None and name is not None:
                owner = re.fullmatch(r"(?:::)?(.+?)(?:\.routes|::Routes)", text_of(receiver), re.DOTALL)
                if owner and text_of(name) in ("draw", "append", "prepend"):
                    yield _Drawn(owner[1], path, block)
                    continue
        pending.extend(reversed(node.named_children))


def _same_engine(mounted: str, owner: str) -> bool:
    mounted = mounted.removeprefix("::")
    return mounted == owner or owner.endswith(f"::{mounted}") or mounted.endswith(f"::{owner}")
