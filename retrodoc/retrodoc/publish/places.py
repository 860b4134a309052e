"""Where a code forge should show a finding: the line that says it, else the lines that it cites."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass

from retrodoc.checking.result import CheckResult, StepResult
from retrodoc_runs.models import SourceRef


@dataclass(frozen=True, slots=True)
class Shown:
    """A path from the repository's root, with lines when they can be shown: 1 or more, in order."""

    path: str
    start_line: int | None = None
    end_line: int | None = None


def place_of(step: StepResult, result: CheckResult) -> Shown | None:
    """None when the step is written nowhere and cites nothing inside the repository."""
    if step.page:
        return _shown(result, step.page, step.line, step.line)
    return next((cited for citation in step.citations if (cited := place_of_ref(citation.ref, result))), None)


def place_of_ref(ref: SourceRef, result: CheckResult) -> Shown | None:
    return _shown(result, ref.path, ref.start_line, ref.end_line)


def _shown(result: CheckResult, path: str, start: int | None, end: int | None) -> Shown | None:
    path = posixpath.normpath(posixpath.join(result.subfolder, path.replace("\\", "/")))
    if path.startswith(("/", "../")) or path in ("..", ".") or "\0" in path:
        return None
    if start is None or start < 1 or end is None or end < start:
        return Shown(path)
    return Shown(path, start, end)
