"""Where a promise is that the cited lines do not keep: which reason code that gives, and the place for the hint."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from retrodoc_checks.citations import Cited
from retrodoc_checks.evidence import ANY_KIND, Scope, keeping_kinds, kinds_at, windows_holding
from retrodoc_checks.files import FileIndex
from retrodoc_checks.findings import Missing, Place, Reason
from retrodoc_checks.names import Kind, Promise
from retrodoc_checks.source import Bits, SourceFile
from retrodoc_chunkers.model import TokenKind

MAX_FILES = 20
"""Files that are looked into for one missing promise; a name that more of them hold has no single place."""

_CHUNK = re.compile(r"\w+")


def explain_missing(promise: Promise, cited: Sequence[Cited], scope: Scope, index: FileIndex) -> Missing:
    """The reason why a promise is not kept, and where it is instead when there is one such place."""
    if promise.kind is Kind.NUMBER:
        return Missing(promise.written, Reason.NUMBER_NOT_FOUND, place_in(_sources(cited), promise))
    if promise.kind is Kind.ENTITY:
        place = place_in(_sources(cited), promise) or _elsewhere(promise, cited, index)[1]
        return Missing(promise.written, Reason.ENTITY_NOT_AT_LINES, place)
    at_lines = _reason_at_lines(promise, cited, scope)
    if at_lines is not None:
        return Missing(promise.written, at_lines, place_in(_sources(cited), promise))
    in_file = [source for source in _sources(cited) if windows_holding(source, promise, 1, ANY_KIND)]
    if in_file:
        return Missing(promise.written, Reason.ELSEWHERE_IN_FILE, place_in(in_file, promise))
    found, place = _elsewhere(promise, cited, index)
    return Missing(promise.written, Reason.ELSEWHERE_IN_REPOSITORY if found else Reason.NOWHERE, place)


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


def _elsewhere(promise: Promise, cited: Sequence[Cited], index: FileIndex) -> tuple[bool, Place | None]:
    """Whether another file holds the promise, and the one place where it is."""
    here = {one.source.path for one in cited}
    names = promise.parts if promise.kind is Kind.ENTITY else (" ".join(promise.parts),)
    paths: dict[str, None] = {}
    for name in names:
        words = [word.lstrip("_") or word for word in _CHUNK.findall(name)]
        if words:
            paths.update(dict.fromkeys(index.holding(words)))
    others = [path for path in paths if path not in here]
    holders = []
    for path in others[:MAX_FILES]:
        source = index.glance(path)
        if source is not None and windows_holding(source, promise, 1, ANY_KIND):
            holders.append(source)
    if not holders:
        return False, None
    return True, place_in(holders, promise) if len(others) <= MAX_FILES else None
