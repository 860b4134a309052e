"""Decides what the application exposes and keeps, by asking every rule in `frameworks/` and `entities/`.

A rule is a module: `frameworks/<name>.py` with `entry_points(sources)`, or `entities/<name>.py` with
`entities(sources)`. The folders are listed, so adding a file is all that is needed. A rule whose module sets
`FALLBACK = True` is asked only when no other rule found an HTTP route, a command, a job or a page: it says what a
library offers. What no rule knows is not guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from retrodoc_runs.models import Entity, EntryPoint

from . import entities as _entities
from . import frameworks as _frameworks

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

__all__ = ["Surface", "read_surface", "rule_count", "rules"]

Item = TypeVar("Item")

_DOORS = frozenset({"http", "cli", "job", "page"})
"""Kinds that make a repository an application; without any, its public API is what it exposes."""


@dataclass(frozen=True, slots=True)
class Surface:
    """What was found, in an order that depends on nothing but what was found."""

    entry_points: tuple[EntryPoint, ...] = ()
    entities: tuple[Entity, ...] = ()
    notes: tuple[str, ...] = ()
    """Rules that stopped on something they could not read, in words."""


def rules(package: ModuleType) -> tuple[str, ...]:
    """The names of the rule modules in a package, sorted; a leading underscore hides a module."""
    return tuple(sorted(found.name for found in iter_modules(package.__path__) if not found.name.startswith("_")))


def rule_count() -> int:
    """How many rules there are: as often `read_surface` says that one is done."""
    return len(rules(_frameworks)) + len(rules(_entities))


def read_surface(sources: Sources, advance: Callable[[], None] = lambda: None) -> Surface:
    """Ask every rule; each entry point and entity is reported once. `advance` is called after each rule."""
    notes: list[str] = []
    found: list[EntryPoint] = []
    fallbacks: list[tuple[str, ModuleType]] = []
    for name in rules(_frameworks):
        module = import_module(f"{_frameworks.__name__}.{name}")
        if getattr(module, "FALLBACK", False):
            fallbacks.append((name, module))
            continue
        found.extend(_ask(name, module.entry_points, sources, notes))
        advance()
    is_library = not any(_makes_an_application(entry) for entry in found)
    for name, module in fallbacks:
        if is_library:
            found.extend(_ask(name, module.entry_points, sources, notes))
        advance()
    kept: list[Entity] = []
    for name in rules(_entities):
        module = import_module(f"{_entities.__name__}.{name}")
        kept.extend(_ask(name, module.entities, sources, notes))
        advance()
    return Surface(_unique_entry_points(found), _unique_entities(kept), tuple(notes))


def _makes_an_application(entry: EntryPoint) -> bool:
    """A door of these kinds; but a script that nobody installs, or a rake task, leaves a library a library."""
    return entry.kind in _DOORS and entry.framework != "rake" and not (entry.name or "").startswith("python ")


def _ask(name: str, rule: Callable[[Sources], Iterable[Item]], sources: Sources, notes: list[str]) -> Iterable[Item]:
    """All that one rule yields; what it had found before it stopped is kept, and the stop is noted."""
    answer: list[Item] = []
    try:
        answer.extend(rule(sources))
    except Exception as error:  # noqa: BLE001 - one odd file must not hide what the other rules find
        notes.append(f"the rule {name} stopped: {type(error).__name__}: {error}")
    return answer


def _unique_entry_points(found: Iterable[EntryPoint]) -> tuple[EntryPoint, ...]:
    """Sorted by kind, route or name, verb and handler; the first of equals (all but `declared`) stays."""
    kept: dict[tuple[Any, ...], EntryPoint] = {}
    for entry in found:
        kept.setdefault(_entry_key(entry), entry)
    return tuple(kept[key] for key in sorted(kept))


def _entry_key(entry: EntryPoint) -> tuple[Any, ...]:
    handler = entry.handler
    return (
        entry.kind,
        entry.path or "",
        entry.name or "",
        entry.method or "",
        handler.symbol,
        handler.path or "",
        handler.start_line or 0,
    )


def _unique_entities(found: Iterable[Entity]) -> tuple[Entity, ...]:
    """Sorted by place; of two rules that read one declaration, the one that knows more of it stays."""
    kept: dict[tuple[str, int, str], Entity] = {}
    for entity in found:
        key = (entity.path, entity.start_line, entity.name)
        before = kept.get(key)
        if before is None or len(entity.fields) + len(entity.values) > len(before.fields) + len(before.values):
            kept[key] = entity
    return tuple(kept[key] for key in sorted(kept))
