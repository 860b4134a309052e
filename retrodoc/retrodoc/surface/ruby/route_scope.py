"""Decides what surrounds a route: the prefixes, names and modules that enclosing `scope`s and `resources` add.

It follows the scope chain of Rails' own route mapper, since the order in which frames add up decides the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .inflect import Inflector

DEFAULT_ACTIONS = ("index", "create", "new", "show", "update", "destroy", "edit")
SINGLETON_ACTIONS = ("show", "create", "update", "destroy", "new", "edit")
CANONICAL_ACTIONS = frozenset(("index", "create", "new", "show", "update", "destroy"))


def normalize(path: str) -> str:
    """One leading slash, none doubled, none trailing; a slash before an optional part goes inside it."""
    path = re.sub(r"/+", "/", f"/{path}")
    path = re.sub(r"/$", "", path) or "/"
    path = re.sub(r"/(\(+)/?", r"\1/", path)
    if re.match(r"^(\(+[^)]+\))(\(+/:[^)]+\))*$", path):
        path = re.sub(r"^(\(+)/", r"/\1", path)
    return path if path.startswith(("/", "(")) else f"/{path}"


@dataclass(frozen=True)
class Resource:
    """What `resources :name` or `resource :name` declares, before any of its routes."""

    entity: str
    actions: tuple[str, ...]
    path: str
    controller: str
    given_name: str | None
    param: str
    singleton: bool
    shallow: bool
    inflector: Inflector

    @property
    def plural(self) -> str:
        return self.given_name or self.entity

    @property
    def singular(self) -> str:
        return self.plural if self.singleton else self.inflector.singular(self.plural)

    @property
    def collection_name(self) -> str:
        if self.singleton:
            return self.singular
        return f"{self.plural}_index" if self.singular == self.plural else self.plural

    @property
    def member_scope(self) -> str:
        return self.path if self.singleton else f"{self.path}/:{self.param}"

    @property
    def nested_scope(self) -> str:
        return self.path if self.singleton else f"{self.path}/:{self.singular}_{self.param}"


class RouteScope:
    """One frame of the chain; a value that it does not set is its parent's."""

    __slots__ = ("_frame", "_parent", "level")

    def __init__(self, frame: dict[str, Any], parent: RouteScope | None = None, level: str | None = None) -> None:
        self._frame = frame
        self._parent = parent
        self.level = level

    def get(self, key: str) -> Any:
        """The nearest value of that key, None without one."""
        scope: RouteScope | None = self
        while scope is not None:
            if key in scope._frame:
                return scope._frame[key]
            scope = scope._parent
        return None

    def inner(self, frame: dict[str, Any]) -> RouteScope:
        return RouteScope(frame, self, self.level)

    def at_level(self, level: str) -> RouteScope:
        return RouteScope({}, self, level)

    def chain(self) -> Iterator[dict[str, Any]]:
        scope: RouteScope | None = self
        while scope is not None:
            yield scope._frame
            scope = scope._parent

    @property
    def resource(self) -> Resource | None:
        found = self.get("resource")
        return found if isinstance(found, Resource) else None

    @property
    def shallow_depth(self) -> int:
        """How many of the resources around are shallow."""
        found = [frame["resource"] for frame in self.chain() if "resource" in frame]
        return sum(1 for resource in found if isinstance(resource, Resource) and resource.shallow)

    @property
    def in_resource(self) -> bool:
        return self.level in ("resource", "resources")

    @property
    def in_resource_method(self) -> bool:
        return self.level in ("collection", "member", "new")

    def route_name(self, given: str | None, action: str) -> str | None:
        """The name of a route with that action here: `as:` when given, else what its place makes of it."""
        if given is not None:
            prefix: str | None = given
        else:
            prefix = None if self.in_resource_method and action in CANONICAL_ACTIONS else action
        if prefix and prefix != "/":
            prefix = re.sub(r"/+", "/", prefix.replace("-", "_")).strip("/").replace("/", "_")
        around, resource = self.get("as"), self.resource
        collection, member = (resource.collection_name, resource.singular) if resource else (None, None)
        if resource is not None and not (given or action):
            return None
        parts: tuple[str | None, ...]
        match self.level:
            case "nested":
                parts = (around, prefix)
            case "collection":
                parts = (prefix, around, collection)
            case "new":
                parts = (prefix, "new", around, member)
            case "member":
                parts = (prefix, around, member)
            case "root":
                parts = (around, collection, prefix)
            case _:
                parts = (around, member, prefix)
        return "_".join(part for part in parts if part) or None
