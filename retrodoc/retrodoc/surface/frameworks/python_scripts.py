"""Decides which installed commands start a plain function, rather than what a command-line library describes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrodoc.surface.python.evaluate import Evaluator
from retrodoc.surface.python.modules import project_of
from retrodoc.surface.python.places import handler_of, last_name
from retrodoc.surface.python.scripts import Scripts
from retrodoc.surface.python.values import FunctionRef
from retrodoc_runs.models import EntryPoint, SourceRef

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    """One entry point for each installed command whose function is here and is no Click or argparse program."""
    project = project_of(sources)
    scripts = Scripts(sources, project)
    return list(_entries(scripts, Evaluator(project))) if scripts.all else ()


def _entries(scripts: Scripts, evaluator: Evaluator) -> Iterator[EntryPoint]:
    for script in scripts.all:
        found = evaluator.dotted(script.symbol)
        if not isinstance(found, FunctionRef) or isinstance(found.node, ast.Lambda):
            continue
        makers = {last_name(decorator) for decorator in found.node.decorator_list}
        if makers & {"command", "group"} or _has_subcommands(evaluator, found):
            continue
        yield EntryPoint(
            kind="cli",
            name=script.name,
            handler=handler_of(found),
            framework="python",
            declared=SourceRef(path=script.path, start_line=script.line, end_line=script.line),
        )


def _has_subcommands(evaluator: Evaluator, function: FunctionRef) -> bool:
    return b"add_subparsers" in evaluator.project.data(function.module.path)
