"""What every reader gives: steps with the place they come from, and what could not be read, all as written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from retrodoc_runs.errors import RunsError
from retrodoc_runs.steps import Step, UseCase


class ReadError(RunsError):
    """A target that cannot be read at all: `message` says what and where, `mend` what the user can do."""


@dataclass(frozen=True, slots=True)
class Citation:
    """One citation as it is written, with what its form says beyond path and lines."""

    path: str
    start_line: int | None = None
    end_line: int | None = None
    """None together with `start_line`: the whole file."""
    commit: str | None = None
    """The revision that a permalink names."""
    repository: str = ""
    """The repository that a permalink names, such as `github.com/acme/shop`; empty: the one that is documented."""
    from_page: bool = False
    """A relative link target: it starts from the page's folder."""

    @property
    def lines(self) -> tuple[int, int] | None:
        return None if self.start_line is None or self.end_line is None else (self.start_line, self.end_line)


@dataclass(frozen=True, slots=True)
class Unparsed:
    """Text that looks like a citation and cannot be read as one."""

    text: str
    line: int
    """1-based, in `page`."""
    page: str = ""


@dataclass(frozen=True, slots=True)
class ReadStep:
    """A step and where it is written."""

    use_case: str
    step: Step
    page: str
    """The file that says it, relative to the target's folder, or the file's own name."""
    line: int
    commits: tuple[str | None, ...] = ()
    """One for each source ref: the commit that its permalink pins. Empty: none is pinned."""
    hashes: tuple[str | None, ...] = ()
    """One for each source ref: SHA-256 of the cited lines, their line ends included, when the format keeps one."""
    heading: str = ""
    """The nearest heading above it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """All that was read of a target."""

    kind: str
    """`markdown`, `own-pages`, `openwiki`, `use-cases`, or `mixed`."""
    steps: tuple[ReadStep, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    """Use case slug to its name, where there is one."""
    empty_use_cases: tuple[str, ...] = ()
    """Slugs of use cases without any step."""
    entities: tuple[str, ...] = ()
    unparsed: tuple[Unparsed, ...] = ()
    foreign: dict[str, int] = field(default_factory=dict)
    """Citations of other repositories, which are counted and not judged."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Files that were not read, each with the reason: `plan`, `changelog`, `decision`, `link`, `not-a-file`."""
    pages: tuple[str, ...] = ()
    commit: str | None = None
    """The commit that the pages say they were written for; None when they say none."""
    subfolder: str = ""
    run: str = ""

    @property
    def use_cases(self) -> tuple[UseCase, ...]:
        """The steps by use case, in order of appearance."""
        steps: dict[str, list[Step]] = {slug: [] for slug in self.empty_use_cases}
        for read in self.steps:
            steps.setdefault(read.use_case, []).append(read.step)
        return tuple(UseCase(slug=slug, name=self.names.get(slug, ""), steps=tuple(own)) for slug, own in steps.items())

    @property
    def citations(self) -> int:
        return sum(len(read.step.source_refs) for read in self.steps)


def merged(readings: Iterable[Reading]) -> Reading:
    """Several readings as one, in order."""
    readings = list(readings)
    kinds = {reading.kind for reading in readings if reading.steps} or {reading.kind for reading in readings}
    commits = {reading.commit for reading in readings if reading.commit}
    foreign: Counter[str] = Counter()
    names: dict[str, str] = {}
    for reading in readings:
        foreign.update(reading.foreign)
        names |= reading.names
    return Reading(
        kind=kinds.pop() if len(kinds) == 1 else "mixed",
        steps=tuple(step for reading in readings for step in reading.steps),
        names=names,
        empty_use_cases=tuple(slug for reading in readings for slug in reading.empty_use_cases),
        entities=tuple(dict.fromkeys(name for reading in readings for name in reading.entities)),
        unparsed=tuple(text for reading in readings for text in reading.unparsed),
        foreign=dict(foreign),
        left_out=tuple(left for reading in readings for left in reading.left_out),
        pages=tuple(page for reading in readings for page in reading.pages),
        commit=commits.pop() if len(commits) == 1 else None,
        subfolder=next((reading.subfolder for reading in readings if reading.subfolder), ""),
        run=next((reading.run for reading in readings if reading.run), ""),
    )
