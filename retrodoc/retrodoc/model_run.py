"""A run that asks a model: the approval of its cost, drafting, and the reading of doubtful steps."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING

from retrodoc.errors import UsageError
from retrodoc.llm.events import Event, EventKind
from retrodoc.llm.ledger import Ledger
from retrodoc.llm.setup import Chosen, make_asker
from retrodoc.passes.evidence import Evidence, carried_over
from retrodoc.passes.judging import ModelJudge, doubts
from retrodoc.passes.model_drafter import ModelDrafter
from retrodoc.passes.questions import Material, Questions
from retrodoc.planning import plan_run
from retrodoc.prompts import load_prompt
from retrodoc.publishing import findings_of
from retrodoc_runs.models import Run, SetAside

if TYPE_CHECKING:
    from retrodoc.generating import Drafting
    from retrodoc.llm.asker import Asker

JUDGE = "judge"


def draft_with_model(job: Drafting, chosen: Chosen) -> Run:
    """Draft and judge `job.run` by the chosen model; saved after every unit, paid calls never repeated."""
    from retrodoc.ingest.context import read_context

    run = job.with_surface()
    reading, settings = job.reading, job.settings
    material = Material(reading.sources, reading.surface(), read_context(reading.snapshot), settings.language)
    ledger = Ledger(job.store.run_folder(run.id))
    ceiling = _approved(job, chosen, material, run, ledger)
    salt = f"retry {len(ledger.records())}" if job.options.retry else ""
    with make_asker(chosen, settings.llm, ledger, ceiling=ceiling, on_event=_teller(job), salt=salt) as asker:
        questions = Questions(material, chosen.drafter, asker.input_chars(load_prompt("use_cases")))
        drafter = ModelDrafter(asker, questions, reading.sources, material.surface, run, job.previous)
        run = job.drafted(run, drafter)
        job.store.save(run)
        run = _judged(job, run, asker)
    return run.model_copy(
        update={"prompts": _prompt_versions(), "models": tuple(dict.fromkeys((*run.models, chosen.drafter)))}
    )


def _prompt_versions() -> dict[str, str]:
    prompts = [load_prompt(name) for name in ("domains", "use_cases", JUDGE)]
    return {prompt.name: f"{prompt.version} {prompt.sha256}" for prompt in prompts}


def _judged(job: Drafting, run: Run, asker: Asker) -> Run:
    """Ask about the doubtful steps that `--judge` names; each batch is saved before the next counts."""
    if job.options.judge == "none":
        return run
    snapshot = job.reading.snapshot
    evidence = Evidence(snapshot)
    run = carried_over(run, job.previous, evidence)
    findings = findings_of(run, snapshot, syntax=job.reading.syntax)
    threshold = job.settings.report.threshold if job.options.judge == "threshold" else None
    found = doubts(run, findings, evidence, threshold=threshold)
    run = run.model_copy(update={"set_aside": tuple(item for item in run.set_aside if item.kind != JUDGE)})
    judge = ModelJudge(asker, evidence, job.settings.language)
    with job.reporter.stage("judging doubtful steps", len(found)) as advance:
        for said in judge.judge(found):
            if isinstance(said, SetAside):
                run = run.model_copy(update={"set_aside": (*run.set_aside, said)})
            else:
                run = run.model_copy(update={"judgements": (*run.judgements, *said)})
                for _ in said:
                    advance()
            job.store.save(run)
    return run


def _approved(job: Drafting, chosen: Chosen, material: Material, run: Run, ledger: Ledger) -> Decimal | None:
    """The ceiling in dollars, said beforehand or asked for now; None where nothing can cost money."""
    if chosen.provider.free or chosen.price is None:
        return None
    if job.settings.llm.max_cost is not None:
        return job.settings.llm.max_cost
    plan = plan_run(
        chosen.price,
        Questions(material, chosen.drafter),
        material,
        job.reading.snapshot,
        run.repository,
        run if run.features else job.previous,
    )
    cost = plan.whole.cost or (Decimal(0), Decimal(0))
    low, high = cost[0], cost[1] + ledger.spent()
    question = (
        f"{chosen.drafter}: {plan.whole.calls.low} to {plan.whole.calls.high} calls, about ${low:.2f} to ${high:.2f}. "
        f"Go on, with ${high:.2f} as the ceiling?"
    )
    answer = True if job.options.yes else job.ask(question)
    if answer:
        return high
    what = "was not approved" if answer is False else "has to be approved"
    raise UsageError(
        f"the cost of {chosen.drafter}, about ${low:.2f} to ${high:.2f}, {what}; nothing was sent",
        f"Pass --max-cost {high:.2f} (or another ceiling), or --yes to accept the high estimate.",
    )


def _teller(job: Drafting) -> Callable[[Event], None]:
    """Events of the model layer as lines for a person."""
    reporter = job.reporter

    def tell(event: Event) -> None:
        where = f"{event.task} {event.unit}".strip()
        if event.kind is EventKind.WAITING:
            reporter.note(f"{where}: still waiting after {event.seconds or 0:.0f} s")
        elif event.kind is EventKind.RETRY:
            reporter.note(f"{where}: {event.detail}; again in {event.seconds or 0:.0f} s")
        elif event.kind is EventKind.SET_ASIDE:
            reporter.warn(f"{where} was set aside: {event.detail}")
        elif event.kind is EventKind.PROGRESS:
            left = f", about {event.seconds:.0f} s left" if event.seconds else ""
            reporter.detail(f"{event.task}: {event.done} of {event.total}{left}")
        else:
            reporter.detail(f"{where}: {event.kind.value} {event.detail}".rstrip())

    return tell
