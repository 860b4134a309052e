"""A run and its verdicts arranged as a book: domains hold features, features hold use cases, each with its page.

What belongs nowhere is not lost: a use case of an unknown feature goes to "Uncategorised". A feature without a use
case has no page, and is named in the coverage report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from retrodoc.publish.layout import Layout
from retrodoc.publish.slugs import unique_slugs
from retrodoc_checks.findings import StepFinding, Verdict
from retrodoc_checks.score import ALERT_THRESHOLD, Score, mean_score, step_score
from retrodoc_runs.models import Domain, Entity, EntryPoint, Feature, Judgement, Run, SourceRef, Step, UseCase

UNCATEGORISED = "uncategorised"


@dataclass(frozen=True, slots=True)
class JudgedStep:
    step: Step
    finding: StepFinding
    judgement: Judgement | None = None


@dataclass(frozen=True, slots=True)
class JudgedUseCase:
    """A use case, its steps as they were judged, and its page; `score` is None when it has no step."""

    use_case: UseCase
    steps: tuple[JudgedStep, ...]
    score: Score | None
    page: str

    @property
    def title(self) -> str:
        return self.use_case.name or self.use_case.slug


@dataclass(frozen=True, slots=True)
class FeatureChapter:
    feature: Feature
    use_cases: tuple[JudgedUseCase, ...]
    page: str

    @property
    def title(self) -> str:
        return self.feature.name or self.feature.slug

    @property
    def steps(self) -> tuple[JudgedStep, ...]:
        return tuple(step for use_case in self.use_cases for step in use_case.steps)

    @property
    def score(self) -> Score | None:
        return mean_score(use_case.score for use_case in self.use_cases)


@dataclass(frozen=True, slots=True)
class DomainChapter:
    domain: Domain
    features: tuple[FeatureChapter, ...]
    page: str

    @property
    def title(self) -> str:
        return self.domain.name or self.domain.slug

    @property
    def use_cases(self) -> tuple[JudgedUseCase, ...]:
        return tuple(use_case for feature in self.features for use_case in feature.use_cases)

    @property
    def steps(self) -> tuple[JudgedStep, ...]:
        return tuple(step for use_case in self.use_cases for step in use_case.steps)

    @property
    def score(self) -> Score | None:
        return mean_score(feature.score for feature in self.features)


@dataclass(frozen=True, slots=True)
class Book:
    """All that the pages and the report are made of."""

    run: Run
    domains: tuple[DomainChapter, ...]
    doors: Mapping[str, tuple[EntryPoint, ...]]
    """The run's entry points by their labels; two programs of a repository can have one of the same label."""
    layout: Layout
    threshold: float = ALERT_THRESHOLD

    @property
    def features(self) -> tuple[FeatureChapter, ...]:
        return tuple(feature for domain in self.domains for feature in domain.features)

    @property
    def use_cases(self) -> tuple[JudgedUseCase, ...]:
        return tuple(use_case for domain in self.domains for use_case in domain.use_cases)

    @property
    def steps(self) -> tuple[JudgedStep, ...]:
        return tuple(step for use_case in self.use_cases for step in use_case.steps)

    @property
    def score(self) -> Score | None:
        return mean_score(domain.score for domain in self.domains)

    def doors_of(self, use_case: UseCase, label: str) -> tuple[EntryPoint, ...]:
        """The entry points of a label whose handlers the steps cite; all of them where the steps do not tell."""
        entries = self.doors.get(label, ())
        cited = [ref for step in use_case.steps for ref in step.source_refs] if len(entries) > 1 else []
        return tuple(entry for entry in entries if any(_is_within(ref, entry) for ref in cited)) or entries

    @property
    def name(self) -> str:
        """Of what is documented: the repository, or the folder inside it."""
        return self.run.subfolder.rsplit("/", 1)[-1] or self.run.repository or "This application"

    @property
    def entities(self) -> tuple[Entity, ...]:
        return tuple(sorted(self.run.entities, key=lambda entity: (entity.name.lower(), entity.path)))


def count_verdicts(steps: Iterable[JudgedStep]) -> Counter[Verdict]:
    return Counter(step.finding.verdict for step in steps)


def build_book(
    run: Run,
    findings: Sequence[Sequence[StepFinding]],
    judgements: Iterable[Judgement] | None = None,
    layout: Layout | None = None,
    threshold: float = ALERT_THRESHOLD,
) -> Book:
    """Arrange `run`. `findings` go with `run.use_cases` and their steps, in that order.

    `judgements` are those that still hold for the text and code they were made for; by default all of the run.
    """
    layout = layout or Layout()
    known = {(said.use_case, said.order): said for said in (run.judgements if judgements is None else judgements)}
    grouped: dict[str, list[tuple[UseCase, tuple[JudgedStep, ...]]]] = {}
    features = {feature.slug: feature for feature in run.features}
    for use_case, found in zip(run.use_cases, findings, strict=True):
        steps = tuple(
            JudgedStep(step, finding, known.get((use_case.slug, step.order)))
            for step, finding in zip(use_case.steps, found, strict=True)
        )
        slug = use_case.feature_slug if use_case.feature_slug in features else UNCATEGORISED
        grouped.setdefault(slug, []).append((use_case, steps))
    if UNCATEGORISED in grouped and UNCATEGORISED not in features:
        features[UNCATEGORISED] = Feature(slug=UNCATEGORISED, name="Uncategorised")

    domains = {domain.slug: domain for domain in run.domains}
    by_domain: dict[str, list[Feature]] = {}
    for feature in features.values():
        if feature.slug in grouped:
            slug = feature.domain_slug if feature.domain_slug in domains else UNCATEGORISED
            by_domain.setdefault(slug, []).append(feature)
    if UNCATEGORISED in by_domain and UNCATEGORISED not in domains:
        domains[UNCATEGORISED] = Domain(slug=UNCATEGORISED, name="Uncategorised")

    shown = [domain for domain in domains.values() if domain.slug in by_domain]
    chapters = []
    for domain, slug in zip(shown, unique_slugs((domain.slug for domain in shown), "domain"), strict=True):
        members = by_domain[domain.slug]
        feature_slugs = unique_slugs((feature.slug for feature in members), "feature")
        inside = tuple(
            _feature_chapter(feature, grouped[feature.slug], layout, slug, feature_slug)
            for feature, feature_slug in zip(members, feature_slugs, strict=True)
        )
        chapters.append(DomainChapter(domain, inside, layout.domain(slug)))
    doors: dict[str, tuple[EntryPoint, ...]] = {}
    for entry in run.entry_points:
        doors[entry.label] = (*doors.get(entry.label, ()), entry)
    return Book(run, tuple(chapters), doors, layout, threshold)


def _is_within(ref: SourceRef, entry: EntryPoint) -> bool:
    """Whether a citation and a handler share lines; without lines, whether they share the file."""
    handler = entry.handler
    if ref.path != handler.path:
        return False
    first, last = handler.start_line, handler.end_line or handler.start_line
    start, end = ref.start_line, ref.end_line or ref.start_line
    if first is None or last is None or start is None or end is None:
        return True
    return start <= last and first <= end


def _feature_chapter(
    feature: Feature,
    members: Sequence[tuple[UseCase, tuple[JudgedStep, ...]]],
    layout: Layout,
    domain_slug: str,
    feature_slug: str,
) -> FeatureChapter:
    slugs = unique_slugs((use_case.slug for use_case, _ in members), "use-case")
    use_cases = tuple(
        JudgedUseCase(
            use_case,
            steps,
            mean_score(step_score(step.finding, step.judgement) for step in steps),
            layout.use_case(domain_slug, feature_slug, slug),
        )
        for (use_case, steps), slug in zip(members, slugs, strict=True)
    )
    return FeatureChapter(feature, use_cases, layout.feature(domain_slug, feature_slug))
