"""How good the checks are on this very repository: plant errors in steps that are valid, and count what is caught.

Nothing here is random by itself: the caller passes a seeded `random.Random`. No model is asked; `optimism_gap` only
compares with what one said.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from retrodoc_checks.citations import Cited, resolve_ref
from retrodoc_checks.contrary import contraries_of
from retrodoc_checks.evidence import kept_at
from retrodoc_checks.files import FileIndex
from retrodoc_checks.findings import Verdict
from retrodoc_checks.intervals import Share
from retrodoc_checks.lexicon import NUMBER_WORDS, language_of
from retrodoc_checks.names import Kind, Promise, read_step
from retrodoc_checks.run import check_steps
from retrodoc_checks.score import OUTCOME_VALUES
from retrodoc_runs.models import Outcome, SourceRef

Claim = tuple[str, tuple[SourceRef, ...]]
"""A step as the judge gets it: its text and its citations."""


class Error(StrEnum):
    """Kinds of planted errors."""

    RANGE_SHIFTED = "range-shifted"
    NEIGHBOUR = "neighbouring-definition"
    BEYOND_END = "beyond-the-end"
    OTHER_FILE = "other-file"
    RENAMED = "renamed-identifier"
    SIBLING = "sibling-identifier"
    NUMBER = "changed-number"
    NEGATED = "negated-sentence"
    WIDENED = "widened-to-file"


@dataclass(frozen=True, slots=True)
class Audit:
    """What was planted and what was caught."""

    caught: dict[Error, Share]
    """Of each kind: mutants that are not valid, over mutants planted. A kind that no step allows has a total of 0."""
    flagged: Share
    """Untouched cited steps of the run that are not valid. Some of them are rightly so: the false alarms are at most
    that many."""
    valid: int
    """Steps of the run that errors could be planted in."""

    @property
    def all_caught(self) -> Share:
        return Share(sum(share.count for share in self.caught.values()), sum(s.total for s in self.caught.values()))


def audit_steps(
    claims: Sequence[Claim], index: FileIndex, chance: Random, mutants: int = 100, entities: Collection[str] = ()
) -> Audit:
    """Plant up to `mutants` errors of each kind in the valid ones among `claims`, and judge them.

    The same seed and run give the same audit.
    """
    findings = check_steps(claims, index, entities)
    cited = [finding for (_, refs), finding in zip(claims, findings, strict=True) if refs]
    valid = [claim for claim, found in zip(claims, findings, strict=True) if found.verdict is Verdict.VALID]
    flagged = Share(sum(finding.verdict is not Verdict.VALID for finding in cited), len(cited))
    caught = {}
    for error in Error:
        planted = list(_planted(error, valid, index, chance, mutants, entities))
        judged = check_steps(planted, index, entities)
        caught[error] = Share(sum(finding.verdict is not Verdict.VALID for finding in judged), len(planted))
    return Audit(caught, flagged, len(valid))


def _planted(
    error: Error, valid: Sequence[Claim], index: FileIndex, chance: Random, mutants: int, entities: Collection[str]
) -> Iterator[Claim]:
    """Mutants of one kind, of different steps in a random order; steps that allow none are passed over."""
    left = mutants
    for claim in chance.sample(valid, len(valid)):
        if not left:
            return
        mutant = plant(error, claim, index, chance, entities)
        if mutant is not None and mutant != claim:
            yield mutant
            left -= 1


def plant(error: Error, claim: Claim, index: FileIndex, chance: Random, entities: Collection[str] = ()) -> Claim | None:
    """The claim with one error of this kind; None when it allows none."""
    text, refs = claim
    if error in _IN_TEXT:
        changed = _IN_TEXT[error](_Planting(text, tuple(refs), index, chance, entities))
        return None if changed is None else (changed, refs)
    moved = tuple(_moved(error, ref, index, chance) for ref in refs)
    return None if None in moved else (text, tuple(ref for ref in moved if ref is not None))


# ---- errors in the citation


def _moved(error: Error, ref: SourceRef, index: FileIndex, chance: Random) -> SourceRef | None:
    cited = resolve_ref(ref, index)
    if not isinstance(cited, Cited) or ref.start_line is None or cited.length < 1:
        return None
    if error is Error.WIDENED:
        return SourceRef(path=ref.path, start_line=1, end_line=cited.source.lines)
    if error is Error.BEYOND_END:
        past = cited.source.lines + chance.randint(1, 50)
        return SourceRef(path=ref.path, start_line=past, end_line=past + cited.length - 1)
    if error is Error.OTHER_FILE:
        return _elsewhere(ref, cited, index, chance)
    start = _neighbour(cited) if error is Error.NEIGHBOUR else _shifted(cited, chance)
    return None if start is None else SourceRef(path=ref.path, start_line=start[0], end_line=start[1])


def _shifted(cited: Cited, chance: Random) -> tuple[int, int] | None:
    """A range of the same length that shares no line with the cited one."""
    last = cited.source.lines - cited.length + 1
    starts = [*range(1, cited.start - cited.length + 1), *range(cited.end + 1, last + 1)]
    if not starts:
        return None
    start = chance.choice(starts)
    return start, start + cited.length - 1


def _neighbour(cited: Cited) -> tuple[int, int] | None:
    """The nearest function that shares no line with the cited range."""
    apart = [
        (max(one.start_line - cited.end, cited.start - one.end_line), one.start_line, one.end_line)
        for one in cited.source.syntax.definitions
        if one.kind in ("function", "method") and (one.end_line < cited.start or one.start_line > cited.end)
    ]
    return min(apart)[1:] if apart else None


def _elsewhere(ref: SourceRef, cited: Cited, index: FileIndex, chance: Random) -> SourceRef | None:
    """The same lines of another file of that kind which is long enough."""
    ending = ref.path.rpartition(".")[2]
    alike = [path for path in index.files.paths if path.endswith(f".{ending}") and path != ref.path]
    for path in chance.sample(alike, min(len(alike), 20)):
        other = index.glance(path)
        if other is not None and other.lines >= cited.end:
            return SourceRef(path=path, start_line=cited.start, end_line=cited.end)
    return None


# ---- errors in the text


@dataclass(frozen=True, slots=True)
class _Planting:
    """A claim whose text is about to be changed."""

    text: str
    refs: tuple[SourceRef, ...]
    index: FileIndex
    chance: Random
    entities: Collection[str]

    def promise(self, kind: Kind) -> Promise | None:
        """One of the step's promises of this kind, by chance."""
        alike = [promise for promise in read_step(self.text, self.entities).promises if promise.kind is kind]
        return self.chance.choice(alike) if alike else None


def _renamed(at: _Planting) -> str | None:
    """A name that the step gives becomes one that nobody has."""
    promise = at.promise(Kind.NAME)
    if promise is None:
        return None
    return _replaced(at.text, promise.parts[-1], f"{promise.parts[-1]}_{at.chance.choice(_TAILS)}")


_TAILS = ("again", "later", "twice", "safely")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{3,}")


def _sibling(at: _Planting) -> str | None:
    """A name that the step gives becomes another of the same file, which is not at the lines."""
    promise = at.promise(Kind.NAME)
    places = [one for ref in at.refs if isinstance(one := resolve_ref(ref, at.index), Cited)]
    if promise is None or not places:
        return None
    source = places[0].source
    defined = {definition.name for definition in source.syntax.definitions if _IDENTIFIER.fullmatch(definition.name)}
    others = [
        name
        for name in sorted(defined - {promise.parts[-1]})
        if not any(kept_at(place, Promise(Kind.NAME, name, (name,))) for place in places)
    ]
    return _replaced(at.text, promise.parts[-1], at.chance.choice(others)) if others else None


def _replaced(text: str, name: str, other: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", other, text)


def _changed_number(at: _Planting) -> str | None:
    """A number becomes another, a word by a word."""
    promise = at.promise(Kind.NUMBER)
    if promise is None:
        return None
    written = promise.written
    words = list(NUMBER_WORDS[language_of(at.text)])
    if written.lower() in words:
        other = at.chance.choice([word for word in words if word not in (written.lower(), "neuf")])
    else:
        other = str(int(re.sub(r"\D", "", written) or "0") + at.chance.choice((1, 2, 3, 10)))
    return re.sub(rf"(?<![\w.,]){re.escape(written)}(?!\w)", other, at.text)


def _negated(at: _Planting) -> str | None:
    """One statement says the contrary."""
    contraries = contraries_of(at.text)
    return at.chance.choice(contraries) if contraries else None


_IN_TEXT = {
    Error.RENAMED: _renamed,
    Error.SIBLING: _sibling,
    Error.NUMBER: _changed_number,
    Error.NEGATED: _negated,
}


# ---- what a model says of valid steps


@dataclass(frozen=True, slots=True)
class OptimismGap:
    """How far the mechanical score of steps found valid is above what a model gives them."""

    supported: Share
    mechanical: float
    model: float

    @property
    def gap(self) -> float:
        return self.mechanical - self.model


def sample_valid(
    claims: Sequence[Claim], index: FileIndex, chance: Random, number: int, entities: Collection[str] = ()
) -> list[int]:
    """Places in `claims` of up to `number` valid steps, chosen at random, in their order: for a model to re-read."""
    findings = check_steps(claims, index, entities)
    valid = [place for place, finding in enumerate(findings) if finding.verdict is Verdict.VALID]
    return sorted(chance.sample(valid, min(number, len(valid))))


def optimism_gap(outcomes: Sequence[Outcome]) -> OptimismGap | None:
    """The gap over steps that are valid, from what a model said of each; None when it said nothing."""
    if not outcomes:
        return None
    values = [OUTCOME_VALUES[outcome] for outcome in outcomes]
    supported = Share(sum(outcome == "supported" for outcome in outcomes), len(outcomes))
    return OptimismGap(supported, 1.0, sum(values) / len(values))
