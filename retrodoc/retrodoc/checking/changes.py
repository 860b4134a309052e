"""Which files a pull request touches: what differs between the checked files and where the base branched off."""

from __future__ import annotations

from dataclasses import dataclass

from retrodoc_runs.errors import RepositoryReadError
from retrodoc_runs.git import Git
from retrodoc_runs.history import touched
from retrodoc_runs.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Changes:
    base: str
    """The commit that is compared with: the merge base where there is one."""
    touched: frozenset[str]
    """Paths on either side, relative to the folder that is checked.

    Whole files and not lines: a line that is added above moves all that is cited below.
    """


def changes_since(base: str, snapshot: Snapshot, git: Git) -> Changes:
    """What changed from `base` to the snapshot. RepositoryReadError when `base` is no commit of this clone."""
    start = _commit(base, git)
    common = git.attempt("merge-base", start, snapshot.commit or "HEAD").stdout.decode("ascii", "replace").strip()
    start = common or start  # a shallow clone may lack the merge base; then the two ends are compared
    files = touched(git, start, snapshot.commit)
    paths = {path for file in files for path in (file.old_path, file.new_path) if path is not None}
    if snapshot.commit is None:
        paths.update(snapshot.changes())  # untracked files are no part of Git's diff
    return Changes(start, frozenset(paths))


def _commit(revision: str, git: Git) -> str:
    done = git.attempt("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    commit = done.stdout.decode("ascii", "replace").strip()
    if done.returncode or not commit:
        raise RepositoryReadError(
            f"--base {revision} names no commit of this clone", "Fetch it: git fetch origin (in CI: fetch-depth: 0)"
        )
    return commit
