"""How far each use case can be trusted: the confidence report as data, for the terminal, JSON and Markdown alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retrodoc.accounting import Accounting, account
from retrodoc.publish.book import Book, JudgedStep, count_verdicts
from retrodoc.publish.wording import explain
from retrodoc_checks.findings import Verdict
from retrodoc_checks.score import Score
from retrodoc_runs.models import SetAside, Unread
from retrodoc_runs.steps import label_of

if TYPE_CHECKING:
    from retrodoc.llm.stats import PassStats


@dataclass(frozen=True, slots=True)
class Concern:
    """A step that is not valid: what it says, why, and what a model said of it."""

    order: int
    text: str
    verdict: Verdict
    reasons: tuple[str, ...]
    why: tuple[str, ...]
    citations: tuple[str, ...]
    judgement: str | None
    rationale: str


@dataclass(frozen=True, slots=True)
class UseCaseReport:
    """`score` is None when it has no step; `alert` says that the score can be under the threshold."""

    slug: str
    title: str
    feature: str
    domain: str
    page: str
    score: Score | None
    alert: bool
    counts: Counter[Verdict]
    concerns: tuple[Concern, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The whole report; `counts` and `score` are those of the run."""

    name: str
    run: str
    commit: str | None
    drafter: str
    threshold: float
    score: Score | None
    counts: Counter[Verdict]
    use_cases: tuple[UseCaseReport, ...]
    domains: tuple[tuple[str, Score | None], ...]
    accounting: Accounting
    unread: tuple[Unread, ...]
    set_aside: tuple[SetAside, ...]
    notes: tuple[str, ...]
    complete: bool
    passes: tuple[PassStats, ...] = ()
    """How often the model's answers had to be asked for again, by pass; empty without a model."""

    @property
    def alerts(self) -> tuple[UseCaseReport, ...]:
        return tuple(use_case for use_case in self.use_cases if use_case.alert)

    @property
    def unscored(self) -> tuple[UseCaseReport, ...]:
        return tuple(use_case for use_case in self.use_cases if use_case.score is None)

    @property
    def steps(self) -> int:
        return sum(self.counts.values())

    @property
    def unread_by_reason(self) -> tuple[tuple[str, int], ...]:
        """Most frequent first."""
        counted = Counter(item.reason for item in self.unread)
        return tuple(sorted(counted.items(), key=lambda item: (-item[1], item[0])))

    @property
    def exit_code(self) -> int:
        """2 when nothing was checked, 1 when a use case is an alert or a step is broken or cites nothing, else 0."""
        if not self.steps:
            return 2
        return 1 if self.alerts or self.counts[Verdict.BROKEN] or self.counts[Verdict.UNSUPPORTED] else 0

    def as_dict(self) -> dict[str, Any]:
        """The JSON of `report --format json`."""
        return {
            "run": self.run,
            "repository": self.name,
            "commit": self.commit,
            "complete": self.complete,
            "drafter": self.drafter,
            "threshold": self.threshold,
            "summary": {
                "use_cases": len(self.use_cases),
                "alerts": len(self.alerts),
                "unscored": len(self.unscored),
                "steps": self.steps,
                **_counts(self.counts),
                **_score(self.score),
            },
            "domains": [{"slug": slug, **_score(score)} for slug, score in self.domains],
            "use_cases": [_use_case(use_case) for use_case in self.use_cases],
            "entry_points": {
                **self.accounting.as_dict(),
                "unaccounted_labels": list(self.accounting.unaccounted),
            },
            "not_read": [{"path": item.path, "reason": item.reason} for item in self.unread],
            "set_aside": [{"kind": it.kind, "slug": it.slug, "reason": it.reason} for it in self.set_aside],
            "notes": list(self.notes),
            "model_passes": [_pass(stats) for stats in self.passes],
        }


def report_of(book: Book, passes: Sequence[PassStats] = ()) -> Report:
    """The report of a run that was just judged; `passes` are the statistics of its model calls."""
    run = book.run
    return Report(
        name=book.name,
        run=run.id,
        commit=None if run.worktree else run.commit,
        drafter=run.drafter,
        threshold=book.threshold,
        score=book.score,
        counts=count_verdicts(book.steps),
        use_cases=tuple(
            UseCaseReport(
                slug=it.use_case.slug,
                title=it.title,
                feature=feature.feature.slug,
                domain=domain.domain.slug,
                page=it.page,
                score=it.score,
                alert=it.score is not None and it.score.alerts(book.threshold),
                counts=count_verdicts(it.steps),
                concerns=tuple(_concern(step) for step in it.steps if step.finding.verdict is not Verdict.VALID),
            )
            for domain in book.domains
            for feature in domain.features
            for it in feature.use_cases
        ),
        domains=tuple((domain.domain.slug, domain.score) for domain in book.domains),
        accounting=account(run.entry_points, run),
        unread=run.unread,
        set_aside=run.set_aside,
        notes=run.notes,
        complete=run.complete,
        passes=tuple(passes),
    )


def _concern(judged: JudgedStep) -> Concern:
    step, finding, said = judged.step, judged.finding, judged.judgement
    judgement = said if finding.verdict is Verdict.DOUBTFUL else None
    return Concern(
        order=step.order,
        text=step.text,
        verdict=finding.verdict,
        reasons=tuple(str(reason) for reason in finding.reasons),
        why=tuple(explain(finding)),
        citations=tuple(label_of(ref) for ref in step.source_refs),
        judgement=judgement.outcome if judgement else None,
        rationale=judgement.rationale if judgement else "",
    )


def _pass(stats: PassStats) -> dict[str, Any]:
    return {
        "pass": stats.task,
        "units": stats.units,
        "answers": stats.answers,
        "repaired_units": stats.repaired_units,
        "repair_rate": round(stats.repair_rate, 4),
        "tries_per_unit": round(stats.tries_per_unit, 4),
        "flaws": dict(stats.flaws),
        "error_paths": dict(stats.error_paths),
        "alert": stats.alert.value if stats.alert else None,
    }


def _use_case(it: UseCaseReport) -> dict[str, Any]:
    return {
        "slug": it.slug,
        "name": it.title,
        "feature": it.feature,
        "domain": it.domain,
        "page": it.page,
        **_score(it.score),
        "alert": it.alert,
        **_counts(it.counts),
        "concerns": [
            {
                "order": concern.order,
                "verdict": str(concern.verdict),
                "reasons": list(concern.reasons),
                "why": list(concern.why),
                "text": concern.text,
                "citations": list(concern.citations),
                "judgement": concern.judgement,
                "rationale": concern.rationale or None,
            }
            for concern in it.concerns
        ],
    }


def _score(score: Score | None) -> dict[str, float | None]:
    if score is None:
        return {"score_low": None, "score_high": None}
    return {"score_low": score.low, "score_high": score.high}


def _counts(counts: Counter[Verdict]) -> dict[str, int]:
    return {str(verdict): counts[verdict] for verdict in Verdict}
