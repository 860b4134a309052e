"""Decides which routes an application adds by calls of its own or of a small framework: `add_route(view, "/path")`.

Covers aiohttp, Falcon, Tornado, Bottle and ASGI applications that keep their own table: a call that is named like a
registration and takes one path and one handler is one. Applications of the frameworks that have a rule are left out.
"""

# ruff: noqa: ARG002 - hooks take what the evaluator gives all of them

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrodoc.surface.python.evaluate import NOT_HANDLED, Evaluator, Frame, Hooks
from retrodoc.surface.python.modules import Module, is_example_path, is_test_path, project_of
from retrodoc.surface.python.places import handler_of, reference
from retrodoc.surface.python.scan import enter, refuses
from retrodoc.surface.python.values import (
    ClassRef,
    Env,
    ExternalObject,
    ExternalRef,
    FunctionRef,
    Instance,
    Member,
    Unknown,
    Value,
)
from retrodoc_runs.models import EntryPoint, Handler

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

_VERBS = ("get", "post", "put", "patch", "delete")
_ADDERS = frozenset({"add_route", "add_view", "add_handler", "add_url_rule"} | {f"add_{verb}" for verb in _VERBS})
_DECORATORS = frozenset({"route", "view", *_VERBS})
_LIBRARIES = ("aiohttp", "bottle")
"""Libraries whose functions `get`, `route` and the like register, when they are imported from there."""
_KNOWN = re.compile(
    rb"^\s*(?:from|import)\s+(?:flask|quart|sanic|fastapi|starlette|pyramid|cornice|django|rest_framework|litestar)\b",
    re.MULTILINE,
)
_NEEDLES = (b"add_route", b"add_get", b"add_post", b"add_view", b"aiohttp", b"bottle", b"tornado.web")


class RouteCallHooks(Hooks):
    """Notes each call that adds a route."""

    def __init__(self) -> None:
        self.entries: list[EntryPoint] = []

    def call(self, evaluator: Evaluator, callee: Value, args: list[Value], kwargs: Env, frame: Frame) -> Value:
        name = _name_of(callee)
        if name == "as_view" and isinstance(callee, FunctionRef | Member):
            owner = callee.bound if isinstance(callee, FunctionRef) else callee.owner
            return Instance(owner, tuple(args)) if isinstance(owner, ClassRef) else NOT_HANDLED
        library = isinstance(callee, ExternalRef) and callee.dotted.startswith("aiohttp.web.") and name in _DECORATORS
        if (name in _ADDERS or library) and frame.node is not None:
            self._added(evaluator, name, [*args, *kwargs.values()], frame.module, frame.node)
        elif name == "Application" and args and isinstance(args[0], list):
            for item in args[0]:
                if isinstance(item, tuple | ExternalObject) and frame.node is not None:
                    parts = item if isinstance(item, tuple) else item.args
                    self._added(evaluator, name, list(parts)[:2], frame.module, frame.node)
        return NOT_HANDLED

    def result(self, callee: Value, args: list[Value], kwargs: Env, result: Value) -> Value:
        if isinstance(result, ExternalObject | Unknown) or (
            isinstance(result, FunctionRef) and "<locals>" in result.qualname
        ):
            for arg in args:
                if isinstance(arg, FunctionRef) or (isinstance(arg, Instance) and arg.args):
                    return arg
        return result

    def defined(self, evaluator: Evaluator, found: FunctionRef | ClassRef, frame: Frame) -> Value:
        for decorator in getattr(found.node, "decorator_list", ()):
            if not isinstance(decorator, ast.Call) or not decorator.args:
                continue
            maker = evaluator.evaluate(decorator.func, frame)
            name = _name_of(maker)
            if name in _DECORATORS and _from_library(maker):
                path = evaluator.evaluate(decorator.args[0], frame)
                self._added(evaluator, name, [path, found], frame.module, decorator)
        return found

    def _added(self, ev: Evaluator, name: str, args: list[Value], module: Module, node: ast.AST) -> None:
        paths = [arg for arg in args if isinstance(arg, str) and arg.lstrip("^").startswith("/")]
        handlers = [arg for arg in args if isinstance(arg, FunctionRef | ClassRef | Instance)]
        if len(paths) != 1 or len(handlers) != 1:
            return
        given = [arg.lower() for arg in args if isinstance(arg, str) and arg.lower() in _VERBS]
        verb = name.removeprefix("add_")
        verbs = tuple(given) or ((verb,) if verb in _VERBS else ())
        for answered, handler in _answers(ev, handlers[0], verbs):
            self.entries.append(
                EntryPoint(
                    kind="http",
                    method=answered.upper() if answered else None,
                    path=paths[0],
                    name=handler.symbol.rpartition(".")[2],
                    handler=handler,
                    framework="python",
                    declared=reference(module, node),
                )
            )


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    """One entry point for each path and handler that a call registers."""
    project = project_of(sources)
    hooks = RouteCallHooks()
    evaluator = Evaluator(project, hooks)
    for path in sorted({path for needle in _NEEDLES for path in project.containing(needle)}):
        if is_test_path(path) or is_example_path(path) or _KNOWN.search(project.data(path)):
            continue
        module = evaluator.module(path)
        if module:
            enter(evaluator, module, _ADDERS | {"Application", "add_routes"})
    return hooks.entries


def _answers(ev: Evaluator, value: Value, verbs: tuple[str, ...]) -> Iterator[tuple[str | None, Handler]]:
    cls = value.cls if isinstance(value, Instance) else value
    if not isinstance(cls, ClassRef):
        for verb in verbs or (None,):
            yield verb, handler_of(cls)
        return
    found = False
    for verb in _VERBS:
        for name in (verb, f"on_{verb}"):
            method = ev.class_member(cls, name)
            if isinstance(method, FunctionRef) and verb in (verbs or _VERBS) and not refuses(method):
                found = True
                yield verb, handler_of(cls, method.node, method.module)
    if not found:
        for verb in verbs or (None,):
            yield verb, handler_of(cls)


def _name_of(callee: Value) -> str:
    if isinstance(callee, Member):
        return callee.name
    if isinstance(callee, Unknown):
        return callee.text.rpartition(".")[2]
    if isinstance(callee, ExternalRef):
        return callee.dotted.rpartition(".")[2]
    if isinstance(callee, FunctionRef):
        return str(getattr(callee.node, "name", ""))
    return ""


def _from_library(maker: Value) -> bool:
    """Whether `@get("/x")` or `@routes.get("/x")` is a function or an object of a library that registers."""
    if isinstance(maker, Member) and isinstance(maker.owner, ExternalObject):
        maker = ExternalRef(maker.owner.dotted)
    return isinstance(maker, ExternalRef) and maker.dotted.startswith(_LIBRARIES)
