"""Decides which pydantic models Python code declares, and those of SQLModel and msgspec, which are written alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from retrodoc.surface.python.classes import classes_in, entity_of
from retrodoc.surface.python.evaluate import Evaluator
from retrodoc.surface.python.fields import annotated_fields
from retrodoc.surface.python.modules import project_of
from retrodoc_runs.models import Entity

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

_BASES = ("BaseModel", "BaseSettings", "RootModel", "SQLModel", "Struct", "GenericModel")
_PACKAGES = ("pydantic", "pydantic_settings", "sqlmodel", "msgspec", "ninja", "beanie")


def entities(sources: Sources) -> Iterable[Entity]:
    """Each model that has fields; a table of SQLModel is a model like the others."""
    project = project_of(sources)
    evaluator = Evaluator(project)
    found: list[Entity] = []
    for cls in classes_in(evaluator, project.paths_of_subclasses(*_BASES)):
        others = evaluator.linear(cls)[1]
        if not any(base.partition(".")[0] in _PACKAGES and base.rpartition(".")[2] in _BASES for base in others):
            continue
        fields = annotated_fields(evaluator, cls)
        if fields:
            found.append(entity_of(cls, "pydantic-model", fields=fields))
    return found
