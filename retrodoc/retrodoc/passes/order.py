"""In which order a run is drafted, what is kept of an earlier one, and when it is saved: after every feature."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from retrodoc.passes.anchors import Anchors
from retrodoc.passes.grouping import Group
from retrodoc.passes.outline_drafter import with_unique_slugs
from retrodoc.progress import Reporter
from retrodoc_runs.models import Run, SetAside, Unit, UseCase
from retrodoc_runs.store import RunStore

USE_CASES = "use_cases"
NOTHING_HERE = "nothing of it is in this repository"


class Drafter(Protocol):
    """Writes use cases: the outline, or a model."""

    name: str
    durable: bool
    """Whether what it drafts cost money, and so must be on disk before the next is begun."""

    units: tuple[Unit, ...]
    """What beside use cases was done to come to the groups; known once they are."""
    set_aside: tuple[SetAside, ...]

    def groups(self) -> list[Group]:
        """Every entry point in exactly one feature."""
        ...

    def key(self, group: Group) -> str:
        """Hash of all that a draft of this feature depends on: an equal key needs no new draft."""
        ...

    def draft(self, groups: Sequence[Group]) -> Iterable[tuple[Group, tuple[UseCase, ...] | SetAside]]:
        """The use cases of each feature, or why a person must look at it, in the order in which they are ready."""
        ...

    def notes(self) -> tuple[str, ...]:
        """What the run should report in words."""
        ...


def draft_run(
    run: Run, drafter: Drafter, anchors: Anchors, store: RunStore, reporter: Reporter, previous: Run | None
) -> Run:
    """Draft what `run` lacks, feature by feature, saving after each; returns the run with all its use cases.

    Features whose key is that of `run` (a resumed one) or of `previous` are taken over as they are.
    """
    groups = drafter.groups()
    domains = {group.domain.slug: group.domain for group in groups}
    run = run.model_copy(
        update={
            "domains": tuple(domains.values()),
            "features": tuple(group.feature for group in groups),
            "units": (*drafter.units, *(unit for unit in run.units if unit.kind == USE_CASES)),
            "set_aside": (*drafter.set_aside, *(item for item in run.set_aside if item.kind == USE_CASES)),
        }
    )
    keys = {group.feature.slug: drafter.key(group) for group in groups}
    run = _without_stale(run, keys)
    kept = _taken_over(run, previous, keys)
    run = run.model_copy(update={"use_cases": run.use_cases + kept, "units": run.units + _units(kept, keys)})
    store.save(run, durable=drafter.durable)
    done = {unit.slug for unit in run.units if unit.kind == USE_CASES}
    waiting = [group for group in groups if group.feature.slug not in done]
    with reporter.stage("drafting features", len(waiting)) as advance:
        for group, drafted in drafter.draft(waiting):
            run = _with(run, group, drafted, keys[group.feature.slug], anchors)
            store.save(run, durable=drafter.durable)
            advance()
    return _in_order(run, groups).model_copy(update={"notes": (*run.notes, *drafter.notes())})


def _with(run: Run, group: Group, drafted: tuple[UseCase, ...] | SetAside, key: str, anchors: Anchors) -> Run:
    slug = group.feature.slug
    if isinstance(drafted, SetAside):
        return run.model_copy(update={"set_aside": (*run.set_aside, drafted)})
    use_cases = tuple(anchors.use_case(use_case) for use_case in drafted)
    return run.model_copy(
        update={
            "use_cases": run.use_cases + use_cases,
            "units": (*run.units, Unit(kind=USE_CASES, slug=slug, key=key)),
            "set_aside": tuple(item for item in run.set_aside if (item.kind, item.slug) != (USE_CASES, slug)),
        }
    )


def _without_stale(run: Run, keys: dict[str, str]) -> Run:
    """A resumed run without the units whose key is another now, and without what they drafted."""
    good = {unit.slug for unit in run.units if unit.kind == USE_CASES and keys.get(unit.slug) == unit.key}
    return run.model_copy(
        update={
            "units": tuple(unit for unit in run.units if unit.kind != USE_CASES or unit.slug in good),
            "use_cases": tuple(use_case for use_case in run.use_cases if use_case.feature_slug in good),
        }
    )


def _taken_over(run: Run, previous: Run | None, keys: dict[str, str]) -> tuple[UseCase, ...]:
    if previous is None or previous.id == run.id:
        return ()
    have = {unit.slug for unit in run.units if unit.kind == USE_CASES}
    same = {
        unit.slug
        for unit in previous.units
        if unit.kind == USE_CASES and keys.get(unit.slug) == unit.key and unit.slug not in have
    }
    return tuple(use_case for use_case in previous.use_cases if use_case.feature_slug in same)


def _units(use_cases: Sequence[UseCase], keys: dict[str, str]) -> tuple[Unit, ...]:
    slugs = dict.fromkeys(use_case.feature_slug for use_case in use_cases)
    return tuple(Unit(kind=USE_CASES, slug=slug, key=keys[slug]) for slug in slugs)


def _in_order(run: Run, groups: Sequence[Group]) -> Run:
    """Use cases in the order of their features, whatever the order in which they came, with unique slugs."""
    place = {group.feature.slug: at for at, group in enumerate(groups)}
    ordered = sorted(run.use_cases, key=lambda use_case: place[use_case.feature_slug])
    empty = [use_case for use_case in ordered if not use_case.steps]
    told = {label for use_case in ordered if use_case.steps for label in use_case.entry_points}
    lost = dict.fromkeys(label for use_case in empty for label in use_case.entry_points if label not in told)
    return run.model_copy(
        update={
            "use_cases": with_unique_slugs([use_case for use_case in ordered if use_case.steps]),
            "excluded": (*run.excluded, *((label, NOTHING_HERE) for label in lost)),
        }
    )
