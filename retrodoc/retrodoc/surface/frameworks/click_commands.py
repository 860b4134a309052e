"""Decides which commands a Click program has, those that hang on Flask's `app.cli` included."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from retrodoc.surface.python.commands import NEEDLE, collect
from retrodoc.surface.python.modules import project_of
from retrodoc.surface.python.scripts import Scripts
from retrodoc_runs.models import EntryPoint

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    """Each command once for every command line that reaches it."""
    project = project_of(sources)
    if not project.containing(NEEDLE):
        return ()
    return collect(project, Scripts(sources, project), "click")
