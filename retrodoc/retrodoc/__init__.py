"""RetroDoc: functional documentation of a repository, each step citing the code, each citation checked.

The public door is what `__all__` lists; it is loaded when first used, so that `import retrodoc` costs nothing.

    from retrodoc import SourceRef, Verdict, check_step, open_snapshot

    with open_snapshot(Path("."), "HEAD") as files:
        finding = check_step("`take_order` calls `place_order`.", [SourceRef(path="desk/app.py", start_line=10)], files)
        assert finding.verdict is Verdict.VALID
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from retrodoc.errors import RetroDocError
    from retrodoc_checks import (
        FileIndex,
        Missing,
        Place,
        Reason,
        RunFindings,
        Score,
        StepFinding,
        Verdict,
        check_run,
        check_step,
    )
    from retrodoc_runs.errors import RunsError
    from retrodoc_runs.models import Actor, Run, SourceRef, Step, UseCase
    from retrodoc_runs.snapshot import MemorySnapshot, Snapshot, open_snapshot
    from retrodoc_runs.store import RunStore

_HOMES = {
    "Actor": "retrodoc_runs.models",
    "FileIndex": "retrodoc_checks",
    "MemorySnapshot": "retrodoc_runs.snapshot",
    "Missing": "retrodoc_checks",
    "Place": "retrodoc_checks",
    "Reason": "retrodoc_checks",
    "RetroDocError": "retrodoc.errors",
    "Run": "retrodoc_runs.models",
    "RunFindings": "retrodoc_checks",
    "RunStore": "retrodoc_runs.store",
    "RunsError": "retrodoc_runs.errors",
    "Score": "retrodoc_checks",
    "Snapshot": "retrodoc_runs.snapshot",
    "SourceRef": "retrodoc_runs.models",
    "Step": "retrodoc_runs.models",
    "StepFinding": "retrodoc_checks",
    "UseCase": "retrodoc_runs.models",
    "Verdict": "retrodoc_checks",
    "check_run": "retrodoc_checks",
    "check_step": "retrodoc_checks",
    "open_snapshot": "retrodoc_runs.snapshot",
}

__all__ = [
    "Actor",
    "FileIndex",
    "MemorySnapshot",
    "Missing",
    "Place",
    "Reason",
    "RetroDocError",
    "Run",
    "RunFindings",
    "RunStore",
    "RunsError",
    "Score",
    "Snapshot",
    "SourceRef",
    "Step",
    "StepFinding",
    "UseCase",
    "Verdict",
    "__version__",
    "check_run",
    "check_step",
    "open_snapshot",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return __all__
