"""What `retrodoc plan` looks at: the repository, the model that is set, and the run that is kept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrodoc.config import load_settings
from retrodoc.progress import Reporter
from retrodoc.reading import read_repository
from retrodoc.store import open_store

if TYPE_CHECKING:
    from retrodoc.planning import Plan


@dataclass(frozen=True, slots=True)
class Foreseen:
    """`plan` is None when no model is set: the outline makes no call."""

    drafter: str
    priced: bool
    free: bool
    entry_points: int
    plan: Plan | None


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
        if settings.llm.provider is None and settings.llm.base_url is None:
            return Foreseen("outline", True, True, len(surface.entry_points), None)
        from retrodoc.ingest.context import read_context
        from retrodoc.llm.setup import choose
        from retrodoc.passes.questions import Material, Questions
        from retrodoc.planning import plan_run

        chosen = choose(settings.llm)
        assert chosen is not None
        store = open_store(folder, runs_folder)
        latest = store.latest()
        known = store.load(latest) if latest else None
        material = Material(reading.sources, surface, read_context(reading.snapshot), settings.language)
        plan = plan_run(chosen, Questions(material, chosen.drafter), material, reading.snapshot, reading.name, known)
        return Foreseen(chosen.drafter, chosen.price is not None, chosen.provider.free, len(surface.entry_points), plan)
