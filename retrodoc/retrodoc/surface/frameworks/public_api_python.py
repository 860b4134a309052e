"""Decides what a Python library offers: the names that its packages export. Asked only when there is no other door."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrodoc.surface.python.evaluate import NOT_HANDLED, Evaluator
from retrodoc.surface.python.modules import Module, Project, is_example_path, is_test_path, project_of
from retrodoc.surface.python.places import handler_of
from retrodoc.surface.python.values import ClassRef, FunctionRef, Value
from retrodoc_runs.models import EntryPoint

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

FALLBACK = True

_NOT_THE_LIBRARY = frozenset({"setup", "conftest", "noxfile", "fabfile", "tasks", "manage", "versioneer"})


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    """Functions and classes in `__all__`, else those that a package imports or defines by a public name."""
    project = project_of(sources)
    evaluator = Evaluator(project)
    tops = [path for path in project.sources_paths if _is_top(project, path)]
    found: list[EntryPoint] = []
    for path in tops:
        module = evaluator.module(path)
        if module:
            exported = list(_exports(evaluator, module))
            if not exported and path.endswith("/__init__.py"):
                exported = list(_of_submodules(evaluator, project, path))
            found.extend(exported)
    return found


def _is_top(project: Project, path: str) -> bool:
    """A package that is in no other package, or a module that is in none."""
    if is_test_path(path) or is_example_path(path):
        return False
    name = project.name_of(path)
    if path.endswith("/__init__.py"):
        return "." not in name
    return "." not in name and "/" not in path.removeprefix("src/") and name not in _NOT_THE_LIBRARY


def _exports(evaluator: Evaluator, module: Module) -> Iterator[EntryPoint]:
    env = evaluator.env_of(module)
    listed = env.get("__all__")
    names = [name for name in listed if isinstance(name, str)] if isinstance(listed, list | tuple) else list(env)
    for name in names:
        if name.startswith("_"):
            continue
        value = evaluator.member_of(module, name)
        if value is not NOT_HANDLED:
            yield from _entry(module.name, name, value)


def _entry(package: str, name: str, value: Value) -> Iterator[EntryPoint]:
    if isinstance(value, FunctionRef | ClassRef) and not isinstance(value.node, ast.Lambda):
        yield EntryPoint(kind="public-api", name=f"{package}.{name}", handler=handler_of(value), framework="python")


def _of_submodules(evaluator: Evaluator, project: Project, top: str) -> Iterator[EntryPoint]:
    """An empty `__init__`: what the modules right beside it define by a public name."""
    folder = top.rpartition("/")[0] + "/"
    for path in project.sources_paths:
        inner = path.removeprefix(folder)
        if not path.startswith(folder) or "/" in inner or inner.startswith("_") or is_test_path(path):
            continue
        module = evaluator.module(path)
        for node in module.tree.body if module else ():
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) or module is None:
                continue
            value = NOT_HANDLED if node.name.startswith("_") else evaluator.member_of(module, node.name)
            if value is not NOT_HANDLED:
                yield from _entry(module.name, node.name, value)
