"""Where every entry point went: total = documented + excluded (with a reason) + unaccounted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from retrodoc_runs.models import EntryPoint, Run


@dataclass(frozen=True, slots=True)
class Accounting:
    """Counts that add up; `unaccounted` holds the labels, since each is somebody's work to do."""

    total: int
    documented: int
    excluded: tuple[tuple[str, int], ...]
    """Reason and count, most frequent first."""
    unaccounted: tuple[str, ...]

    def as_dict(self) -> dict[str, object]:
        return {
            "total": self.total,
            "documented": self.documented,
            "excluded": dict(self.excluded),
            "unaccounted": len(self.unaccounted),
        }


def account(entry_points: Iterable[EntryPoint], run: Run | None) -> Accounting:
    """Account for `entry_points` by what `run` documents and leaves out on purpose; without a run, all are open."""
    documented = {label for use_case in run.use_cases for label in use_case.entry_points} if run else set()
    reasons = dict(run.excluded) if run else {}
    total = done = 0
    excluded: dict[str, int] = {}
    unaccounted = []
    for entry in entry_points:
        total += 1
        if entry.label in documented:
            done += 1
        elif entry.label in reasons:
            excluded[reasons[entry.label]] = excluded.get(reasons[entry.label], 0) + 1
        else:
            unaccounted.append(entry.label)
    ranked = sorted(excluded.items(), key=lambda item: (-item[1], item[0]))
    return Accounting(total, done, tuple(ranked), tuple(unaccounted))
