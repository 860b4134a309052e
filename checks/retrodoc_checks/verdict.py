"""The verdict of one step: the rows of the table, top to bottom, the first that applies.

`check_step` gets a text, citations and files, and answers with data. It opens nothing itself, knows no clock and
asks no model.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from retrodoc_checks import power
from retrodoc_checks.citations import Cited, FalseCitation, resolve_ref, too_wide
from retrodoc_checks.elsewhere import Elsewhere, elsewhere_only_as, explain_missing, place_in
from retrodoc_checks.evidence import NO_SCOPE, Scope, kept_at, qualifier_lines
from retrodoc_checks.files import FileIndex, Files
from retrodoc_checks.findings import Fact, Missing, Place, Reason, StepFinding, Verdict
from retrodoc_checks.names import Kind, Promise, Reading, read_step
from retrodoc_checks.sweep import find_holders
from retrodoc_checks.words import PRIOR_ELSEWHERE, PRIOR_HERE, Footing, footing
from retrodoc_runs.steps import SourceRef, label_of

MIN_SHARE_BESIDE_NAMES = 0.42
"""Of the weight of a step's words that the file knows: under it, too much speaks for another place. ADR 0019."""
MIN_SHARE_ALONE = 0.56
"""The same for a step that names nothing: on balance, the words speak for the place. At these bounds such steps are
as often right as those whose names are all found (ADR 0019)."""
MIN_ELSEWHERE = 2
"""Words that must stand elsewhere before that counts against names: one word is a turn of phrase."""
PROMISE_WEIGHT = 2.0
MAX_TEXT = 20_000
"""Characters of a step: a longer text says nothing in particular, and is no step that anybody wrote."""
MAX_NAMED = 20
"""False citations of a step that its facts name: a step may hold 100,000."""
MIN_WORDS = 5
"""DESIGN section 4 asks for three words; with synonyms and translations three or four of them stand at wrong lines
too often, and five seldom do (ADR 0019)."""
MIN_AHEAD = 0.90
"""DESIGN section 4: better than in 90 % of the other windows."""

_ORDER = {reason: place for place, reason in enumerate(Reason)}


def check_step(
    text: str, refs: Sequence[SourceRef], files: Files | FileIndex, entities: Collection[str] = ()
) -> StepFinding:
    """Judge one step.

    `text` is its action and description together, `refs` its citations, `entities` the names of the run's glossary.
    Share one `FileIndex` between the steps of a run, so that each cited file is read and indexed once. Nothing is
    raised for what a step or a repository may hold: a false citation is a finding.
    """
    index = files if isinstance(files, FileIndex) else FileIndex(files)
    return close_findings([judge_step(text, refs, index, entities)], index)[0]


@dataclass(frozen=True, slots=True)
class OpenFinding:
    """A doubtful step of which only other files than the cited ones can tell the reason. It holds no file."""

    missing: tuple[Missing | Elsewhere, ...]
    facts: dict[str, Fact]
    strength: float


def close_findings(findings: Sequence[StepFinding | OpenFinding], index: FileIndex) -> list[StepFinding]:
    """The findings, the open ones closed by one look at all files of the repository."""
    still = [one for finding in findings if isinstance(finding, OpenFinding) for one in finding.missing]
    find_holders((one.promise for one in still if isinstance(one, Elsewhere)), index)
    return [_closed(finding, index) if isinstance(finding, OpenFinding) else finding for finding in findings]


def _closed(finding: OpenFinding, index: FileIndex) -> StepFinding:
    missing = tuple(one.settled(index) if isinstance(one, Elsewhere) else one for one in finding.missing)
    facts = finding.facts
    if index.unsearched and any(one.reason is Reason.NOWHERE for one in missing):
        facts = facts | {"not-searched": len(index.unsearched)}
    hint = next((one.where for one in missing if one.where is not None), None)
    reasons = _ordered([one.reason for one in missing])
    return StepFinding(Verdict.DOUBTFUL, reasons, missing, hint, facts, finding.strength)


def judge_step(
    text: str, refs: Sequence[SourceRef], index: FileIndex, entities: Collection[str] = ()
) -> StepFinding | OpenFinding:
    """What the cited files say of a step: its finding, or one that `close_findings` closes with those of others."""
    if not refs:
        return _finding(Verdict.UNSUPPORTED, [Reason.NO_CITATION])
    refs = _distinct(refs)
    resolved = [resolve_ref(ref, index) for ref in refs]
    reading = read_step(text[:MAX_TEXT], entities)
    wrong = [(ref, one) for ref, one in zip(refs, resolved, strict=True) if isinstance(one, FalseCitation)]
    if wrong:
        return _broken(wrong, reading)
    cited = [one for one in resolved if isinstance(one, Cited)]
    if len(text) > MAX_TEXT or too_wide(cited):
        return _finding(Verdict.DOUBTFUL, [Reason.NOT_SPECIFIC])
    return _judge(reading, cited)


def _distinct(refs: Sequence[SourceRef]) -> list[SourceRef]:
    """Each place once, in a fixed order: the verdict does not depend on how often or in which order it is cited."""
    distinct = {(ref.path, ref.start_line, ref.end_line): ref for ref in refs}
    return sorted(distinct.values(), key=lambda ref: (ref.path, ref.start_line or 0, ref.end_line or 0))


def _broken(wrong: Sequence[tuple[SourceRef, FalseCitation]], reading: Reading) -> StepFinding:
    """Names the false citations, first the one that the hint is for."""
    hints = [one.hint or _line_hint(one, reading) for _, one in wrong]
    first = next((place for place, hint in enumerate(hints) if hint is not None), 0)
    ordered = [wrong[first], *wrong[:first], *wrong[first + 1 :]]
    named = [f"{label_of(ref)} {' '.join(one.reasons)}" for ref, one in ordered[:MAX_NAMED]]
    facts: dict[str, Fact] = {"false": named}
    if len(wrong) > MAX_NAMED:
        facts["false-more"] = len(wrong) - MAX_NAMED
    past = [one for _, one in wrong if one.source and Reason.LINE_PAST_END in one.reasons]
    if past:
        facts["file-ends"] = sorted({f"{one.path}:{one.source.lines}" for one in past if one.source})[:MAX_NAMED]
    reasons = _ordered([reason for _, one in wrong for reason in one.reasons])
    return StepFinding(Verdict.BROKEN, reasons, hint=hints[first], facts=facts)


def _line_hint(wrong: FalseCitation, reading: Reading) -> Place | None:
    """Where the step's names are in a file that is shorter than the citation says."""
    if wrong.source is None or wrong.reasons != (Reason.LINE_PAST_END,):
        return None
    for promise in reading.promises:
        place = place_in([wrong.source], promise)
        if place is not None:
            return place
    return None


def _judge(reading: Reading, cited: list[Cited]) -> StepFinding | OpenFinding:
    words = footing(reading, cited)
    facts = _facts(cited, words)
    if reading.denied:
        facts["denies-a-name"] = True
    if not reading.promises:
        verdict, reason = _without_promises(reading, words)
        if reason is Reason.WORDS_AT_LINES:
            facts |= _told(words)
        return StepFinding(verdict, (reason,), facts=facts, strength=_strength(words, 0, 0))
    scope = _scope(reading.promises, cited)
    lost = [promise for promise in reading.promises if not any(kept_at(one, promise, scope) for one in cited)]
    strength = _strength(words, len(reading.promises) - len(lost), len(lost))
    if lost:
        weak = [found for promise in lost if (found := elsewhere_only_as(promise, cited)) is not None]
        if weak:
            facts["elsewhere-only-as"] = weak
        return OpenFinding(tuple(explain_missing(promise, cited, scope) for promise in lost), facts, strength)
    share = min(power.shares(cited, reading.promises, scope))
    facts["passing-share"] = round(share, 4)
    if share > power.MAX_SHARE:
        return StepFinding(Verdict.DOUBTFUL, (Reason.COULD_NOT_FAIL,), facts=facts, strength=strength)
    if words.share < MIN_SHARE_BESIDE_NAMES and len(words.elsewhere) >= MIN_ELSEWHERE:
        facts |= _told(words)
        return StepFinding(Verdict.DOUBTFUL, (Reason.WORDS_ELSEWHERE,), facts=facts, strength=strength)
    return StepFinding(Verdict.VALID, (Reason.ALL_FOUND,), facts=facts, strength=strength)


def _without_promises(reading: Reading, words: Footing) -> tuple[Verdict, Reason]:
    """A step that names nothing is valid by its words alone, unless it is a name whose absence it tells."""
    telling = (
        len(words.here) >= MIN_WORDS
        and words.ahead >= MIN_AHEAD
        and words.share >= MIN_SHARE_ALONE
        and not reading.denied
    )
    if telling:
        return Verdict.VALID, Reason.WORDS_AT_LINES
    denies = any(clause.denied for clause in reading.clauses)
    return Verdict.DOUBTFUL, Reason.NEGATION if denies else Reason.NOTHING_TO_CHECK


def _strength(words: Footing, kept: int, lost: int) -> float:
    """The share of what could be looked for that is at the lines: a promise weighs as a word in one window of seven."""
    here = words.weight_here + PRIOR_HERE + PROMISE_WEIGHT * kept
    return round(here / (here + words.weight_elsewhere + PRIOR_ELSEWHERE + PROMISE_WEIGHT * lost), 4)


def _facts(cited: Sequence[Cited], words: Footing) -> dict[str, Fact]:
    facts: dict[str, Fact] = {}
    if any(one.source.language is None for one in cited):
        facts["kind-unknown"] = True
    if words.here or words.elsewhere:
        facts["words-here"] = len(words.here)
        facts["words-elsewhere"] = len(words.elsewhere)
        facts["words-share"] = round(words.share, 4)
        facts["words-ahead"] = round(words.ahead, 4)
    return facts


def _told(words: Footing) -> dict[str, Fact]:
    """The words themselves, where they decide: a run of 100,000 steps cannot keep them all."""
    return {"at-lines": list(words.here), "elsewhere": list(words.elsewhere)}


def _scope(promises: Sequence[Promise], cited: Sequence[Cited]) -> Scope:
    """Qualifiers that stand at one of the cited ranges count for names at another."""
    wanted = {part for promise in promises if promise.kind is Kind.NAME for part in promise.parts[:-1]}
    if not wanted or len(cited) < 2:
        return NO_SCOPE
    return Scope(
        frozenset(
            part
            for part in wanted
            if any(one.start <= line <= one.end for one in cited for line in qualifier_lines(one.source, part))
        )
    )


def _finding(verdict: Verdict, reasons: Sequence[Reason]) -> StepFinding:
    return StepFinding(verdict, _ordered(reasons))


def _ordered(reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    return tuple(sorted(set(reasons), key=_ORDER.__getitem__))
