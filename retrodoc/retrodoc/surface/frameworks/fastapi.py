"""Decides which routes FastAPI, Starlette and Django Ninja applications answer: decorators, routers, mounts, lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from retrodoc.surface.python.evaluate import Evaluator, Frame
from retrodoc.surface.python.modules import project_of
from retrodoc.surface.python.mounts import VERBS, Dialect, Mount, MountHooks, Registration, collect
from retrodoc.surface.python.values import Env, Member, Value
from retrodoc_runs.models import EntryPoint

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

FASTAPI = Dialect(
    name="fastapi",
    packages=("fastapi", "starlette", "litestar", "ninja"),
    apps=frozenset({"FastAPI", "Starlette", "NinjaAPI"}),
    routers=frozenset({"APIRouter", "Router"}),
    includes=frozenset({"include_router", "mount", "add_router"}),
    route_decorators=frozenset({"route", "api_route", "websocket", "websocket_route"}),
    verb_decorators=frozenset(VERBS),
    adders=frozenset({"add_api_route", "add_route", "add_api_websocket_route"}),
    also=b".urls)",
)
_ROUTES = frozenset({"Route", "WebSocketRoute", "APIRoute"})


class FastAPIHooks(MountHooks):
    """Adds Starlette's `Route` and `Mount` objects, and routers that are mounted by path."""

    def _construct(self, dotted: str, args: list[Value], kwargs: Env, frame: Frame) -> Value:
        if dotted in ("django.urls.path", "django.urls.conf.path") and len(args) > 1:
            self._under_django(args[0], args[1])
        if self.dialect.owns(dotted, _ROUTES) and frame.node is not None and len(args) > 1:
            holder = Mount("route")
            verbs = ("WEBSOCKET",) if dotted.endswith("WebSocketRoute") else None
            self.add(holder, args, kwargs, frame)
            if verbs and holder.routes:
                first = holder.routes[0]
                holder.routes = [Registration(first.path, verbs, first.handler, first.name, first.module, first.node)]
            return holder
        if self.dialect.owns(dotted, frozenset({"Mount"})):
            prefix = args[0] if args else kwargs.get("path")
            group = self.new("router", prefix)
            self._take(group, kwargs.get("routes"))
            app = kwargs.get("app", args[1] if len(args) > 1 else None)
            if isinstance(app, Mount):
                app.links.append((group, None))
            return group
        made = super()._construct(dotted, args, kwargs, frame)
        if isinstance(made, Mount):
            self._take(made, kwargs.get("routes"))
        return made

    def _under_django(self, route: Value, target: Value) -> None:
        """Django Ninja: `path("api/", api.urls)` is where an API is reached."""
        owner = target.owner if isinstance(target, Member) and target.name == "urls" else None
        if isinstance(route, str) and isinstance(owner, Mount) and owner.kind == "app":
            owner.prefix = "/" + route.strip("/") if route.strip("/") else ""

    def _take(self, owner: Mount, routes: Value) -> None:
        for item in routes if isinstance(routes, list | tuple) else ():
            if isinstance(item, Mount) and item.kind == "route":
                owner.routes.extend(item.routes)
            elif isinstance(item, Mount):
                item.links.append((owner, None))

    def method(self, ev: Evaluator, mount: Mount, name: str, args: list[Value], kwargs: Env, frame: Frame) -> Value:
        if name in ("mount", "add_router"):
            path = args[0] if args else kwargs.get("path", kwargs.get("prefix"))
            app = args[1] if len(args) > 1 else kwargs.get("app", kwargs.get("router"))
            if isinstance(app, str):
                app = ev.dotted(app, frame.module.path)
            if isinstance(app, Mount) and isinstance(path, str):
                app.links.append((mount, path))
            return None
        return super().method(ev, mount, name, args, kwargs, frame)


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    """The routes of every application and router; a router that nobody includes keeps its own prefix."""
    project = project_of(sources)
    if not project.containing(FASTAPI.needle):
        return ()
    return collect(project, FastAPIHooks(FASTAPI, project))
