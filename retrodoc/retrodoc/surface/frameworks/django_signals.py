"""Decides which events the application reacts to or announces: signals, their receivers, custom signals."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrodoc.surface.python.evaluate import Evaluator, Frame
from retrodoc.surface.python.modules import Module, is_example_path, is_test_path, project_of
from retrodoc.surface.python.places import first_line, handler_of, keyword, last_line, last_name, reference
from retrodoc.surface.python.scan import definitions
from retrodoc.surface.python.values import ExternalObject, ExternalRef, FunctionRef, Value
from retrodoc_runs.models import EntryPoint, Handler

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

_RECEIVES = re.compile(rb"@(?:\w+\.)*receiver\(|\.connect\(")
_DEFINES = re.compile(rb"^\w+\s*(?::[^=\n]+)?=\s*(?:\w+\.)*\w*(?:Signal|signal)\(", re.MULTILINE)
_LIBRARIES = re.compile(rb"\bdjango\b|\bblinker\b|\bsignals\b")


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    """Each receiver of each signal; a signal of the repository's own that nobody here receives stands for itself."""
    project = project_of(sources)
    evaluator = Evaluator(project)
    found: list[EntryPoint] = []
    received: set[str] = set()
    for path in _usual({*project.containing(b"receiver("), *project.containing(b".connect(")}):
        data = project.data(path)
        module = evaluator.module(path) if _RECEIVES.search(data) and _LIBRARIES.search(data) else None
        for signal, entry in _receivers(evaluator, module) if module else ():
            received.add(signal)
            found.append(entry)
    for path in _usual({*project.containing(b"ignal(")}):
        module = evaluator.module(path) if _DEFINES.search(project.data(path)) else None
        found.extend(entry for name, entry in _defined(evaluator, module) if name not in received) if module else None
    return found


def _usual(paths: Iterable[str]) -> list[str]:
    return [path for path in sorted(paths) if not is_test_path(path) and not is_example_path(path)]


def _receivers(evaluator: Evaluator, module: Module) -> Iterator[tuple[str, EntryPoint]]:
    for node, qualname in definitions(module):
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and last_name(decorator) == "receiver":
                first = keyword(decorator, "signal", 0)
                several = first.elts if isinstance(first, ast.List | ast.Tuple) else [first]
                for signal in several:
                    if signal is not None and last_name(signal):
                        symbol = f"{module.name}.{qualname}"
                        handler = Handler(
                            symbol=symbol, path=module.path, start_line=first_line(node), end_line=last_line(node)
                        )
                        yield last_name(signal), _event(signal, keyword(decorator, "sender"), handler, None, module)
    for call in ast.walk(module.tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "connect":
            yield from _connected(evaluator, module, call, call.func.value)


def _connected(
    evaluator: Evaluator, module: Module, call: ast.Call, signal: ast.expr
) -> Iterator[tuple[str, EntryPoint]]:
    """`signal.connect(function)`: only when both are known to be what they look like."""
    given = keyword(call, "receiver", 0)
    if given is None or not last_name(signal):
        return
    frame = Frame(module, ())
    function = evaluator.evaluate(given, frame)
    if isinstance(function, FunctionRef) and _is_signal(evaluator.evaluate(signal, frame)):
        yield last_name(signal), _event(signal, keyword(call, "sender"), handler_of(function), call, module)


def _is_signal(value: Value) -> bool:
    if isinstance(value, ExternalRef):
        return "signals" in value.dotted
    return isinstance(value, ExternalObject) and value.dotted.rpartition(".")[2].lower().endswith("signal")


def _event(
    signal: ast.expr, sender: ast.expr | None, handler: Handler, call: ast.Call | None, module: Module
) -> EntryPoint:
    name = last_name(signal)
    if sender is not None and last_name(sender):
        name = f"{name} of {last_name(sender)}"
    elif isinstance(sender, ast.Constant) and isinstance(sender.value, str):
        name = f"{name} of {sender.value}"
    declared = reference(module, call) if call is not None else None
    return EntryPoint(kind="event", name=name, handler=handler, framework="signals", declared=declared)


def _defined(evaluator: Evaluator, module: Module) -> Iterator[tuple[str, EntryPoint]]:
    for node in module.tree.body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or not isinstance(node.value, ast.Call):
            continue
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if isinstance(target, ast.Name) and _makes_signal(evaluator, module, node.value):
            handler = Handler(
                symbol=f"{module.name}.{target.id}",
                path=module.path,
                start_line=first_line(node),
                end_line=last_line(node),
            )
            yield target.id, EntryPoint(kind="event", name=target.id, handler=handler, framework="signals")


def _makes_signal(evaluator: Evaluator, module: Module, call: ast.Call) -> bool:
    maker = last_name(call.func)
    if maker.endswith("Signal"):
        return True
    return maker == "signal" and _is_signal(evaluator.evaluate(call, Frame(module, ()))) and bool(call.args)
