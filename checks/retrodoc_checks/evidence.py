"""Where a promise is kept in one file: on which lines, as which kind of token, and which ranges of lines hold it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from retrodoc_checks.citations import Cited
from retrodoc_checks.names import Kind, Promise
from retrodoc_checks.source import UNKNOWN, Bits, SourceFile, bits_of, route_key, windows_of
from retrodoc_chunkers.model import TokenKind

_CODE = (TokenKind.DEFINITION, TokenKind.CALL, TokenKind.USE, UNKNOWN)
_CALLED = (TokenKind.DEFINITION, TokenKind.CALL)
_TEXT = (*_CODE, TokenKind.IMPORT, TokenKind.STRING)
ANY_KIND = (*_TEXT, TokenKind.COMMENT)

MAX_SEEN = 64
"""Answers about one file that are kept: a step asks the same of each of its citations."""
COUNTS = {str(count): count for count in range(2, 201)}
"""The numbers of a sentence that may count members; one of a thing is everywhere, and nobody lists more than 200."""
MAX_COUNTED_WINDOWS = 400
"""Windows that are counted one by one for a number that is a structural count; more are sampled evenly."""


def keeping_kinds(promise: Promise) -> tuple[str, ...]:
    """The kinds of token that keep a promise of this kind."""
    if promise.kind is Kind.NAME:
        return _CALLED if promise.call else _CODE
    return _CODE if promise.kind is Kind.ENTITY else _TEXT


def lines_by_kind(source: SourceFile, promise: Promise) -> dict[str, list[int]]:
    """The lines on which the promise's own token stands, by kind; a qualifier is not looked at."""
    if promise.kind is Kind.NAME:
        return _name_lines(source, promise)
    if promise.kind is Kind.TEXT:
        (literal,) = promise.parts
        return source.text_lines(literal)
    if promise.kind is Kind.NUMBER:
        (digits,) = promise.parts
        return {TokenKind.USE: source.numbers.get(digits, [])}
    if promise.kind is Kind.ROUTE:
        _, path = promise.parts
        return {TokenKind.STRING: source.routes.get(route_key(path), [])}
    merged: dict[str, list[int]] = {}
    for form in promise.parts:
        for kind, lines in source.name_lines(form).items():
            merged.setdefault(kind, []).extend(lines)
    return merged


def _name_lines(source: SourceFile, promise: Promise) -> dict[str, list[int]]:
    name = promise.parts[-1]
    found = source.name_lines(name)
    if promise.call and UNKNOWN in found:
        # Without a grammar a call is the name and a parenthesis.
        called = re.compile(re.escape(name.encode()) + rb"\s?\(")
        starts = source.starts
        lines = [line for line in found[UNKNOWN] if called.search(source.data, starts[line - 1], starts[line])]
        rest = [line for line in found[UNKNOWN] if line not in set(lines)]
        return {TokenKind.CALL: lines, TokenKind.USE: rest}
    return found


@dataclass(frozen=True, slots=True)
class Scope:
    """Which qualifiers the cited lines bring along, wherever among them they stand."""

    qualifiers: frozenset[str] = frozenset()


NO_SCOPE = Scope()


def windows_holding(
    source: SourceFile,
    promise: Promise,
    length: int,
    kinds: tuple[str, ...] | None = None,
    scope: Scope = NO_SCOPE,
    *,
    structural: bool = True,
) -> Bits:
    """The windows of `length` lines in which the promise is kept as one of `kinds` (default: those that keep it)."""
    key = (promise.kind, promise.parts, promise.call, length, kinds, scope, structural)
    windows = source.windows_seen.get(key)
    if windows is None:
        windows = _windows_holding(source, promise, length, kinds, scope, structural=structural)
        if len(source.windows_seen) >= MAX_SEEN:
            source.windows_seen.clear()
        source.windows_seen[key] = windows
    return windows


def _windows_holding(
    source: SourceFile,
    promise: Promise,
    length: int,
    kinds: Sequence[str] | None,
    scope: Scope,
    *,
    structural: bool,
) -> Bits:
    count = source.window_count(length)
    if count <= 0:
        return 0
    wanted = keeping_kinds(promise) if kinds is None else kinds
    by_kind = lines_by_kind(source, promise)
    lines = 0
    for kind in wanted:
        if kind in by_kind:
            lines |= bits_of(by_kind[kind])
    windows = windows_of(lines, length, count)
    if promise.kind is Kind.NUMBER and structural:
        (digits,) = promise.parts
        return windows | _counted_windows(source, digits, length, count)
    if promise.kind is Kind.ROUTE:
        verb, _ = promise.parts
        return windows & windows_of(bits_of(source.verb_lines(verb)), length, count) if verb else windows
    if kinds is None and promise.kind in (Kind.NAME, Kind.ENTITY):
        for name in promise.parts[-1:] if promise.kind is Kind.NAME else promise.parts:
            windows |= source.enclosing_windows(name, length)
    if promise.kind is Kind.NAME and windows:
        windows = _qualified(source, promise, windows, lines, length, scope)
    return windows


def _counted_windows(source: SourceFile, digits: str, length: int, count: int) -> Bits:
    value = _count_of(source, digits)
    if value is None:
        return 0
    stride = -(-count // MAX_COUNTED_WINDOWS)
    windows = 0
    for start in range(1, count + 1, stride):
        if value in source.counts(start, start + length - 1):
            windows |= bits_of(range(start, start + stride))
    return windows & ((1 << count) - 1)


def _count_of(source: SourceFile, digits: str) -> int | None:
    """The number as a structural count, unless no lines of the file hold as many of anything."""
    value = COUNTS.get(digits)
    return value if value is not None and source.may_count(value) else None


def _qualified(source: SourceFile, promise: Promise, windows: Bits, lines: Bits, length: int, scope: Scope) -> Bits:
    """Of these windows, those in which every qualifier is in scope."""
    for qualifier in promise.parts[:-1]:
        if qualifier in scope.qualifiers or imported_from(source, qualifier, promise.parts[-1]):
            continue
        holding = windows_of(bits_of(qualifier_lines(source, qualifier)), length, source.window_count(length))
        holding |= source.class_windows(qualifier, length)
        for definition in source.classes.get(qualifier.lstrip("_"), ()):
            inside = bits_of(range(definition.start_line, definition.end_line + 1))
            holding |= windows_of(lines & inside, length, source.window_count(length))
        windows &= holding
    return windows


def qualifier_lines(source: SourceFile, qualifier: str) -> list[int]:
    """Lines on which a qualifier stands as code or in an import."""
    found = source.name_lines(qualifier)
    return [line for kind in (*_CODE, TokenKind.IMPORT) for line in found.get(kind, ())]


def imported_from(source: SourceFile, qualifier: str, name: str) -> bool:
    """True when the file imports `name` from a module called `qualifier`, or under that name."""
    return any(
        bound.name == name and qualifier in re.split(r"\W+", f"{bound.module} {bound.imported or ''}")
        for bound in source.syntax.imports
    )


def kept_at(cited: Cited, promise: Promise, scope: Scope = NO_SCOPE) -> bool:
    """True when the promise is kept at these lines."""
    if promise.kind is Kind.NUMBER:
        return _number_at(cited, promise)
    if promise.kind is Kind.TEXT and _names_the_file(cited.source.path, *promise.parts):
        return True
    return holds(windows_holding(cited.source, promise, cited.length, scope=scope), cited.start)


def _number_at(cited: Cited, promise: Promise) -> bool:
    (digits,) = promise.parts
    if any(cited.start <= line <= cited.end for line in cited.source.numbers.get(digits, ())):
        return True
    value = _count_of(cited.source, digits)
    return value is not None and value in cited.source.counts(cited.start, cited.end)


def _names_the_file(path: str, literal: str) -> bool:
    """A step that names the very file that it cites promises nothing about its lines."""
    return "." in literal and f"/{path}".endswith(f"/{literal}")


def holds(windows: Bits, start: int) -> bool:
    """Whether the window that starts at this line is one of these."""
    return bool(windows >> (start - 1) & 1)


def kinds_at(cited: Cited, promise: Promise, scope: Scope) -> set[str]:
    """Every kind of token as which the promise stands at these lines, those that do not keep it included."""
    found = set()
    for kind in lines_by_kind(cited.source, promise):
        if holds(windows_holding(cited.source, promise, cited.length, (kind,), scope, structural=False), cited.start):
            found.add(kind)
    return found
