"""Decides which Django models a project keeps: their fields, relations and choices, abstract models included."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrodoc.surface.django.project import django_project
from retrodoc.surface.python.classes import classes_in, entity_of
from retrodoc.surface.python.evaluate import Evaluator, Frame
from retrodoc.surface.python.fields import choices, target_of
from retrodoc.surface.python.modules import project_of
from retrodoc.surface.python.places import keyword, last_name
from retrodoc.surface.python.values import ClassRef
from retrodoc_runs.models import Entity, Field

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

_BASES = (
    "Model AbstractUser AbstractBaseUser PermissionsMixin MPTTModel MP_Node NS_Node TimeStampedModel Page Orderable"
    " ClusterableModel PolymorphicModel TranslatableModel SoftDeletableModel LoggedModel"
).split()
_RELATIONS = frozenset({"ForeignKey", "OneToOneField", "ManyToManyField", "ParentalKey", "ParentalManyToManyField"})
_NOT_FIELDS = frozenset({"GenericForeignKey", "GenericRelation"})


def entities(sources: Sources) -> Iterable[Entity]:
    """Each class that derives from Django's `Model` and adds fields of its own or of its abstract bases."""
    project = project_of(sources)
    paths = [path for path in project.paths_of_subclasses(*_BASES) if "/migrations/" not in path]
    if not any(b"django" in project.data(path) for path in paths):
        return ()
    return list(_models(django_project(sources).evaluator, paths))


def _models(evaluator: Evaluator, paths: Iterable[str]) -> Iterator[Entity]:
    for cls in classes_in(evaluator, paths):
        if not _is_model(evaluator, cls):
            continue
        fields = _fields(evaluator, cls)
        if fields or cls.node.bases:
            yield entity_of(cls, "django-model", fields=fields)


def _is_model(evaluator: Evaluator, cls: ClassRef) -> bool:
    for base in evaluator.linear(cls)[1]:
        if base.startswith("django.db.models") and base.endswith(".Model"):
            return True
        if base.rpartition(".")[2] in _BASES and not base.startswith(("pydantic.", "sqlalchemy.", "flask")):
            return True
    return False


def _fields(evaluator: Evaluator, cls: ClassRef) -> tuple[Field, ...]:
    """Own fields, after those of abstract bases in the repository; a line only when it is in the model's own file."""
    found: dict[str, Field] = {}
    for base in reversed(evaluator.linear(cls)[0]):
        if base is not cls and not _is_abstract(base):
            continue
        for node in base.node.body:
            for name, call in _declared(node):
                field = _field(evaluator, base, name, call)
                if field is not None:
                    line = call.lineno if base.module.path == cls.module.path else None
                    found[name] = field.model_copy(update={"line": line})
    return tuple(found.values())


def _declared(node: ast.stmt) -> Iterator[tuple[str, ast.Call]]:
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, node.value
    elif isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Call) and isinstance(node.target, ast.Name):
        yield node.target.id, node.value


def _field(evaluator: Evaluator, cls: ClassRef, name: str, call: ast.Call) -> Field | None:
    kind = last_name(call.func)
    if kind in _NOT_FIELDS or not (kind.endswith("Field") or kind in _RELATIONS or kind == "TaggableManager"):
        return None
    frame = Frame(cls.module, (evaluator.namespace(cls), *cls.closure))
    if kind in _RELATIONS:
        to = keyword(call, "to", 0)
        target = target_of(evaluator.evaluate(to, frame), last_name(to)) if to is not None else ""
        return Field(name=name, type=f"{kind}({target})" if target else kind)
    given = keyword(call, "choices")
    values: tuple[str, ...] = ()
    if given is not None:
        if isinstance(given, ast.Attribute) and given.attr == "choices":
            given = given.value
        values = choices(evaluator, evaluator.evaluate(given, frame))
    return Field(name=name, type=kind, values=values)


def _is_abstract(cls: ClassRef) -> bool:
    """A base whose columns its subclasses get: `abstract = True` in `Meta`, or a plain mixin."""
    for node in cls.node.body:
        if isinstance(node, ast.ClassDef) and node.name == "Meta":
            for inner in node.body:
                if isinstance(inner, ast.Assign) and last_name(inner.targets[0]) == "abstract":
                    return isinstance(inner.value, ast.Constant) and inner.value.value is True
    return False
