"""Decides which routes applications and routers answer, for frameworks that register functions under a prefix.

A framework is a `Dialect`: what its applications and routers are called, and which of their methods register a
route or another router. The evaluator then goes through the modules that import the framework, and through the
functions that call such a method, and the hooks here note what is registered with what.
"""

# ruff: noqa: ARG002 - hooks take what the evaluator gives all of them

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from retrodoc_runs.models import EntryPoint, Handler

from .evaluate import NOT_HANDLED, Evaluator, Frame, Hooks
from .modules import Module, Project, is_example_path, is_test_path
from .places import handler_of, keyword, reference
from .scan import enter, refuses
from .values import (
    UNKNOWN,
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

VERBS = ("get", "post", "put", "patch", "delete", "head", "options", "trace")
MAX_PREFIXES = 16
"""Places where one router may be included; more is a cycle."""


@dataclass(frozen=True)
class Dialect:
    """How a framework names things. Constructors are matched by their last name, inside `packages`."""

    name: str
    packages: tuple[str, ...]
    apps: frozenset[str]
    routers: frozenset[str]
    prefix_words: tuple[str, ...] = ("prefix",)
    """Parameters of a router's constructor, and of its registration, that hold a prefix."""
    includes: frozenset[str] = frozenset()
    """Methods that register a router with an application or another router."""
    route_decorators: frozenset[str] = frozenset({"route"})
    verb_decorators: frozenset[str] = frozenset(VERBS)
    adders: frozenset[str] = frozenset()
    """Methods that register a function: `add_url_rule("/x", view_func=f)`."""
    override: bool = False
    """A prefix given at registration replaces the router's own, rather than coming before it."""
    slash_join: bool = False
    """Prefix and route are joined by exactly one slash, rather than as they are."""
    default_verbs: tuple[str, ...] = ("GET",)
    also: bytes = b""
    """Text of other modules to evaluate: those that mount an application without importing the framework."""

    @cached_property
    def decorated(self) -> re.Pattern[bytes]:
        """A decorator that may be one of its routers'."""
        return re.compile(
            rb"@[\w.]+\.(?:%s)\s*\(" % "|".join(sorted(self.route_decorators | self.verb_decorators)).encode()
        )

    @property
    def needle(self) -> re.Pattern[bytes]:
        words = "|".join(re.escape(package) for package in self.packages)
        return re.compile(rf"^\s*(?:from|import)\s+(?:{words})\b".encode(), re.MULTILINE)

    @property
    def triggers(self) -> frozenset[str]:
        return self.includes | self.adders | self.route_decorators | self.apps | self.routers

    def owns(self, dotted: str, names: frozenset[str]) -> bool:
        head, _, last = dotted.partition(".")[0], ".", dotted.rpartition(".")[2]
        return last in names and any(head == package or head.startswith(package) for package in self.packages)


@dataclass(eq=False)
class Mount:
    """An application or a router: its own prefix, what it is registered with, and its routes."""

    kind: str
    prefix: str = ""
    links: list[tuple[Mount | None, str | None]] = field(default_factory=list)
    routes: list[Registration] = field(default_factory=list)
    attrs: Env = field(default_factory=dict)
    cls: ClassRef | None = None
    """Of the repository, when it derives from the framework's."""


@dataclass(frozen=True, eq=False)
class Registration:
    """One route as it was registered, before any prefix."""

    path: str
    verbs: tuple[str, ...]
    handler: Value
    name: str | None
    module: Module
    node: ast.AST


class MountHooks(Hooks):
    """Notes what is registered with applications and routers of one dialect."""

    def __init__(self, dialect: Dialect, project: Project) -> None:
        self.dialect = dialect
        self.project = project
        self.mounts: list[Mount] = []
        self.unnamed = Mount("app")
        """The application that functions receive as a parameter."""
        self._config: dict[str, Value] = {}

    def new(self, kind: str, prefix: Value = "") -> Mount:
        mount = Mount(kind, prefix if isinstance(prefix, str) else "")
        self.mounts.append(mount)
        return mount

    def owner(self, value: Value) -> Mount | None:
        """The mount that a value is; a parameter that nobody passed is the application itself."""
        if isinstance(value, Mount):
            return value
        if isinstance(value, Unknown):
            return self.unnamed
        if isinstance(value, Instance):
            return value.attrs.get("__mount__")
        return None

    # what the evaluator asks

    def attribute(self, evaluator: Evaluator, owner: Value, name: str) -> Value:
        if isinstance(owner, Mount):
            if name in owner.attrs:
                return owner.attrs[name]
            own = evaluator.class_member(owner.cls, name) if owner.cls else NOT_HANDLED
            if isinstance(own, FunctionRef):
                return FunctionRef(own.module, own.node, own.qualname, own.closure, own.owner, owner)
            return owner if name == "router" else Member(owner, name)
        return NOT_HANDLED

    def item(self, evaluator: Evaluator, owner: Value, key: Value) -> Value:
        """`app.config["X"]`: the plain value that the repository's configuration gives it."""
        if isinstance(key, str) and key.isidentifier():
            return self._configured(evaluator, key)
        return UNKNOWN

    def call(self, evaluator: Evaluator, callee: Value, args: list[Value], kwargs: Env, frame: Frame) -> Value:
        if isinstance(callee, ExternalRef):
            return self._construct(callee.dotted, args, kwargs, frame)
        if isinstance(callee, ClassRef):
            return self._construct_own(evaluator, callee, args, kwargs, frame)
        if isinstance(callee, Member | Unknown):
            owner, name = self._receiver(callee)
            if name == "as_view" and isinstance(owner, ClassRef):
                return Instance(owner, tuple(args))
            mount = self.owner(owner)
            if mount is not None and name:
                return self.method(evaluator, mount, name, args, kwargs, frame)
        if (
            isinstance(callee, FunctionRef)
            and callee.qualname.endswith(".as_view")
            and isinstance(callee.bound, ClassRef)
        ):
            return Instance(callee.bound, tuple(args))
        return NOT_HANDLED

    def result(self, callee: Value, args: list[Value], kwargs: Env, result: Value) -> Value:
        """A wrapper around a handler stands for it."""
        if isinstance(result, ExternalObject | Unknown) or _is_closure(result):
            for arg in args:
                if isinstance(arg, FunctionRef | Mount) or (isinstance(arg, Instance) and arg.args):
                    return arg
        return result

    def defined(self, evaluator: Evaluator, found: FunctionRef | ClassRef, frame: Frame) -> Value:
        for decorator in getattr(found.node, "decorator_list", ()):
            call = decorator if isinstance(decorator, ast.Call) else None
            target = call.func if call else decorator
            if not isinstance(target, ast.Attribute):
                continue
            name = target.attr
            if name not in self.dialect.route_decorators and name not in self.dialect.verb_decorators:
                continue
            mount = self.owner(evaluator.evaluate(target.value, frame))
            if mount is not None and call is not None:
                self._decorated(evaluator, mount, name, call, found, frame)
        return found

    # registering

    def _receiver(self, callee: Value) -> tuple[Value, str]:
        if isinstance(callee, Member):
            return callee.owner, callee.name
        head, _, name = callee.text.rpartition(".")
        return Unknown(head), name

    def _construct(self, dotted: str, args: list[Value], kwargs: Env, frame: Frame) -> Value:
        dialect = self.dialect
        if dialect.owns(dotted, dialect.apps):
            return self.new("app")
        if dialect.owns(dotted, dialect.routers):
            return self.new("router", self._prefix(kwargs))
        return NOT_HANDLED

    def _construct_own(self, ev: Evaluator, cls: ClassRef, args: list[Value], kwargs: Env, frame: Frame) -> Value:
        for base in ev.linear(cls)[1]:
            made = self._construct(base, args, kwargs, frame)
            if isinstance(made, Mount):
                made.cls = cls
                return made
        return NOT_HANDLED

    def _prefix(self, kwargs: Env) -> Value:
        for word in self.dialect.prefix_words:
            if word in kwargs:
                value = kwargs[word]
                return "{" + value.text + "}" if isinstance(value, Unknown) and value.text else value
        return None

    def method(self, ev: Evaluator, mount: Mount, name: str, args: list[Value], kwargs: Env, frame: Frame) -> Value:
        """A method of an application or router."""
        if name in self.dialect.includes and args:
            child = args[0] if isinstance(args[0], Mount) else None
            if child is not None and child is not mount:
                prefix = self._prefix(kwargs)
                child.links.append((mount, prefix if isinstance(prefix, str) else None))
            return None
        if name in self.dialect.adders:
            self.add(mount, args, kwargs, frame)
            return None
        if name in self.dialect.verb_decorators and len(args) > 1 and isinstance(args[1], FunctionRef | ClassRef):
            self._register(mount, args[0], (name.upper(),), args[1], None, frame.module, frame.node)
            return None
        return NOT_HANDLED if mount is self.unnamed else UNKNOWN

    def add(self, mount: Mount, args: list[Value], kwargs: Env, frame: Frame) -> None:
        """`add_url_rule("/x", "name", view)`, `add_api_route("/x", view, methods=[...])`."""
        path = args[0] if args else kwargs.get("rule", kwargs.get("path"))
        name = next((arg for arg in args[1:] if isinstance(arg, str)), kwargs.get("endpoint", kwargs.get("name")))
        handler = kwargs.get("view_func", kwargs.get("endpoint"))
        if not isinstance(handler, FunctionRef | ClassRef | Instance | ExternalRef):
            handler = next((arg for arg in args[1:] if isinstance(arg, FunctionRef | ClassRef | Instance)), handler)
        verbs = _verbs(kwargs.get("methods"))
        self._register(mount, path, verbs, handler, name, frame.module, frame.node)

    def _decorated(
        self, ev: Evaluator, mount: Mount, name: str, call: ast.Call, found: FunctionRef | ClassRef, frame: Frame
    ) -> None:
        first = keyword(call, "path", 0) or keyword(call, "rule", 0)
        path = ev.evaluate(first, frame) if first is not None else UNKNOWN
        given = keyword(call, "endpoint") or keyword(call, "name")
        methods = keyword(call, "methods")
        verbs: tuple[str, ...] = _verbs(ev.evaluate(methods, frame)) if methods is not None else ()
        if name in VERBS:
            verbs = (name.upper(),)
        elif name.startswith("websocket"):
            verbs = ("WEBSOCKET",)
        self._register(mount, path, verbs, found, ev.evaluate(given, frame) if given else None, frame.module, call)

    def _register(
        self,
        mount: Mount,
        path: Value,
        verbs: tuple[str, ...],
        handler: Value,
        name: Value,
        module: Module,
        node: ast.AST | None,
    ) -> None:
        if (
            isinstance(path, str)
            and node is not None
            and (path in ("", "*") or "/" in path or mount is not self.unnamed)
        ):
            label = name if isinstance(name, str) else None
            if label is None and isinstance(handler, Instance) and handler.args and isinstance(handler.args[0], str):
                label = handler.args[0]  # View.as_view("name")
            mount.routes.append(Registration(path, verbs, handler, label, module, node))

    def _configured(self, ev: Evaluator, key: str) -> Value:
        if key not in self._config:
            self._config[key] = Unknown(f"config.{key}")
            pattern = re.compile(
                rb"^\s*" + re.escape(key.encode()) + rb"\s*(?::\s*str\s*)?=\s*[rf]?['\"]", re.MULTILINE
            )
            for path in self.project.containing(pattern):
                module = None if is_test_path(path) else ev.module(path)
                for node in ast.walk(module.tree) if module else ():
                    if (
                        isinstance(node, ast.Assign | ast.AnnAssign)
                        and isinstance(node.value, ast.Constant)
                        and isinstance(node.value.value, str)
                        and any(getattr(target, "id", "") == key for target in getattr(node, "targets", [node]))
                    ):
                        self._config[key] = node.value.value
                        return self._config[key]
        return self._config[key]


def collect(project: Project, hooks: MountHooks) -> list[EntryPoint]:
    """All routes of one dialect in a project; tests are not looked at, examples only when there is nothing else."""
    paths = [path for path in project.containing(hooks.dialect.needle) if not is_test_path(path)]
    usual = [path for path in paths if not is_example_path(path)]
    evaluator = Evaluator(project, hooks)
    for path in usual or paths:
        module = evaluator.module(path)
        if module:
            enter(evaluator, module, hooks.dialect.triggers)
    for path in _without_import(project, hooks.dialect, paths) if paths else ():
        module = None if is_test_path(path) or (usual and is_example_path(path)) else evaluator.module(path)
        if module:
            evaluator.env_of(module)
    found: list[EntryPoint] = []
    for mount in [hooks.unnamed, *hooks.mounts]:
        for route in mount.routes:
            for prefix in _prefixes(hooks.dialect, mount, ()):
                found.extend(_entries(evaluator, hooks.dialect, prefix, route))
    return found


def _without_import(project: Project, dialect: Dialect, known: Iterable[str]) -> list[str]:
    """Other modules that may register: the router that they decorate with is imported from a module of the project."""
    found = {*project.containing(dialect.decorated), *(project.containing(dialect.also) if dialect.also else ())}
    return sorted(found.difference(known))


def _prefixes(dialect: Dialect, mount: Mount, seen: tuple[Mount, ...]) -> list[str | None]:
    """Every prefix under which a mount is reached; its own when nobody includes it."""
    if mount in seen or not mount.links:
        return [mount.prefix or None]
    found: list[str | None] = []
    whole: str | None
    for parent, given in mount.links:
        above: list[str | None] = [None]
        if parent is not None:
            above = _prefixes(dialect, parent, (*seen, mount))
        for start in above:
            own: tuple[str | None, ...] = (given, mount.prefix)
            if dialect.override:
                own = (given if given is not None else mount.prefix,)
            whole = start
            for part in own:
                if part:
                    whole = join(dialect, whole, part)
            if whole not in found:
                found.append(whole)
    return found[:MAX_PREFIXES]


def join(dialect: Dialect, prefix: str | None, path: str) -> str:
    """A prefix before a path, as the framework joins them."""
    if not prefix:
        return path
    if dialect.slash_join and path:
        return f"{prefix.rstrip('/')}/{path.lstrip('/')}"
    return prefix + path


def _entries(evaluator: Evaluator, dialect: Dialect, prefix: str | None, route: Registration) -> Iterator[EntryPoint]:
    path = join(dialect, prefix, route.path) or "/"
    if dialect.slash_join and not path.startswith("/"):
        path = f"/{path}"
    for verb, handler in _answers(evaluator, dialect, route):
        yield EntryPoint(
            kind="http",
            method=verb,
            path=path,
            name=route.name or handler.symbol.rpartition(".")[2] or None,
            handler=handler,
            framework=dialect.name,
            declared=reference(route.module, route.node),
        )


def _answers(evaluator: Evaluator, dialect: Dialect, route: Registration) -> Iterator[tuple[str | None, Handler]]:
    handler = route.handler.cls if isinstance(route.handler, Instance) else route.handler
    if isinstance(handler, FunctionRef):
        for verb in route.verbs or dialect.default_verbs:
            yield verb, handler_of(handler)
    elif isinstance(handler, ClassRef):
        methods = _methods(evaluator, handler)
        verbs: tuple[str | None, ...] = route.verbs or tuple(methods) or _class_verbs(evaluator, handler)
        for answered in verbs or (None,):
            method = methods.get(answered) if answered else None
            yield answered, handler_of(handler, method.node, method.module) if method else handler_of(handler)
    elif isinstance(handler, ExternalRef | ExternalObject):
        for verb in route.verbs or dialect.default_verbs:
            yield verb, Handler(symbol=handler.dotted)
    elif isinstance(handler, Mount):
        return
    else:
        node = route.node
        symbol = f"{route.module.name}.{getattr(handler, 'text', '') or '<unknown>'}"
        where = reference(route.module, node)
        for verb in route.verbs or dialect.default_verbs:
            yield verb, Handler(symbol=symbol, path=where.path, start_line=where.start_line, end_line=where.end_line)


def _methods(evaluator: Evaluator, cls: ClassRef) -> dict[str, FunctionRef]:
    """The verbs that a class answers by a method of that name: those of its bases in the repository too."""
    found: dict[str, FunctionRef] = {}
    for verb in VERBS[:5]:
        value = evaluator.class_member(cls, verb)
        if isinstance(value, FunctionRef) and not refuses(value):
            found[verb.upper()] = value
    return found


def _class_verbs(evaluator: Evaluator, cls: ClassRef) -> tuple[str, ...]:
    return _verbs(evaluator.class_member(cls, "methods"))


def _verbs(value: Value) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value.upper(),)
    if isinstance(value, list | tuple | set):
        return tuple(sorted({verb.upper() for verb in value if isinstance(verb, str)}))
    return ()


def _is_closure(value: Value) -> bool:
    return isinstance(value, FunctionRef) and "<locals>" in value.qualname
