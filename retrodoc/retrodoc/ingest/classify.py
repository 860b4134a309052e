"""Which files are read as source, and why each other one is not.

A wrong exclusion is worse than a missing one: what is left out is listed with its reason, and `[ingest] include`
brings it back. What may hold a secret, and RetroDoc's own pages, are never read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from retrodoc.ingest.content import reason_to_leave_out
from retrodoc.ingest.folders import Tree, compiled_files, foreign_folders, is_library_file
from retrodoc.ingest.ignore import IGNORE_FILE, ignore_lines, nothing, path_matcher
from retrodoc.ingest.names import (
    ASSET_EXTENSIONS,
    BINARY_EXTENSIONS,
    extension,
    is_generated_name,
    is_migration,
    is_minified_name,
    is_secret,
    is_test,
)
from retrodoc.ingest.settings import IngestSettings
from retrodoc_runs.models import Unread
from retrodoc_runs.snapshot import Snapshot

__all__ = ["Classified", "IngestSettings", "classify", "is_migration", "is_secret", "is_test"]

Reason = Callable[[str], str | None]

_COLLAPSED = frozenset({"vendored", "generated", "minified", "binary", "asset", "ignored", "own-page"})
"""Reasons that a whole folder can share; each file of another reason is named on its own."""


@dataclass(frozen=True, slots=True)
class Classified:
    """What is read, and what is not."""

    files: Mapping[str, bytes]
    """Path to content, in order of path: program text, templates, configuration, documents, in any language."""
    unread: tuple[Unread, ...]
    """In order of path. A folder that is left out as a whole is one entry, its path ending in a slash."""


def classify(snapshot: Snapshot, settings: IngestSettings | None = None) -> Classified:
    """Read the source files of a snapshot.

    Reasons: `ignored` (by the user), `secret`, `submodule`, `broken-link`, `link-outside`, `link`, `vendored`,
    `generated`, `minified`, `binary`, `asset`, `lfs-pointer`, `own-page`, `oversized`, `unreadable` (the system
    refuses, or it went meanwhile). Raises ConfigError for a pattern that is none.
    """
    settings = settings or IngestSettings()
    included = path_matcher(settings.include, "[ingest] include")
    left_out = {f"{path}/": "submodule" for path in snapshot.submodules}
    candidates = _sift(snapshot.paths, _reason_for_user(snapshot, settings), left_out, nothing)
    kept = _sift(candidates, _reason_by_name(candidates), left_out, included)
    files = _read(snapshot, kept, left_out, included, settings.max_file_bytes)
    return Classified(files, _listed(left_out, snapshot.paths))


def _sift(
    paths: Sequence[str], reason_of: Reason, left_out: dict[str, str], included: Callable[[str], bool]
) -> list[str]:
    kept = []
    for path in paths:
        reason = reason_of(path)
        if reason is None or (reason != "binary" and included(path)):
            kept.append(path)
        else:
            left_out[path] = reason
    return kept


def _reason_for_user(snapshot: Snapshot, settings: IngestSettings) -> Reason:
    """What the user asked for, and what is never read whatever the user asks."""
    ignored = path_matcher(ignore_lines(snapshot.read_setting(IGNORE_FILE)), IGNORE_FILE)
    excluded = path_matcher(settings.exclude, "[ingest] exclude")

    def reason(path: str) -> str | None:
        if path.startswith(".retrodoc/") or "/.retrodoc/" in path:
            return "own-page"
        if ignored(path) or excluded(path):
            return "ignored"
        if snapshot.kind(path) == "symlink":
            return _reason_of_link(snapshot, path)
        return "secret" if is_secret(path) else None

    return reason


def _reason_of_link(snapshot: Snapshot, path: str) -> str:
    end = snapshot.resolve(path).end
    return {"outside": "link-outside", "missing": "broken-link", "loop": "broken-link"}.get(end, "link")


def _reason_by_name(paths: Sequence[str]) -> Reason:
    """What the names of a file and of its folders say, and what is beside it."""
    foreign = foreign_folders(Tree(paths))
    compiled = compiled_files(paths)

    def reason(path: str) -> str | None:
        folder = path.rpartition("/")[0]
        while folder and foreign:
            if folder in foreign:
                return foreign[folder]
            folder = folder.rpartition("/")[0]
        ending = extension(path)
        if ending in BINARY_EXTENSIONS:
            return "binary"
        if path in compiled or is_generated_name(path):
            return "generated"
        if is_library_file(path):
            return "vendored"
        if is_minified_name(path):
            return "minified"
        return "asset" if ending in ASSET_EXTENSIONS else None

    return reason


def _read(
    snapshot: Snapshot, paths: Sequence[str], left_out: dict[str, str], included: Callable[[str], bool], max_bytes: int
) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    small = [path for path in paths if not included(path)]
    wanted = [path for path in paths if included(path)]
    for group, bound in ((small, max_bytes), (wanted, None)):
        seen = set()
        for path, data in snapshot.read_many(group, bound):
            seen.add(path)
            reason = reason_to_leave_out(data, path, extension(path))
            if reason is None or (reason not in ("binary", "secret", "own-page") and bound is None):
                files[path] = data
            else:
                left_out[path] = reason
        for path in group:
            if path not in seen:
                too_large = snapshot.size(path) > (max_bytes if bound is None else bound)
                left_out[path] = "oversized" if too_large else "unreadable"
    return dict(sorted(files.items()))


def _listed(left_out: Mapping[str, str], paths: Sequence[str]) -> tuple[Unread, ...]:
    """One entry a file, or one for the largest folder all of whose files share a reason."""
    shared: dict[str, str | None] = {}
    counts: dict[str, int] = {}
    for path in paths:
        reason = left_out.get(path)
        for folder in _folders_of(path):
            counts[folder] = counts.get(folder, 0) + 1
            shared[folder] = reason if counts[folder] == 1 or shared[folder] == reason else None
    entries: dict[str, str] = {}
    for path, reason in left_out.items():
        whole = next((f for f in _folders_of(path) if shared.get(f) == reason and counts[f] > 1), None)
        entries[f"{whole}/" if whole and reason in _COLLAPSED else path] = reason
    return tuple(Unread(path=path, reason=reason) for path, reason in sorted(entries.items()))


def _folders_of(path: str) -> Iterator[str]:
    """Outermost first."""
    end = path.find("/")
    while end >= 0:
        yield path[:end]
        end = path.find("/", end + 1)
