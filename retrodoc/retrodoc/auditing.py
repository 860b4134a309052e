"""An audit of a saved run: errors planted in its valid steps, and, when a model is at hand, some of them re-read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from retrodoc.caching import cached_syntax
from retrodoc.config import load_settings
from retrodoc.errors import UsageError
from retrodoc.store import FoundRun, find_run
from retrodoc_checks import FileIndex
from retrodoc_checks.audit import Audit, Claim, OptimismGap, audit_steps, optimism_gap, sample_valid
from retrodoc_runs.models import Outcome, Step
from retrodoc_runs.snapshot import Snapshot, open_snapshot

Reread = Callable[[Sequence[Step]], Sequence[Outcome]]
"""What a model says of valid steps, from their citations alone; steps that it gives no answer for are left out."""

STEPS_PER_CALL = 12


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What an audit found, ready to be printed."""

    run_id: str
    seed: int
    audit: Audit
    gap: OptimismGap | None = None
    sampled: int = 0
    """Valid steps that a model was asked to re-read."""

    def as_dict(self) -> dict[str, object]:
        """The same as plain data, for `--format json`."""

        def told(share: Any) -> dict[str, object]:
            return {
                "count": share.count,
                "total": share.total,
                "share": share.value,
                "low": share.low,
                "high": share.high,
            }

        gap = self.gap
        return {
            "run": self.run_id,
            "seed": self.seed,
            "valid_steps": self.audit.valid,
            "caught": {error.value: told(share) for error, share in self.audit.caught.items()},
            "all_caught": told(self.audit.all_caught),
            "flagged_untouched": told(self.audit.flagged),
            "sampled": self.sampled,
            "optimism_gap": None
            if gap is None
            else {"mechanical": gap.mechanical, "model": gap.model, "gap": gap.gap, "supported": told(gap.supported)},
        }


def audit_run(
    target: str | None,
    repo: Path | None,
    runs_folder: Path | None,
    *,
    mutants: int,
    seed: int,
    sample: int = 0,
    reread: Callable[[FoundRun, Snapshot], Reread] | None = None,
) -> AuditReport:
    """Audit the run that `target` names (see `find_run`) at its own commit.

    `reread` makes the model's reader for `sample` valid steps. UsageError when no step is valid: there is nothing to
    plant an error in.
    """
    found = find_run(target, repo, runs_folder)
    run = found.run
    steps = [step for use_case in run.use_cases for step in use_case.steps]
    claims: list[Claim] = [(step.text, step.source_refs) for step in steps]
    entities = frozenset(entity.name for entity in run.entities)
    with open_snapshot(found.folder, run.commit or "HEAD", worktree=run.commit is None) as snapshot:
        index = FileIndex(snapshot, cached_syntax())
        audit = audit_steps(claims, index, Random(seed), mutants, entities)  # noqa: S311  reproducible, not secret
        if not audit.valid:
            raise UsageError(f"no step of run {run.id} is valid", "Errors are planted in valid steps alone.")
        if not sample or reread is None:
            return AuditReport(run.id, seed, audit)
        chosen = sample_valid(claims, index, Random(seed), sample, entities)  # noqa: S311
        outcomes = reread(found, snapshot)([steps[place] for place in chosen])
        return AuditReport(run.id, seed, audit, optimism_gap(outcomes), len(chosen))


def model_rereader(
    overrides: dict[str, Any], *, trust: bool, max_cost: Any = None
) -> Callable[[FoundRun, Snapshot], Reread]:
    """A reader by the model that settings and command line name; its calls go to the run's ledger.

    Raises UsageError when they name none, and what making a provider raises.
    """

    def make(found: FoundRun, snapshot: Snapshot) -> Reread:
        from retrodoc.llm.ledger import Ledger
        from retrodoc.llm.question import Job
        from retrodoc.llm.setup import choose, make_asker
        from retrodoc.passes.evidence import Evidence
        from retrodoc.passes.judging import shown_code
        from retrodoc.prompts import load_prompt
        from retrodoc.prompts.models import JudgedStep, RereadIn
        from retrodoc_runs.models import SetAside

        settings = load_settings(found.folder, overrides, trust=trust)
        chosen = choose(settings.llm)
        if chosen is None:
            raise UsageError("--sample needs a model", "Name one with --provider or --base-url.")
        evidence = Evidence(snapshot)
        prompt = load_prompt("reread")

        def read(steps: Sequence[Step]) -> Sequence[Outcome]:
            batches = [steps[at : at + STEPS_PER_CALL] for at in range(0, len(steps), STEPS_PER_CALL)]
            jobs = [
                Job(prompt, RereadIn(language=found.run.language, steps=_asked(batch, evidence)), f"reread-{number}")
                for number, batch in enumerate(batches, start=1)
            ]
            ledger = Ledger(found.store.run_folder(found.run.id))
            said: list[Outcome] = []
            with make_asker(chosen, settings.llm, ledger, ceiling=max_cost) as asker:
                for _, answer in asker.ask_all(jobs):
                    if not isinstance(answer, SetAside):
                        said += [judgement.outcome for judgement in answer.judgements]
            return said

        def _asked(batch: Sequence[Step], evidence: Evidence) -> tuple[JudgedStep, ...]:
            return tuple(
                JudgedStep(number=number, text=step.text, code=shown_code(evidence, step))
                for number, step in enumerate(batch, start=1)
            )

        return read

    return make


def print_audit(report: AuditReport, write: Callable[[str], None]) -> None:
    """The report as text, a line at a time: shares with their 95 % intervals."""
    audit = report.audit
    write(f"{'errors planted in valid steps':<34}{'planted':>8}  caught")
    for error, share in audit.caught.items():
        low = share.value is not None and share.value < 0.5
        mark = "  under half: do not count on it" if low else ""
        write(f"{error.value:<34}{share.total:>8}  {share}{mark}")
    write(f"{'all kinds':<34}{audit.all_caught.total:>8}  {audit.all_caught}")
    write("")
    write(f"untouched steps that are flagged: {audit.flagged} of {audit.flagged.total}; some of them rightly, so the")
    write("false alarms are at most that many. Flagging everything would catch 1.00, with 1.00 of false alarms.")
    if report.gap is not None:
        gap = report.gap
        write("")
        write(f"valid steps that a model read again: {gap.supported.total} of {report.sampled} asked")
        write(f"supported in its eyes: {gap.supported}")
        write(f"optimism gap: {gap.gap:.2f} (mechanical score {gap.mechanical:.2f}, the model's {gap.model:.2f})")
    elif report.sampled:
        write("")
        write(f"a model was asked to read {report.sampled} valid steps again and gave no answer that could be used")
