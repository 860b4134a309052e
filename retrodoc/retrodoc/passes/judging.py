"""Which doubtful steps a model reads, with which lines, and what becomes of its word.

A judgement belongs to the step's text and the cited code: when either changes it no longer counts, and the step is
asked about again. No judgement ever changes a verdict; it only settles the score of a doubtful step.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from retrodoc.ingest.secrets import read_for_model
from retrodoc.llm.asker import Asker
from retrodoc.llm.question import Job
from retrodoc.prompts import Prompt, load_prompt
from retrodoc.prompts.models import JudgedStep, JudgeIn, JudgeOut, Slice
from retrodoc_checks import StepFinding, Verdict
from retrodoc_checks.score import score_use_case
from retrodoc_runs.lines import decode, split_lines
from retrodoc_runs.models import Judgement, Run, SetAside, SourceRef, Step, UseCase
from retrodoc_runs.snapshot import Snapshot

STEPS_PER_CALL = 12
"""Doubtful steps of one feature asked about at once: their code still fits a small context."""
MAX_CITED_LINES = 80
"""Lines shown of one citation: what is wider is not specific anyway."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A doubtful step, and the hash that its judgement will carry."""

    use_case: UseCase
    step: Step
    finding: StepFinding
    key: str


class Evidence:
    """The cited lines of steps, each file read and split once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._lines: dict[str, list[str]] = {}

    def slices(self, refs: Iterable[SourceRef]) -> tuple[Slice, ...]:
        """Each citation as numbered lines, as far as it can be read."""
        shown = []
        for ref in refs:
            lines = self._of(ref.path)
            start = max(ref.start_line or 1, 1)
            end = min(ref.end_line or len(lines), len(lines), start + MAX_CITED_LINES - 1)
            if lines and start <= end:
                text = "\n".join(lines[start - 1 : end])
                shown.append(Slice(path=ref.path, start_line=start, text=text, note=ref.enclosing or ""))
        return tuple(shown)

    def key(self, step: Step) -> str:
        """Hash of the step's text and of the code that it cites."""
        digest = hashlib.sha256(step.text.encode())
        for piece in self.slices(step.source_refs):
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


def doubts(
    run: Run, findings: Sequence[Sequence[StepFinding]], evidence: Evidence, *, threshold: float | None = None
) -> list[Doubt]:
    """The doubtful steps without a standing judgement.

    With `threshold`, only those of use cases that the model can still move across it.
    """
    known = {(judgement.use_case, judgement.order): judgement for judgement in standing(run, evidence)}
    found = []
    for use_case, judged in zip(run.use_cases, findings, strict=True):
        score = score_use_case(judged, [known.get((use_case.slug, step.order)) for step in use_case.steps])
        if threshold is not None and (score is None or not score.low < threshold <= score.high):
            continue
        for step, finding in zip(use_case.steps, judged, strict=True):
            if finding.verdict is Verdict.DOUBTFUL and (use_case.slug, step.order) not in known:
                found.append(Doubt(use_case, step, finding, evidence.key(step)))
    return found


class ModelJudge:
    """Asks a model about doubtful steps, in batches of one feature."""

    def __init__(self, asker: Asker, evidence: Evidence, language: str) -> None:
        self._asker = asker
        self._evidence = evidence
        self._language = language
        self._prompt: Prompt[JudgeIn, JudgeOut] = load_prompt("judge")

    def judge(self, found: Sequence[Doubt]) -> Iterator[list[Judgement] | SetAside]:
        """The judgements of each batch as they come."""
        batches = batches_of(found)
        jobs = [Job(self._prompt, inputs_of(batch, self._evidence, self._language), unit) for unit, batch in batches]
        by_unit = dict(batches)
        for job, answer in self._asker.ask_all(jobs):
            yield answer if isinstance(answer, SetAside) else self._said(by_unit[job.unit], answer)

    def _said(self, batch: Sequence[Doubt], answer: JudgeOut) -> list[Judgement]:
        by_number = dict(enumerate(batch, start=1))
        return [
            Judgement(
                use_case=by_number[said.step].use_case.slug,
                order=by_number[said.step].step.order,
                outcome=said.outcome,
                rationale=said.rationale,
                model=f"{self._asker.provider.name} {self._asker.model}",
                key=by_number[said.step].key,
            )
            for said in answer.judgements
            if said.step in by_number
        ]


def batches_of(found: Sequence[Doubt]) -> list[tuple[str, list[Doubt]]]:
    """Doubts by feature, at most STEPS_PER_CALL together; each batch with its unit's name."""
    features: dict[str, list[Doubt]] = {}
    for doubt in found:
        features.setdefault(doubt.use_case.feature_slug or "all", []).append(doubt)
    return [
        (f"{slug}-{at // STEPS_PER_CALL + 1}", members[at : at + STEPS_PER_CALL])
        for slug, members in features.items()
        for at in range(0, len(members), STEPS_PER_CALL)
    ]


def inputs_of(batch: Sequence[Doubt], evidence: Evidence, language: str) -> JudgeIn:
    """The question about one batch."""
    return JudgeIn(
        language=language,
        steps=tuple(
            JudgedStep(
                number=number,
                text=doubt.step.text,
                doubts=_in_doubt(doubt.finding),
                code=evidence.slices(doubt.step.source_refs),
            )
            for number, doubt in enumerate(batch, start=1)
        ),
    )


def _in_doubt(finding: StepFinding) -> tuple[str, ...]:
    """What the program could not settle: the missing names with their reasons, else the reasons alone."""
    if finding.missing:
        return tuple(f"{missing.name}: {missing.reason.value}" for missing in finding.missing)
    return tuple(reason.value for reason in finding.reasons)


__all__ = ["Doubt", "Evidence", "ModelJudge", "batches_of", "carried_over", "doubts", "inputs_of", "standing"]
