"""Decides what a URL pattern holds, and which whole routes a tree of patterns answers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from retrodoc.surface.python.evaluate import NOT_HANDLED, Evaluator
from retrodoc.surface.python.modules import Module
from retrodoc.surface.python.values import (
    ClassRef,
    ExternalObject,
    ExternalRef,
    FunctionRef,
    Instance,
    Member,
    ModuleRef,
    Unknown,
    Value,
)

from .known import INCLUDED, home_of

MAX_NESTING = 12
"""Includes inside includes."""


@dataclass(eq=False, slots=True)
class View:
    """What answers a route: a class or function of the repository, or the dotted name of another package's."""

    ref: ClassRef | FunctionRef | None = None
    external: str = ""
    verbs: tuple[str, ...] = ()
    """When a wrapper such as `require_POST(view)` fixes them."""
    actions: dict[str, str] = field(default_factory=dict)
    """Verb in small letters to the method that answers it: `as_view({"get": "list"})`."""


@dataclass(eq=False, slots=True)
class Included:
    """`include(...)`: patterns, or the module that holds them."""

    target: Value


@dataclass(eq=False, slots=True)
class Pattern:
    """One `path(...)`: `leads_to` is a `View`, or what an include holds."""

    route: str
    leads_to: Value
    name: str | None
    module: Module
    node: ast.AST


@dataclass(frozen=True, slots=True)
class Route:
    """A whole route, its pattern and its view."""

    route: str
    view: View
    name: str | None
    pattern: Pattern


def as_view(value: Value) -> View | None:
    """The view that a value is when it stands in a view's place."""
    if isinstance(value, View):
        return value
    if isinstance(value, ClassRef | FunctionRef):
        return View(value)
    if isinstance(value, Instance):
        return View(value.cls)
    if isinstance(value, ExternalRef):
        return View(external=home_of(value.dotted))
    if isinstance(value, ExternalObject):
        for arg in value.args:  # `cache_page(60)(view)`: the wrapped view answers
            if isinstance(arg, View | ClassRef | FunctionRef | ExternalRef | ExternalObject):
                return as_view(arg)
        return View(external=home_of(value.dotted.removesuffix(".as_view")))
    if isinstance(value, Member) and isinstance(value.owner, Instance | ClassRef):
        cls = value.owner.cls if isinstance(value.owner, Instance) else value.owner
        return View(cls)
    return None


def flatten(evaluator: Evaluator, patterns: Value, prefix: str = "", depth: int = 0) -> Iterator[Route]:
    """All routes under these patterns, in the order Django would try them."""
    if depth > MAX_NESTING or not isinstance(patterns, list | tuple):
        return
    for pattern in patterns:
        if isinstance(pattern, list | tuple):
            yield from flatten(evaluator, pattern, prefix, depth + 1)
        elif isinstance(pattern, Pattern):
            yield from _routes_of(evaluator, pattern, prefix, depth)
        elif hasattr(pattern, "patterns"):  # a router, which may still grow while the project is read
            yield from flatten(evaluator, pattern.patterns(evaluator), prefix, depth + 1)


def _routes_of(evaluator: Evaluator, pattern: Pattern, prefix: str, depth: int) -> Iterator[Route]:
    route = prefix + pattern.route
    target = pattern.leads_to
    if isinstance(target, Included):
        target = target.target
        if isinstance(target, ModuleRef):
            found = evaluator.member_of(target.module, "urlpatterns")
            target = [] if found is NOT_HANDLED else found
        if isinstance(target, ExternalRef):
            yield from _external(target.dotted, route, pattern)
            return
    if isinstance(target, tuple):  # (patterns, app_name) or what an admin site's `urls` gives
        target = list(target[0]) if target and isinstance(target[0], list | tuple) else list(target)
    if isinstance(target, list):
        yield from flatten(evaluator, target, route, depth + 1)
    elif isinstance(target, ExternalRef) and target.dotted.rpartition(".")[2] in ("urls", "urlpatterns"):
        yield from _external(target.dotted, route, pattern)
    elif not isinstance(target, Unknown) and not hasattr(target, "patterns"):
        view = as_view(target)
        if view is not None:
            yield Route(route, view, pattern.name, pattern)


def _external(dotted: str, route: str, pattern: Pattern) -> Iterator[Route]:
    """Routes that another package's URL module adds: those of Django are known, of others only that they are there."""
    if dotted in INCLUDED:
        for tail, view, name in INCLUDED[dotted]:
            yield Route(route + tail, View(external=view), name, pattern)
    else:
        yield Route(route, View(external=dotted), pattern.name, pattern)
