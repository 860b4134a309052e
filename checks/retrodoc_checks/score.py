"""How far a use case, a feature, a domain and a run can be trusted: means of what they hold, intervals while in doubt.

A step is worth 1 when it is valid, 0 when it is broken, 0.25 when it cites nothing. A doubtful one is worth what a
model said of it, and until then anything from 0 to 1. What holds no step is not scored, and never averaged in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrodoc_checks.findings import StepFinding, Verdict

if TYPE_CHECKING:
    from retrodoc_runs.models import Judgement, Outcome

ALERT_THRESHOLD = 0.5
"""DESIGN section 4: a score that can be under it is an alert."""
UNSUPPORTED_CAP = 0.25

OUTCOME_VALUES: dict[Outcome, float] = {"supported": 1.0, "partial": 0.5, "unsupported": 0.0}
_SETTLED_VALUES = {Verdict.VALID: 1.0, Verdict.BROKEN: 0.0, Verdict.UNSUPPORTED: UNSUPPORTED_CAP}


@dataclass(frozen=True, slots=True)
class Score:
    """From 0 to 1: an interval while doubtful steps are unjudged."""

    low: float
    high: float

    @property
    def settled(self) -> bool:
        return self.low == self.high

    def alerts(self, threshold: float = ALERT_THRESHOLD) -> bool:
        """Whether it can be under the threshold."""
        return self.low < threshold

    def can_cross(self, threshold: float = ALERT_THRESHOLD) -> bool:
        """Whether what is still in doubt decides on which side of the threshold it is."""
        return self.low < threshold <= self.high


def step_score(finding: StepFinding, judgement: Judgement | None = None) -> Score:
    """The worth of one step; a judgement counts for a doubtful step alone, and never changes a verdict."""
    value = _SETTLED_VALUES.get(finding.verdict)
    if value is None and judgement is not None:
        value = OUTCOME_VALUES[judgement.outcome]
    return Score(0.0, 1.0) if value is None else Score(value, value)


def mean_score(scores: Iterable[Score | None]) -> Score | None:
    """The mean of what is scored; None when nothing is."""
    known = [score for score in scores if score is not None]
    if not known:
        return None
    return Score(sum(score.low for score in known) / len(known), sum(score.high for score in known) / len(known))


def score_use_case(
    findings: Sequence[StepFinding], judgements: Sequence[Judgement | None] | None = None
) -> Score | None:
    """The mean over the steps of a use case, `judgements` in the same order; None when it has no step.

    Give only judgements that still hold: their key is that of the step's text and the code it cites.
    """
    said = judgements if judgements is not None else [None] * len(findings)
    return mean_score(step_score(finding, judgement) for finding, judgement in zip(findings, said, strict=True))
