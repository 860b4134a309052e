"""Decides which jobs run in the background: tasks of Celery and of the queues that work alike."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrodoc.surface.python.evaluate import Evaluator, Frame
from retrodoc.surface.python.modules import Module, is_example_path, is_test_path, project_of
from retrodoc.surface.python.places import first_line, keyword, last_line, last_name, reference
from retrodoc.surface.python.scan import definitions
from retrodoc.surface.python.values import ClassRef, ExternalObject
from retrodoc_runs.models import EntryPoint, Handler, SourceRef

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

_QUEUES = {
    "shared_task": "celery",
    "periodic_task": "celery",
    "task": "celery",
    "actor": "dramatiq",
    "job": "rq",
    "db_task": "huey",
    "db_periodic_task": "huey",
    "scheduled_job": "apscheduler",
}
"""Decorators that make a job, and the library each is best known from."""

_LIBRARIES = (
    b"celery Celery CELERY huey HUEY dramatiq apscheduler django_rq rq procrastinate django_tasks django.tasks taskiq"
).split()
_DECORATED = re.compile(rb"@(?:[\w.]+\.)?(?:" + "|".join(_QUEUES).encode() + rb")\b|\bTask\b")
_SCHEDULE = re.compile(rb"beat_schedule|BEAT_SCHEDULE|CELERYBEAT_SCHEDULE")


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    """Each task once; a task that a beat schedule names is declared there."""
    project = project_of(sources)
    scheduled: dict[str, SourceRef] = {}
    evaluator = Evaluator(project)
    for path in sorted({*project.containing(b"beat_schedule"), *project.containing(b"BEAT")}):
        wanted = _SCHEDULE.search(project.data(path)) and not is_test_path(path)
        module = evaluator.module(path) if wanted else None
        if module:
            scheduled.update(_scheduled(module))
    found: list[EntryPoint] = []
    sure = {path for library in _LIBRARIES for path in project.containing(library)}
    for path in sorted(sure | set(project.containing(b".task"))):
        data = project.data(path)
        if is_test_path(path) or is_example_path(path) or not _DECORATED.search(data):
            continue
        module = evaluator.module(path)
        if module:
            found.extend(_tasks(evaluator, module, scheduled, sure=path in sure))
    return found


def _tasks(
    evaluator: Evaluator, module: Module, scheduled: dict[str, SourceRef], *, sure: bool
) -> Iterator[EntryPoint]:
    for node, qualname in definitions(module):
        if isinstance(node, ast.ClassDef):
            yield from _task_class(evaluator, module, node, qualname)
            continue
        for decorator in node.decorator_list:
            queue = _QUEUES.get(last_name(decorator))
            if queue is None or (last_name(decorator) == "task" and not _is_task(decorator)):
                continue
            if not sure and not _of_a_queue(evaluator, module, decorator):
                continue
            symbol = f"{module.name}.{qualname}"
            given = keyword(decorator, "name") if isinstance(decorator, ast.Call) else None
            name = given.value if isinstance(given, ast.Constant) and isinstance(given.value, str) else node.name
            yield _job(module, node, symbol, name, queue, scheduled.get(name) or scheduled.get(symbol))
            break


def _of_a_queue(evaluator: Evaluator, module: Module, decorator: ast.expr) -> bool:
    """Whether the `app` of `@app.task` is a queue's, in a file that names no queue library itself."""
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    owner = evaluator.evaluate(target.value, Frame(module, ())) if isinstance(target, ast.Attribute) else None
    return isinstance(owner, ExternalObject) and any(owner.dotted.startswith(name.decode()) for name in _LIBRARIES)


def _is_task(decorator: ast.expr) -> bool:
    """`@app.task`, `@celery.task()`, `@task`: not a `task` of some object's own, such as `@locust.task(3)`."""
    if isinstance(decorator, ast.Call) and decorator.args and isinstance(decorator.args[0], ast.Constant):
        return isinstance(decorator.args[0].value, str)
    return True


def _task_class(evaluator: Evaluator, module: Module, node: ast.ClassDef, qualname: str) -> Iterator[EntryPoint]:
    """A class with `run` whose base is Celery's `Task`, unless other classes derive from it: those are the tasks."""
    run = next((inner for inner in node.body if isinstance(inner, ast.FunctionDef) and inner.name == "run"), None)
    if run is None or not any(last_name(base).endswith("Task") for base in node.bases):
        return
    found = evaluator.member_of(module, node.name) if "." not in qualname else None
    if isinstance(found, ClassRef) and any(base.startswith("celery.") for base in evaluator.linear(found)[1]):
        yield _job(module, run, f"{module.name}.{qualname}", node.name, "celery", None)


def _job(
    module: Module, node: ast.AST, symbol: str, name: str, framework: str, declared: SourceRef | None
) -> EntryPoint:
    handler = Handler(symbol=symbol, path=module.path, start_line=first_line(node), end_line=last_line(node))
    return EntryPoint(kind="job", name=name, handler=handler, framework=framework, declared=declared)


def _scheduled(module: Module) -> Iterator[tuple[str, SourceRef]]:
    """Task name to the lines that schedule it: `{"every-night": {"task": "shop.tasks.alert", ...}}`."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                is_task = isinstance(key, ast.Constant) and key.value == "task"
                if is_task and isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield value.value, reference(module, node)
