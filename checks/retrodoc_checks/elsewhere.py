"""Where a promise is that the cited lines do not keep: which reason code that gives, and the place for the hint."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from retrodoc_checks.citations import Cited
from retrodoc_checks.evidence import ANY_KIND, Scope, keeping_kinds, kinds_at, lines_by_kind, windows_holding
from retrodoc_checks.files import FileIndex
from retrodoc_checks.findings import Missing, Place, Reason
from retrodoc_checks.names import Kind, Promise
from retrodoc_checks.source import Bits, SourceFile
from retrodoc_chunkers.model import TokenKind

ENOUGH = 4
"""Holders of a missing promise that are looked for: with the cited files among them, one other is still told apart."""
MAX_FILES = 200
"""Files that may hold it, by their words, that are looked into at most."""

MAX_HOLDERS = 10_000
"""Missing promises whose holders are remembered."""

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


def _elsewhere(promise: Promise, cited: Sequence[Cited], index: FileIndex) -> tuple[bool, Place | None]:
    """Whether another file holds the promise, and the one place where it is."""
    here = {one.source.path for one in cited}
    key = (promise.kind, promise.parts)
    holders = index.holders.get(key)
    if holders is None:
        if len(index.holders) >= MAX_HOLDERS:
            index.holders.clear()
        holders = index.holders[key] = _holders(promise, index)
    others = [path for path in holders if path not in here]
    if len(others) != 1 or len(holders) > ENOUGH:
        return bool(others), None
    source = index.glance(others[0])
    return True, place_in([source], promise) if source is not None else None


def _holders(promise: Promise, index: FileIndex) -> tuple[str, ...]:
    """Files that hold the promise as any kind of token: at most one more than ENOUGH."""
    names = promise.parts if promise.kind is Kind.ENTITY else (" ".join(promise.parts),)
    chunks = [[word.lstrip("_") or word for word in _CHUNK.findall(name)] for name in names]
    candidates = chain.from_iterable(index.holding(words) for words in chunks if words)
    found: list[str] = []
    for path in islice(_once(candidates), MAX_FILES):
        source = index.glance(path)
        if source is not None and _is_in(source, promise):
            found.append(path)
            if len(found) > ENOUGH:
                break
    return tuple(found)


def _once(paths: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for path in paths:
        if path not in seen:
            seen.add(path)
            yield path


def _is_in(source: SourceFile, promise: Promise) -> bool:
    """Whether a file that was not cited holds the promise: by plain tokens where those are enough, without a parse."""
    if promise.kind is Kind.ENTITY:
        return any(source.has_name(form) for form in promise.parts)
    if promise.kind is Kind.NAME:
        if not all(source.has_name(part) for part in promise.parts):
            return False
        return len(promise.parts) == 1 or bool(windows_holding(source, promise, 1, ANY_KIND))
    if promise.kind is Kind.TEXT:
        return source.has_text(promise.parts[0])
    return bool(windows_holding(source, promise, 1, ANY_KIND))
