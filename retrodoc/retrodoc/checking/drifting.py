"""What became of each citation: followed from the commit that it was written for, or by the hash that it carries."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Mapping

from retrodoc.checking.commits import Commits
from retrodoc_checks.drift import CitationDrift, Drift, DriftStatus
from retrodoc_runs.errors import RepositoryReadError
from retrodoc_runs.git import Git
from retrodoc_runs.history import renames
from retrodoc_runs.steps import SourceRef


class Follower:
    """Follows citations to the checked files. Each pair of commits is compared once."""

    def __init__(self, commits: Commits, git: Git) -> None:
        self._commits = commits
        self._git = git
        self._drifts: dict[str | None, Drift] = {}
        self._lines: dict[str, list[bytes] | None] = {}

    def from_commit(self, ref: SourceRef, commit: str | None) -> CitationDrift | None:
        """From a commit, or (None) from the hash of the cited text that the citation carries.

        None when neither is known, or the clone lacks the commit.
        """
        if commit is None and ref.text_hash is None:
            return None
        if commit not in self._drifts:
            before = None if commit is None else self._commits.at(commit)
            if commit is not None and before is None:
                return None
            files = None if before is None else before.files
            self._drifts[commit] = Drift(files, self._commits.checked, lambda: self._renames(commit))
        return self._drifts[commit].of(ref)

    def _renames(self, before: str | None) -> Mapping[str, str]:
        if before is None:
            return {}
        try:
            return renames(self._git, before, self._commits.checked.commit)
        except RepositoryReadError:  # a partial clone may lack the trees that are compared
            return {}

    def from_claim(self, ref: SourceRef, sha256: str) -> CitationDrift:
        """From the hash of an OpenWiki claim: of the lines with their ends, or of the whole file."""
        path = posixpath.normpath(ref.path)
        if path not in self._lines:
            content = self._commits.checked.read(path)
            self._lines[path] = None if content is None else _LINE.findall(content)
        lines = self._lines[path]
        if lines is None:
            return CitationDrift(DriftStatus.GONE)
        if ref.start_line is None or ref.end_line is None:
            return CitationDrift(DriftStatus.SAME if _digest(lines) == sha256 else DriftStatus.CHANGED)
        start, length = ref.start_line, ref.end_line - ref.start_line + 1
        if start >= 1 and _digest(lines[start - 1 : start - 1 + length]) == sha256:
            return CitationDrift(DriftStatus.SAME)
        places = [
            at + 1
            for at in range(len(lines) - length + 1)
            if 0 < length <= len(lines) and _digest(lines[at : at + length]) == sha256
        ]
        if len(places) == 1:
            return CitationDrift(DriftStatus.MOVED, None, (places[0], places[0] + length - 1))
        return CitationDrift(DriftStatus.CHANGED)


_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


def _digest(lines: list[bytes]) -> str:
    return hashlib.sha256(b"".join(lines)).hexdigest()
