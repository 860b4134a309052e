"""What ties a citation to its text: the hash of the cited lines and the definition around them, computed by code."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from retrodoc.ingest.sources import Sources
from retrodoc_runs.lines import split_lines
from retrodoc_runs.models import SourceRef, UseCase


class Anchors:
    """Fills `text_hash` and `enclosing` of citations; each file is split once."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._lines: dict[str, list[bytes]] = {}

    def use_case(self, use_case: UseCase) -> UseCase:
        """The same use case with every citation anchored; one of a file that is not there stays as it is."""
        steps = tuple(
            replace(step, source_refs=tuple(self._ref(ref) for ref in step.source_refs)) for step in use_case.steps
        )
        return replace(use_case, steps=steps)

    def _ref(self, ref: SourceRef) -> SourceRef:
        if ref.path not in self._sources or ref.start_line is None or ref.end_line is None:
            return ref
        if ref.path not in self._lines:
            self._lines[ref.path] = split_lines(self._sources.data(ref.path))
        lines = self._lines[ref.path][max(ref.start_line, 1) - 1 : ref.end_line]
        digest = hashlib.sha256(b"\n".join(lines)).hexdigest()
        return replace(ref, text_hash=digest, enclosing=self._enclosing(ref))

    def _enclosing(self, ref: SourceRef) -> str | None:
        if self._sources.language(ref.path) is None:
            return None
        around = [
            definition
            for definition in self._sources.syntax(ref.path).enclosing(ref.start_line or 1)
            if definition.end_line >= (ref.end_line or 1)
        ]
        return around[-1].qualified_name if around else None
