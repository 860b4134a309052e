"""What TARGET means: a run's id, a run's folder, or a text that others wrote; and which folder its paths start from."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from retrodoc.errors import UsageError
from retrodoc_runs.git import Git
from retrodoc_runs.readers import Reading, ReadStep, read_target
from retrodoc_runs.snapshot import Snapshot

if TYPE_CHECKING:
    from retrodoc_runs.models import Run


@dataclass(frozen=True, slots=True)
class Target:
    """Which text is checked, before it is read against a repository."""

    name: str
    folder: Path
    """The folder that its citations' paths start from, as far as is known."""
    path: Path | None = None
    run: Run | None = None


def find_target(target: str | None, repo: Path | None, runs_folder: Path | None = None) -> Target:
    """The run or the path that a command line names; without a target, the newest run.

    Raises RunError or RunReadError for a run that cannot be read, UsageError for what is neither run nor path.
    """
    here = repo or Path()
    if target is None:
        run = _named_run(None, here, runs_folder)
        return Target(run.id, here, run=run)
    path = Path(target)
    if (path / "run.json").is_file():
        from retrodoc_runs.store import RunStore

        run = RunStore(path.absolute().parent).load(path.absolute().name)
        return Target(target, repo or _owner(path), run=run)
    if _exists(path):
        return Target(target, repo or _repository_around(path), path=path)
    if not _looks_like_id(target):
        raise UsageError(
            f"{target} does not exist", "Name a run, a run's folder, a YAML list of use cases, or Markdown."
        )
    return Target(target, here, run=_named_run(target, here, runs_folder))


def _named_run(run_id: str | None, folder: Path, runs_folder: Path | None) -> Run:
    from retrodoc.store import named_run  # the store and the models of a whole run, which texts do without

    return named_run(run_id, folder, runs_folder)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _looks_like_id(target: str) -> bool:
    return not any(character in target for character in "/\\\0") and Path(target).suffix.lower() not in (
        ".md",
        ".markdown",
        ".yaml",
        ".yml",
        ".json",
    )


def _owner(run_folder: Path) -> Path:
    """Whose run it is: the folder that holds `.retrodoc/runs/<id>`, else the current one."""
    from retrodoc.publish.layout import OWN_FOLDER

    own = run_folder.absolute().parent.parent
    return own.parent if own.name == OWN_FOLDER else Path()


def _repository_around(path: Path) -> Path:
    """The top of the repository that a text lies in, since its paths start from there; else the current folder."""
    start = path if path.is_dir() else path.parent
    for folder in (Path(os.path.realpath(start)), *Path(os.path.realpath(start)).parents):
        if (folder / ".git").exists():
            return folder
    return Path()


def repository_name(snapshot: Snapshot, git: Git) -> str:
    """Of the `origin` remote, such as `github.com/acme/shop`; else the folder's name."""
    url = git.attempt("config", "--get", "remote.origin.url").stdout.decode("utf-8", "replace")
    if not url.strip():
        return snapshot.root.name
    from retrodoc_runs.readers.forges import repository_of_remote

    return repository_of_remote(url) or snapshot.root.name


def read_text(path: Path, folder: Path, snapshot: Snapshot, repository: str) -> Reading:
    """A text that others wrote, read against the repository's files. Raises ReadError."""
    return read_target(path, base=folder, exists=snapshot.__contains__, repository=repository)


def read_run(run: Run) -> Reading:
    """A run's steps in the form that texts have."""
    steps = tuple(
        ReadStep(use_case=use_case.slug, step=step, page="", line=0)
        for use_case in run.use_cases
        for step in use_case.steps
    )
    return Reading(
        kind="run",
        steps=steps,
        names={use_case.slug: use_case.name for use_case in run.use_cases},
        empty_use_cases=tuple(use_case.slug for use_case in run.use_cases if not use_case.steps),
        entities=tuple(dict.fromkeys(entity.name for entity in run.entities)),
        commit=run.commit,
        subfolder=run.subfolder,
        run=run.id,
    )
