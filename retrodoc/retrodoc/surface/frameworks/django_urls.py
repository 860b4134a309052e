"""Decides which HTTP routes a Django project answers: URL modules, app configs and REST routers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrodoc.surface.django.apps import AppConfigs
from retrodoc.surface.django.patterns import Route, flatten
from retrodoc.surface.django.project import django_project
from retrodoc.surface.django.verbs import answers
from retrodoc.surface.python.evaluate import NOT_HANDLED, Evaluator
from retrodoc.surface.python.modules import Project, is_example_path, is_test_path, project_of
from retrodoc.surface.python.places import reference
from retrodoc.surface.python.values import FunctionRef, Instance, Value
from retrodoc_runs.models import EntryPoint

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

_REGISTERS = re.compile(rb"rout\w*\.register\(")


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    """The routes under ROOT_URLCONF; without settings, under each URL module and app config that nobody includes."""
    project = project_of(sources)
    if not project.containing(b"urlpatterns") and not project.containing(b"AppConfig"):
        return ()
    django = django_project(sources)
    evaluator = django.evaluator
    roots = [evaluator.module(path) for path in django.settings.root_urlconfs(evaluator)]
    start: list[Value] = [_urlpatterns(evaluator, root.path) for root in roots if root]
    if not any(start):
        start = list(_unincluded(evaluator, project, django.apps))
    for path in project.containing(b".register("):  # a plugin may add to a router that another module includes
        module = evaluator.module(path) if _REGISTERS.search(project.data(path)) and not is_test_path(path) else None
        if module:
            evaluator.env_of(module)
    return [
        entry for patterns in start for route in flatten(evaluator, patterns) for entry in _entries(evaluator, route)
    ]


def _entries(evaluator: Evaluator, route: Route) -> Iterator[EntryPoint]:
    declared = reference(route.pattern.module, route.pattern.node)
    for verb, handler in answers(evaluator, route.view):
        yield EntryPoint(
            kind="http",
            method=verb,
            path=route.route,
            name=route.name,
            handler=handler,
            framework="django",
            declared=declared,
        )


def _urlpatterns(evaluator: Evaluator, path: str) -> Value:
    module = evaluator.module(path)
    found = evaluator.member_of(module, "urlpatterns") if module else NOT_HANDLED
    return [] if found is NOT_HANDLED else found


def _unincluded(evaluator: Evaluator, project: Project, apps: AppConfigs) -> Iterator[Value]:
    """Patterns of the URL modules and app configs whose patterns are not all part of another's."""
    candidates: list[Value] = []
    for path in project.containing(b"urlpatterns"):
        if not is_test_path(path) and not is_example_path(path):
            candidates.append(_urlpatterns(evaluator, path))
    for config in apps.instances(evaluator):
        if not is_test_path(config.cls.module.path):
            candidates.append(_urls_of(evaluator, config))
    reached = [{id(route.pattern.node) for route in flatten(evaluator, patterns)} for patterns in candidates]
    for index, (patterns, nodes) in enumerate(zip(candidates, reached, strict=True)):
        larger = any(
            nodes < other or (nodes == other and at < index) for at, other in enumerate(reached) if at != index
        )
        if nodes and not larger:
            yield patterns


def _urls_of(evaluator: Evaluator, config: Instance) -> Value:
    for name in ("urls", "get_urls"):
        if evaluator.class_member(config.cls, name) is NOT_HANDLED:
            continue
        value = evaluator.attribute(config, name)
        if isinstance(value, FunctionRef):
            value = evaluator.call_function(value, [], {})
        if isinstance(value, tuple) and value and isinstance(value[0], list):
            value = value[0]
        if isinstance(value, list):
            return value
    return []
