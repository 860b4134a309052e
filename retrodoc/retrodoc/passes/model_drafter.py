"""The drafter that asks a model: one call to name and group the features, then one a feature for its use cases.

Coverage holds by construction: an entry point that the model forgets to group goes to "uncategorised", one that it
writes nothing of is outlined, an invented one is dropped, and all are reported. What comes back is text and
citations; code resolves the paths and judges the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from retrodoc.ingest.sources import Sources
from retrodoc.llm.asker import Asker
from retrodoc.llm.question import Job
from retrodoc.passes.grouping import Group, group, unique
from retrodoc.passes.outline_drafter import OutlineDrafter
from retrodoc.passes.questions import Questions
from retrodoc.passes.words import slug_of
from retrodoc.prompts.models import DomainsOut, UseCaseOut, UseCasesOut
from retrodoc.surface import Surface
from retrodoc_runs.models import Actor, Domain, EntryPoint, Feature, Run, SetAside, SourceRef, Step, Unit, UseCase

DOMAINS = "domains"
UNCATEGORISED = "Uncategorised"


class ModelDrafter:
    """Asks one model, through `asker`; `run` and `previous` are what is known already."""

    durable = True

    def __init__(
        self, asker: Asker, questions: Questions, sources: Sources, surface: Surface, run: Run, previous: Run | None
    ) -> None:
        self.name = f"{asker.provider.name} {asker.model}"
        self._asker = asker
        self._questions = questions
        self._sources = sources
        self._surface = surface
        self._known = [known for known in (run, previous) if known is not None]
        self._notes: list[str] = list(surface.notes)
        self._outline: OutlineDrafter | None = None
        self.units: tuple[Unit, ...] = ()
        self.set_aside: tuple[SetAside, ...] = ()

    def notes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._notes))

    # -- domains and features

    def groups(self) -> list[Group]:
        """Ask for the grouping, or take it from a run that was given the same question."""
        inputs = self._questions.grouping()
        key = self._questions.key(self._questions.domains, inputs)
        self.units = (Unit(kind=DOMAINS, slug="all", key=key),)
        for known in self._known:
            if any(unit.kind == DOMAINS and unit.key == key for unit in known.units):
                return self._regrouped(known)
        answer = self._asker.ask(self._questions.domains, inputs, "all")
        if isinstance(answer, SetAside):
            self._notes.append(f"The grouping was set aside ({answer.reason}): features follow the folders.")
            self.units, self.set_aside = (), (answer,)
            return group(self._surface.entry_points, "Application")
        return self._grouped(answer)

    def _grouped(self, answer: DomainsOut) -> list[Group]:
        entries = self._surface.entry_points
        assigned = answer.assignments()
        invented = sorted(set(assigned) - set(range(1, len(entries) + 1)))
        if invented:
            self._notes.append(f"The model named {len(invented)} entry points that do not exist: dropped.")
        members: dict[tuple[str, str], list[EntryPoint]] = {}
        described: dict[tuple[str, str], tuple[str, str]] = {}
        forgotten = []
        for number, entry in enumerate(entries, start=1):
            if number not in assigned:
                forgotten.append(entry)
                continue
            domain, feature = assigned[number]
            members.setdefault((domain.name, feature.name), []).append(entry)
            described[(domain.name, feature.name)] = (domain.description, feature.description)
        if forgotten:
            self._notes.append(f"The model forgot {len(forgotten)} entry points: they are in {UNCATEGORISED!r}.")
            members.setdefault((UNCATEGORISED, UNCATEGORISED), []).extend(forgotten)
        return _built(members, described)

    def _regrouped(self, known: Run) -> list[Group]:
        domains = {domain.slug: domain for domain in known.domains}
        by_label: dict[str, list[EntryPoint]] = {}
        for entry in self._surface.entry_points:
            by_label.setdefault(entry.label, []).append(entry)
        return [
            Group(
                domains[feature.domain_slug],
                feature,
                tuple(entry for label in feature.entry_points for entry in by_label.get(label, ())),
            )
            for feature in known.features
        ]

    # -- use cases

    def key(self, group: Group) -> str:
        return self._questions.key(self._questions.use_cases, self._questions.feature(group))

    def draft(self, groups: Sequence[Group]) -> Iterator[tuple[Group, tuple[UseCase, ...] | SetAside]]:
        """Each feature as soon as its answer is there."""
        by_slug = {group.feature.slug: group for group in groups}
        ask = self._questions
        jobs = [Job(ask.use_cases, ask.feature(group), group.feature.slug) for group in groups]
        for job, answer in self._asker.ask_all(jobs):
            group = by_slug[job.unit]
            yield group, answer if isinstance(answer, SetAside) else self._written(group, answer)

    def _written(self, group: Group, answer: UseCasesOut) -> tuple[UseCase, ...]:
        used: set[str] = set()
        written = tuple(self._use_case(group, use_case, used) for use_case in answer.use_cases)
        told = {label for use_case in written for label in use_case.entry_points}
        missed = tuple(entry for entry in group.entry_points if entry.label not in told)
        return written + self._outlined(replace(group, entry_points=missed)) if missed else written

    def _outlined(self, missed: Group) -> tuple[UseCase, ...]:
        """What the model wrote nothing of is outlined: a hole would look as if there were nothing."""
        if self._outline is None:
            self._outline = OutlineDrafter(self._sources, self._surface, missed.domain.name, "")
        ((_, use_cases),) = self._outline.draft([missed])
        count = len(missed.entry_points)
        doors = "1 entry point" if count == 1 else f"{count} entry points"
        self._notes.append(f"The model wrote nothing of {doors} in {missed.feature.name!r}: outlined from the code.")
        return use_cases

    def _use_case(self, group: Group, written: UseCaseOut, used: set[str]) -> UseCase:
        entries = group.entry_points
        labels = [entries[number - 1].label for number in written.entry_points if 0 < number <= len(entries)]
        steps = tuple(
            Step(
                order=order,
                actor=Actor(name=step.actor.name, kind=step.actor.kind),
                action=step.action,
                description=step.description,
                source_refs=tuple(
                    SourceRef(path=self._path(ref.path), start_line=ref.start_line, end_line=ref.end_line)
                    for ref in step.source_refs
                ),
            )
            for order, step in enumerate(written.steps, start=1)
        )
        return UseCase(
            slug=unique(slug_of(written.name, "use-case"), used),
            feature_slug=group.feature.slug,
            name=written.name,
            description=written.description,
            narrative=written.narrative,
            primary_actor=written.primary_actor,
            entry_points=tuple(dict.fromkeys(labels)),
            steps=steps,
        )

    def _path(self, written: str) -> str:
        """A path that the model shortened, when exactly one file ends so; else as it is, and the judge will say so."""
        path = written.removeprefix("./")
        if path in self._sources:
            return path
        ending = [known for known in self._sources.paths if known.endswith(f"/{path}")]
        return ending[0] if len(ending) == 1 else written


def _built(
    members: dict[tuple[str, str], list[EntryPoint]], described: dict[tuple[str, str], tuple[str, str]]
) -> list[Group]:
    domains: dict[str, Domain] = {}
    used: set[str] = set()
    groups = []
    for (domain_name, feature_name), entries in members.items():
        about_domain, about_feature = described.get((domain_name, feature_name), ("", ""))
        slug = slug_of(domain_name, "domain")
        domain = domains.setdefault(slug, Domain(slug=slug, name=domain_name, description=about_domain))
        feature = Feature(
            slug=unique(slug_of(feature_name, "feature"), used),
            domain_slug=domain.slug,
            name=feature_name,
            description=about_feature,
            entry_points=tuple(dict.fromkeys(entry.label for entry in entries)),
        )
        groups.append(Group(domain, feature, tuple(entries)))
    return groups
