"""What the judge says: a verdict, its reasons and the facts, as frozen data. Sentences are built elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Verdict(StrEnum):
    VALID = "valid"
    DOUBTFUL = "doubtful"
    BROKEN = "broken"
    UNSUPPORTED = "unsupported"


class Reason(StrEnum):
    """Why; the rows of DESIGN section 4, in the order in which they apply."""

    PATH_MISSING = "path-missing"
    PATH_AMBIGUOUS = "path-ambiguous"
    PATH_OUTSIDE = "path-outside"
    PATH_IS_DIRECTORY = "path-is-directory"
    LINE_BEFORE_FIRST = "line-before-first"
    RANGE_REVERSED = "range-reversed"
    LINE_PAST_END = "line-past-end"
    BINARY_FILE = "binary-file"
    IN_SUBMODULE = "in-submodule"
    NO_CITATION = "no-citation"
    NOT_SPECIFIC = "not-specific"
    NEGATION = "negation"
    NOTHING_TO_CHECK = "nothing-to-check"
    ELSEWHERE_IN_FILE = "elsewhere-in-file"
    ELSEWHERE_IN_REPOSITORY = "elsewhere-in-repository"
    NOWHERE = "nowhere"
    ONLY_IN_COMMENT = "only-in-comment"
    ONLY_IN_STRING = "only-in-string"
    ONLY_IMPORTED = "only-imported"
    MENTIONED_NOT_CALLED = "mentioned-not-called"
    NUMBER_NOT_FOUND = "number-not-found"
    ENTITY_NOT_AT_LINES = "entity-not-at-lines"
    COULD_NOT_FAIL = "could-not-fail"
    WORDS_ELSEWHERE = "words-elsewhere"
    """Every name is at the lines, and most of the step's other words that the file knows are not (ADR 0011)."""
    ALL_FOUND = "all-found"
    WORDS_AT_LINES = "words-at-lines"


Fact = str | int | float | bool | list[str]


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file (1-based); `line` is None for the file as a whole."""

    path: str
    line: int | None = None

    def __str__(self) -> str:
        return self.path if self.line is None else f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Missing:
    """A promise that is not kept at the cited lines."""

    name: str
    """As the step writes it, without backticks or quotes; an entity by its glossary name."""
    reason: Reason
    where: Place | None = None
    """Where it is instead, when there is one such place."""


@dataclass(frozen=True, slots=True)
class StepFinding:
    """One step, one verdict, one or more reasons."""

    verdict: Verdict
    reasons: tuple[Reason, ...]
    missing: tuple[Missing, ...] = ()
    hint: Place | None = None
    """What was probably meant, or where the missing name is; never applied silently."""
    facts: dict[str, Fact] = field(default_factory=dict)
    """What was counted on the way, such as `{"kind-unknown": True}`."""
    strength: float = 0.0
    """0 to 1: how hard the check would have been to pass by accident. Ranks steps; decides nothing by itself."""
