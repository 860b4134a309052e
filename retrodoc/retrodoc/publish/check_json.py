"""`retrodoc check --format json`: the shape that `schemas/check.schema.json` publishes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from retrodoc.checking.result import CheckResult, CitationResult, StepResult
from retrodoc_checks.findings import Verdict

SCHEMA_VERSION = 1
"""Raised when a reader of the old shape could misread the new one; new keys alone do not raise it."""


def check_json(result: CheckResult) -> Iterator[str]:
    """The document in pieces, a step a line: a run of 100,000 steps is never one string in memory."""
    head = _head(result)
    yield "{\n"
    for key, value in head.items():
        yield f" {_dumps(key)}: {_dumps(value)},\n"
    yield ' "use_cases": ['
    yield from _lines(
        {"slug": score.slug, "score_low": score.score_low, "score_high": score.score_high} for score in result.use_cases
    )
    yield '],\n "steps": ['
    yield from _lines(_step(step) for step in result.steps)
    yield '],\n "unparsed": ['
    yield from _lines({"text": one.text, "line": one.line, "page": one.page} for one in result.unparsed)
    yield "]\n}"


def error_json(message: str, mend: str, target: str | None = None) -> str:
    """What is printed instead when nothing could be checked."""
    return json.dumps({"target": target, "error": {"message": message, "mend": mend}}, indent=1, ensure_ascii=False)


def _head(result: CheckResult) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "target": result.target,
        "kind": result.kind,
        "repository": result.repository,
        "commit": result.commit,
        "checked_at_commit": result.checked_at_commit,
        "worktree": result.worktree,
        "pinned_commits": list(result.pinned),
        "dirty": result.dirty,
        "base": result.base,
        "summary": summary(result),
        "left_out": [{"path": path, "reason": reason} for path, reason in result.left_out],
        "unscored": list(result.unscored),
    }


def summary(result: CheckResult) -> dict[str, Any]:
    """Counts of everything, also of what is zero."""
    count = result.count()
    statuses = [citation.status for step in result.steps for citation in step.citations if citation.status]
    return {
        "use_cases": len(result.use_cases),
        "steps": len(result.steps),
        "untouched_steps": result.untouched,
        **{verdict.value: count[verdict] for verdict in Verdict},
        "wrong_from_the_start": sum(step.status == "wrong-from-the-start" for step in result.steps),
        "citations": sum(len(step.citations) for step in result.steps),
        "whole_file_citations": sum(step.whole_files for step in result.steps),
        "foreign_citations": sum(result.foreign.values()),
        "foreign_repositories": dict(sorted(result.foreign.items())),
        "unparsed": len(result.unparsed),
        **{status: statuses.count(status) for status in ("same", "moved", "changed", "gone")},
    }


def _step(step: StepResult) -> dict[str, Any]:
    finding = step.finding
    return {
        "use_case": step.use_case,
        "order": step.order,
        "verdict": finding.verdict.value,
        "reasons": [reason.value for reason in finding.reasons],
        "missing": [
            {"name": one.name, "where": None if one.where is None else str(one.where), "reason": one.reason.value}
            for one in finding.missing
        ],
        "hint": None if finding.hint is None else str(finding.hint),
        "facts": finding.facts,
        "citations": [_citation(citation) for citation in step.citations],
        "strength": round(finding.strength, 6),
        "status": step.status,
        "page": step.page or None,
        "line": step.line,
    }


def _citation(citation: CitationResult) -> dict[str, Any]:
    ref = citation.ref
    return {
        "path": ref.path,
        "start_line": ref.start_line,
        "end_line": ref.end_line,
        "status": citation.status,
        "new_path": citation.new_path,
        "new_lines": None if citation.new_lines is None else list(citation.new_lines),
    }


def _lines(items: Iterable[dict[str, Any]]) -> Iterator[str]:
    separator = "\n  "
    for item in items:
        yield separator + _dumps(item)
        separator = ",\n  "
    if separator != "\n  ":
        yield "\n "


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
