"""The drafter that needs no model: groups entry points by where they live, and outlines each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from retrodoc.ingest.sources import Sources
from retrodoc.passes.grouping import Group, group, unique
from retrodoc.passes.outline import ACTORS, Outliner
from retrodoc.passes.symbols import SymbolIndex
from retrodoc.passes.titles import titles_of
from retrodoc.passes.words import slug_of
from retrodoc.publish.marks import NAMELESS_TOLD, OUTLINE_OPENING
from retrodoc.surface import Surface
from retrodoc_runs.models import EntryPoint, SetAside, Unit, UseCase

MAX_TOLD_CALLS = 3
"""In the one line that stands for a use case in a list."""


class OutlineDrafter:
    """Drafts use cases in structural words, every step cited."""

    name = "outline"
    durable = False
    units: tuple[Unit, ...] = ()
    set_aside: tuple[SetAside, ...] = ()

    def __init__(self, sources: Sources, surface: Surface, application: str, key: str) -> None:
        self._key = key
        self._surface = surface
        self._application = application
        self._outliner = Outliner(SymbolIndex(sources), [entity.name for entity in surface.entities])

    def groups(self) -> list[Group]:
        """Every entry point in exactly one feature."""
        return group(self._surface.entry_points, self._application)

    def key(self, _group: Group) -> str:
        """That of the run: an outline is drawn anew whenever anything changed, since it costs nothing."""
        return self._key

    def notes(self) -> tuple[str, ...]:
        return self._surface.notes

    def draft(self, groups: Sequence[Group]) -> Iterator[tuple[Group, tuple[UseCase, ...]]]:
        """One use case for each handler of a feature, in the order of its entry points."""
        titles = self._titles(groups)
        for one in groups:
            yield (
                one,
                tuple(
                    self._use_case(entries, one, titles[_handler_key(entries[0])])
                    for entries in _by_handler(one.entry_points)
                ),
            )

    def _titles(self, groups: Sequence[Group]) -> dict[tuple[object, ...], str]:
        """By handler, told apart in the whole repository, whichever of its features are drafted now."""
        named: dict[tuple[object, ...], tuple[EntryPoint, str]] = {}
        for one in (*groups, *self.groups()):
            for entry in one.entry_points:
                named.setdefault(_handler_key(entry), (entry, one.feature.name))
        return dict(zip(named, titles_of(list(named.values())), strict=True))

    def _use_case(self, entries: Sequence[EntryPoint], group: Group, name: str) -> UseCase:
        first = entries[0]
        labels = tuple(dict.fromkeys(entry.label for entry in entries))
        outline = self._outliner.outline(first)
        where = f" in {first.handler.path}" if first.handler.path else ", which no file here defines"
        doors = " and ".join(f"`{label}`" for label in labels[:3]) + (" and more" if len(labels) > 3 else "")
        runs = NAMELESS_TOLD if first.handler.nameless else f"`{first.handler.symbol}`"
        told = f"{doors} {'leads' if len(labels) == 1 else 'lead'} to {runs}{where}."
        if outline.left_out:
            more = "1 more call is" if outline.left_out == 1 else f"{outline.left_out} more calls are"
            told += f" {more} not told here."
        return UseCase(
            slug=slug_of(f"{name}"),
            feature_slug=group.feature.slug,
            name=name,
            description=f"Runs {runs}{_calling(outline.calls) if first.handler.nameless else ''}.",
            narrative=f"{OUTLINE_OPENING} {told}",
            primary_actor=ACTORS[first.kind],
            entry_points=labels,
            steps=outline.steps,
        )


def _by_handler(entries: Sequence[EntryPoint]) -> list[list[EntryPoint]]:
    """Entry points with one handler are one use case."""
    groups: dict[tuple[object, ...], list[EntryPoint]] = {}
    for entry in entries:
        groups.setdefault(_handler_key(entry), []).append(entry)
    return list(groups.values())


def _handler_key(entry: EntryPoint) -> tuple[object, ...]:
    handler = entry.handler
    return (entry.kind, handler.symbol, handler.path, handler.start_line) if handler.path else (entry.label,)


def _calling(calls: Sequence[str]) -> str:
    """What code without a name calls, since that is all that tells one from another."""
    told = [f"`{name}`" for name in calls[:MAX_TOLD_CALLS]]
    if not told:
        return ""
    if len(calls) > MAX_TOLD_CALLS:
        return f", which calls {', '.join(told)} and more"
    return f", which calls {' and '.join([', '.join(told[:-1]), told[-1]] if len(told) > 1 else told)}"


def with_unique_slugs(use_cases: Sequence[UseCase]) -> tuple[UseCase, ...]:
    """Slugs unique in the run: a taken one gets its feature's slug, then a number; the order decides, not the time."""
    used: set[str] = set()
    result = []
    for use_case in use_cases:
        slug = use_case.slug
        if slug in used:
            slug = f"{use_case.feature_slug}-{slug}"
        slug = unique(slug, used)
        result.append(use_case if slug == use_case.slug else replace(use_case, slug=slug))
    return tuple(result)
