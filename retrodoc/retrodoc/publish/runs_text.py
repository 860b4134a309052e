"""How saved runs read in a terminal: the list, and one run with what was set aside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from retrodoc.publish.wording import counted, plain
from retrodoc_runs.models import Run, SetAside
from retrodoc_runs.store import RunSummary

MAX_ERRORS = 5
"""Errors told of a unit that was set aside; the run's file has all, with the prompt and the last answer."""


def runs_list_text(found: Sequence[RunSummary], folder: Path) -> str:
    """One line a run."""
    if not found:
        return f"no run in {folder}\n"
    rows = [("run", "commit", "state", "use cases", "drafted by")]
    for summary in found:
        state = "damaged" if summary.problem else "complete" if summary.complete else "unfinished"
        commit = (summary.commit or "")[:12] or ("" if summary.problem else "work tree")
        rows.append((summary.id, commit, state, str(summary.use_cases), plain(summary.problem or summary.drafter)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n" for row in rows
    )


def run_text(run: Run, folder: Path) -> str:
    """One run, and what was set aside in it."""
    return "".join(f"{line}\n" for line in _lines(run, folder))


def _lines(run: Run, folder: Path) -> Iterator[str]:
    yield f"run         {run.id} ({'complete' if run.complete else 'unfinished: retrodoc generate goes on with it'})"
    yield f"repository  {plain(run.repository)}{f', folder {plain(run.subfolder)}' if run.subfolder else ''}"
    yield f"commit      {run.commit or 'none: the work tree was read'}"
    yield f"begun       {run.created_at} by {run.program}"
    yield f"drafted by  {plain(run.drafter)}, in {run.language}"
    yield (
        f"holds       {counted(len(run.domains), 'domain')}, {counted(len(run.features), 'feature')}, "
        f"{counted(len(run.use_cases), 'use case')}, {counted(len(run.entry_points), 'entry point')}, "
        f"{counted(len(run.entities), 'entity')}, {counted(len(run.judgements), 'judgement')}"
    )
    yield f"kept in     {folder}"
    for name, version in sorted(run.prompts.items()):
        yield f"prompt      {name} {version}"
    for note in run.notes:
        yield f"note        {plain(note)}"
    if run.set_aside:
        yield ""
        yield f"Set aside: {counted(len(run.set_aside), 'unit')} (retrodoc generate --retry asks again)"
        for item in run.set_aside:
            yield from _set_aside(item)


def _set_aside(item: SetAside) -> Iterator[str]:
    yield f"  {plain(item.kind)} {plain(item.slug)}: {plain(item.reason)}"
    for error in item.errors[:MAX_ERRORS]:
        yield f"    {plain(error)}"
    if len(item.errors) > MAX_ERRORS:
        yield f"    and {counted(len(item.errors) - MAX_ERRORS, 'error')} more"
    if item.answer:
        yield f"    last answer: {plain(item.answer[:200])}{'…' if len(item.answer) > 200 else ''}"
