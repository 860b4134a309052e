"""The lines that steps cite, and which judgements still hold: those of the same text over the same code."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from retrodoc.ingest.secrets import read_for_model
from retrodoc_runs.lines import decode, split_lines
from retrodoc_runs.models import Judgement, Run, SourceRef, Step
from retrodoc_runs.snapshot import Snapshot

MAX_CITED_LINES = 80
"""Lines shown of one citation: what is wider is not specific anyway."""


@dataclass(frozen=True, slots=True)
class CitedLines:
    """The lines of one citation, as far as they can be read."""

    path: str
    start_line: int
    text: str
    enclosing: str


class Evidence:
    """The cited lines of steps, each file read and split once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._lines: dict[str, list[str]] = {}

    def lines(self, refs: Iterable[SourceRef]) -> tuple[CitedLines, ...]:
        """What each citation shows; one that cannot be read shows nothing."""
        shown = []
        for ref in refs:
            lines = self._of(ref.path)
            start = max(ref.start_line or 1, 1)
            end = min(ref.end_line or len(lines), len(lines), start + MAX_CITED_LINES - 1)
            if lines and start <= end:
                text = "\n".join(lines[start - 1 : end])
                shown.append(CitedLines(ref.path, start, text, ref.enclosing or ""))
        return tuple(shown)

    def key(self, step: Step) -> str:
        """Hash of the step's text and of the code that it cites."""
        digest = hashlib.sha256(step.text.encode())
        for piece in self.lines(step.source_refs):
            digest.update(f"\0{piece.path}\0{piece.start_line}\0{piece.text}".encode())
        return digest.hexdigest()

    def _of(self, path: str) -> list[str]:
        if path not in self._lines:
            data = read_for_model(self._snapshot, path) or b""
            self._lines[path] = [decode(line) for line in split_lines(data)] if b"\0" not in data else []
        return self._lines[path]


def standing(run: Run, evidence: Evidence) -> tuple[Judgement, ...]:
    """The judgements that still hold for the text and code they were made for."""
    steps = {(use_case.slug, step.order): step for use_case in run.use_cases for step in use_case.steps}
    return tuple(
        judgement
        for judgement in run.judgements
        if (step := steps.get((judgement.use_case, judgement.order))) and evidence.key(step) == judgement.key
    )


def carried_over(run: Run, previous: Run | None, evidence: Evidence) -> Run:
    """`run` with what an earlier run paid to know: judgements of the same text over the same code."""
    if previous is None or previous.id == run.id or not previous.judgements:
        return run
    paid = {judgement.key: judgement for judgement in previous.judgements}
    have = {(judgement.use_case, judgement.order) for judgement in run.judgements}
    more = [
        known.model_copy(update={"use_case": use_case.slug, "order": step.order})
        for use_case in run.use_cases
        for step in use_case.steps
        if (use_case.slug, step.order) not in have and (known := paid.get(evidence.key(step)))
    ]
    return run.model_copy(update={"judgements": (*run.judgements, *more)}) if more else run
