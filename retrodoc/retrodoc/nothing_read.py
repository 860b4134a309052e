"""What is said where no source can be read: what is there instead, so that nobody has to ask again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from retrodoc.errors import RepositoryError
from retrodoc.ingest.classify import Classified
from retrodoc.ingest.names import extension
from retrodoc.publish.wording import counted, plain
from retrodoc_runs.snapshot import Snapshot

MAX_KINDS = 6
"""Kinds of file, and reasons, that are named; the rest is counted."""


def nothing_read(snapshot: Snapshot, classified: Classified) -> RepositoryError:
    """The error for files none of which is source in a language that RetroDoc knows."""
    where = snapshot.root / snapshot.subfolder
    if not classified.files and not classified.unread:
        if snapshot.commit is None:
            return RepositoryError(f"there is no file in {where}", "Name the folder that holds the source.")
        return RepositoryError(
            f"there is no file in {where} at commit {snapshot.commit[:12]}",
            "Commit its files first, or use --worktree to read them as they are.",
        )
    there, mend = [], "`retrodoc doctor` lists the languages."
    if classified.files:
        kinds = _shares(_kind(path) for path in classified.files)
        there.append(f"{counted(len(classified.files), 'file')} in languages that it does not know ({kinds})")
    if classified.unread:
        reasons = _shares(item.reason for item in classified.unread)
        there.append(f"{counted(len(classified.unread), 'path')} left out ({reasons})")
        mend += " `[ingest] include` in retrodoc.toml brings back what was left out, but no secret."
    return RepositoryError(f"no source in a language that RetroDoc knows in {where}: {'; '.join(there)}", mend)


def _kind(path: str) -> str:
    ending = extension(path)
    return plain(f".{ending}" if ending else path.rpartition("/")[2])


def _shares(kinds: Iterable[str]) -> str:
    counts = sorted(Counter(kinds).items(), key=lambda pair: (-pair[1], pair[0]))
    more = [f"{len(counts) - MAX_KINDS:,} other kinds"] if len(counts) > MAX_KINDS else []
    return ", ".join([*(f"{kind} {count:,}" for kind, count in counts[:MAX_KINDS]), *more])
