"""What a repository is made of and what it exposes, as `retrodoc scan` tells it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from retrodoc.accounting import Accounting, account
from retrodoc.reading import Reading
from retrodoc.surface import Surface
from retrodoc_runs.models import Run, Unread


@dataclass(frozen=True, slots=True)
class LanguageSize:
    name: str
    files: int
    lines: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Scan:
    """Languages by size, what was not read, entry points and entities, and the accounting."""

    repository: str
    commit: str | None
    dirty: bool
    languages: tuple[LanguageSize, ...]
    unread: tuple[Unread, ...]
    surface: Surface
    accounting: Accounting

    def as_dict(self) -> dict[str, Any]:
        """The JSON of `scan --format json`."""
        return {
            "repository": self.repository,
            "commit": self.commit,
            "worktree_differs": self.dirty,
            "languages": [
                {"name": size.name, "files": size.files, "lines": size.lines, "bytes": size.bytes}
                for size in self.languages
            ],
            "unread": [{"path": item.path, "reason": item.reason} for item in self.unread],
            "entry_points": [
                {
                    "kind": entry.kind,
                    "method": entry.method,
                    "path": entry.path,
                    "name": entry.name,
                    "label": entry.label,
                    "framework": entry.framework,
                    "handler": entry.handler.model_dump(),
                    "declared": _place(entry.declared) if entry.declared else None,
                }
                for entry in self.surface.entry_points
            ],
            "entities": [entity.model_dump() for entity in self.surface.entities],
            "notes": list(self.surface.notes),
            "accounting": {**self.accounting.as_dict(), "unaccounted_labels": list(self.accounting.unaccounted)},
        }


def scan_of(reading: Reading, surface: Surface, run: Run | None) -> Scan:
    """Put together what was read; `run` is the latest documentation, for the accounting."""
    return Scan(
        repository=reading.name,
        commit=reading.commit,
        dirty=reading.dirty,
        languages=_languages(reading),
        unread=reading.unread,
        surface=surface,
        accounting=account(surface.entry_points, run),
    )


def _languages(reading: Reading) -> tuple[LanguageSize, ...]:
    files: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for path in reading.sources.paths:
        name = reading.sources.language(path) or f"other ({_ending(path)})"
        data = reading.sources.data(path)
        files[name] += 1
        lines[name] += data.count(b"\n")
        sizes[name] += len(data)
    ranked = sorted(files, key=lambda name: (-sizes[name], name))
    return tuple(LanguageSize(name, files[name], lines[name], sizes[name]) for name in ranked)


def _ending(path: str) -> str:
    name = path.rsplit("/", 1)[-1]
    return f".{name.rsplit('.', 1)[-1]}" if "." in name.strip(".") else name


def _place(ref: Any) -> dict[str, Any]:
    return {"path": ref.path, "start_line": ref.start_line, "end_line": ref.end_line}
