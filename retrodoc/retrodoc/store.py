"""Where the runs of a documented folder are, and which one a command means."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from retrodoc.errors import RunError
from retrodoc_runs.store import RunStore

if TYPE_CHECKING:
    from retrodoc_runs.models import Run

OWN_FOLDER = ".retrodoc"


def open_store(folder: Path, runs_folder: Path | None = None) -> RunStore:
    """The store of the documented folder `folder`, or the one that `--runs` names. Nothing is created."""
    return RunStore(runs_folder if runs_folder is not None else folder / OWN_FOLDER / "runs")


def latest_run(folder: Path, runs_folder: Path | None = None) -> Run | None:
    """The newest run, complete or not; None when there is none. RunReadError when it cannot be read."""
    store = open_store(folder, runs_folder)
    run_id = store.latest()
    return store.load(run_id) if run_id else None


def named_run(run_id: str | None, folder: Path, runs_folder: Path | None = None) -> Run:
    """The run of that id, else the newest complete one, else the newest. RunError when there is none.

    One that stopped early would show, or publish, as if the rest of the application were gone.
    """
    store = open_store(folder, runs_folder)
    if run_id:
        return store.load(run_id)
    newest = None
    for one in reversed(store.ids()):
        run = store.load(one)
        newest = newest or run
        if run.complete:
            return run
    if newest is None:
        raise RunError(f"there is no run in {store.folder}", f"Write one: retrodoc generate {folder}")
    return newest


@dataclass(frozen=True, slots=True)
class FoundRun:
    """A run, the store it is in and the folder that it documents."""

    run: Run
    store: RunStore
    folder: Path


def find_run(target: str | None, repo: Path | None = None, runs_folder: Path | None = None) -> FoundRun:
    """The run that a command means: an id, a run's folder, or a documented folder (its latest run).

    Without a target, the latest run of `repo` (default: the current folder). RunError when there is none.
    """
    named = Path(target) if target else None
    if named is not None and (named / "run.json").is_file():
        store = RunStore(named.resolve().parent)
        return FoundRun(store.load(named.resolve().name), store, repo or _documented(named))
    if named is not None and named.is_dir():
        repo, target = repo or named, None
    folder = repo or Path()
    return FoundRun(named_run(target, folder, runs_folder), open_store(folder, runs_folder), folder)


def _documented(run_folder: Path) -> Path:
    """The folder that a run in `.retrodoc/runs` documents; the current one for a run kept elsewhere."""
    own = run_folder.resolve().parent.parent
    return own.parent if own.name == OWN_FOLDER else Path()
