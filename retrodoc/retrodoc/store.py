"""Where the runs of a documented folder are, and which one a command means."""

from __future__ import annotations

from pathlib import Path

from retrodoc.errors import RunError
from retrodoc_runs.models import Run
from retrodoc_runs.store import RunStore

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
    """The run of that id, else the newest one. RunError when there is none."""
    store = open_store(folder, runs_folder)
    wanted = run_id or store.latest()
    if wanted is None:
        raise RunError(f"no run in {store.folder}", f"Write one: retrodoc generate {folder}")
    return store.load(wanted)
