"""Decides which data classes Python code declares: `dataclass`, attrs, named tuples and typed dictionaries."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from retrodoc.surface.python.classes import classes_in, entity_of
from retrodoc.surface.python.evaluate import Evaluator
from retrodoc.surface.python.fields import annotated_fields
from retrodoc.surface.python.modules import project_of
from retrodoc.surface.python.places import last_name
from retrodoc.surface.python.values import ClassRef
from retrodoc_runs.models import Entity

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

_KINDS = {"dataclass": "dataclass", "define": "dataclass", "frozen": "dataclass", "attrs": "dataclass"}
_BASES = {"NamedTuple": "named-tuple", "TypedDict": "typed-dict"}
_NEEDLE = re.compile(rb"dataclass|NamedTuple|TypedDict|@define|@frozen|@attrs?\b")


def entities(sources: Sources) -> Iterable[Entity]:
    """Each data class that has fields."""
    project = project_of(sources)
    evaluator = Evaluator(project)
    found: list[Entity] = []
    paths = [path for path in project.containing(b"class ") if _NEEDLE.search(project.data(path))]
    for cls in classes_in(evaluator, paths):
        kind = _kind(cls)
        fields = annotated_fields(evaluator, cls) if kind else ()
        if kind and fields:
            found.append(entity_of(cls, kind, fields=fields))
    return found


def _kind(cls: ClassRef) -> str | None:
    for decorator in cls.node.decorator_list:
        if last_name(decorator) in _KINDS:
            return _KINDS[last_name(decorator)]
    for base in cls.node.bases:
        if last_name(base) in _BASES:
            return _BASES[last_name(base)]
    return None
