"""The drafter that needs no model: groups entry points by where they live, and outlines each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from retrodoc.ingest.sources import Sources
from retrodoc.passes.grouping import Group, group, unique
from retrodoc.passes.outline import ACTORS, Outliner
from retrodoc.passes.symbols import SymbolIndex
from retrodoc.passes.titles import title_of
from retrodoc.passes.words import slug_of
from retrodoc.publish.marks import OUTLINE_OPENING
from retrodoc.surface import Surface
from retrodoc_runs.models import EntryPoint, SetAside, Unit, UseCase


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
        for one in groups:
            yield one, tuple(self._use_case(entries, one) for entries in _by_handler(one.entry_points))

    def _use_case(self, entries: Sequence[EntryPoint], group: Group) -> UseCase:
        first = entries[0]
        name = title_of(first)
        labels = tuple(dict.fromkeys(entry.label for entry in entries))
        outline = self._outliner.outline(first)
        where = f" in {first.handler.path}" if first.handler.path else ", which no file here defines"
        doors = " and ".join(f"`{label}`" for label in labels[:3]) + (" and more" if len(labels) > 3 else "")
        told = f"{doors} {'leads' if len(labels) == 1 else 'lead'} to `{first.handler.symbol}`{where}."
        if outline.left_out:
            more = "1 more call is" if outline.left_out == 1 else f"{outline.left_out} more calls are"
            told += f" {more} not told here."
        return UseCase(
            slug=slug_of(f"{name}"),
            feature_slug=group.feature.slug,
            name=name,
            description=f"Runs `{first.handler.symbol}`.",
            narrative=f"{OUTLINE_OPENING} {told}",
            primary_actor=ACTORS[first.kind],
            entry_points=labels,
            steps=outline.steps,
        )


def _by_handler(entries: Sequence[EntryPoint]) -> list[list[EntryPoint]]:
    """Entry points with one handler are one use case."""
    groups: dict[tuple[object, ...], list[EntryPoint]] = {}
    for entry in entries:
        handler = entry.handler
        key = (entry.kind, handler.symbol, handler.path, handler.start_line) if handler.path else (entry.label,)
        groups.setdefault(key, []).append(entry)
    return list(groups.values())


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
