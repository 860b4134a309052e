"""How a scan reads in a terminal: sizes, entry points by kind, entities, what was not read, the accounting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrodoc.publish.coverage import accounting_line
from retrodoc.publish.marks import NAMELESS_TOLD
from retrodoc.publish.wording import counted, plain

if TYPE_CHECKING:
    from retrodoc.scanning import Scan
    from retrodoc_runs.models import EntryPoint

MAX_LISTED = 40
"""Entry points and entities of one kind that are listed; --format json has all."""


def scan_text(scan: Scan) -> str:
    """The whole scan, ending without a line feed."""
    return "\n".join(_lines(scan))


def _lines(scan: Scan) -> Iterator[str]:
    where = f"commit {scan.commit[:12]}" if scan.commit else "the work tree"
    yield f"{plain(scan.repository)}, {where}"
    yield ""
    yield "Languages"
    width = max((len(plain(size.name)) for size in scan.languages), default=0)
    for size in scan.languages:
        files, lines = counted(size.files, "file"), counted(size.lines, "line")
        yield f"  {plain(size.name):<{width}} {files:>12} {lines:>15} {size.bytes / 1000:>9,.1f} kB"
    entries = scan.surface.entry_points
    yield ""
    yield f"Entry points: {len(entries):,}"
    if not entries:
        yield "  no rule knows this framework, and nothing is guessed"
    for kind, count in sorted(Counter(entry.kind for entry in entries).items()):
        yield f"  {kind} ({count:,})"
        yield from _listed(_entry(entry) for entry in entries if entry.kind == kind)
    entities = scan.surface.entities
    yield ""
    yield f"Entities: {len(entities):,}"
    for name, count in sorted(Counter(entity.kind for entity in entities).items()):
        yield f"  {name} ({count:,})"
        yield from _listed(
            f"{plain(entity.name)} ({plain(entity.path)}:{entity.start_line}), {counted(len(entity.fields), 'field')}"
            + (f", {counted(len(entity.values), 'value')}" if entity.values else "")
            for entity in entities
            if entity.kind == name
        )
    if scan.unread:
        yield ""
        yield f"Not read: {counted(len(scan.unread), 'path')}"
        for reason, count in Counter(item.reason for item in scan.unread).most_common():
            yield f"  {plain(reason)} ({count:,})"
            yield from _listed(plain(item.path) for item in scan.unread if item.reason == reason)
    for note in scan.surface.notes:
        yield f"note: {plain(note)}"
    yield ""
    yield plain(accounting_line(scan.accounting))


def _entry(entry: EntryPoint) -> str:
    handler = entry.handler
    place = f"{handler.path}:{handler.start_line}" if handler.path else "in another package"
    runs = NAMELESS_TOLD if handler.nameless else plain(handler.symbol)
    return f"{plain(entry.label.removeprefix(f'{entry.kind}: '))} -> {runs} ({plain(place)})"


def _listed(items: Iterable[str]) -> Iterator[str]:
    told = list(items)
    for item in told[:MAX_LISTED]:
        yield f"    {item}"
    if len(told) > MAX_LISTED:
        yield f"    and {len(told) - MAX_LISTED:,} more (--format json lists all)"
