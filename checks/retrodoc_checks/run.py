"""Judges all the steps of a run, in the order that opens each cited file once, and scores what holds them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from retrodoc_checks.files import FileIndex, Files
from retrodoc_checks.findings import StepFinding
from retrodoc_checks.score import Score, mean_score, score_use_case
from retrodoc_checks.verdict import OpenFinding, close_findings, judge_step
from retrodoc_runs.steps import SourceRef, UseCase

if TYPE_CHECKING:
    from retrodoc_runs.models import Judgement, Run

Judgements: TypeAlias = "Mapping[tuple[str, int], Judgement]"
"""By the use case's slug and the step's order."""


@dataclass(frozen=True, slots=True)
class CheckedStep:
    use_case: str
    order: int
    finding: StepFinding


@dataclass(frozen=True, slots=True)
class RunFindings:
    """What the judge says of a run. Scores are by slug; `unscored` names what holds no step."""

    steps: tuple[CheckedStep, ...]
    use_cases: dict[str, Score]
    features: dict[str, Score]
    domains: dict[str, Score]
    score: Score | None
    unscored: tuple[str, ...] = ()


def check_run(run: Run, files: Files | FileIndex, judgements: Judgements | None = None) -> RunFindings:
    """Judge every step of `run` against `files`, and score it.

    `files` are those of the run's own commit: a `retrodoc_runs` snapshot, or an index over one. `judgements` are those
    that still hold; none by default, so that the scores are what a program alone can say.
    """
    index = files if isinstance(files, FileIndex) else FileIndex(files)
    entities = frozenset(entity.name for entity in run.entities)
    findings = check_use_cases(run.use_cases, index, entities)
    known = judgements or {}
    scores: dict[str, Score] = {}
    unscored = []
    for use_case, found in zip(run.use_cases, findings, strict=True):
        said = [known.get((use_case.slug, step.order)) for step in use_case.steps]
        score = score_use_case(found, said)
        if score is None:
            unscored.append(use_case.slug)
        else:
            scores[use_case.slug] = score
    features, loose = _means([(one.slug, one.feature_slug) for one in run.use_cases], scores)
    domain_of = {feature.slug: feature.domain_slug for feature in run.features}
    domains, loose_features = _means([(slug, domain_of.get(slug, "")) for slug in features], features)
    unscored += [feature.slug for feature in run.features if feature.slug not in features]
    unscored += [domain.slug for domain in run.domains if domain.slug not in domains]
    total = mean_score([*domains.values(), *loose_features, *loose])
    steps = tuple(
        CheckedStep(use_case.slug, step.order, finding)
        for use_case, found in zip(run.use_cases, findings, strict=True)
        for step, finding in zip(use_case.steps, found, strict=True)
    )
    return RunFindings(steps, scores, features, domains, total, tuple(unscored))


def _means(held: Iterable[tuple[str, str]], scores: Mapping[str, Score]) -> tuple[dict[str, Score], list[Score]]:
    """The mean of what each holder holds, from (held, holder) pairs; and the scores that nothing holds."""
    groups: dict[str, list[Score]] = {}
    loose = []
    for slug, holder in held:
        if slug not in scores:
            continue
        if holder:
            groups.setdefault(holder, []).append(scores[slug])
        else:
            loose.append(scores[slug])
    means = {holder: mean for holder, group in groups.items() if (mean := mean_score(group)) is not None}
    return means, loose


def check_use_cases(
    use_cases: Sequence[UseCase],
    index: FileIndex,
    entities: Collection[str] = (),
    advance: Callable[[], None] = lambda: None,
) -> list[list[StepFinding]]:
    """The finding of every step, use case by use case, in their order. `advance` is called after each step."""
    flat = [step for use_case in use_cases for step in use_case.steps]
    found = check_steps([(step.text, step.source_refs) for step in flat], index, entities, advance)
    ordered = iter(found)
    return [[next(ordered) for _ in use_case.steps] for use_case in use_cases]


def check_steps(
    steps: Sequence[tuple[str, Sequence[SourceRef]]],
    index: FileIndex,
    entities: Collection[str] = (),
    advance: Callable[[], None] = lambda: None,
) -> list[StepFinding]:
    """The finding of each (text, citations), in the given order.

    They are judged file by file, and what none of the cited files says is looked for in all others at the end, so that
    a repository larger than the memory is still read once for each.
    """
    order = sorted(range(len(steps)), key=lambda number: _first_path(steps[number][1]))
    found: dict[int, StepFinding | OpenFinding] = {}
    for number in order:
        text, refs = steps[number]
        found[number] = judge_step(text, refs, index, entities)
        advance()
    return close_findings([found[number] for number in range(len(steps))], index)


def _first_path(refs: Sequence[SourceRef]) -> str:
    return min((ref.path for ref in refs), default="")


__all__ = ["CheckedStep", "RunFindings", "check_run", "check_steps", "check_use_cases"]
