"""Express, Koa's router, Fastify, Hapi, Hono and restify: the routes that are declared on a router object."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from retrodoc.surface.javascript.routers import RouterRoute, routes_of
from retrodoc_runs.models import EntryPoint, Handler, SourceRef

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    for route in routes_of(sources):
        yield _entry_point(route)


def _entry_point(route: RouterRoute) -> EntryPoint:
    target = route.target
    if target.place is None:
        handler = Handler(symbol=target.symbol)
    else:
        at = target.place
        handler = Handler(symbol=target.symbol, path=at.path, start_line=at.start_line, end_line=at.end_line)
    return EntryPoint(
        kind="http",
        method=route.verb,
        path=route.path,
        handler=handler,
        framework=route.framework,
        declared=SourceRef(path=route.at.path, start_line=route.at.start_line, end_line=route.at.end_line),
    )
