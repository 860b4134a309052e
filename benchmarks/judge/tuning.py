"""Are the judge's thresholds fitted to these sets? Chosen on all sets but one, tried on that; and on random halves."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from figures import Figures, figures
from labelled import Labelled, LabelledSet

from retrodoc_checks import Reason, Verdict
from retrodoc_checks.verdict import MIN_AHEAD, MIN_ELSEWHERE, MIN_WORDS
from retrodoc_checks.words import NO_FOOTING

_BY_WORDS = frozenset({Reason.WORDS_AT_LINES, Reason.NOTHING_TO_CHECK, Reason.NEGATION})
_BY_NAMES = frozenset({Reason.ALL_FOUND, Reason.WORDS_ELSEWHERE})


@dataclass(frozen=True)
class Thresholds:
    """`MIN_SHARE_BESIDE_NAMES` and `MIN_SHARE_ALONE` of the judge, or others in their place."""

    beside_names: float
    alone: float


GRID = tuple(Thresholds(names / 100, alone / 100) for names in range(30, 64, 3) for alone in range(40, 71, 3))
MARGIN = 0.01
"""Above what must be reached: thresholds at the very bound would fall under it on other steps."""


def is_valid(step: Labelled, at: Thresholds) -> bool:
    """The verdict at other thresholds, from the facts of the finding."""
    finding = step.finding
    facts = finding.facts
    share = float(str(facts.get("words-share", NO_FOOTING.share)))
    if finding.reasons[0] in _BY_NAMES:
        return share >= at.beside_names or int(str(facts.get("words-elsewhere", 0))) < MIN_ELSEWHERE
    if finding.reasons[0] in _BY_WORDS and not facts.get("denies-a-name"):
        here = int(str(facts.get("words-here", 0)))
        ahead = float(str(facts.get("words-ahead", 0.0)))
        return here >= MIN_WORDS and ahead >= MIN_AHEAD and share >= at.alone
    return finding.verdict is Verdict.VALID


def at_thresholds(steps: Sequence[Labelled], at: Thresholds) -> Figures:
    settled = {Verdict.BROKEN, Verdict.UNSUPPORTED}
    valid = {id(step) for step in steps if is_valid(step, at)}
    return figures(
        steps, lambda step: id(step) in valid, lambda step: id(step) in valid or step.finding.verdict in settled
    )


def choose(
    steps: Sequence[Labelled], precision: float = 0.90 + MARGIN, bad_not_passed: float = 0.65 + MARGIN
) -> Thresholds:
    """The thresholds that settle most while both shares are kept; else those with the best precision."""
    scored = [(at_thresholds(steps, at), at) for at in GRID]
    good = [
        (found, at)
        for found, at in scored
        if (found.precision.value or 0) >= precision and (found.bad_not_passed.value or 0) >= bad_not_passed
    ]
    if good:
        return max(good, key=lambda pair: pair[0].settled.count)[1]
    return max(scored, key=lambda pair: (pair[0].precision.value or 0, pair[0].settled.count))[1]


@dataclass(frozen=True)
class LeftOut:
    """One set at thresholds that were chosen without it."""

    name: str
    at: Thresholds
    found: Figures


def leave_one_out(sets: Sequence[LabelledSet]) -> list[LeftOut]:
    """Each set at the thresholds chosen on all others."""
    left_out = []
    for own in sets:
        at = choose([step for other in sets if other is not own for step in other.steps])
        left_out.append(LeftOut(own.name, at, at_thresholds(own.steps, at)))
    return left_out


def pooled(sets: Sequence[LabelledSet], left_out: Sequence[LeftOut]) -> Figures:
    """All steps, each at the thresholds that were chosen without its set."""
    steps = [step for one in sets for step in one.steps]
    valid = {id(step) for one, out in zip(sets, left_out, strict=True) for step in one.steps if is_valid(step, out.at)}
    settled = {Verdict.BROKEN, Verdict.UNSUPPORTED}
    return figures(
        steps, lambda step: id(step) in valid, lambda step: id(step) in valid or step.finding.verdict in settled
    )


def halves(sets: Sequence[LabelledSet], times: int, seed: int) -> list[Figures]:
    """Chosen on a random half of the use cases of all sets, tried on the other half."""
    steps = [(one.name, step) for one in sets for step in one.steps]
    slugs = sorted({(name, step.use_case) for name, step in steps})
    chance = random.Random(seed)
    found = []
    for _ in range(times):
        chosen = set(chance.sample(slugs, len(slugs) // 2))
        at = choose([step for name, step in steps if (name, step.use_case) in chosen])
        found.append(at_thresholds([step for name, step in steps if (name, step.use_case) not in chosen], at))
    return found
