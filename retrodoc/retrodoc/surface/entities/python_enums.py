"""Decides which enumerations Python code declares: `Enum` and its kin, Django's `TextChoices` and `IntegerChoices`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from retrodoc.surface.python.classes import classes_in, entity_of
from retrodoc.surface.python.evaluate import Evaluator
from retrodoc.surface.python.fields import ENUM_BASES, is_enum, members
from retrodoc.surface.python.modules import project_of
from retrodoc_runs.models import Entity

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources


def entities(sources: Sources) -> Iterable[Entity]:
    """Each enumeration with what it may be."""
    project = project_of(sources)
    evaluator = Evaluator(project)
    found: list[Entity] = []
    for cls in classes_in(evaluator, project.paths_of_subclasses(*ENUM_BASES)):
        values = members(evaluator, cls) if is_enum(evaluator, cls) else ()
        if values:
            found.append(entity_of(cls, "enum", values=values))
    return found
