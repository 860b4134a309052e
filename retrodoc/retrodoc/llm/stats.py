"""What the ledger says of a run: how often answers had to be repaired, by pass, and what was paid, by whatever key."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from retrodoc.llm.ledger import CallRecord
from retrodoc.llm.provider import Failure, Usage

ALERT_RATE = 0.10
"""Share of units that needed another answer, over which a pass is alerted (the model layer's rule)."""
ALERT_GROWTH = 2.0
"""Against the previous run."""
ALERT_UNITS = 5
"""Fewer units than this are too few for a rate to mean anything."""
_FAILED = frozenset(failure.value for failure in Failure) | {"interrupted", "pending"}


class Alert(StrEnum):
    HIGH = "high"
    DOUBLED = "doubled"


@dataclass(frozen=True, slots=True)
class PassStats:
    """Answers of one pass."""

    task: str
    units: int
    answers: int
    repaired_units: int
    """Units whose first answer was not used as it came."""
    flaws: tuple[tuple[str, int], ...]
    """What was wrong, most frequent first."""
    error_paths: tuple[tuple[str, int], ...]
    """Where, most frequent first, numbers left out: `use_cases[].steps[].order`."""
    cleaned: tuple[tuple[str, int], ...]
    """What was cleaned without asking again."""
    alert: Alert | None

    @property
    def repair_rate(self) -> float:
        return self.repaired_units / self.units if self.units else 0.0

    @property
    def tries_per_unit(self) -> float:
        return self.answers / self.units if self.units else 0.0


@dataclass(frozen=True, slots=True)
class CostRow:
    """What was called under one key. `uncertain` dollars are reservations whose bill is not known."""

    key: tuple[str, ...]
    calls: int
    failed: int
    usage: Usage
    cost: Decimal
    uncertain: Decimal
    seconds: float


def pass_stats(records: Iterable[CallRecord], previous: Iterable[CallRecord] = ()) -> tuple[PassStats, ...]:
    """By pass, in order of name. `previous` are the calls of the run before, to see a rate that doubled."""
    before = {stats.task: stats for stats in pass_stats(previous)} if previous else {}
    by_task: dict[str, list[CallRecord]] = defaultdict(list)
    for record in records:
        if record.outcome not in _FAILED:
            by_task[record.task].append(record)
    return tuple(_stats(task, found, before.get(task)) for task, found in sorted(by_task.items()))


def _stats(task: str, records: Sequence[CallRecord], before: PassStats | None) -> PassStats:
    flawed = [record for record in records if record.outcome != "ok"]
    units = {record.unit for record in records}
    repaired = {record.unit for record in flawed}
    rate = len(repaired) / len(units)
    alert = None
    if len(units) >= ALERT_UNITS:
        if rate > ALERT_RATE:
            alert = Alert.HIGH
        elif before is not None and before.units >= ALERT_UNITS and rate > ALERT_GROWTH * before.repair_rate > 0:
            alert = Alert.DOUBLED
    return PassStats(
        task=task,
        units=len(units),
        answers=len(records),
        repaired_units=len(repaired),
        flaws=_ranked(record.outcome for record in flawed),
        error_paths=_ranked(path for record in flawed for path in record.error_paths),
        cleaned=_ranked(what for record in records for what in record.cleaned),
        alert=alert,
    )


def _ranked(names: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))


def cost_rows(
    records: Iterable[CallRecord], key: Callable[[CallRecord], tuple[str, ...]] = lambda r: (r.task, r.model)
) -> tuple[CostRow, ...]:
    """What was paid, grouped by `key` and sorted by it. Questions that wait for a person's answer are no calls."""
    groups: dict[tuple[str, ...], list[CallRecord]] = defaultdict(list)
    for record in records:
        if record.outcome != "pending":
            groups[key(record)].append(record)
    return tuple(_cost_row(name, found) for name, found in sorted(groups.items()))


def _cost_row(key: tuple[str, ...], records: Sequence[CallRecord]) -> CostRow:
    usage = Usage()
    for record in records:
        usage = usage + record.usage
    return CostRow(
        key=key,
        calls=len(records),
        failed=sum(1 for record in records if record.outcome in _FAILED),
        usage=usage,
        cost=sum((record.cost for record in records), Decimal(0)),
        uncertain=sum((record.cost for record in records if record.uncertain), Decimal(0)),
        seconds=sum(record.seconds for record in records),
    )
