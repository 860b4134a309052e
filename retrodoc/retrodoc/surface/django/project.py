"""Decides how a Django project is evaluated: once, for all rules that look at it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from retrodoc.surface.python.evaluate import MAX_STEPS, Evaluator
from retrodoc.surface.python.modules import Project, project_of

from .apps import AppConfigs
from .hooks import DjangoHooks
from .settings import Settings

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources


@dataclass(frozen=True, slots=True)
class DjangoProject:
    """A project, its evaluator and what its settings and app configs say."""

    project: Project
    evaluator: Evaluator
    settings: Settings
    apps: AppConfigs


_KNOWN: WeakKeyDictionary[Sources, DjangoProject] = WeakKeyDictionary()


def django_project(sources: Sources) -> DjangoProject:
    """The Django project in these sources, with a fresh budget for the rule that asks."""
    known = _KNOWN.get(sources)
    if known is None:
        project = project_of(sources)
        settings, apps = Settings(project), AppConfigs(project)
        known = _KNOWN[sources] = DjangoProject(
            project, Evaluator(project, DjangoHooks(settings, apps), call_steps=MAX_STEPS), settings, apps
        )
    known.evaluator.steps = 0
    return known
