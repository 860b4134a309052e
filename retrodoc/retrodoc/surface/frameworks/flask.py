"""Decides which routes a Flask application answers: decorators, rules, blueprints, class views, REST extensions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from retrodoc.surface.python.evaluate import NOT_HANDLED, Evaluator, Frame
from retrodoc.surface.python.modules import project_of
from retrodoc.surface.python.mounts import Dialect, Mount, MountHooks, collect
from retrodoc.surface.python.values import Env, Value
from retrodoc_runs.models import EntryPoint

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

FLASK = Dialect(
    name="flask",
    packages=("flask", "quart", "apiflask", "sanic"),
    apps=frozenset({"Flask", "Quart", "APIFlask", "OpenAPI", "Sanic"}),
    routers=frozenset({"Blueprint", "APIBlueprint"}),
    prefix_words=("url_prefix",),
    includes=frozenset({"register_blueprint", "blueprint"}),
    route_decorators=frozenset({"route"}),
    verb_decorators=frozenset({"get", "post", "put", "patch", "delete", "websocket"}),
    adders=frozenset({"add_url_rule", "add_route"}),
    override=True,
    slash_join=True,
)
_APIS = frozenset({"Api", "Namespace"})


class FlaskHooks(MountHooks):
    """Adds the `Api` and `Namespace` of Flask-RESTful, Flask-RESTX and flask-smorest."""

    def _construct(self, dotted: str, args: list[Value], kwargs: Env, frame: Frame) -> Value:
        if self.dialect.owns(dotted, _APIS):
            last = dotted.rpartition(".")[2]
            mount = self.new("router", kwargs.get("prefix", ""))
            if last == "Namespace":
                mount.prefix = _path_of(args, kwargs)
            elif args and isinstance(args[0], Mount):
                mount.links.append((args[0], None))
            return mount
        return super()._construct(dotted, args, kwargs, frame)

    def method(self, ev: Evaluator, mount: Mount, name: str, args: list[Value], kwargs: Env, frame: Frame) -> Value:
        if name == "add_resource" and len(args) > 1:
            for path in args[1:]:
                self._register(mount, path, (), args[0], kwargs.get("endpoint"), frame.module, frame.node)
            return None
        if name == "add_namespace" and args and isinstance(args[0], Mount):
            given = kwargs.get("path", args[1] if len(args) > 1 else None)
            args[0].links.append((mount, given if isinstance(given, str) else None))
            return None
        if name == "namespace":
            space = self.new("router", _path_of(args, kwargs))
            space.links.append((mount, None))
            return space
        if name == "init_app" and args and isinstance(args[0], Mount) and mount.kind == "router":
            mount.links.append((args[0], None))
            return None
        return super().method(ev, mount, name, args, kwargs, frame)


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    """The routes of every Flask application and blueprint; a blueprint that nobody registers keeps its own prefix."""
    project = project_of(sources)
    if not project.containing(FLASK.needle):
        return ()
    return collect(project, FlaskHooks(FLASK, project))


def _path_of(args: list[Value], kwargs: Env) -> str:
    given = kwargs.get("path", NOT_HANDLED)
    if isinstance(given, str):
        return given
    return f"/{args[0].lstrip('/')}" if args and isinstance(args[0], str) else ""
