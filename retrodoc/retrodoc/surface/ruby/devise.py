"""Decides the routes that `devise_for` and `use_doorkeeper` bring in: they are fixed by those packages.

Their controllers live in another package unless the application names its own, which are then found like any.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from .route_mapper import Options, RouteMapper
from .values import Scope, Symbol, Value, arguments, children, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

ModulesOf = Callable[[str], "DeviseModel | None"]

_PATH_NAMES = {
    "registration": "",
    "new": "new",
    "edit": "edit",
    "sign_in": "sign_in",
    "sign_out": "sign_out",
    "sign_up": "sign_up",
    "password": "password",
    "confirmation": "confirmation",
    "unlock": "unlock",
    "cancel": "cancel",
}
_DEFAULT_MODULES = ("database_authenticatable", "registerable", "recoverable")
"""What Devise's generator enables that has routes; used when the model is not in the repository."""


class DeviseModel:
    """What a model enables: `devise :registerable, omniauth_providers: [:github]`."""

    def __init__(self, modules: Sequence[str], providers: Sequence[str] = ()) -> None:
        self.modules = tuple(modules)
        self.providers = tuple(providers)


def devise_routes(mapper: RouteMapper, names: Sequence[Value], options: Options, model_of: ModulesOf) -> None:
    """`devise_for :users, path: ..., controllers: {...}, skip: [...]`."""
    for name in names:
        if isinstance(name, str):
            _devise_for(mapper, str(name), options, model_of)


def _devise_for(mapper: RouteMapper, name: str, options: Options, model_of: ModulesOf) -> None:
    prefix, module = mapper.around("path") or "", options.get("module") or mapper.around("module") or "devise"
    around_as = options.get("as") or mapper.around("as")
    own_path = options.get("path")
    path = f"{options.get('path_prefix') or prefix}/{own_path if isinstance(own_path, str) else name}"
    singular = options.get("singular") or mapper.inflector.singular(f"{around_as}_{name}" if around_as else name)
    class_name = options.get("class_name")
    model = model_of(class_name if isinstance(class_name, str) else mapper.inflector.singular(name))
    model = model or DeviseModel(_DEFAULT_MODULES)
    path_names = dict(_PATH_NAMES)
    if isinstance(options.get("path_names"), dict):
        path_names.update(options["path_names"])
    given = options.get("controllers") if isinstance(options.get("controllers"), dict) else {}

    def controller(kind: str) -> str:
        named = given.get(kind) if isinstance(given, dict) else None
        return str(named) if isinstance(named, str) else f"{module}/{kind}"

    def declare() -> None:
        for kind in _used(model, options):
            _DECLARATIONS[kind](mapper, controller(kind), path_names, options)

    mapper.exclusively(path, str(singular), declare)
    if "omniauth_callbacks" in _used(model, options):
        mapper.exclusively("", str(singular), lambda: _omniauth(mapper, controller("omniauth_callbacks"), path, model))


def _used(model: DeviseModel, options: Options) -> tuple[str, ...]:
    by_module = {
        "database_authenticatable": "sessions",
        "omniauthable": "omniauth_callbacks",
        "recoverable": "passwords",
        "registerable": "registrations",
        "confirmable": "confirmations",
        "lockable": "unlocks",
    }
    kinds = [kind for module, kind in by_module.items() if module in model.modules]
    if any(module.endswith("_authenticatable") for module in model.modules) and "sessions" not in kinds:
        kinds.insert(0, "sessions")
    skipped, only = _names(options.get("skip")), _names(options.get("only"))
    if "all" in skipped:
        return ()
    return tuple(kind for kind in kinds if kind not in skipped and (not only or kind in only))


def _names(value: Value) -> frozenset[str]:
    listed = value if isinstance(value, list) else [value]
    return frozenset(str(each) for each in listed if isinstance(each, str))


def _session(mapper: RouteMapper, controller: str, names: dict[str, str], options: Options) -> None:
    def routes() -> None:
        mapper.match([Symbol("new")], {"via": "get", "path": names["sign_in"], "as": "new"})
        mapper.match([Symbol("create")], {"via": "post", "path": names["sign_in"]})
        via = options.get("sign_out_via", "delete")
        mapper.match([Symbol("destroy")], {"via": via, "path": names["sign_out"], "as": "destroy"})

    mapper.resources(["session"], {"only": [], "controller": controller, "path": ""}, routes, singular=True)


def _resource(kind: str, name: str, only: Sequence[str]) -> Callable[[RouteMapper, str, dict[str, str], Options], None]:
    def declare(mapper: RouteMapper, controller: str, names: dict[str, str], _: Options) -> None:
        shape: Options = {"only": list(only), "path": names[name], "controller": controller}
        mapper.resources([name], shape, None, singular=True)

    declare.__name__ = f"declare_{kind}"
    return declare


def _registration(mapper: RouteMapper, controller: str, names: dict[str, str], _: Options) -> None:
    shape: Options = {
        "only": ["new", "create", "edit", "update", "destroy"],
        "path": names["registration"],
        "path_names": {"new": names["sign_up"], "edit": names["edit"], "cancel": names["cancel"]},
        "controller": controller,
    }
    mapper.resources(["registration"], shape, lambda: mapper.match([Symbol("cancel")], {"via": "get"}), singular=True)


def _omniauth(mapper: RouteMapper, controller: str, path: str, model: DeviseModel) -> None:
    for provider in model.providers:
        for suffix, action, name in (("", "passthru", "authorize"), ("/callback", provider, "callback")):
            mapper.match(
                [f"{path}/auth/{provider}{suffix}"],
                {"to": f"/{controller}#{action}", "as": f"{provider}_omniauth_{name}", "via": ["get", "post"]},
            )


_DECLARATIONS: dict[str, Callable[[RouteMapper, str, dict[str, str], Options], None]] = {
    "sessions": _session,
    "omniauth_callbacks": lambda *_: None,  # outside the scope's path
    "passwords": _resource("passwords", "password", ("new", "create", "edit", "update")),
    "registrations": _registration,
    "confirmations": _resource("confirmations", "confirmation", ("new", "create", "show")),
    "unlocks": _resource("unlocks", "unlock", ("new", "create", "show")),
}


_DOORKEEPER = (
    ("authorizations", "get", "authorize/native", "show"),
    ("authorizations", "get", "authorize", "new"),
    ("authorizations", "post", "authorize", "create"),
    ("authorizations", "delete", "authorize", "destroy"),
    ("tokens", "post", "token", "create"),
    ("tokens", "post", "revoke", "revoke"),
    ("tokens", "post", "introspect", "introspect"),
    ("token_info", "get", "token/info", "show"),
    ("authorized_applications", "get", "authorized_applications", "index"),
    ("authorized_applications", "delete", "authorized_applications/:id", "destroy"),
    ("applications", "get", "applications", "index"),
    ("applications", "post", "applications", "create"),
    ("applications", "get", "applications/new", "new"),
    ("applications", "get", "applications/:id/edit", "edit"),
    ("applications", "get", "applications/:id", "show"),
    ("applications", "patch", "applications/:id", "update"),
    ("applications", "put", "applications/:id", "update"),
    ("applications", "delete", "applications/:id", "destroy"),
)


def doorkeeper_routes(mapper: RouteMapper, block: Node | None, scope: Scope) -> None:
    """`use_doorkeeper do controllers ...; skip_controllers ... end`."""
    controllers: dict[str, str] = {}
    skipped: frozenset[str] = frozenset()
    for call in children(block.child_by_field_name("body") if block is not None else None):
        name = call.child_by_field_name("method") if call.type == "call" else None
        given = arguments(call, scope) if name is not None else None
        if name is None or given is None:
            continue
        if text_of(name) == "controllers":
            controllers.update({str(key): value for key, value in given.options.items() if isinstance(value, str)})
        elif text_of(name) == "skip_controllers":
            skipped |= _names(list(given.positional))

    def routes() -> None:
        for kind, verb, path, action in _DOORKEEPER:
            if kind not in skipped:
                to = f"/{controllers.get(kind, f'doorkeeper/{kind}')}#{action}"
                mapper.match([path], {"via": verb, "to": to, "as": None})

    mapper.scope(["oauth"], {}, routes)
