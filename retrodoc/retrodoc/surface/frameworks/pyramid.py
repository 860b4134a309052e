"""Decides which routes a Pyramid application answers: route names with their views, Cornice services and resources."""

# ruff: noqa: ARG002 - hooks take what the evaluator gives all of them

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retrodoc.surface.python.evaluate import NOT_HANDLED, Evaluator, Frame, Hooks
from retrodoc.surface.python.modules import Module, is_example_path, is_test_path, project_of
from retrodoc.surface.python.places import handler_of, keyword, last_name, reference
from retrodoc.surface.python.scan import enter
from retrodoc.surface.python.values import (
    UNKNOWN,
    ClassRef,
    Env,
    ExternalRef,
    FunctionRef,
    Instance,
    Member,
    Unknown,
    Value,
)
from retrodoc_runs.models import EntryPoint, Handler, SourceRef

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

_NEEDLE = re.compile(rb"pyramid|cornice|\bService\(|_path=|view_config")
_TRIGGERS = frozenset({"add_route", "add_view", "include"})
_VERBS = ("get", "post", "put", "patch", "delete", "head", "options")
_PATHS = {"collection_path": "collection_", "plural_path": "plural_", "path": "", "object_path": "", "record_path": ""}
"""Parameters of a resource decorator that hold a path, and how the methods that answer it begin."""


@dataclass(frozen=True)
class _View:
    route: str
    verbs: tuple[str, ...]
    handler: Handler
    declared: SourceRef


@dataclass(eq=False)
class _Service:
    """A Cornice service: a name and a path, whose views are added by decorators."""

    name: str
    path: str


@dataclass
class _Found:
    routes: dict[str, str] = field(default_factory=dict)
    """Route name to pattern."""
    views: list[_View] = field(default_factory=list)
    entries: list[EntryPoint] = field(default_factory=list)


class PyramidHooks(Hooks):
    """Notes routes, views and services; the configurator itself is always a parameter, so it is never known."""

    def __init__(self) -> None:
        self.found = _Found()
        self._prefix: list[str] = []

    def attribute(self, evaluator: Evaluator, owner: Value, name: str) -> Value:
        return Member(owner, name) if isinstance(owner, _Service) else NOT_HANDLED

    def call(self, evaluator: Evaluator, callee: Value, args: list[Value], kwargs: Env, frame: Frame) -> Value:
        if isinstance(callee, ExternalRef) and _is_service(callee.dotted):
            return _service(args, kwargs)
        if isinstance(callee, ClassRef) and _derives_from_service(evaluator, callee):
            return _service(args, kwargs)
        name = callee.text.rpartition(".")[2] if isinstance(callee, Unknown) else getattr(callee, "name", "")
        if isinstance(callee, Member) and isinstance(callee.owner, _Service):
            return UNKNOWN
        if isinstance(callee, Unknown | Member):
            if name == "add_route":
                self._add_route(args, kwargs)
            elif name == "add_view":
                self._add_view(args, kwargs, frame)
            elif name == "include" and "route_prefix" in kwargs and isinstance(kwargs["route_prefix"], str):
                self._include(evaluator, args, kwargs["route_prefix"], frame)
                return UNKNOWN
        return NOT_HANDLED

    def defined(self, evaluator: Evaluator, found: FunctionRef | ClassRef, frame: Frame) -> Value:
        for decorator in getattr(found.node, "decorator_list", ()):
            if not isinstance(decorator, ast.Call):
                continue
            name = last_name(decorator)
            if name == "view_config":
                self._configured(evaluator, decorator, found, frame)
            elif isinstance(decorator.func, ast.Attribute) and name in _VERBS:
                service = evaluator.evaluate(decorator.func.value, frame)
                if isinstance(service, _Service):
                    self._answer(service.path, service.name, name, handler_of(found), frame.module, decorator)
            elif isinstance(found, ClassRef) and name in ("resource", "register"):
                self._resource(evaluator, decorator, found, frame)
        return found

    def _add_route(self, args: list[Value], kwargs: Env) -> None:
        name = args[0] if args else kwargs.get("name")
        pattern = args[1] if len(args) > 1 else kwargs.get("pattern", kwargs.get("path"))
        if isinstance(name, str) and isinstance(pattern, str):
            parts = [part.strip("/") for part in (*self._prefix, pattern)]
            whole = "/" + "/".join(part for part in parts if part) + _slash(pattern)
            if self._prefix or name not in self.found.routes:  # a function is also stepped into by itself, unprefixed
                self.found.routes[name] = whole

    def _add_view(self, args: list[Value], kwargs: Env, frame: Frame) -> None:
        view = args[0] if args else kwargs.get("view")
        view = view.cls if isinstance(view, Instance) else view
        route = kwargs.get("route_name")
        if isinstance(route, str) and isinstance(view, FunctionRef | ClassRef) and frame.node is not None:
            verbs = _verbs(kwargs.get("request_method"))
            self.found.views.append(_View(route, verbs, handler_of(view), reference(frame.module, frame.node)))

    def _include(self, ev: Evaluator, args: list[Value], prefix: str, frame: Frame) -> None:
        """`config.include(add_routes, route_prefix="/api")`: the function's routes come under the prefix."""
        target = args[0] if args else UNKNOWN
        if isinstance(target, str):
            name = f"{frame.module.package}{target}" if target.startswith(".") else target
            target = ev.dotted(name, frame.module.path)
        module = getattr(target, "module", None)
        if not isinstance(target, FunctionRef) and module is not None:
            target = ev.member_of(module, "includeme")
        if isinstance(target, FunctionRef):
            self._prefix.append(prefix)
            ev.call_function(target, [], {})
            self._prefix.pop()

    def _configured(self, ev: Evaluator, call: ast.Call, found: FunctionRef | ClassRef, frame: Frame) -> None:
        given = keyword(call, "route_name") or _default(frame.owner, "route_name")
        route = ev.evaluate(given, frame) if given is not None else None
        method = keyword(call, "request_method")
        if not isinstance(route, str):
            return
        verbs = _verbs(ev.evaluate(method, frame)) if method is not None else ()
        handler = handler_of(found)
        attr = keyword(call, "attr")
        if isinstance(found, ClassRef) and isinstance(attr, ast.Constant):
            inner = ev.class_member(found, str(attr.value))
            handler = handler_of(found, inner.node, inner.module) if isinstance(inner, FunctionRef) else handler
        self.found.views.append(_View(route, verbs, handler, reference(frame.module, call)))

    def _resource(self, ev: Evaluator, call: ast.Call, cls: ClassRef, frame: Frame) -> None:
        """A class whose methods answer a collection's path and an object's path."""
        given = keyword(call, "name")
        name = ev.evaluate(given, frame) if given is not None else cls.node.name.lower()
        for word, start in _PATHS.items():
            node = keyword(call, word)
            path = ev.evaluate(node, frame) if node is not None else None
            if not isinstance(path, str):
                continue
            path = path.replace("{{", "{").replace("}}", "}")
            enabled = self._enabled(ev, call, cls, f"{start or 'object_'}methods", frame)
            for verb in _VERBS[:5]:
                if enabled and verb.upper() not in enabled:
                    continue
                method = ev.class_member(cls, f"{start}{verb}")
                if isinstance(method, FunctionRef):
                    handler = handler_of(cls, method.node, method.module)
                    self._answer(path, str(name), verb, handler, frame.module, call)

    def _enabled(self, ev: Evaluator, call: ast.Call, cls: ClassRef, word: str, frame: Frame) -> tuple[str, ...]:
        """The verbs that the decorator, or the viewset it names, limits a resource to; empty for no limit."""
        given = keyword(call, word)
        if given is not None:
            return _verbs(ev.evaluate(given, frame))
        viewset = keyword(call, "viewset")
        value = ev.evaluate(viewset, frame) if viewset is not None else ev.class_member(cls, "default_viewset")
        if isinstance(value, Instance):
            return _verbs(ev.attribute(value, word))
        return _verbs(ev.class_member(value, word)) if isinstance(value, ClassRef) else ()

    def _answer(self, path: str, name: str, verb: str, handler: Handler, module: Module, node: ast.AST) -> None:
        self.found.entries.append(
            EntryPoint(
                kind="http",
                method=verb.upper(),
                path=path,
                name=name or None,
                handler=handler,
                framework="pyramid",
                declared=reference(module, node),
            )
        )


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    """Views whose route is known by name, and the services and resources of Cornice."""
    project = project_of(sources)
    if not project.containing(b"pyramid") and not project.containing(b"cornice"):
        return ()
    paths = [path for path in project.containing(_NEEDLE) if not is_test_path(path) and not is_example_path(path)]
    hooks = PyramidHooks()
    evaluator = Evaluator(project, hooks)
    for path in paths:
        module = evaluator.module(path)
        if module:
            enter(evaluator, module, _TRIGGERS)
    return [*hooks.found.entries, *_named(hooks.found)]


def _named(found: _Found) -> Iterator[EntryPoint]:
    for view in found.views:
        pattern = found.routes.get(view.route)
        if pattern is None:
            continue
        for verb in view.verbs or (None,):
            yield EntryPoint(
                kind="http",
                method=verb,
                path=pattern,
                name=view.route,
                handler=view.handler,
                framework="pyramid",
                declared=view.declared,
            )


def _service(args: list[Value], kwargs: Env) -> Value:
    name = args[0] if args else kwargs.get("name")
    path = args[1] if len(args) > 1 else kwargs.get("path")
    return _Service(name if isinstance(name, str) else "", path) if isinstance(path, str) else UNKNOWN


def _is_service(dotted: str) -> bool:
    return dotted.rpartition(".")[2] == "Service" and "cornice" in dotted


def _derives_from_service(evaluator: Evaluator, cls: ClassRef) -> bool:
    line, others = evaluator.linear(cls)
    return any(_is_service(base) for base in others) or any(_is_service(known.symbol) for known in line)


def _default(owner: ClassRef | None, word: str) -> ast.expr | None:
    """What `@view_defaults(...)` of the enclosing class gives."""
    for decorator in owner.node.decorator_list if owner else ():
        if isinstance(decorator, ast.Call) and last_name(decorator) == "view_defaults":
            return keyword(decorator, word)
    return None


def _verbs(value: Value) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value.upper(),)
    if isinstance(value, list | tuple):
        return tuple(verb.upper() for verb in value if isinstance(verb, str))
    return ()


def _slash(pattern: str) -> str:
    return "/" if pattern.endswith("/") and pattern.strip("/") else ""
