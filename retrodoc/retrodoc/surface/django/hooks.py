"""Decides what Django's functions and objects are when a project's URL configuration is evaluated."""

# ruff: noqa: ARG002 - hooks take what the evaluator gives all of them

from __future__ import annotations

import ast
import re
from typing import Any

from retrodoc.surface.python.evaluate import NOT_HANDLED, Evaluator, Frame, Hooks
from retrodoc.surface.python.modules import is_test_path
from retrodoc.surface.python.places import last_name
from retrodoc.surface.python.values import (
    UNKNOWN,
    ClassRef,
    Env,
    ExternalObject,
    ExternalRef,
    FunctionRef,
    Instance,
    LazyImport,
    Member,
    ModuleRef,
    Unknown,
    Value,
)

from .apps import AppConfigs
from .known import home_of
from .patterns import Included, Pattern, View, as_view
from .routers import Router
from .settings import Settings

_PATTERN_MAKERS = frozenset({"path", "re_path", "url"})
_LABEL = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$")
_NAME = re.compile(r"[A-Za-z_]\w*$")
_VERB_WRAPPERS = {
    "require_POST": ("POST",),
    "require_GET": ("GET",),
    "require_safe": ("GET",),
}


_OPTIONS = "django.db.models.options.Options"


class DjangoHooks(Hooks):
    """Teaches the evaluator `path`, `include`, routers, app configs, settings and class loaders."""

    def __init__(self, settings: Settings, apps: AppConfigs) -> None:
        self.settings = settings
        self.apps = apps

    def attribute(self, evaluator: Evaluator, owner: Value, name: str) -> Value:
        if isinstance(owner, ExternalRef) and owner.dotted in ("django.conf.settings", "django.conf.global_settings"):
            return self.settings.value(evaluator, name)
        if isinstance(owner, Router):
            return _router_attribute(owner, name)
        if name == "_meta":
            return ExternalObject(_OPTIONS, (owner,))
        if isinstance(owner, ExternalObject) and owner.dotted == _OPTIONS:
            return self._option(evaluator, owner.args[0], name)
        if isinstance(owner, Instance) and name == "label":
            given = evaluator.attribute(owner, "name")
            return given.rpartition(".")[2] if isinstance(given, str) else UNKNOWN
        return NOT_HANDLED

    def is_instance(self, value: Value, kind: Value) -> Value:
        """Field classes are compared by name; every automatic key is an integer."""
        if isinstance(value, ExternalObject) and isinstance(kind, ExternalRef) and kind.dotted.endswith("Field"):
            name, wanted = value.dotted.rpartition(".")[2], kind.dotted.rpartition(".")[2]
            return name == wanted or (wanted == "IntegerField" and name.endswith("AutoField"))
        return UNKNOWN

    def _option(self, ev: Evaluator, model: Value, name: str) -> Value:
        """`model._meta.pk`, `model._meta.app_label`, `model._meta.model_name`."""
        if name == "pk":
            return ExternalObject(_primary_key(ev, model))
        if name == "model_name" and isinstance(model, ClassRef):
            return model.node.name.lower()
        if name == "app_label" and isinstance(model, ClassRef):
            return self.apps.label_of(ev, model.module.name)
        return Unknown(f"_meta.{name}")

    def imported(self, evaluator: Evaluator, lazy: LazyImport, frame: Frame) -> None:
        """A URL module imports its views first: their decorators may fill a registry that it then reads."""
        if lazy.name and lazy.name.endswith("views") and frame.module.path.endswith("urls.py"):
            module = evaluator.follow(lazy, frame.module)
            if isinstance(module, ModuleRef):
                evaluator.env_of(module.module)

    def defined(self, evaluator: Evaluator, found: FunctionRef | ClassRef, frame: Frame) -> Value:
        """A class under a decorator of the repository's own, such as `@register_model_view(Site, "edit")`."""
        for decorator in found.node.decorator_list if isinstance(found, ClassRef) else ():
            if isinstance(decorator, ast.Call) and last_name(decorator).startswith("register"):
                inner = evaluator.evaluate(decorator, frame)
                if isinstance(inner, FunctionRef):
                    evaluator.call_function(inner, [found], {})
        return found

    def set_up(self, evaluator: Evaluator, instance: Instance) -> None:
        """An app config is ready before any URL is asked for."""
        if self.apps.is_config(evaluator, instance.cls):
            ready = evaluator.attribute(instance, "ready")
            if isinstance(ready, FunctionRef):
                evaluator.call_function(ready, [], {})

    def call(self, evaluator: Evaluator, callee: Value, args: list[Value], kwargs: Env, frame: Frame) -> Value:
        if isinstance(callee, ExternalRef):
            return self._call_external(evaluator, callee.dotted, args, kwargs, frame)
        if isinstance(callee, Member):
            return self._call_member(callee, args, kwargs, frame)
        if isinstance(callee, FunctionRef):
            if getattr(callee.node, "name", "") == "as_view":
                return _class_view(callee.bound, args) or NOT_HANDLED
            if getattr(callee.node, "name", "") == "get_hooks" and args and isinstance(args[0], str):
                return self._hooked(evaluator, args[0])
            return self._load(evaluator, args)
        if isinstance(callee, ClassRef):
            return self._router_of_class(evaluator, callee, args, kwargs, frame) or NOT_HANDLED
        return NOT_HANDLED

    def result(self, callee: Value, args: list[Value], kwargs: Env, result: Value) -> Value:
        """A wrapper that nobody can see through gives back the view, or the patterns, that it was given."""
        if isinstance(result, View | Pattern | Included | Router):
            return result
        if isinstance(result, list | tuple) and any(isinstance(item, Pattern) for item in result):
            return result
        for arg in args:
            if isinstance(arg, View):
                return arg
            if isinstance(arg, list) and any(isinstance(item, Pattern | Router) for item in arg):
                return arg
        if isinstance(result, ExternalObject | Unknown) or _is_closure(result):
            for arg in args:
                if isinstance(arg, FunctionRef) and not isinstance(callee, ClassRef):
                    return arg
        return result

    # calls

    def _call_external(self, ev: Evaluator, dotted: str, args: list[Value], kwargs: Env, frame: Frame) -> Value:
        last = dotted.rpartition(".")[2]
        if last in _PATTERN_MAKERS and dotted.startswith(("django.", "rest_framework.")):
            return _pattern(ev, args, kwargs, frame)
        if last in ("URLPattern", "URLResolver") and args and isinstance(args[0], ExternalObject):
            inner = [args[0].args[0] if args[0].args else None, *args[1:]]  # what `path` makes of its arguments
            return _pattern(ev, inner, kwargs, frame)
        if last == "include" and dotted.startswith("django."):
            return self._include(ev, args[0] if args else kwargs.get("arg"), frame)
        if last == "patterns" and dotted.startswith("django.conf.urls"):
            return _prefixed(ev, args, frame)
        if last == "i18n_patterns":
            return self._translated(ev, args, kwargs, frame)
        if dotted == "django.conf.urls.static.static" or last == "staticfiles_urlpatterns":
            return []
        if last == "get_app_config" and args and isinstance(args[0], str):
            return self.apps.instance(ev, args[0]) or UNKNOWN
        if dotted == "django.apps.apps.is_installed" and args and isinstance(args[0], str):
            answer = self.settings.is_installed(ev, args[0])
            return UNKNOWN if answer is None else answer
        if last == "get_app_configs":
            return self.apps.instances(ev)
        if last.endswith("Router") and ("routers" in dotted or "rest_framework" in dotted):
            return _router(dotted, args, kwargs, frame)
        if last == "as_view":
            return View(external=home_of(dotted.removesuffix(".as_view")))
        if last in _VERB_WRAPPERS:
            return _with_verbs(last, args)
        return NOT_HANDLED

    def _call_member(self, callee: Member, args: list[Value], kwargs: Env, frame: Frame) -> Value:
        owner = callee.owner
        if callee.name == "as_view":
            return _class_view(owner, args) or NOT_HANDLED
        if isinstance(owner, Router):
            if callee.name == "register":
                return _register(owner, args, kwargs, frame)
            return [owner] if callee.name == "get_urls" else UNKNOWN
        return NOT_HANDLED

    def _include(self, ev: Evaluator, target: Value, frame: Frame) -> Value:
        if isinstance(target, tuple) and target:
            target = target[0]
        if isinstance(target, str):
            target = ev.dotted(target, frame.module.path)
        if isinstance(target, ModuleRef):
            ev.env_of(target.module)
        return Included(target)

    def _translated(self, ev: Evaluator, args: list[Value], kwargs: Env, frame: Frame) -> Value:
        code = self.settings.value(ev, "LANGUAGE_CODE")
        prefix = f"{code.lower()}/" if isinstance(code, str) else "en-us/"
        if kwargs.get("prefix_default_language") is False:
            prefix = ""
        assert frame.node is not None
        return [Pattern(prefix, list(args), None, frame.module, frame.node)]

    def _hooked(self, ev: Evaluator, key: str) -> Value:
        """Functions of the repository under `@hooks.register(key)`: what a registry of plugins would hold."""
        found: list[Value] = []
        for path in ev.project.containing(re.compile(rb"@(?:\w+\.)*register\(\s*['\"]" + re.escape(key.encode()))):
            module = ev.module(path) if not is_test_path(path) else None
            for node in module.tree.body if module else ():
                if module and isinstance(node, ast.FunctionDef) and key in map(_registered_key, node.decorator_list):
                    found.append(FunctionRef(module, node, node.name))
        return found

    def _load(self, ev: Evaluator, args: list[Value]) -> Value:
        """`get_class("basket.views", "BasketView")`: a label and names that one module of the repository has."""
        if len(args) < 2 or not isinstance(args[0], str) or not _LABEL.match(args[0]):
            return NOT_HANDLED
        names = [args[1]] if isinstance(args[1], str) else args[1]
        if not isinstance(names, list | tuple) or not names:
            return NOT_HANDLED
        if not all(isinstance(name, str) and _NAME.match(name) for name in names):
            return NOT_HANDLED
        for path in ev.project.ending(args[0]):
            module = ev.module(path)
            if module is None:
                continue
            found = [ev.member_of(module, name) for name in names]
            if all(value is not NOT_HANDLED for value in found):
                return found[0] if isinstance(args[1], str) else found
        return NOT_HANDLED

    def _router_of_class(self, ev: Evaluator, cls: ClassRef, args: list[Value], kwargs: Env, frame: Frame) -> Value:
        """A router class of the repository's own, derived from the framework's or written in its manner."""
        line, others = ev.linear(cls)
        bases = [base for base in others if base.endswith("Router") and "rout" in base.rpartition(".")[0]]
        names = {name for known in line for name in ev.namespace(known)}
        if not bases and not (cls.node.name.endswith("Router") and {"register", "get_urls"} <= names):
            return None
        dotted = bases[0] if bases else cls.symbol
        router = _router(dotted, args, kwargs, frame)
        slash = ev.class_member(cls, "trailing_slash")
        if isinstance(slash, str):
            router.slash = slash.rstrip("?")
        if ev.class_member(cls, "include_root_view") is False:
            router.root_view = False
        return router


def _pattern(ev: Evaluator, args: list[Value], kwargs: Env, frame: Frame) -> Value:
    route = args[0] if args else kwargs.get("route", kwargs.get("regex"))
    target = args[1] if len(args) > 1 else kwargs.get("view")
    name = kwargs.get("name", args[3] if len(args) > 3 else None)
    if isinstance(route, ExternalRef) or (isinstance(route, Unknown) and route.text):
        route = "{" + (route.text if isinstance(route, Unknown) else route.dotted) + "}"
    if isinstance(route, ExternalObject) and route.args and isinstance(route.args[0], str):
        route = route.args[0]  # gettext_lazy("news/")
    if not isinstance(route, str) or frame.node is None:
        return UNKNOWN
    if isinstance(target, str):
        target = ev.dotted(target, frame.module.path)
    return Pattern(route, target, name if isinstance(name, str) else None, frame.module, frame.node)


def _prefixed(ev: Evaluator, args: list[Value], frame: Frame) -> Value:
    """`patterns("app.views", url(...), (r"^x/$", "view"))` of Django before 1.10."""
    prefix = args[0] if args and isinstance(args[0], str) else ""
    found: list[Value] = []
    for item in args[1:]:
        if isinstance(item, tuple) and len(item) >= 2 and frame.node is not None:
            target = ev.dotted(item[1], frame.module.path) if isinstance(item[1], str) else item[1]
            name = item[3] if len(item) > 3 and isinstance(item[3], str) else None
            item = Pattern(str(item[0]), target, name, frame.module, frame.node)
        if isinstance(item, Pattern):
            if prefix and isinstance(item.leads_to, ExternalRef):
                item.leads_to = ev.dotted(f"{prefix}.{item.leads_to.dotted}", frame.module.path)
            found.append(item)
    return found


def _class_view(cls: Value, args: list[Value]) -> View | None:
    actions = args[0] if args and isinstance(args[0], dict) else {}
    verbs = {str(verb).lower(): action for verb, action in actions.items() if isinstance(action, str)}
    if isinstance(cls, ClassRef):
        return View(cls, actions=verbs)
    if isinstance(cls, ExternalRef | ExternalObject):
        view = as_view(cls)
        return View(external=view.external if view else cls.dotted)
    return None


def _with_verbs(wrapper: str, args: list[Value]) -> Value:
    view = as_view(args[0]) if args else None
    if view is None:
        return NOT_HANDLED
    return View(view.ref, view.external, _VERB_WRAPPERS[wrapper], view.actions)


def _router(dotted: str, args: list[Value], kwargs: Env, frame: Frame) -> Router:
    last = dotted.rpartition(".")[2]
    assert frame.node is not None
    router = Router(frame.module, frame.node, root_view="Default" in last)
    if kwargs.get("trailing_slash") is False:
        router.slash = ""
    router.typed = kwargs.get("use_regex_path") is False
    if "Nested" in last:
        parent = args[0] if args else kwargs.get("parent_router")
        prefix = args[1] if len(args) > 1 else kwargs.get("parent_prefix")
        lookup = kwargs.get("lookup", args[2] if len(args) > 2 else "nested")
        if isinstance(parent, Router) and isinstance(prefix, str):
            router.parent, router.parent_prefix = parent, prefix
            router.lookup = lookup if isinstance(lookup, str) else ""
    return router


def _router_attribute(router: Router, name: str) -> Any:
    if name == "urls":
        return [router]
    if name == "registry":
        return router.registry
    return Member(router, name)


def _register(router: Router, args: list[Value], kwargs: Env, frame: Frame) -> Value:
    prefix = args[0] if args else kwargs.get("prefix")
    viewset = args[1] if len(args) > 1 else kwargs.get("viewset")
    basename = kwargs.get("basename", kwargs.get("base_name", args[2] if len(args) > 2 else None))
    router.registry.append((prefix, viewset, basename, frame.module, frame.node))
    return None


def _is_closure(value: Value) -> bool:
    return isinstance(value, FunctionRef) and "<locals>" in value.qualname


def _registered_key(decorator: ast.expr) -> str | None:
    if isinstance(decorator, ast.Call) and last_name(decorator) == "register" and decorator.args:
        first = decorator.args[0]
        return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
    return None


def _primary_key(evaluator: Evaluator, model: Value) -> str:
    """The dotted class of a model's key: the field that is declared as such, else Django's automatic one."""
    if isinstance(model, ClassRef):
        for cls in evaluator.linear(model)[0]:
            for value in evaluator.namespace(cls).values():
                if isinstance(value, ExternalObject) and value.kwargs.get("primary_key") is True:
                    return value.dotted
    return "django.db.models.BigAutoField"
