"""What a check found, as data: one result a step, and what was left aside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

from retrodoc_checks.findings import StepFinding, Verdict
from retrodoc_runs.readers import Unparsed
from retrodoc_runs.steps import SourceRef

Status = Literal["same", "moved", "changed", "gone", "wrong-from-the-start"]
STATUSES: tuple[Status, ...] = ("same", "moved", "changed", "gone", "wrong-from-the-start")
DRIFTED: frozenset[Status] = frozenset({"changed", "gone"})
"""A moved text is the same text: it needs new lines, not another look."""


@dataclass(frozen=True, slots=True)
class CitationResult:
    """A citation and what became of its text; `status` is None when nothing was compared."""

    ref: SourceRef
    status: Status | None = None
    new_path: str | None = None
    new_lines: tuple[int, int] | None = None
    """Where the text is now, when it moved."""


@dataclass(frozen=True, slots=True)
class StepResult:
    use_case: str
    order: int
    text: str
    finding: StepFinding
    citations: tuple[CitationResult, ...] = ()
    status: Status | None = None
    """The worst that became of its citations; wrong from the start when it was broken where it was written for."""
    page: str = ""
    line: int | None = None
    """Where the step is written, when its target is a text: a path from the repository's root, and a line."""

    @property
    def drifted(self) -> bool:
        return any(citation.status in DRIFTED for citation in self.citations)

    @property
    def whole_files(self) -> int:
        """Citations of whole files, which are counted apart."""
        return sum(citation.ref.start_line is None for citation in self.citations)


@dataclass(frozen=True, slots=True)
class MovedCitation:
    """A citation whose lines a change moved and left as they were; nothing of it is judged."""

    page: str
    line: int
    ref: SourceRef
    new_lines: tuple[int, int]


@dataclass(frozen=True, slots=True)
class UseCaseScore:
    """From 0 to 1; an interval while doubtful steps are unjudged."""

    slug: str
    score_low: float
    score_high: float


@dataclass(frozen=True, slots=True)
class CheckResult:
    target: str
    repository: str
    """Its name: of the `origin` remote, else of its folder."""
    kind: str
    """`run`, or what the readers call it."""
    subfolder: str
    """From the repository's root to the folder that paths start from; empty for the root."""
    steps: tuple[StepResult, ...]
    use_cases: tuple[UseCaseScore, ...]
    unscored: tuple[str, ...] = ()
    """Use cases without a step."""
    unparsed: tuple[Unparsed, ...] = ()
    commit: str | None = None
    """That the target was written for; None when it names none."""
    checked_at_commit: str | None = None
    """That was read; None for the work tree."""
    head: str | None = None
    """HEAD's commit, when what the citations were written for is judged and nothing is compared."""
    worktree: bool = False
    pinned: tuple[str, ...] = ()
    """Commits that permalinks name, and at which the steps that they are in were judged."""
    base: str | None = None
    """The commit that the changes are counted from, with `--base`."""
    dirty: bool = False
    """The work tree differs from what was read."""
    foreign: dict[str, int] = field(default_factory=dict)
    left_out: tuple[tuple[str, str], ...] = ()
    untouched: int = 0
    """Steps that were not judged, since the changes do not touch what they cite."""
    moved: tuple[MovedCitation, ...] = ()
    """Of pages without a commit, among the untouched steps: the lines that they give are others by now."""

    def failing(self, fail_on: Collection[str]) -> bool:
        """Whether any step is what `fail_on` names: verdicts, and `drift`."""
        return any(is_failing(step, fail_on) for step in self.steps)

    def count(self) -> Counter[Verdict]:
        return Counter(step.finding.verdict for step in self.steps)


def is_failing(step: StepResult, fail_on: Collection[str]) -> bool:
    return step.finding.verdict.value in fail_on or ("drift" in fail_on and step.drifted)
