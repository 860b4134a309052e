"""Which files a pull request touches: what differs between the checked files and where the base branched off."""

from __future__ import annotations

from dataclasses import dataclass

from retrodoc_runs.errors import RepositoryReadError
from retrodoc_runs.git import Git
from retrodoc_runs.paths import readable_name
from retrodoc_runs.snapshot import Snapshot

_SAFE = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--find-renames", "--name-status", "-z")


@dataclass(frozen=True, slots=True)
class Changes:
    base: str
    """The commit that is compared with: the merge base where there is one."""
    touched: frozenset[str]
    """Paths on either side, relative to the folder that is checked."""


def changes_since(base: str, snapshot: Snapshot, git: Git) -> Changes:
    """What changed from `base` to the snapshot. RepositoryReadError when `base` is no commit of this clone."""
    start = _commit(base, git)
    head = snapshot.commit or "HEAD"
    common = git.attempt("merge-base", start, head).stdout.decode("ascii", "replace").strip()
    start = common or start  # a shallow clone may lack the merge base; then the two ends are compared
    ends = [start, snapshot.commit] if snapshot.commit else [start]
    listed = git.without_filters().run("diff", *_SAFE, "--relative", *ends, "--", ".")
    touched = set(_paths(listed))
    if snapshot.commit is None:
        touched.update(snapshot.changes())  # untracked files are no part of Git's diff
    return Changes(start, frozenset(touched))


def _commit(revision: str, git: Git) -> str:
    done = git.attempt("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    commit = done.stdout.decode("ascii", "replace").strip()
    if done.returncode or not commit:
        raise RepositoryReadError(
            f"--base {revision} names no commit of this clone", "Fetch it: git fetch origin (in CI: fetch-depth: 0)"
        )
    return commit


def _paths(listed: bytes) -> list[str]:
    fields = listed.split(b"\0")
    paths: list[str] = []
    position = 0
    while position + 1 < len(fields):
        count = 2 if fields[position][:1] in (b"R", b"C") else 1
        paths += [readable_name(raw) for raw in fields[position + 1 : position + 1 + count]]
        position += 1 + count
    return paths
