"""Which differences of the work tree are differences of what is read: our own pages, wherever written, are none."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath

from retrodoc.publish.layout import OWN_FOLDER, Layout
from retrodoc_runs.snapshot import Snapshot

_BESIDE_PAGES = Layout("")
"""As pages lie in the folder that holds them: it is known by its manifest, whatever it is called."""
MAX_DEPTH = 3
"""Folders that `output.folder` may go down, for its llms.txt to be known from the folder above."""


def sources_differ(snapshot: Snapshot, layout: Layout | None = None, aside: Collection[str] = ()) -> bool:
    """Whether the work tree differs from HEAD in anything but what we wrote, and the files in `aside`.

    `layout` is where the settings say that pages go, so that pages which were deleted are known as well.
    """
    folder = snapshot.root / snapshot.subfolder
    changed = (name for path in snapshot.changes() for name in _files(folder, path))
    return any(name not in aside and not _is_own(folder, name, layout) for name in changed)


def _files(folder: Path, path: str) -> Iterator[str]:
    """Git names an untracked folder by itself alone."""
    if not path.endswith("/"):
        yield path
        return
    for found in (folder / path).rglob("*"):
        if not found.is_dir():
            yield found.relative_to(folder).as_posix()


def _is_own(folder: Path, path: str, layout: Layout | None) -> bool:
    parts = PurePosixPath(path).parts
    if OWN_FOLDER in parts or (layout is not None and layout.holds(path)):
        return True
    if parts[-1] == _BESIDE_PAGES.llms:  # it is written above the folder of the pages, or with --out in it
        above = (folder / path).parent
        return any(next(above.glob(f"{'*/' * depth}{_BESIDE_PAGES.manifest}"), None) for depth in range(MAX_DEPTH))
    return any(
        _BESIDE_PAGES.holds("/".join(parts[at:])) and folder.joinpath(*parts[:at], _BESIDE_PAGES.manifest).is_file()
        for at in range(len(parts) - 1)
    )
