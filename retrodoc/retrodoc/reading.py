"""One look at a repository: which commit, which files are read as source and which are not, and a hash of it all."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from retrodoc.changed import sources_differ
from retrodoc.config import Settings
from retrodoc.ingest.classify import Classified, classify
from retrodoc.ingest.sources import Sources
from retrodoc.nothing_read import nothing_read
from retrodoc.progress import Reporter
from retrodoc.publish.layout import Layout
from retrodoc_runs.models import Unread
from retrodoc_runs.snapshot import Snapshot, open_snapshot

if TYPE_CHECKING:
    from retrodoc.surface import Surface
    from retrodoc_chunkers import Syntax


@dataclass(frozen=True)
class Reading:
    """What was read. `sources` holds every file that is read as source."""

    snapshot: Snapshot
    classified: Classified
    sources: Sources
    name: str
    dirty: bool
    reporter: Reporter
    _surface: list[Surface] = field(default_factory=list)

    @property
    def commit(self) -> str | None:
        return self.snapshot.commit

    @property
    def unread(self) -> tuple[Unread, ...]:
        """What was left out, and what turned out to be unreadable as code when it was parsed."""
        given_up = tuple(Unread(path=path, reason="not-parsed") for path in sorted(self.sources.abandoned))
        return self.classified.unread + given_up

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hex) over the paths and bytes of the sources."""
        digest = hashlib.sha256()
        for path in self.sources.paths:
            data = self.sources.data(path)
            digest.update(f"{path}\0{len(data)}\0".encode("utf-8", "surrogateescape"))
            digest.update(data)
        return digest.hexdigest()

    def syntax(self, data: bytes, path: str) -> Syntax:
        """What was parsed already, for whoever reads the same bytes again."""
        if path in self.sources and self.sources.data(path) == data:
            return self.sources.syntax(path)
        from retrodoc_chunkers import syntax_of

        return syntax_of(data, path)

    def surface(self) -> Surface:
        """Entry points and entities; found once."""
        if not self._surface:
            from retrodoc.surface import read_surface, rule_count

            with self.reporter.stage("asking rules what is exposed", rule_count()) as advance:
                self._surface.append(read_surface(self.sources, advance))
        return self._surface[0]


@contextmanager
def read_repository(
    folder: Path, settings: Settings, *, worktree: bool = False, reporter: Reporter
) -> Iterator[Reading]:
    """Open the repository around `folder` and read its sources.

    RepositoryReadError or RepositoryError when there is nothing to read.
    """
    with open_snapshot(folder, None if worktree else "HEAD", worktree=worktree) as snapshot:
        layout = Layout(settings.output.folder)
        classified = _without_own_pages(classify(snapshot, settings.ingest), layout)
        dirty = not worktree and sources_differ(snapshot, layout)
        if dirty:
            reporter.note(
                f"The work tree differs from commit {(snapshot.commit or '')[:12]}, which is what is read "
                "(--worktree reads the files as they are)."
            )
        sources = Sources(classified.files, classified.unread)
        if not any(sources.language(path) for path in sources.paths):
            raise nothing_read(snapshot, classified)
        yield Reading(snapshot, classified, sources, _name(snapshot, folder), dirty, reporter)


def _without_own_pages(classified: Classified, layout: Layout) -> Classified:
    """What we write next to our pages carries no mark of ours: the manifest, llms.txt."""
    own = [path for path in classified.files if layout.holds(path)]
    files = {path: data for path, data in classified.files.items() if path not in own}
    unread = (*classified.unread, *(Unread(path=path, reason="own-page") for path in own))
    return Classified(files, tuple(sorted(unread, key=lambda item: item.path)))


def _name(snapshot: Snapshot, folder: Path) -> str:
    if snapshot.subfolder:
        return snapshot.subfolder.rsplit("/", 1)[-1]
    return snapshot.root.name or folder.resolve().name
