"""Which pages are written, kept or removed: what a person edited is never overwritten silently.

The manifest (`docs/_retrodoc/manifest.json`) holds the hash of each page as we wrote it (line ends normalised, since
Git may change them). A page on disk with another hash was edited: it stays, and is reported. Everything new is first
written beside its place, so that a full disk leaves the old pages whole; then each page is moved in at once.
"""

from __future__ import annotations

import difflib
import errno
import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from retrodoc.errors import OutputError
from retrodoc.publish.layout import Layout


@dataclass(frozen=True, slots=True)
class WritePlan:
    """What publishing would do. Paths are relative to `root`, sorted; each is in one group only."""

    root: Path
    pages: Mapping[str, bytes]
    created: tuple[str, ...]
    changed: tuple[str, ...]
    unchanged: tuple[str, ...]
    kept: tuple[str, ...]
    """Edited by a person, or not written by us: left as they are."""
    removed: tuple[str, ...]
    """Written by us for an earlier run, and not part of this one."""
    manifest: Mapping[str, tuple[str, ...]]
    """As it is on disk: the hashes that are known to be ours."""
    layout: Layout

    @property
    def does_nothing(self) -> bool:
        return not (self.created or self.changed or self.removed)

    def diff(self) -> str:
        """What would change, as a unified diff; empty when nothing would."""
        parts = [_diff(path, self._old(path), self.pages[path]) for path in sorted(self.created + self.changed)]
        parts += [_diff(path, self._old(path), None) for path in self.removed]
        return "".join(parts)

    def _old(self, path: str) -> bytes | None:
        return _read(self.root, path)


def plan_pages(
    root: Path, pages: Mapping[str, bytes], *, force: bool = False, layout: Layout | None = None
) -> WritePlan:
    """Compare `pages` (path relative to `root` to content) with what is on disk; nothing is written.

    `force` overwrites edited pages too; it removes none. Raises `OutputError` for a place that cannot be written to
    safely: a folder on the way that is a symbolic link, or a folder where a page should be.
    """
    layout = layout or Layout()
    _check_place(root, layout.manifest)
    manifest = _load_manifest(root, layout)
    groups: dict[str, list[str]] = {name: [] for name in ("created", "changed", "unchanged", "kept", "removed")}
    for path, content in sorted(pages.items()):
        _check_place(root, path)
        old = _read(root, path)
        if old is None:
            groups["created"].append(path)
        elif _same(old, content):
            groups["unchanged"].append(path)
        elif force or _digest(old) in manifest.get(path, ()):
            groups["changed"].append(path)
        else:
            groups["kept"].append(path)
    for path in sorted(manifest.keys() - pages.keys()):
        old = _read(root, path) if _is_ours_to_remove(root, path, layout) else None
        if old is not None:
            groups["removed" if _digest(old) in manifest[path] else "kept"].append(path)
    grouped = {name: tuple(paths) for name, paths in groups.items()}
    return WritePlan(root, pages, manifest=manifest, layout=layout, **grouped)


def write_pages(plan: WritePlan) -> None:
    """Carry out a plan. Raises `OutputError` when the disk is full or forbids it; pages are then as they were.

    Killed at any moment, the pages on disk are whole, and the next run knows them all as ours.
    """
    wanted = _manifest_after(plan)
    if plan.does_nothing and wanted == plan.manifest:
        return
    root, staging = plan.root, plan.root / plan.layout.staging
    saved = root / plan.layout.manifest
    made: list[Path] = []
    try:
        try:
            shutil.rmtree(staging, ignore_errors=True)
            _make_folders(staging, made)
            staged = _stage(plan, staging, made)
            both = {path: (*plan.manifest.get(path, ()), *hashes) for path, hashes in wanted.items()}
            _save_manifest(saved, {**plan.manifest, **both}, staging)
        except OSError as error:
            _undo(made)
            raise _cannot_write(error, root) from error
        try:
            for path, source in staged:
                source.replace(root / path)
            for path in plan.removed:
                (root / path).unlink(missing_ok=True)
                _remove_empty_folders(root, path)
            _save_manifest(saved, wanted, staging)
        except OSError as error:
            raise _cannot_write(error, root) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _stage(plan: WritePlan, staging: Path, made: list[Path]) -> list[tuple[str, Path]]:
    """Write what is new beside its place, and make the folders that it goes to.

    Not synchronised with the disk page by page, which takes longer than all the rest: the run can write them again.
    """
    staged = []
    for number, path in enumerate((*plan.created, *plan.changed)):
        _make_folders((plan.root / path).parent, made)
        source = staging / str(number)
        source.write_bytes(plan.pages[path])
        staged.append((path, source))
    return staged


def _make_folders(folder: Path, made: list[Path]) -> None:
    """As `mkdir -p`; adds each folder that was not there to `made`, outermost first."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for new in reversed(missing):
        new.mkdir()
        made.append(new)


def _undo(made: Iterable[Path]) -> None:
    for folder in reversed(list(made)):
        shutil.rmtree(folder, ignore_errors=True)


def _remove_empty_folders(root: Path, path: str) -> None:
    for folder in PurePosixPath(path).parents:
        if str(folder) == ".":
            return
        try:
            (root / folder).rmdir()
        except OSError:
            return


def _cannot_write(error: OSError, root: Path) -> OutputError:
    where = error.filename or root
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return OutputError(f"the disk is full: no page could be written under {root}", "Free some room and run again.")
    mend = "Name another folder with --out." if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS) else ""
    return OutputError(f"cannot write {where}: {error.strerror}", mend)


def _check_place(root: Path, path: str) -> None:
    """A page goes into real folders under `root`: a link in the way would lead what we write somewhere else."""
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts:
        raise OutputError(f"{path} is no place for a page")
    for part in (*reversed(pure.parents), pure):
        place = root / part
        if str(part) != "." and place.is_symlink():
            raise OutputError(f"{place} is a symbolic link", "Remove it, or name another folder with --out.")
    if (root / path).is_dir():
        raise OutputError(f"{root / path} is a folder, and a page of that name is to be written")


def _is_ours_to_remove(root: Path, path: str, layout: Layout) -> bool:
    """The manifest is a file of the repository: what it names is removed only where we write pages."""
    pure = PurePosixPath(path)
    if not layout.holds(path) or ".." in pure.parts:
        return False
    return not any((root / part).is_symlink() for part in (*pure.parents, pure) if str(part) != ".")


def _read(root: Path, path: str) -> bytes | None:
    try:
        return (root / path).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise OutputError(f"cannot read {root / path}: {error.strerror}") from error


def _normalised(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n")


def _same(old: bytes, new: bytes) -> bool:
    return old == new or _normalised(old) == _normalised(new)


def _digest(content: bytes) -> str:
    return hashlib.sha256(_normalised(content)).hexdigest()


def _diff(path: str, old: bytes | None, new: bytes | None) -> str:
    before, after = ("" if content is None else content.decode("utf-8", "replace") for content in (old, new))
    lines = difflib.unified_diff(
        before.splitlines(keepends=True),
        after.splitlines(keepends=True),
        "/dev/null" if old is None else f"a/{path}",
        "/dev/null" if new is None else f"b/{path}",
    )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


# -- the manifest


def _manifest_after(plan: WritePlan) -> dict[str, tuple[str, ...]]:
    """Each page of ours with one hash; a kept page keeps what we knew of it, so that it stays an edited one."""
    ours = (*plan.created, *plan.changed, *plan.unchanged)
    after: dict[str, tuple[str, ...]] = {path: (_digest(plan.pages[path]),) for path in ours}
    after |= {path: plan.manifest[path] for path in plan.kept if path in plan.manifest}
    return dict(sorted(after.items()))


def _load_manifest(root: Path, layout: Layout) -> dict[str, tuple[str, ...]]:
    """Empty when it is missing or damaged: then no page counts as ours, and none is overwritten without `force`."""
    content = _read(root, layout.manifest)
    if content is None:
        return {}
    try:
        pages = json.loads(content)["pages"]
        return {
            str(path): tuple(str(known) for known in ([hashes] if isinstance(hashes, str) else hashes))
            for path, hashes in pages.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _save_manifest(place: Path, manifest: Mapping[str, tuple[str, ...]], staging: Path) -> None:
    pages = {path: hashes[0] if len(hashes) == 1 else list(dict.fromkeys(hashes)) for path, hashes in manifest.items()}
    text = json.dumps({"format": 1, "pages": dict(sorted(pages.items()))}, indent=1, ensure_ascii=False) + "\n"
    source = staging / "manifest"
    source.write_bytes(text.encode())
    source.replace(place)
