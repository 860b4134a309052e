"""What a run with a model would take, before any call: calls, tokens and money, by pass."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrodoc.config import load_settings
from retrodoc.ingest.context import read_context
from retrodoc.llm.estimate import PassEstimate, estimate_pass, total
from retrodoc.llm.named import name_model
from retrodoc.llm.prices import Price
from retrodoc.passes.evidence import Evidence
from retrodoc.passes.grouping import Group, group
from retrodoc.passes.judging import Doubt, batches_of, inputs_of
from retrodoc.passes.outline_drafter import OutlineDrafter
from retrodoc.passes.questions import Material, Questions
from retrodoc.progress import Reporter
from retrodoc.prompts import load_prompt
from retrodoc.reading import read_repository
from retrodoc.store import latest_run, open_store
from retrodoc_checks import Reason, StepFinding, Verdict
from retrodoc_runs.models import Run
from retrodoc_runs.snapshot import Snapshot

DOUBTFUL_SHARE = 2
"""One step in so many is taken to be doubtful: of two real drafts by a model, about half were."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The passes, and all together; `features` were grouped by folder, as the outline does, for want of the answer."""

    passes: tuple[PassEstimate, ...]
    whole: PassEstimate
    features: int
    kept: int
    """Features whose drafts an earlier run already holds."""


def plan_run(
    price: Price | None,
    questions: Questions,
    material: Material,
    snapshot: Snapshot,
    application: str,
    known: Run | None,
) -> Plan:
    """Estimate what `generate` would ask. Nothing is sent, nothing is written.

    The model's own grouping is not known yet, so features are those of the outline; the steps that a model would
    write and the judge would doubt are taken to be as many as half of the outline's.
    """
    groups = _known_groups(known) or group(material.surface.entry_points, application)
    done = {unit.slug: unit.key for unit in known.units} if known else {}
    grouping = questions.grouping()
    ask_grouping = done.get("all") != questions.key(questions.domains, grouping)
    wanted = [one for one in groups if done.get(one.feature.slug) != _key(questions, one)]
    passes = (
        estimate_pass(questions.domains, [grouping] if ask_grouping else [], price),
        estimate_pass(questions.use_cases, [questions.feature(one) for one in wanted], price),
        _judging(material, snapshot, wanted, application, price),
    )
    return Plan(passes, total(passes), len(groups), len(groups) - len(wanted))


def _known_groups(known: Run | None) -> list[Group]:
    if known is None:
        return []
    domains = {domain.slug: domain for domain in known.domains}
    entries = {entry.label: entry for entry in known.entry_points}
    return [
        Group(
            domains[feature.domain_slug],
            feature,
            tuple(entries[label] for label in feature.entry_points if label in entries),
        )
        for feature in known.features
        if feature.domain_slug in domains
    ]


def _key(questions: Questions, one: Group) -> str:
    return questions.key(questions.use_cases, questions.feature(one))


def _judging(
    material: Material, snapshot: Snapshot, groups: list[Group], application: str, price: Price | None
) -> PassEstimate:
    drafter = OutlineDrafter(material.sources, material.surface, application, "")
    evidence = Evidence(snapshot)
    finding = StepFinding(Verdict.DOUBTFUL, (Reason.NOTHING_TO_CHECK,))
    doubts = [
        Doubt(use_case, step, finding, "")
        for _, use_cases in drafter.draft(groups)
        for use_case in use_cases
        for step in use_case.steps[::DOUBTFUL_SHARE]
    ]
    inputs = [inputs_of(batch, evidence, material.language) for _, batch in batches_of(doubts)]
    return estimate_pass(load_prompt("judge"), inputs, price)


@dataclass(frozen=True, slots=True)
class Foreseen:
    """`plan` is None when no model is set: the outline makes no call."""

    drafter: str
    priced: bool
    free: bool
    entry_points: int
    plan: Plan | None
    key_missing: str | None = None
    """The environment variable that `generate` would need and that is not set; a plan does without."""


def foresee(
    folder: Path,
    overrides: dict[str, Any],
    worktree: bool,
    trust: bool,
    runs_folder: Path | None,
    reporter: Reporter,
) -> Foreseen:
    """Nothing is sent and nothing is written."""
    settings = load_settings(folder, overrides, trust=trust)
    with read_repository(folder, settings, worktree=worktree, reporter=reporter) as reading:
        surface = reading.surface()
        named = name_model(settings.llm)
        if named is None:
            return Foreseen("outline", True, True, len(surface.entry_points), None)
        store = open_store(folder, runs_folder)
        known = latest_run(store, reporter.warn)
        material = Material(reading.sources, surface, read_context(reading.snapshot), settings.language)
        questions = Questions(material, named.drafter)
        plan = plan_run(named.price, questions, material, reading.snapshot, reading.name, known)
        priced, entries = named.price is not None, len(surface.entry_points)
        return Foreseen(named.drafter, priced, named.free, entries, plan, named.missing_key)
