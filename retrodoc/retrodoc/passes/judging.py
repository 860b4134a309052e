"""Which doubtful steps a model reads, with which lines, and what becomes of its word.

A judgement belongs to the step's text and the cited code: when either changes it no longer counts, and the step is
asked about again. No judgement ever changes a verdict; it only settles the score of a doubtful step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from retrodoc.llm.asker import Asker
from retrodoc.llm.question import Job
from retrodoc.passes.evidence import Evidence, standing
from retrodoc.prompts import Prompt, load_prompt
from retrodoc.prompts.models import JudgedStep, JudgeIn, JudgeOut, Slice
from retrodoc_checks import StepFinding, Verdict
from retrodoc_checks.score import score_use_case
from retrodoc_runs.models import Judgement, Run, SetAside, Step, UseCase

STEPS_PER_CALL = 12
"""Doubtful steps of one feature asked about at once: their code still fits a small context."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A doubtful step, and the hash that its judgement will carry."""

    use_case: UseCase
    step: Step
    finding: StepFinding
    key: str


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
                code=shown_code(evidence, doubt.step),
            )
            for number, doubt in enumerate(batch, start=1)
        ),
    )


def shown_code(evidence: Evidence, step: Step) -> tuple[Slice, ...]:
    """The cited lines of a step, as a prompt shows them."""
    return tuple(
        Slice(path=cited.path, start_line=cited.start_line, text=cited.text, note=cited.enclosing)
        for cited in evidence.lines(step.source_refs)
    )


def _in_doubt(finding: StepFinding) -> tuple[str, ...]:
    """What the program could not settle: the missing names with their reasons, else the reasons alone."""
    if finding.missing:
        return tuple(f"{missing.name}: {missing.reason.value}" for missing in finding.missing)
    return tuple(reason.value for reason in finding.reasons)
