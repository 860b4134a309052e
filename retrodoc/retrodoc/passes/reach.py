"""The slice of code that entry points reach: definitions followed by name, nearest first, within a budget."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from retrodoc.passes.flow import Flow
from retrodoc.passes.symbols import TYPES, Symbol, SymbolIndex
from retrodoc_runs.models import EntryPoint

MAX_DEPTH = 4
"""Calls from a handler; what is deeper is rarely about the feature any more."""
MAX_DEFINITION_LINES = 160
"""A definition longer than this is shown by its head only, so that one does not use up the budget."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive lines of a file that a model is shown (1-based, inclusive), and whose they are."""

    path: str
    start_line: int
    end_line: int
    text: str
    note: str


def reach(entries: Iterable[EntryPoint], index: SymbolIndex, max_chars: int) -> list[Piece]:
    """The code behind these entry points, in order of path and line, at most `max_chars` characters of it.

    Handlers come first, then what they call, breadth first. Pieces of one file that touch or overlap are joined.
    """
    flow = Flow(index.sources)
    waiting: deque[tuple[Symbol, int]] = deque()
    chosen: dict[str, list[tuple[int, int, str]]] = {}
    used = 0
    for entry in entries:
        used += _declared(entry, index, flow, chosen)
        handler = entry.handler
        if handler.path and handler.start_line and handler.end_line:
            symbol = index.at(handler.path, handler.start_line, handler.end_line)
            if symbol:
                waiting.append((symbol, 0))
    seen: set[tuple[str, int]] = set()
    while waiting:
        symbol, depth = waiting.popleft()
        key = (symbol.path, symbol.definition.start_byte)
        if key in seen:
            continue
        seen.add(key)
        start = symbol.definition.start_line
        end = min(symbol.definition.end_line, start + MAX_DEFINITION_LINES - 1)
        size = len(flow.text(symbol.path, start, end))
        if used + size > max_chars and used:
            continue
        used += size
        chosen.setdefault(symbol.path, []).append((start, end, symbol.definition.qualified_name))
        if depth < MAX_DEPTH:
            waiting.extend((callee, depth + 1) for callee in _callees(symbol, index, flow))
    return [piece for path in sorted(chosen) for piece in _joined(path, chosen[path], flow)]


def _declared(entry: EntryPoint, index: SymbolIndex, flow: Flow, chosen: dict[str, list[tuple[int, int, str]]]) -> int:
    ref = entry.declared
    if ref is None or ref.start_line is None or ref.end_line is None or ref.path not in index.sources:
        return 0
    chosen.setdefault(ref.path, []).append((ref.start_line, ref.end_line, "where it is registered"))
    return len(flow.text(ref.path, ref.start_line, ref.end_line))


def _callees(symbol: Symbol, index: SymbolIndex, flow: Flow) -> Iterable[Symbol]:
    if symbol.definition.kind in TYPES:
        yield from index.base_types(symbol)
    for act in flow.acts(symbol):
        callee = index.resolve(act.call, act.path, symbol) if act.call else None
        if callee is not None and callee != symbol:
            yield callee


def _joined(path: str, spans: list[tuple[int, int, str]], flow: Flow) -> Iterable[Piece]:
    merged: list[tuple[int, int, list[str]]] = []
    for start, end, note in sorted(spans):
        if merged and start <= merged[-1][1] + 1:
            first, last, notes = merged[-1]
            merged[-1] = (first, max(last, end), notes if note in notes else [*notes, note])
        else:
            merged.append((start, end, [note]))
    for start, end, notes in merged:
        yield Piece(path, start, end, flow.text(path, start, end), ", ".join(notes[:4]))
