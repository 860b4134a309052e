"""Decides which routes a declaration makes: `resources`, `match`, `scope` and their kin, as Rails' mapper does.

It gets folded values and a callback for the block; reading the source is the reader's work. `as_declared` marks
where the statement stands, so that a route knows the lines that made it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from .inflect import Inflector, underscore
from .route_scope import CANONICAL_ACTIONS, DEFAULT_ACTIONS, SINGLETON_ACTIONS, Resource, RouteScope, normalize
from .values import UNKNOWN, Code, Constant, Regexp, Symbol, Value

Block = Callable[[], None]
Options = dict[str, Value]

VERBS = ("get", "post", "put", "patch", "delete", "options", "head")
_RESOURCE_OPTIONS = frozenset(("as", "controller", "path", "only", "except", "param", "concerns"))
_SCOPE_KEYS = ("as", "shallow_prefix", "module", "controller", "action", "path_names", "shallow", "via", "to", "format")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Something other than a controller that answers: an engine, a Rack class, a redirect, a lambda."""

    symbol: str
    inline: bool = False
    """Written at the route itself (a lambda, a redirect), so its code is the route's own lines."""


@dataclass(frozen=True, slots=True)
class Declared:
    """The statement that makes a route."""

    path: str = ""
    start_line: int = 0
    end_line: int = 0


@dataclass(frozen=True, slots=True)
class Route:
    verb: str | None
    """In capitals; None for any."""
    path: str
    name: str | None
    controller: str | None
    """Its path, module included: `admin/users`."""
    action: str | None
    declared: Declared
    endpoint: Endpoint | None = None


class RouteMapper:
    """Collects routes. `api_only` applications have no `new` and `edit` pages."""

    def __init__(self, inflector: Inflector | None = None, api_only: bool = False) -> None:
        self.routes: list[Route] = []
        self.mounts: list[tuple[str, Route]] = []
        """Name of each mounted engine or Rack application, and the route that mounts it."""
        self.declared = Declared()
        self._scope = RouteScope({"path": "", "path_names": {"new": "new", "edit": "edit"}})
        self.inflector = inflector or Inflector()
        self._api_only = api_only
        self._names: set[str] = set()
        self._concerns: dict[str, Callable[[Options], None]] = {}

    # --- scopes

    @contextmanager
    def _within(self, scope: RouteScope) -> Iterator[None]:
        outer, self._scope = self._scope, scope
        try:
            yield
        finally:
            self._scope = outer

    @contextmanager
    def _path(self, path: Value) -> Iterator[None]:
        with self._within(self._scope.inner({"path": self._joined(self._scope.get("path"), path)})):
            yield

    @staticmethod
    def _joined(parent: str | None, child: Value) -> str:
        piece = child if isinstance(child, str) else ""
        return normalize(f"{parent or ''}/{piece}") if parent or piece else ""

    def scope(self, paths: Sequence[Value], options: Options, block: Block) -> None:
        """`scope 'path', module: ..., as: ...`: the options that it knows add to what is around."""
        if any(path is UNKNOWN for path in paths):
            return
        options = dict(options)
        flat = [str(each) for path in paths for each in (path if isinstance(path, list) else [path]) if each]
        if flat:
            options["path"] = "/".join(flat)
        if options.get("path") is UNKNOWN:
            return
        if self._scope.level != "nested":
            if "path" in options:
                options.setdefault("shallow_path", options["path"])
            if "as" in options:
                options.setdefault("shallow_prefix", options["as"])
        with self._within(self._scope.inner(self._frame(options))):
            block()

    def _frame(self, options: Options) -> dict[str, Any]:
        around = self._scope
        frame: dict[str, Any] = {}
        if "only" in options or "except" in options:
            frame["action_options"] = {key: options[key] for key in ("only", "except") if key in options}
        for key in ("path", "shallow_path"):
            if key in options:
                frame[key] = self._joined(around.get(key), options[key])
        for key in _SCOPE_KEYS:
            if key not in options:
                continue
            value, outer = options[key], around.get(key)
            if key in ("as", "shallow_prefix") and isinstance(value, str):
                value = f"{outer}_{value}" if outer else str(value)
            elif key == "module" and isinstance(value, str):
                value = f"{outer}/{value}" if outer else str(value)
            elif key == "path_names" and isinstance(value, dict):
                value = {**(outer or {}), **value}
            frame[key] = value
        return frame

    def namespace(self, name: Value, options: Options, block: Block) -> None:
        if not isinstance(name, str):
            return
        if self._scope.in_resource:
            self._nested(lambda: self.namespace(name, options, block))
            return
        path = options.get("path", name)
        prefix = options.get("as", name)
        defaults = {"module": name, "as": prefix, "shallow_path": path, "shallow_prefix": prefix}
        rest = {key: value for key, value in options.items() if key != "path"}
        with self._path(path):
            self.scope((), {**defaults, **rest}, block)

    # --- resources

    def resources(self, names: Sequence[Value], options: Options, block: Block | None, singular: bool = False) -> None:
        """`resources :a, :b, only: ...` or, with `singular`, `resource :a`."""
        names = [str(name) for name in names if isinstance(name, str)]
        if len(names) != 1:
            for name in names:
                self.resources([name], dict(options), block, singular)
            return
        options = dict(options)
        if options.pop("shallow", None):
            self.shallow(lambda: self.resources(names, options, block, singular))
            return
        if self._scope.in_resource:
            self._nested(lambda: self.resources(names, options, block, singular))
            return
        others = {key: value for key, value in options.items() if key not in _RESOURCE_OPTIONS}
        others = {key: value for key, value in others.items() if not isinstance(value, Regexp)}
        own = {key: value for key, value in options.items() if key in _RESOURCE_OPTIONS}
        if others:
            self.scope((), others, lambda: self.resources(names, own, block, singular))
            return
        with self._within(self._scope.at_level("resource" if singular else "resources")):
            self._declare(self._resource(names[0], self._with_inherited_actions(own), singular), own, block)

    def _with_inherited_actions(self, options: Options) -> Options:
        if "only" in options or "except" in options:
            return options
        return {**options, **(self._scope.get("action_options") or {})}

    def _resource(self, name: str, options: Options, singular: bool) -> Resource:
        actions: tuple[str, ...] = SINGLETON_ACTIONS if singular else DEFAULT_ACTIONS
        if self._api_only:
            actions = tuple(action for action in actions if action not in ("new", "edit"))
        if "only" in options and options["only"] is not UNKNOWN:
            kept = _names(options["only"])
            actions = tuple(action for action in actions if action in kept)
        elif "except" in options:
            dropped = _names(options["except"])
            actions = tuple(action for action in actions if action not in dropped)
        controller = options.get("controller")
        if not isinstance(controller, str):
            controller = self.inflector.plural(name) if singular else name
        path, given = options.get("path"), options.get("as")
        return Resource(
            entity=name,
            actions=actions,
            path=path if isinstance(path, str) else name,
            controller=str(controller),
            given_name=str(given) if isinstance(given, str) else None,
            param=str(options.get("param") or "id"),
            singleton=singular,
            shallow=bool(self._scope.get("shallow")),
            inflector=self.inflector,
        )

    def _declare(self, resource: Resource, options: Options, block: Block | None) -> None:
        with self._within(self._scope.inner({"resource": resource, "controller": resource.controller})):
            if block is not None:
                here = self.declared
                block()
                self.declared = here
            self.concerns(_listed(options.get("concerns")), {})
            can = resource.actions.__contains__
            if resource.singleton:
                self._new_page(can("new"))
                self._member_routes(can)
                self.collection(lambda: self._canonical(("post", "create", can("create"))))
                return
            self.collection(lambda: self._canonical(("get", "index", can("index")), ("post", "create", can("create"))))
            self._new_page(can("new"))
            self._member_routes(can)

    def _canonical(self, *wanted: tuple[str, str, bool]) -> None:
        for verb, action, present in wanted:
            if present:
                self.match([Symbol(action)], {"via": verb})

    def _new_page(self, present: bool) -> None:
        if present:
            self.new(lambda: self._canonical(("get", "new", True)))

    def _member_routes(self, can: Callable[[str], bool]) -> None:
        self.member(
            lambda: self._canonical(
                ("get", "edit", can("edit")),
                ("get", "show", can("show")),
                ("patch", "update", can("update")),
                ("put", "update", can("update")),
                ("delete", "destroy", can("destroy")),
            )
        )

    def member(self, block: Block) -> None:
        resource = self._scope.resource
        if resource is None:
            return
        with self._within(self._scope.at_level("member")):
            if not resource.singleton and self._scope.get("shallow"):
                with self._shallow_scope(), self._path(resource.member_scope):
                    block()
            else:
                with self._path(resource.member_scope):
                    block()

    def collection(self, block: Block) -> None:
        resource = self._scope.resource
        if resource is None:
            return
        with self._within(self._scope.at_level("collection")), self._path(resource.path):
            block()

    def new(self, block: Block) -> None:
        resource = self._scope.resource
        if resource is None:
            return
        with self._within(self._scope.at_level("new")), self._path(f"{resource.path}/{self._action_path('new')}"):
            block()

    def nested(self, block: Block) -> None:
        if self._scope.resource is not None:
            self._nested(block)

    def _nested(self, block: Block) -> None:
        resource = self._scope.resource
        if resource is None:
            return
        with self._within(self._scope.at_level("nested")):
            shallow = not resource.singleton and self._scope.get("shallow") and self._scope.shallow_depth >= 1
            named: Options = {"as": resource.singular}
            if shallow:
                with self._shallow_scope(), self._path(resource.nested_scope):
                    self.scope((), named, block)
            else:
                with self._path(resource.nested_scope):
                    self.scope((), named, block)

    @contextmanager
    def _shallow_scope(self) -> Iterator[None]:
        frame = {"as": self._scope.get("shallow_prefix"), "path": self._scope.get("shallow_path")}
        with self._within(self._scope.inner(frame)):
            yield

    def shallow(self, block: Block) -> None:
        with self._within(self._scope.inner({"shallow": True})):
            block()

    def exclusively(self, path: str, name: str, block: Block) -> None:
        """A scope that adds to nothing around it: what Devise declares its routes in."""
        with self._within(
            RouteScope(
                {
                    "path": normalize(path) if path else "",
                    "as": name,
                    "module": None,
                    "path_names": {"new": "new", "edit": "edit"},
                }
            )
        ):
            block()

    def around(self, key: str) -> Value:
        """A value of the scope that the current statement stands in."""
        return self._scope.get(key)

    def controller(self, name: Value, block: Block) -> None:
        self.scope((), {"controller": name}, block)

    # --- concerns

    def concern(self, name: Value, body: Callable[[Options], None]) -> None:
        if isinstance(name, str):
            self._concerns[str(name)] = body

    def concerns(self, names: Sequence[Value], options: Options) -> None:
        for name in names:
            body = self._concerns.get(str(name)) if isinstance(name, str) else None
            if body is not None:
                body(options)

    # --- single routes

    def root(self, positional: Sequence[Value], options: Options) -> None:
        options = dict(options)
        if positional and isinstance(positional[0], str | Constant | Code | Endpoint):
            options["to"] = positional[0]
        options.setdefault("as", "root")
        options.setdefault("via", "get")
        resource = self._scope.resource
        if self._scope.level == "resources" and resource is not None:
            with self._within(self._scope.at_level("root")), self._path(resource.path):
                self.match(["/"], options)
        else:
            self.match(["/"], options)

    def mount(self, application: str, at: Value, options: Options) -> None:
        """`mount Engine => '/path'`: one route of any verb, and where the engine's own routes go."""
        if not isinstance(at, str):
            return
        given = options.get("as")
        path = self._joined(self._scope.get("path"), at) or "/"
        default = underscore(application).replace("/", "_") if application[:1].isupper() else None
        name = self._scope.route_name(str(given) if isinstance(given, str) else default, "")
        route = Route(None, path, name, None, None, self.declared, Endpoint(application))
        self.mounts.append((application, route))
        self.routes.append(route)

    def match(self, paths: Sequence[Value], options: Options) -> None:
        """`match 'a/b', to: 'c#d', via: :get` and the verbs. A path that is not known makes no route."""
        options = dict(options)
        on = options.pop("on", None)
        controller = options.pop("controller", None) or self._scope.get("controller")
        if self._scope.get("to") is not None:
            options.setdefault("to", self._scope.get("to"))
        if self._scope.get("controller") and self._scope.get("action"):
            options.setdefault("to", f"{self._scope.get('controller')}#{self._scope.get('action')}")
        via = options.pop("via", self._scope.get("via"))
        own_path = options.pop("path", None)
        for path in paths:
            if isinstance(path, str):
                self._match_one(path, own_path, controller, options, via, on)

    def _match_one(self, path: str, own: Value, controller: Value, options: Options, via: Value, on: Value) -> None:
        again = {**options, "via": via, **({"path": own} if own is not None else {})}
        if controller is not None:
            again["controller"] = controller
        levels: Mapping[str, Callable[[Block], None]] = {
            "member": self.member,
            "collection": self.collection,
            "new": self.new,
            "nested": self.nested,
        }
        if isinstance(on, str) and str(on) in levels:
            levels[str(on)](lambda: self.match([path], again))
        elif self._scope.level == "resources":
            self._nested(lambda: self.match([path], again))
        elif self._scope.level == "resource":
            self.member(lambda: self.match([path], again))
        else:
            self._add(path, own, controller, options, via)

    def _action_path(self, action: str) -> str:
        names = self._scope.get("path_names") or {}
        return str(names.get(action) or action)

    def _path_for(self, action: str, own: Value) -> str:
        """A string is a path as it is; a symbol is an action, whose path may be left out or renamed."""
        around = self._scope.get("path") or ""
        if not isinstance(action, Symbol):
            return f"{around}/{action}"
        if isinstance(own, str) and own:
            return f"{around}/{own}"
        if self._scope.in_resource_method and action in CANONICAL_ACTIONS:
            return str(around)
        return f"{around}/{self._action_path(action)}"

    def _add(self, path: str, own: Value, controller: Value, options: Options, via: Value) -> None:
        whole = normalize(self._path_for(path, own))
        default = options.get("action") or self._scope.get("action")
        to = options.get("to")
        action: str = path
        if re.match(r"^[\w\-/]+$", path):
            if not default and "/" not in path:
                default = path.replace("-", "_")
        else:
            action = ""
        if to is None and not default and re.match(r"^/?[-\w]+/[-\w/]+$", re.sub(r"\(\.:format\)$", "", path)):
            to = re.sub(r"/([^/]*)$", r"#\1", path.removeprefix("/")).replace("-", "_")
        target = self._target(to, controller, default)
        if target is None:
            return
        if options.get("format", self._scope.get("format")) is True:  # the format is part of the path, not optional
            whole += ".:format"
        name = self._name(options, action)
        for verb in _verbs(via):
            self.routes.append(replace(target, verb=verb, path=_without_format(whole), name=name))

    def _name(self, options: Options, action: str) -> str | None:
        given = options.get("as", UNKNOWN)
        if given is None or given is False:
            return None
        name = self._scope.route_name(str(given) if isinstance(given, str) else None, action)
        if name is None:
            return None
        if not isinstance(given, str) and (not re.match(r"^_?[a-z_]\w*$", name, re.IGNORECASE) or name in self._names):
            return None
        self._names.add(name)
        return name

    def _target(self, to: Value, controller: Value, action: Value) -> Route | None:
        """What answers: a controller's action, an endpoint, or None when it is not known."""
        blank = Route(None, "", None, None, None, self.declared)
        if isinstance(to, Endpoint):
            return replace(blank, endpoint=to)
        if isinstance(to, Code):
            return replace(blank, endpoint=Endpoint("lambda", inline=True))
        if isinstance(to, Constant):
            return replace(blank, endpoint=Endpoint(to.name))
        if to is UNKNOWN:
            return replace(blank, endpoint=Endpoint("(computed)", inline=True))
        if isinstance(to, Symbol):
            action = to
        elif isinstance(to, str):
            first, mark, last = to.partition("#")
            controller, action = (first or controller, last) if mark else (controller, action or to)
        module = self._scope.get("module")
        if controller is None and isinstance(module, str) and module and isinstance(action, str):
            return replace(blank, controller=module, action=str(action))  # `namespace(:site) { get "settings" }`
        if not isinstance(controller, str) or not isinstance(action, str):
            return None
        if controller.startswith("/"):
            controller = controller[1:]
        elif isinstance(module, str) and module:
            controller = f"{module}/{controller}"
        return replace(blank, controller=str(controller), action=str(action))


def _without_format(path: str) -> str:
    return path.removesuffix("(.:format)") or "/"


def _verbs(via: Value) -> tuple[str | None, ...]:
    if via is None or via is UNKNOWN or via == "all":
        return (None,)
    found = tuple(str(verb).upper() for verb in _listed(via) if isinstance(verb, str))
    return (None,) if "ALL" in found or "ANY" in found else found


def _listed(value: Value) -> list[Value]:
    if value is None or value is UNKNOWN:
        return []
    return value if isinstance(value, list) else [value]


def _names(value: Value) -> frozenset[str]:
    return frozenset(str(each) for each in _listed(value) if isinstance(each, str))
