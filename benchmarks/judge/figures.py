"""The figures of one judge on one set: settled, precision of valid, bad steps not passed, each with its interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from labelled import Labelled, settles

from retrodoc_checks import Verdict
from retrodoc_checks.intervals import Share


@dataclass(frozen=True)
class Figures:
    settled: Share
    """Valid, broken and unsupported, over all."""
    precision: Share
    """Supported over valid."""
    bad_not_passed: Share
    """Partial or unsupported steps that are not valid."""

    def row(self, name: str) -> str:
        return f"{name:<34} {self.settled!s:<18} {self.precision!s:<18} {self.bad_not_passed!s:<18}"


HEADER = f"{'':<34} {'settled':<18} {'precision of valid':<18} {'bad not passed':<18}"


def figures(
    steps: Sequence[Labelled], is_valid: Callable[[Labelled], bool], is_settled: Callable[[Labelled], bool]
) -> Figures:
    valid = [step for step in steps if is_valid(step)]
    bad = [step for step in steps if not step.supported]
    return Figures(
        Share(sum(is_settled(step) for step in steps), len(steps)),
        Share(sum(step.supported for step in valid), len(valid)),
        Share(sum(not is_valid(step) for step in bad), len(bad)),
    )


def of_judge(steps: Sequence[Labelled]) -> Figures:
    return figures(steps, lambda step: step.finding.verdict is Verdict.VALID, lambda step: settles(step.finding))


def of_baseline(steps: Sequence[Labelled], accepts: Callable[[Labelled], bool | None]) -> Figures:
    said = {id(step): accepts(step) for step in steps}
    return figures(steps, lambda step: said[id(step)] is True, lambda step: said[id(step)] is not None)


def strongest(steps: Sequence[Labelled], share: float = 1 / 3) -> Share:
    """Precision among the steps with the highest strength; of equal ones, the earlier."""
    ranked = sorted(steps, key=lambda step: -step.finding.strength)[: int(len(steps) * share)]
    return Share(sum(step.supported for step in ranked), len(ranked))


def frontier(steps: Sequence[Labelled]) -> list[tuple[float, float]]:
    """(settled, precision) as the threshold on strength falls: steps above it pass, those without citation settle."""
    uncited = sum(step.finding.verdict is Verdict.UNSUPPORTED for step in steps)
    cited = [step for step in steps if step.finding.verdict is not Verdict.UNSUPPORTED]
    points = []
    for threshold in sorted({step.finding.strength for step in cited}, reverse=True):
        passed = [step for step in cited if step.finding.strength >= threshold]
        points.append(((len(passed) + uncited) / len(steps), sum(step.supported for step in passed) / len(passed)))
    return points
