"""Decides which routes the routers of a JavaScript server declare, and under which prefixes they are mounted.

A router is a value (`express()`, `express.Router()`, `new Router()` of Koa, `fastify()`), followed wherever it goes:
into variables, out of functions that make one, into functions that get one, through exports. Routes and mounts are
collected per router, and read from the roots down. A prefix that only the running program knows is written as
`${expression}`; a route whose whole path is unknown is left out.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retrodoc.ingest.sources import Sources, once_for_sources
from retrodoc.surface.trees import descendants

from .model import (
    UNKNOWN,
    Array,
    Class,
    External,
    Function,
    Instance,
    Module,
    Object,
    Pattern,
    Place,
    Result,
    Value,
    place,
)
from .modules import LANGUAGES, is_test_path
from .router_calls import (
    DECLARING,
    NAMED,
    NO_HANDLERS,
    PACKAGES,
    PASS_THROUGH,
    TYPES,
    VERBS,
    RouterCall,
    calls_in,
    folder_named,
    framework_of,
    in_browser,
    last_name,
    may_mount,
    may_route,
)
from .syntax import arguments, parameters, text_of
from .targets import Target, Targets, target_of
from .values import Evaluator, evaluator_of

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class RouterRoute:
    framework: str
    verb: str | None
    path: str
    target: Target
    at: Place
    """The call that declares it."""


@dataclass(frozen=True, slots=True)
class _Declared:
    verb: str | None
    path: str
    target: Target
    at: Place


@dataclass(slots=True)
class _Router:
    """What is declared on one router value."""

    framework: str
    routes: list[_Declared] = field(default_factory=list)
    mounts: list[tuple[str, Result]] = field(default_factory=list)
    prefix: str = ""


_Key = tuple[Place, tuple[Place, ...]]


@once_for_sources
def routes_of(sources: Sources) -> tuple[RouterRoute, ...]:
    """Every route of every router, prefixes joined; read once for all rules."""
    return tuple(_Routers(sources).read())


class _Routers:
    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._evaluator: Evaluator = evaluator_of(sources)
        self._targets = Targets(self._evaluator)
        self._routers: dict[_Key, _Router] = {}

    def read(self) -> Iterator[RouterRoute]:
        if not any(not is_test_path(path) for path in self._sources.containing(PACKAGES, *LANGUAGES)):
            return
        calls = [call for path in self._files() for call in calls_in(path, self._evaluator.file(path).root)]
        self._bind_parameters(calls)
        for call in calls:
            if call.holder is not None and (call.name in DECLARING or call.name == "call" or may_mount(call)):
                self._declare_in_loop(call)
        yield from self._resolve()

    def _files(self) -> list[str]:
        return [
            path
            for path in self._sources.of(*LANGUAGES)
            if not is_test_path(path) and may_route(self._sources.data(path))
        ]

    # --- parameters that get a router

    def _bind_parameters(self, calls: Sequence[RouterCall]) -> None:
        """`require('./routes')(app)` makes the parameter of that function the same router."""
        names = {text_of(call.holder) for call in calls if call.holder is not None and call.name in DECLARING}
        names |= {name.rpartition(".")[2] for name in names}
        self._bind_plugins(calls)
        passing = [
            call
            for call in calls
            if call.name not in VERBS
            and any(NAMED.match(last_name(each)) or text_of(each) in names for each in call.given)
        ]
        for _ in range(4):  # through at most so many functions
            before = sum(len(values) for values in self._evaluator.bound.values())
            for call in passing:
                self._bind(call)
            if sum(len(values) for values in self._evaluator.bound.values()) == before:
                return
            self._evaluator.forget()

    def _bind_plugins(self, calls: Sequence[RouterCall]) -> None:
        """Fastify: the first parameter of what is registered is a server of its own."""
        for call in calls:
            if call.name != "register" or not call.given:
                continue
            for child in self._plugins(call):
                self._evaluator.bound.setdefault((child.at.path, child.at.start), []).append(child)
                self._evaluator.forget()

    def _plugins(self, call: RouterCall) -> Iterator[Result]:
        for plugin in self._evaluator.values(call.path, call.given[0]):
            function = self._function_of(plugin)
            accepted = parameters(function.at.node) if function is not None else []
            if function is not None and accepted:
                yield Result(External("fastify"), place(function.at.path, accepted[0]), ())

    def _bind(self, call: RouterCall) -> None:
        callee = call.node.child_by_field_name("function") or call.node.child_by_field_name("constructor")
        if callee is None:
            return
        if not any(self._routers_at(call.path, each) for each in call.given):
            return
        for value in self._evaluator.values(call.path, callee):
            function = self._function_of(value)
            if function is None:
                continue
            for parameter, each in zip(parameters(function.at.node), call.given, strict=False):
                bound = self._evaluator.bound.setdefault((function.at.path, parameter.start_byte), [])
                passed = self._routers_at(call.path, each) or self._evaluator.values(call.path, each)
                bound.extend(found for found in passed if found not in bound)

    def _function_of(self, value: Value) -> Function | None:
        match value:
            case Function():
                return value
            case Module(path):
                found = self._evaluator.exported(path, "default")
                return next((each for each in found if isinstance(each, Function)), None)
            case Class():
                constructor = self._evaluator.member(Instance(value), "constructor")
                return next((each for each in constructor if isinstance(each, Function)), None)
            case _:
                return None

    def _routers_at(self, path: str, node: Node) -> list[Result]:
        """The routers that an expression may be."""
        found = [value for value in self._evaluator.values(path, node) if framework_of(value)]
        if found:
            return [value for value in found if isinstance(value, Result)]
        if node.type == "identifier":
            return list(self._untold(path, node))
        return list(self._held(path, node))

    def _parameter(self, path: str, name: Node) -> Node | None:
        """The parameter that a name stands for, None when something else declares it."""
        declared = self._evaluator.declaring(path, name)
        around = declared.parent if declared is not None else None
        return declared if around is not None and around.type in ("formal_parameters", "arrow_function") else None

    def _held(self, path: str, node: Node) -> Iterator[Result]:
        """`args.app` of a parameter that nobody is seen to give: one router for that name and parameter."""
        holder = node.child_by_field_name("object") if node.type == "member_expression" else None
        name = text_of(node.child_by_field_name("property")) if holder is not None else ""
        if holder is not None and holder.type == "identifier" and name in ("app", "router", "expressApp"):
            parameter = self._parameter(path, holder)
            if parameter is not None and not self._evaluator.values(path, holder):
                yield Result(External("express"), place(path, parameter), ())

    def _untold(self, path: str, node: Node) -> Iterator[Result]:
        """A parameter that nobody is seen to give a value, but whose type or name says that it is a router."""
        parameter = self._parameter(path, node)
        if parameter is None or (path, parameter.start_byte) in self._evaluator.bound or in_browser(parameter):
            return
        written = re.sub(r"^.*:", "", text_of(parameter.child_by_field_name("type")), flags=re.DOTALL)
        framework = next((kind for name, kind in TYPES.items() if re.search(rf"\b{name}\b", written)), None)
        if framework is None and not written and NAMED.match(text_of(node)):
            framework = "fastify" if "fastify" in text_of(node).lower() else "express"
        if framework is not None:
            yield Result(External(framework), place(path, parameter), ())

    # --- what is declared on a router

    def _declare_in_loop(self, call: RouterCall) -> None:
        """`list.forEach(each => app.use(each.path, each.router))` is read once for each item."""
        variable = next(
            (
                found
                for given in call.given
                if given.type in ("member_expression", "subscript_expression")
                and (base := given.child_by_field_name("object")) is not None
                and base.type == "identifier"
                and (found := self._evaluator.loop_variable(call.path, base)) is not None
            ),
            None,
        )
        items = list(self._evaluator.items(call.path, variable)) if variable is not None else []
        if variable is None or len(items) < 2:
            self._declare(call)
            return
        for item in items:
            self._evaluator.pinned[call.path, variable.start_byte] = item
            self._evaluator.forget()
            self._declare(call)
        del self._evaluator.pinned[call.path, variable.start_byte]
        self._evaluator.forget()

    def _declare(self, call: RouterCall) -> None:
        if call.holder is None:
            return
        if call.name == "call" and call.given:
            self._called_through(call)
            return
        routers, chained = self._receiver(call.path, call.holder)
        for router in routers:
            self._declare_on(self._router(router), call, chained)

    def _receiver(self, path: str, holder: Node) -> tuple[list[Result], tuple[str, Node] | None]:
        """The routers that a call is made on, and the path of a `.route(path)` before it in the chain."""
        chained: tuple[str, Node] | None = None
        node = holder
        while node.type == "call_expression":
            callee = node.child_by_field_name("function")
            name = text_of(callee.child_by_field_name("property")) if callee is not None else ""
            inner = callee.child_by_field_name("object") if callee is not None else None
            if callee is None or callee.type != "member_expression" or inner is None:
                break
            if name == "route" and chained is None and arguments(node):
                chained = (path, arguments(node)[0])
            elif name not in VERBS and name not in ("use", "register", *PASS_THROUGH):
                break
            node = inner
        return self._routers_at(path, node), chained

    def _router(self, value: Result) -> _Router:
        key = (value.at, value.through)
        if key not in self._routers:
            self._routers[key] = _Router(framework_of(value) or "express", prefix=self._own_prefix(value))
        return self._routers[key]

    def _own_prefix(self, value: Result) -> str:
        """`new Router({prefix: '/x'})`."""
        if value.options is None or framework_of(value) != "koa":
            return ""
        found = self._evaluator.member(Object(value.options), "prefix")
        return next((each for each in found if isinstance(each, str)), "")

    def _declare_on(self, router: _Router, call: RouterCall, chained: tuple[str, Node] | None) -> None:
        given = call.given
        if call.name in VERBS:
            if chained is not None:
                paths, handlers = self._paths(*chained), given
            elif router.framework == "express" and given and given[-1].type in NO_HANDLERS:
                return  # a client that sends something there, under a router's name
            elif len(given) > 1 or (given and router.framework == "fastify"):
                paths, handlers = self._paths(call.path, given[0]), given[1:]
            else:
                return
            self._add(router, VERBS[call.name], paths, call, handlers)
        elif call.name == "prefix" and given:
            router.prefix = self._evaluator.text(call.path, given[0]) or router.prefix
        elif call.name == "route" and given and router.framework in ("fastify", "hapi"):
            self._from_options(router, call, given[0])
        elif call.name == "route" and given and router.framework == "hono":
            self._mount(router, self._paths(call.path, given[0]), call, given[1:])
        elif call.name == "register":
            self._register(router, call)
        elif call.name == "use" or may_mount(call):
            paths = self._prefixes(call.path, given[0]) if len(given) > 1 else []
            self._mount(router, paths or [""], call, given[1:] if paths else given)

    def _add(
        self, router: _Router, verb: str | None, paths: Sequence[str], call: RouterCall, handlers: Sequence[Node]
    ) -> None:
        at = place(call.path, call.node)
        for path in paths:
            router.routes.append(_Declared(verb, path, self._targets.of(call.path, handlers), at))

    def _from_options(self, router: _Router, call: RouterCall, options: Node) -> None:
        """`route({method: 'GET', url: '/x', handler})`, one or a list of them."""
        for value in self._evaluator.values(call.path, options):
            for each in value.items if isinstance(value, Array) else (value,):
                if not isinstance(each, Object):
                    continue
                member = self._evaluator.member
                verbs = [
                    found
                    for key in member(each, "method")
                    for found in (key.items if isinstance(key, Array) else (key,))
                ]
                paths = [path for key in ("url", "path") for path in member(each, key) if isinstance(path, str)]
                handler = next(iter(member(each, "handler")), UNKNOWN)
                target = target_of(handler) or Target("handler")
                for path in paths:
                    for verb in verbs or [UNKNOWN]:
                        named = verb.upper() if isinstance(verb, str) and verb not in ("*", "ALL") else None
                        router.routes.append(_Declared(named, path, target, each.at))

    def _register(self, router: _Router, call: RouterCall) -> None:
        """Fastify: `register(plugin, {prefix: '/x'})`; the plugin's first parameter is the same server below it."""
        if router.framework not in ("fastify", "hono") or not call.given:
            return
        self._autoload(router, call)
        prefix = ""
        if len(call.given) > 1:
            for options in self._evaluator.values(call.path, call.given[1]):
                prefix = next(
                    (each for each in self._evaluator.member(options, "prefix") if isinstance(each, str)), prefix
                )
        router.mounts.extend((prefix, child) for child in self._plugins(call))

    def _autoload(self, router: _Router, call: RouterCall) -> None:
        """`register(autoload, {dir: join(here, 'routes')})`: every file below is a plugin, its folder the prefix."""
        plugins = self._evaluator.values(call.path, call.given[0])
        if len(call.given) < 2 or External("@fastify/autoload") not in plugins:
            return
        folder = folder_named(call.given[1], call.path)
        for path in self._files() if folder else ():
            if not path.startswith(f"{folder}/"):
                continue
            prefix = posixpath.dirname(path)[len(folder or "") :]
            for value in self._evaluator.exported(path, "default"):
                function = self._function_of(value)
                accepted = parameters(function.at.node) if function is not None else []
                if function is not None and accepted:
                    child = Result(External("fastify"), place(function.at.path, accepted[0]), ())
                    router.mounts.append((prefix, child))

    def _mount(self, router: _Router, paths: Sequence[str], call: RouterCall, given: Sequence[Node]) -> None:
        for node in given:
            within = self._mount_prefix(call.path, node)
            for target in self._mounted(call, node):
                router.mounts.extend((_joined(path, within), target) for path in paths)

    def _mount_prefix(self, path: str, node: Node) -> str:
        """`app.use(mount('/x', other))` of koa-mount."""
        for value in self._evaluator.values(path, node):
            if isinstance(value, Result) and value.of.name == "koa-mount" and len(value.given) == 2:
                return value.given[0] if isinstance(value.given[0], str) else ""
        return ""

    def _mounted(self, call: RouterCall, node: Node) -> Iterator[Result]:
        """The routers in what is mounted, also inside an array or what another package wraps around one."""
        found, _ = self._receiver(call.path, node)
        yield from found
        if found:
            return
        for value in self._evaluator.values(call.path, node):
            yield from self._inside(value, called=call.name != "use")

    def _inside(self, value: Value, called: bool, depth: int = 0) -> Iterator[Result]:
        if depth > 3:
            return
        match value:
            case Array(items):
                for each in items:
                    yield from self._inside(each, called, depth + 1)
            case Result(_, _, given) if not framework_of(value):
                for each in given:
                    yield from self._inside(each, called, depth + 1)
            case Result():
                yield value
            case Module(path):
                for each in self._evaluator.exported(path, "default"):
                    if each != value:
                        yield from self._inside(each, called, depth + 1)
            case Function() if called:  # a method of the application's own that mounts what a function makes, later
                for each in self._evaluator.returned(value):
                    yield from self._inside(each, called, depth + 1)

    def _called_through(self, call: RouterCall) -> None:
        """`let register = app.get; if (x) register = app.post; register.call(app, '/path', handler)`."""
        routers = self._routers_at(call.path, call.given[0])
        if not routers or len(call.given) < 2 or call.holder is None or call.holder.type != "identifier":
            return
        name = text_of(call.holder)
        verbs: list[str] = []
        for node in descendants(self._evaluator.file(call.path).root, "variable_declarator", "assignment_expression"):
            left = node.child_by_field_name("name") or node.child_by_field_name("left")
            right = node.child_by_field_name("value") or node.child_by_field_name("right")
            if text_of(left) == name and right is not None and right.type == "member_expression":
                verbs.append(text_of(right.child_by_field_name("property")))
        for router in routers:
            for verb in verbs:
                if verb in VERBS:
                    paths = self._paths(call.path, call.given[1])
                    self._add(self._router(router), VERBS[verb], paths, call, call.given[2:])

    def _paths(self, path: str, node: Node) -> list[str]:
        """The paths of a route: text, patterns as they are written, lists of either; empty when it is not known."""
        found: list[str] = []
        for value in self._evaluator.values(path, node):
            for each in value.items if isinstance(value, Array) else (value,):
                if isinstance(each, str):
                    found.append(each)
                elif isinstance(each, Pattern):
                    found.append(each.source)
        return [each for each in found if not re.fullmatch(r"(\$\{[^}]*\})+", each)]

    def _prefixes(self, path: str, node: Node) -> list[str]:
        """Where a router is mounted; an expression that only says that it is a path stands as `${expression}`."""
        found = self._paths(path, node)
        if not found and re.search(r"path|prefix|base|root|url|mount", text_of(node)[-40:], re.IGNORECASE):
            known = self._evaluator.text(path, node)
            return [known] if known is not None else []
        return found

    # --- prefixes

    def _resolve(self) -> Iterator[RouterRoute]:
        """Every route under every prefix that its router is mounted at; a router mounted nowhere is a root."""
        mounted = {(target.at, target.through) for router in self._routers.values() for _, target in router.mounts}
        known = set(self._routers) | mounted
        for key in self._routers:
            if any(_covers(key, other) for other in mounted):
                continue
            if any(_covers(key, other) and key != other for other in known):
                continue
            yield from self._below(key, "", ())

    def _below(self, key: _Key, prefix: str, seen: tuple[_Key, ...]) -> Iterator[RouterRoute]:
        if key in seen or len(seen) > 12:
            return
        for router in self._layers(key):
            here = _joined(prefix, router.prefix)
            for route in router.routes:
                yield RouterRoute(
                    router.framework, route.verb, _joined(here, route.path) or "/", route.target, route.at
                )
            for path, target in router.mounts:
                yield from self._below((target.at, target.through), _joined(here, path), (*seen, key))

    def _layers(self, key: _Key) -> Iterator[_Router]:
        """What was declared on a router by the function that made it, and by each that handed it on."""
        at, through = key
        for length in range(len(through) + 1):
            router = self._routers.get((at, through[:length]))
            if router is not None:
                yield router


def _covers(key: _Key, other: _Key) -> bool:
    """Whether `other` is the same router, perhaps handed on further."""
    return key[0] == other[0] and other[1][: len(key[1])] == key[1]


def _joined(prefix: str, path: str) -> str:
    if not path or path == "/":
        return prefix or path
    if not prefix:
        return path if path.startswith(("/", "*", "$", "(")) else f"/{path}"
    return f"{prefix.rstrip('/')}/{path.lstrip('/')}" if not path.startswith("/^") else f"{prefix.rstrip('/')}{path}"
