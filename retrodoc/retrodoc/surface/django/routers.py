"""Decides which routes a REST router answers for the viewsets that were registered with it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from retrodoc.surface.python.evaluate import Evaluator, Frame
from retrodoc.surface.python.modules import Module
from retrodoc.surface.python.places import last_name
from retrodoc.surface.python.values import ClassRef, Env, ExternalRef, FunctionRef, ModuleRef, Value

from .known import ACTIONS
from .patterns import Pattern, View, as_view

_LIST = {"get": "list", "post": "create"}
_DETAIL = {"get": "retrieve", "put": "update", "patch": "partial_update", "delete": "destroy"}
_ACTION_DECORATORS = {"action": None, "detail_route": True, "list_route": False, "link": True}


@dataclass(eq=False, slots=True)
class Router:
    """A router; `registry` grows by `register`, and `patterns` is asked only when all modules were read."""

    module: Module
    node: ast.AST
    root_view: bool = False
    slash: str = "/"
    typed: bool = False
    """Parameters are written with a converter, `<str:pk>`: the router was made with `use_regex_path=False`."""
    parent: Router | None = None
    parent_prefix: str = ""
    lookup: str = ""
    registry: list[Value] = field(default_factory=list)
    """(prefix, viewset, basename, module, node) of each registration."""

    def patterns(self, evaluator: Evaluator) -> list[Value]:
        found: list[Value] = []
        for item in list(self.registry):
            if isinstance(item, tuple) and len(item) >= 2:
                found.extend(_of_viewset(evaluator, self, item))
        if self.root_view and found:
            view = View(external="rest_framework.routers.APIRootView")
            found.append(Pattern("", view, "api-root", self.module, self.node))
        return found

    def prefix(self, evaluator: Evaluator) -> str:
        """What a nested router puts before its own prefixes: `domains/<domain_pk>/`."""
        if self.parent is None:
            return ""
        field_name = "pk"
        for item in self.parent.registry:
            if item[0] == self.parent_prefix and isinstance(item[1], ClassRef):
                field_name = _lookup_of(evaluator, item[1])
        parameter = f"{self.lookup}_{field_name}" if self.lookup else field_name
        return f"{self.parent.prefix(evaluator)}{self.parent_prefix}/<{parameter}>/"


def _of_viewset(evaluator: Evaluator, router: Router, item: tuple[Value, ...]) -> Iterator[Pattern]:
    prefix, viewset, basename = (*item, None)[:3]
    module, node = (item[3], item[4]) if len(item) > 4 else (router.module, router.node)
    if not isinstance(prefix, str):
        return
    start = router.prefix(evaluator) + plain_route(prefix)
    view = as_view(viewset)
    if view is None:
        return
    base = (
        basename
        if isinstance(basename, str)
        else (_basename(evaluator, viewset) if isinstance(viewset, ClassRef) else None)
    )
    if not isinstance(viewset, ClassRef):
        yield Pattern(start + router.slash, view, f"{base}-list" if base else None, module, node)
        return
    lookup = f"<{_lookup_of(evaluator, viewset)}>"
    if router.typed:
        converter = evaluator.class_member(viewset, "lookup_value_converter")
        lookup = f"<{converter if isinstance(converter, str) else 'str'}:{lookup[1:]}"
    actions = actions_of(evaluator, viewset)
    extra = list(extra_actions(evaluator, viewset))

    def pattern(tail: str, mapping: dict[str, str], suffix: str) -> Pattern:
        route = "/".join(part for part in (start.rstrip("/"), tail) if part) + router.slash
        name = f"{base}-{suffix}" if base else None
        return Pattern(route if route != "/" else "", View(viewset, actions=mapping), name, module, node)

    for tail, mapping, suffix, detail in (("", _LIST, "list", False), (lookup, _DETAIL, "detail", True)):
        answered = {verb: action for verb, action in mapping.items() if action in actions}
        dynamic = [one for one in extra if one.detail is detail]
        if answered:
            yield pattern(tail, answered, suffix)
        inner = f"{lookup}/" if detail else ""
        yield from (pattern(inner + one.path, one.mapping, one.name) for one in dynamic)


@dataclass(frozen=True, slots=True)
class ExtraAction:
    """A method with `@action`: where it is reached, and which method answers which verb."""

    detail: bool
    path: str
    name: str
    mapping: dict[str, str]


def extra_actions(evaluator: Evaluator, viewset: ClassRef) -> Iterator[ExtraAction]:
    """The methods that a viewset, or a base of it in the repository, decorates as actions."""
    seen: set[str] = set()
    for cls in evaluator.linear(viewset)[0]:
        mapped: dict[str, dict[str, str]] = {}
        decorated: list[tuple[ast.FunctionDef | ast.AsyncFunctionDef, ast.expr]] = []
        for node in cls.node.body:
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name in seen:
                continue
            for decorator in node.decorator_list:
                call = decorator.func if isinstance(decorator, ast.Call) else decorator
                if last_name(call) in _ACTION_DECORATORS:
                    decorated.append((node, decorator))
                elif isinstance(call, ast.Attribute) and last_name(call.value) == "mapping":
                    assert isinstance(call.value, ast.Attribute)
                    mapped.setdefault(last_name(call.value.value), {})[call.attr] = node.name
            seen.add(node.name)
        for node, decorator in decorated:
            yield _extra_action(evaluator, cls, node, decorator, mapped.get(node.name, {}))


def _extra_action(
    evaluator: Evaluator,
    cls: ClassRef,
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    decorator: ast.expr,
    mapped: dict[str, str],
) -> ExtraAction:
    frame = Frame(cls.module, (evaluator.namespace(cls), *cls.closure))
    given: Env = {}
    if isinstance(decorator, ast.Call):
        given = {word.arg: evaluator.evaluate(word.value, frame) for word in decorator.keywords if word.arg}
        if decorator.args:
            given.setdefault("methods", evaluator.evaluate(decorator.args[0], frame))
    methods = given.get("methods")
    verbs = [str(verb).lower() for verb in methods] if isinstance(methods, list | tuple) else ["get"]
    detail = _ACTION_DECORATORS[last_name(decorator)]
    path, name = given.get("url_path"), given.get("url_name")
    return ExtraAction(
        detail=bool(given.get("detail", False)) if detail is None else detail,
        path=plain_route(path) if isinstance(path, str) else node.name,
        name=name if isinstance(name, str) else node.name.replace("_", "-"),
        mapping=dict.fromkeys(verbs, node.name) | mapped,
    )


def actions_of(evaluator: Evaluator, viewset: ClassRef) -> frozenset[str]:
    """The standard actions that a viewset has: defined in the repository, or inherited from the framework."""
    line, others = evaluator.linear(viewset)
    found = {action for base in others for action in ACTIONS.get(base.rpartition(".")[2], ())}
    for cls in line:
        names = evaluator.namespace(cls)
        found |= {
            action for action in (*_LIST.values(), *_DETAIL.values()) if isinstance(names.get(action), FunctionRef)
        }
    allowed = evaluator.class_member(viewset, "http_method_names")
    if isinstance(allowed, list | tuple):
        refused = {a for verb, a in (*_LIST.items(), *_DETAIL.items()) if verb not in allowed}
        found -= refused
    return frozenset(found)


def plain_route(pattern: str) -> str:
    """A router's pattern with each named group as `<name>`: the values it accepts are left out."""
    pattern = pattern.removeprefix("^").removesuffix("$")
    out: list[str] = []
    at = 0
    while (start := pattern.find("(?P<", at)) >= 0:
        end = _closing(pattern, start)
        name = re.match(r"\w+", pattern[start + 4 :])
        if end is None or name is None:
            break
        out += [pattern[at:start], f"<{name[0]}>"]
        at = end + 1
    return "".join(out) + pattern[at:]


def _closing(pattern: str, start: int) -> int | None:
    """Where the group that opens at `start` closes, character classes and escapes aside."""
    depth, at, in_class = 0, start, False
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 1
        elif char == "[" and not in_class:
            in_class = True
        elif char == "]":
            in_class = False
        elif char == "(" and not in_class:
            depth += 1
        elif char == ")" and not in_class:
            depth -= 1
            if depth == 0:
                return at
        at += 1
    return None


def _lookup_of(evaluator: Evaluator, viewset: ClassRef) -> str:
    for name in ("lookup_url_kwarg", "lookup_field"):
        value = evaluator.class_member(viewset, name)
        if isinstance(value, str):
            return value
    return "pk"


def _basename(evaluator: Evaluator, viewset: ClassRef) -> str | None:
    """The model's name in small letters, as the framework derives it from the queryset."""
    for cls in evaluator.linear(viewset)[0]:
        for node in cls.node.body:
            if isinstance(node, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == "queryset" for target in node.targets
            ):
                return _model_name(evaluator, cls, node.value)
    return None


def _model_name(evaluator: Evaluator, cls: ClassRef, queryset: ast.expr) -> str | None:
    """`Order` of `Order.objects.filter(...)` or `models.Order.objects.none()`."""
    parts: list[str] = []
    inner = queryset
    while not isinstance(inner, ast.Name):
        if isinstance(inner, ast.Call):
            inner = inner.func
        elif isinstance(inner, ast.Attribute):
            parts.insert(0, inner.attr)
            inner = inner.value
        elif isinstance(inner, ast.Subscript):
            inner = inner.value
        else:
            return None
    value = evaluator.evaluate(inner, Frame(cls.module, ()))
    while isinstance(value, ModuleRef) and parts:
        value = evaluator.attribute(value, parts.pop(0))
    if isinstance(value, ClassRef):
        return value.node.name.lower()
    for name in (value.dotted.rpartition(".")[2] if isinstance(value, ExternalRef) else inner.id, *parts):
        if name[:1].isupper():
            return name.lower()
    return None
