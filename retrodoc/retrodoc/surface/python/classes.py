"""Decides which classes of a repository derive from some base, in the files where that is possible at all."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from retrodoc_runs.models import Entity, Field

from .evaluate import Evaluator
from .modules import is_test_path
from .places import first_line, last_line
from .scan import definitions
from .values import ClassRef


def classes_in(evaluator: Evaluator, paths: Iterable[str]) -> Iterator[ClassRef]:
    """Every class of these files, tests left out; a class inside a function is not looked at."""
    for path in paths:
        module = None if is_test_path(path) else evaluator.module(path)
        if module is None:
            continue
        functions: set[str] = set()
        for node, qualname in definitions(module):
            if not isinstance(node, ast.ClassDef):
                functions.add(qualname)
            elif not any(qualname.startswith(f"{name}.") for name in functions):
                yield evaluator.class_ref(module, node, qualname)


def entity_of(cls: ClassRef, kind: str, fields: tuple[Field, ...] = (), values: tuple[str, ...] = ()) -> Entity:
    """The entity that a class declares, at its lines."""
    return Entity(
        name=cls.node.name,
        kind=kind,
        path=cls.module.path,
        start_line=first_line(cls.node),
        end_line=last_line(cls.node),
        fields=fields,
        values=values,
    )
