"""Decides which management commands a Django project has: `management/commands/<name>.py` with a `Command` class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrodoc.surface.python.evaluate import Evaluator
from retrodoc.surface.python.modules import is_test_path, project_of
from retrodoc.surface.python.places import handler_of
from retrodoc.surface.python.values import ClassRef, FunctionRef
from retrodoc_runs.models import EntryPoint

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

_RUNS = ("handle", "handle_noargs", "handle_app_config", "handle_label")
"""Methods that a command does its work in, the most usual first."""


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    """One entry point for each command; its lines are those of the method that does the work."""
    project = project_of(sources)
    evaluator = Evaluator(project)
    return list(_entries(evaluator, [p for p in project.sources_paths if "/commands/" in p and not is_test_path(p)]))


def _entries(evaluator: Evaluator, paths: Iterable[str]) -> Iterator[EntryPoint]:
    for path in paths:
        folder, _, name = path.removesuffix(".py").rpartition("/")
        if not folder.endswith("management/commands") or name.startswith("_"):
            continue
        module = evaluator.module(path)
        command = evaluator.member_of(module, "Command") if module else None
        if not isinstance(command, ClassRef):
            continue
        method = next(
            (found for run in _RUNS if isinstance(found := evaluator.class_member(command, run), FunctionRef)), None
        )
        handler = handler_of(command, method.node, method.module) if method else handler_of(command)
        yield EntryPoint(kind="cli", name=name, handler=handler, framework="django")
