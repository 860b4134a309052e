"""What one saved run was charged, beside the run before it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from retrodoc.errors import RunError
from retrodoc.llm.ledger import CallRecord, read_records
from retrodoc.llm.stats import CostRow, PassStats, cost_rows, pass_stats
from retrodoc_runs.store import RunStore


@dataclass(frozen=True, slots=True)
class RunCosts:
    run: str
    by_pass: tuple[CostRow, ...]
    by_unit: tuple[CostRow, ...]
    stats: tuple[PassStats, ...]

    def as_dict(self) -> dict[str, Any]:
        return {
            "run": self.run,
            "by_pass": [_row(row, ("pass", "model")) for row in self.by_pass],
            "by_unit": [_row(row, ("pass", "unit")) for row in self.by_unit],
            "passes": [
                {**asdict(each), "repair_rate": each.repair_rate, "tries_per_unit": each.tries_per_unit}
                for each in self.stats
            ],
        }


def run_costs(store: RunStore, run_id: str | None) -> RunCosts:
    """Of that run, or of the latest. RunError when there is none."""
    wanted = run_id or store.latest()
    if wanted is None or wanted not in store.ids():
        raise RunError(
            f"no run {wanted or ''} in {store.folder}".replace("  ", " "), "`retrodoc runs list` lists them."
        )
    records = _records(store, wanted)
    older = [run for run in store.ids() if run < wanted]
    previous = _records(store, max(older)) if older else ()
    return RunCosts(
        wanted,
        cost_rows(records),
        cost_rows(records, lambda record: (record.task, record.unit)),
        pass_stats(records, previous),
    )


def _records(store: RunStore, run_id: str) -> tuple[CallRecord, ...]:
    return read_records(store.run_folder(run_id))


def _row(row: CostRow, names: tuple[str, str]) -> dict[str, Any]:
    return {
        **dict(zip(names, row.key, strict=True)),
        "calls": row.calls,
        "failed": row.failed,
        **asdict(row.usage),
        "cost": str(row.cost),
        "uncertain": str(row.uncertain),
        "seconds": round(row.seconds, 3),
    }
