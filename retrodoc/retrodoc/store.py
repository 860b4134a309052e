"""Where the runs of a documented folder are, and which one a command means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from retrodoc.errors import RunError, UsageError
from retrodoc.publish.layout import OWN_FOLDER
from retrodoc_runs.errors import RunReadError
from retrodoc_runs.gitsnapshot import locate
from retrodoc_runs.store import RunStore

if TYPE_CHECKING:
    from retrodoc_runs.models import Run


def open_store(folder: Path, runs_folder: Path | None = None) -> RunStore:
    """The store of the documented folder `folder`, or the one that `--runs` names. Nothing is created.

    RunError when that is there and no folder.
    """
    if runs_folder is not None and runs_folder.exists() and not runs_folder.is_dir():
        raise RunError(f"{runs_folder} is not a folder", "Name another one with --runs.")
    return RunStore(runs_folder if runs_folder is not None else folder / OWN_FOLDER / "runs")


def latest_run(store: RunStore, warn: Callable[[str], None]) -> Run | None:
    """The newest run, complete or not, for who can do without: one that cannot be read is told, and counts as none."""
    run_id = store.latest()
    if run_id is None:
        return None
    try:
        return store.load(run_id)
    except RunReadError as error:
        warn(f"{error.message}; it counts as none")
        return None


def read_store(folder: Path, runs_folder: Path | None = None) -> RunStore:
    """The same store for who only reads: where it is not, what was named has at least to be able to have one.

    RunError when `--runs` names no folder, RepositoryReadError when `folder` is in no repository.
    """
    store = open_store(folder, runs_folder)
    if not store.folder.is_dir():
        if runs_folder is not None:
            raise RunError(f"{runs_folder} does not exist", "Name the folder that `retrodoc generate --runs` wrote to.")
        locate(folder)
    return store


def named_run(run_id: str | None, folder: Path, runs_folder: Path | None = None) -> Run:
    """The run of that id, else the newest complete one, else the newest. RunError when there is none.

    One that stopped early would show, or publish, as if the rest of the application were gone.
    """
    return _run_of(read_store(folder, runs_folder), run_id, folder)


def _run_of(store: RunStore, run_id: str | None, folder: Path) -> Run:
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
class Place:
    """Where runs are, which of them is meant (None: the latest), and the folder that it documents."""

    store: RunStore
    run_id: str | None
    folder: Path


def find_place(target: str | None, repo: Path | None = None, runs_folder: Path | None = None) -> Place:
    """What a command names: a run's id, a run's folder, or a documented folder (its latest run).

    Without a target, the latest run of `repo` (default: the current folder). UsageError for a path that is not there,
    and what `read_store` raises.
    """
    named = Path(target) if target else None
    if named is not None and (named / "run.json").is_file():
        folder = named.resolve()
        return Place(RunStore(folder.parent), folder.name, repo or _documented(named))
    if named is not None and named.is_dir():
        folder = repo or _around_own(named)
        return Place(read_store(folder, runs_folder), None, folder)
    if named is not None and (named.exists() or len(named.parts) > 1):
        what = "is no folder" if named.exists() else "does not exist"
        raise UsageError(
            f"{named} {what}", "Name a run's id (`retrodoc runs list`), its folder, or a documented folder."
        )
    folder = repo or Path()
    return Place(read_store(folder, runs_folder), target, folder)


@dataclass(frozen=True, slots=True)
class FoundRun:
    """A run, the store it is in and the folder that it documents."""

    run: Run
    store: RunStore
    folder: Path


def find_run(target: str | None, repo: Path | None = None, runs_folder: Path | None = None) -> FoundRun:
    """The run that `find_place` names; the latest complete one where it names none. RunError when there is none."""
    place = find_place(target, repo, runs_folder)
    return FoundRun(_run_of(place.store, place.run_id, place.folder), place.store, place.folder)


def _documented(run_folder: Path) -> Path:
    """The folder that a run in `.retrodoc/runs` documents; the current one for a run kept elsewhere."""
    own = run_folder.resolve().parent.parent
    return own.parent if own.name == OWN_FOLDER else Path()


def _around_own(folder: Path) -> Path:
    """The documented folder, also of who names `.retrodoc` or the runs in it."""
    for around in (folder, folder.parent):
        if around.name == OWN_FOLDER:
            return around.parent
    return folder
