"""How a pattern is asked for: shown a sample, told what was wrong, at most three times corrected.

Whoever answers is a function here: a model in the program, a list in the tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrodoc_chunkers.pattern import MAX_BREADTH, RULES, USABLE, Decision, Judged, Missed, Pattern, judge, largest
from retrodoc_chunkers.reading import encoding_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MAX_CORRECTIONS = 3
SAMPLE_FILES = 5
SAMPLE_LINES = 40
SAMPLE_WIDTH = 160


@dataclass(frozen=True, slots=True)
class Feedback:
    """What was wrong with a proposal."""

    regex: str
    problem: str
    missed: tuple[Missed, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """What the author of a regex is shown."""

    extensions: tuple[str, ...]
    names: tuple[str, ...]
    lines: tuple[str, ...]
    rules: str = RULES
    feedback: Feedback | None = None


@dataclass(frozen=True, slots=True)
class Proposed:
    """The outcome: a pattern to use, or None and why; every attempt in order."""

    pattern: Pattern | None
    decision: Decision
    attempts: tuple[Judged, ...]


def find_pattern(files: Mapping[str, bytes], propose: Callable[[Sample], str]) -> Proposed:
    """Ask for a regex of the definition starts of `files` (of one kind), at most once and three corrections.

    The best attempt is used if it finds half of the definitions: an accepted one, else the highest recall.
    """
    attempts: list[Judged] = []
    feedback: Feedback | None = None
    for _ in range(1 + MAX_CORRECTIONS):
        judged = judge(propose(sample_of(files, feedback)), files)
        attempts.append(judged)
        if judged.decision in (Decision.ACCEPTED, Decision.NOT_CHECKABLE):
            break
        feedback = feedback_on(judged)
    best = max(attempts, key=_worth)
    pattern = Pattern(best.regex) if best.decision in USABLE else None
    return Proposed(pattern, best.decision, tuple(attempts))


def _worth(judged: Judged) -> tuple[bool, float]:
    return judged.decision in USABLE, judged.measured.recall if judged.measured else -1.0


def feedback_on(judged: Judged) -> Feedback:
    """What its author is told about an attempt that was not accepted."""
    if judged.measured is None:
        return Feedback(judged.regex, f"it does not compile: {judged.error}")
    measured = judged.measured
    if judged.decision is Decision.TOO_BROAD:
        if measured.breadth > MAX_BREADTH:
            problem = (
                f"it matches {measured.breadth:.0%} of the lines of {measured.broadest}, {MAX_BREADTH:.0%} is the most"
                " allowed; an empty alternative, such as a trailing |, matches every line"
            )
        else:
            problem = (
                f"it matches {measured.matched} lines where {measured.definition_lines} look like definitions:"
                " it matches other lines too"
            )
        return Feedback(judged.regex, problem)
    problem = f"it finds {measured.found} of {measured.definition_lines} lines that look like definitions"
    return Feedback(judged.regex, problem, measured.missed)


def sample_of(files: Mapping[str, bytes], feedback: Feedback | None = None) -> Sample:
    """Names of all files and the first lines of the largest ones."""
    lines: list[str] = []
    for source in largest(files, SAMPLE_FILES).values():
        text = source[:100_000].decode(encoding_of(source), "replace")
        written = [line.rstrip() for line in text.split("\n") if line.strip()]
        lines.extend(line[:SAMPLE_WIDTH] for line in written[:SAMPLE_LINES])
    extensions = sorted({path[path.rfind(".") :] for path in files if "." in path.rsplit("/", 1)[-1]})
    return Sample(tuple(extensions), tuple(sorted(files)[:50]), tuple(lines), feedback=feedback)
