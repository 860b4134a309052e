"""Where a promise is that the cited lines do not keep: which reason code that gives, and the place for the hint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from retrodoc_checks.citations import Cited
from retrodoc_checks.evidence import ANY_KIND, Scope, keeping_kinds, kinds_at, lines_by_kind, windows_holding
from retrodoc_checks.files import FileIndex
from retrodoc_checks.findings import Missing, Place, Reason
from retrodoc_checks.names import Kind, Promise
from retrodoc_checks.source import Bits, SourceFile
from retrodoc_checks.sweep import ENOUGH, key_of
from retrodoc_chunkers.model import TokenKind


def explain_missing(promise: Promise, cited: Sequence[Cited], scope: Scope) -> Missing | Elsewhere:
    """The reason why a promise is not kept, and where it is instead when there is one such place, by the cited files;
    an open question where those do not say it."""
    if promise.kind is Kind.NUMBER:
        return Missing(promise.written, Reason.NUMBER_NOT_FOUND, place_in(_sources(cited), promise))
    if promise.kind is Kind.ENTITY:
        place = place_in(_sources(cited), promise)
        return Missing(promise.written, Reason.ENTITY_NOT_AT_LINES, place) if place else _open(promise, cited)
    at_lines = _reason_at_lines(promise, cited, scope)
    if at_lines is not None:
        return Missing(promise.written, at_lines, place_in(_sources(cited), promise))
    in_file = [source for source in _sources(cited) if windows_holding(source, promise, 1, ANY_KIND)]
    if in_file:
        return Missing(promise.written, Reason.ELSEWHERE_IN_FILE, place_in(in_file, promise))
    return _open(promise, cited)


def _open(promise: Promise, cited: Sequence[Cited]) -> Elsewhere:
    return Elsewhere(promise, frozenset(one.source.path for one in cited))


def _reason_at_lines(promise: Promise, cited: Sequence[Cited], scope: Scope) -> Reason | None:
    """What stands at the lines in a form that does not keep the promise; the nearest to keeping it decides."""
    kinds: set[str] = set()
    for one in cited:
        kinds |= kinds_at(one, promise, scope)
    if promise.kind is Kind.NAME:
        if promise.call and TokenKind.USE in kinds:
            return Reason.MENTIONED_NOT_CALLED
        if TokenKind.IMPORT in kinds:
            return Reason.ONLY_IMPORTED
        if TokenKind.STRING in kinds:
            return Reason.ONLY_IN_STRING
    return Reason.ONLY_IN_COMMENT if TokenKind.COMMENT in kinds else None


def elsewhere_only_as(promise: Promise, cited: Sequence[Cited]) -> str | None:
    """`name: comment` when a name that the lines lack stands elsewhere in the file, but nowhere as code."""
    if promise.kind is not Kind.NAME:
        return None
    kinds = {kind for source in _sources(cited) for kind, lines in lines_by_kind(source, promise).items() if lines}
    if not kinds or not kinds.isdisjoint(keeping_kinds(promise)):
        return None
    return f"{promise.written}: {', '.join(sorted(kinds))}"


def _sources(cited: Iterable[Cited]) -> list[SourceFile]:
    return list({id(one.source): one.source for one in cited}.values())


def place_in(sources: Iterable[SourceFile], promise: Promise) -> Place | None:
    """The one line that keeps the promise, or the one that defines it; None when there are several."""
    for kinds in (keeping_kinds(promise), (TokenKind.DEFINITION,)):
        places = [
            Place(source.path, line)
            for source in sources
            for line in _lines_of(windows_holding(source, promise, 1, kinds, structural=False))
        ]
        if len(places) == 1:
            return places[0]
    return None


def _lines_of(windows: Bits) -> list[int]:
    """At most two: one is a place, two are not."""
    lines: list[int] = []
    while windows and len(lines) < 2:
        lowest = windows & -windows
        lines.append(lowest.bit_length())
        windows ^= lowest
    return lines


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A promise that the cited files do not keep: what other files hold decides what is said of it."""

    promise: Promise
    here: frozenset[str]
    """The cited files."""

    def settled(self, index: FileIndex) -> Missing:
        """What is said of it, once `find_holders` has looked."""
        others, place = _others(self.promise, self.here, index)
        if self.promise.kind is Kind.ENTITY:
            return Missing(self.promise.written, Reason.ENTITY_NOT_AT_LINES, place)
        return Missing(self.promise.written, Reason.ELSEWHERE_IN_REPOSITORY if others else Reason.NOWHERE, place)


def _others(promise: Promise, here: frozenset[str], index: FileIndex) -> tuple[bool, Place | None]:
    """Whether another file holds the promise, and the one place where it is."""
    holders = index.holders[key_of(promise)]
    others = [path for path in holders if path not in here]
    if len(others) != 1 or len(holders) > ENOUGH:
        return bool(others), None
    asked = (key_of(promise), promise.call, others[0])
    if asked not in index.places:
        source = index.glance(others[0])
        index.places[asked] = None if source is None else place_in([source], promise)
    return True, index.places[asked]
