"""Which files a commit or a work tree holds, and how their bytes are reached through Git."""

from __future__ import annotations

import contextlib
import os
import shlex
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from retrodoc_runs.checkout import Checkout
from retrodoc_runs.errors import ObjectMissingError, RepositoryReadError
from retrodoc_runs.git import Git
from retrodoc_runs.objects import WINDOW_OBJECTS, ObjectReader
from retrodoc_runs.paths import Kind, is_safe, readable_name
from retrodoc_runs.snapshot import MAX_READ_BYTES, Snapshot

_KIND_OF_MODE: dict[bytes, Kind] = {b"100": "file", b"120": "symlink", b"160": "submodule"}


@dataclass(frozen=True, slots=True)
class Location:
    """Where a folder is in its repository."""

    git: Git
    root: Path
    """The nearest folder around it whose `.git` is the repository's; the Git folder itself when there is none."""
    subfolder: str
    bare: bool
    """True when it has no work tree of its own."""
    shallow: bool


def locate(repo: Path) -> Location:
    """The repository around a folder. RepositoryReadError when there is none, or the folder does not exist."""
    if not repo.is_dir():
        what = "is not a folder" if repo.exists() else "does not exist"
        raise RepositoryReadError(f"{repo} {what}", "Name the folder of a Git repository.")
    git = Git(repo)
    shallow, git_folder = git.run("rev-parse", "--is-shallow-repository", "--absolute-git-dir").split(b"\n", 1)
    folder = Path(os.path.realpath(repo))
    own = Path(os.path.realpath(os.fsdecode(git_folder.removesuffix(b"\n"))))
    root = next((above for above in (folder, *folder.parents) if _is_git_folder_of(above, own)), None)
    subfolder = "" if root is None or root == folder else folder.relative_to(root).as_posix()
    return Location(git, root or own, subfolder, root is None, shallow == b"true")


def _is_git_folder_of(folder: Path, git_folder: Path) -> bool:
    """Whether `folder/.git` is, or names, that Git folder."""
    dot_git = folder / ".git"
    if dot_git.is_dir():
        return Path(os.path.realpath(dot_git)) == git_folder
    with contextlib.suppress(OSError):
        text = dot_git.read_bytes()
        if text.startswith(b"gitdir:"):
            named = os.fsdecode(text.removeprefix(b"gitdir:").strip())
            return Path(os.path.realpath(folder / named)) == git_folder
    return False


def open_commit(repo: Path, revision: str) -> Snapshot:
    """The files of a commit."""
    location = locate(repo)
    reader = ObjectReader(location.git, MAX_READ_BYTES)
    commit = reader.commit_of(revision)
    if commit is None:
        reader.close()
        raise _no_such_commit(location, revision)
    return CommitSnapshot(location, commit, reader)


def open_worktree(repo: Path) -> Snapshot:
    """The files of the work tree: tracked ones as they are on disk, and untracked ones that are not ignored."""
    location = locate(repo)
    if location.bare:
        raise RepositoryReadError(f"{repo} is a bare repository: it has no work tree", "Read a commit instead.")
    if not _has_own_worktree(location):
        raise RepositoryReadError(
            f"the Git configuration of {location.root} says that its work tree is another folder",
            "Read a commit instead, or mend core.worktree in its configuration.",
        )
    return WorktreeSnapshot(location)


def _has_own_worktree(location: Location) -> bool:
    """A hostile `core.worktree` could make any folder of the disk look like this repository's files."""
    if location.bare:
        return False
    top = location.git.attempt("rev-parse", "--show-toplevel").stdout.removesuffix(b"\n")
    return Path(os.path.realpath(os.fsdecode(top))) == location.root if top else False


def _no_such_commit(location: Location, revision: str) -> RepositoryReadError:
    if revision == "HEAD":
        return RepositoryReadError(f"{location.root} has no commit yet", "Commit its files first, or use --worktree.")
    if location.shallow:
        depth = location.git.attempt("rev-list", "--count", "HEAD").stdout.decode("ascii", "replace").strip()
        return RepositoryReadError(
            f"commit {revision} is not in {location.root}: a shallow clone of fetch depth {depth or 'unknown'}",
            "Fetch the rest: git fetch --unshallow (in CI: fetch-depth: 0)",
        )
    return RepositoryReadError(
        f"{revision} names no commit of {location.root}", "Fetch it, or name a branch, a tag or a full commit id."
    )


class _GitSnapshot(Snapshot):
    """What a commit and a work tree share: the repository around them, and HEAD's differences."""

    def __init__(self, location: Location) -> None:
        self.location = location
        self.root = location.root
        self.subfolder = location.subfolder
        self.shallow = location.shallow
        self._changes: tuple[str, ...] | None = None

    @property
    def git(self) -> Git:
        """See Snapshot.git."""
        return self.location.git

    def read_setting(self, name: str) -> bytes | None:
        """See Snapshot.read_setting."""
        if not self.location.bare:
            on_disk = read_regular(str(self.root / self.subfolder / name), 1_000_000)
            if on_disk is not None:
                return on_disk
        return self.read(name, 1_000_000)

    def changes(self) -> tuple[str, ...]:
        """See Snapshot.changes. Nothing is compared in a bare repository, or in one that points elsewhere."""
        if self._changes is None:
            self._changes = tuple(self._compare()) if _has_own_worktree(self.location) else ()
        return self._changes

    def _compare(self) -> Iterator[str]:
        git = self.location.git.without_filters()
        status = git.run(
            "status",
            "--porcelain",
            "-z",
            "--untracked-files=normal",
            "--no-renames",
            "--ignore-submodules=all",
            "--",
            ".",
        )
        for entry in status.split(b"\0"):
            full = readable_name(entry[3:])
            if entry and full.startswith(self._prefix):
                yield full[len(self._prefix) :]


class CommitSnapshot(_GitSnapshot):
    """The files of a commit, read through one `git cat-file`."""

    def __init__(self, location: Location, commit: str, reader: ObjectReader) -> None:
        super().__init__(location)
        self.commit = commit
        self._reader = reader
        self._checkout = Checkout(None if location.bare else location.root)
        self.head = reader.commit_of("HEAD")
        self._listed: dict[str, Kind] = {}
        self._ids: dict[str, str] = {}
        # Without -l: the sizes of loose objects cost thirty times the listing, and few callers want them all.
        listing = location.git.run("ls-tree", "-r", "-z", "--full-tree", commit)
        for name, kind, object_id in _parse_listing(listing):
            self._listed[name] = kind
            self._ids[name] = object_id

    @property
    def _kinds(self) -> Mapping[str, Kind]:
        return self._listed

    def _content(self, full: str, max_bytes: int | None) -> bytes | None:
        with self._naming_what_is_missing():
            return self._reader.read(self._ids[full], max_bytes)

    @contextlib.contextmanager
    def _naming_what_is_missing(self) -> Iterator[None]:
        try:
            yield
        except ObjectMissingError as error:
            raise self._missing(error) from error

    def _missing(self, error: ObjectMissingError) -> ObjectMissingError:
        full = next((name for name, object_id in self._ids.items() if object_id == error.object_id), "a file")
        place = f"{self.commit}:{full}"
        missing = self._reader.missing_at(str(self.commit)) if self._reader.is_partial() else ()
        if error.object_id not in missing:
            return ObjectMissingError(f"{full} of commit {place[:12]}: {error.message}", error.mend)
        others = len(missing) - 1
        more = f" (and {others:,} other file{'s' if others > 1 else ''} of it)" if others else ""
        return ObjectMissingError(
            f"{full} of commit {place[:12]}{more} is not in {self.root}: it is a partial clone",
            f"Fetch it: git cat-file -e {shlex.quote(place)} (or all files: git fetch --refetch --no-filter)",
        )

    def _contents(
        self, fulls: list[str], max_bytes: int | None, lacking: set[str] | None = None
    ) -> Iterator[bytes | None]:
        """Many files are searched rather than cited, so those that are checked out unchanged are read from there."""
        bound = MAX_READ_BYTES if max_bytes is None else min(max_bytes, MAX_READ_BYTES)
        for start in range(0, len(fulls), WINDOW_OBJECTS):
            window = fulls[start : start + WINDOW_OBJECTS]
            found = [self._checkout.read(full, self._ids[full], bound) for full in window]
            rest = [full for full, content in zip(window, found, strict=True) if content is None]
            others = iter(self._stored(rest, max_bytes, lacking))
            for content in found:
                yield next(others) if content is None else content

    def _stored(self, fulls: list[str], max_bytes: int | None, lacking: set[str] | None) -> list[bytes | None]:
        """From Git's objects; once one is missing, all that are missing at this commit go into `lacking`."""
        there = [full for full in fulls if lacking is None or full not in lacking]
        try:
            with self._naming_what_is_missing():
                contents = [
                    content for _, content in self._reader.read_many([self._ids[one] for one in there], max_bytes)
                ]
        except ObjectMissingError:
            missing = frozenset() if lacking is None else self._reader.missing_at(str(self.commit))
            gone = {full for full, object_id in self._ids.items() if object_id in missing}
            if lacking is None or gone.isdisjoint(there):  # damaged, which is another matter
                raise
            lacking |= gone
            return self._stored(fulls, max_bytes, lacking)
        read = dict(zip(there, contents, strict=True))
        return [read.get(full) for full in fulls]

    def _target(self, full: str) -> str | None:
        content = self._content(full, 4096)
        return None if content is None else readable_name(content)

    def _size(self, full: str) -> int:
        object_id = self._ids[full]
        if object_id not in self._reader.sizes:
            self._content(full, 0)
        return self._reader.sizes[object_id]

    def _blob_id(self, full: str) -> str:
        return self._ids[full]

    def close(self) -> None:
        self._reader.close()


def _parse_listing(listing: bytes) -> Iterator[tuple[str, Kind, str]]:
    """`<mode> <type> <id>\\t<path>` or `<mode> <id> <stage>\\t<path>`, each ended by NUL: (name, kind, id)."""
    taken: set[str] = set()
    for entry in listing.split(b"\0"):
        if not entry:
            continue
        head, _, raw = entry.partition(b"\t")
        fields = head.split(b" ")
        kind = _KIND_OF_MODE.get(fields[0][:3])
        object_id = fields[2] if len(fields[2]) > 1 else fields[1]
        name = unique_name(raw, taken)
        if kind is not None and is_safe(name):
            taken.add(name)
            yield name, kind, object_id.decode("ascii")


def unique_name(raw: bytes, taken: set[str]) -> str:
    """`readable_name`, with another backslash when a file is really called what the escape looks like."""
    name = readable_name(raw)
    if "\\" in name:
        while name in taken:
            name = name.replace("\\", "\\\\")
    return name


class WorktreeSnapshot(_GitSnapshot):
    """The files on disk. They are listed once; a file that changes later is read as it is then."""

    def __init__(self, location: Location) -> None:
        super().__init__(location)
        self.commit = None
        with contextlib.closing(ObjectReader(location.git, MAX_READ_BYTES)) as reader:
            self.head = reader.commit_of("HEAD")
        self._listed: dict[str, Kind] = {}
        self._raw: dict[str, bytes] = {}
        self._real_folders: dict[bytes, bool] = {b"": True}
        top = Git(location.root)
        tracked = top.run("ls-files", "-z", "--cached", "--stage")
        others = top.run("ls-files", "-z", "--others", "--exclude-standard")
        self._list(_staged(tracked))
        self._list((raw, b"100") for raw in others.split(b"\0") if raw)

    @property
    def _kinds(self) -> Mapping[str, Kind]:
        return self._listed

    def _list(self, entries: Iterable[tuple[bytes, bytes]]) -> None:
        taken = set(self._listed)
        for raw, mode in entries:
            if raw.endswith(b"/"):  # an untracked folder that is a repository of its own
                raw, mode = raw[:-1], b"160"
            name = unique_name(raw, taken)
            kind = self._kind_on_disk(raw, mode)
            if kind is not None and is_safe(name):
                taken.add(name)
                self._listed[name] = kind
                self._raw[name] = raw

    def _kind_on_disk(self, raw: bytes, mode: bytes) -> Kind | None:
        """None for what is deleted, is no regular file, or lies behind a folder that became a link."""
        if not self._is_real_folder(raw.rpartition(b"/")[0]):
            return None
        try:
            found = os.lstat(self._on_disk(raw)).st_mode
        except PermissionError:
            return "file"  # listed, so that it is told as unreadable
        except (OSError, ValueError):
            return None
        if mode == b"160":
            return "submodule" if stat.S_ISDIR(found) else None
        if stat.S_ISLNK(found):
            return "symlink"
        if not stat.S_ISREG(found):
            return None
        return "symlink" if mode == b"120" else "file"  # core.symlinks=false writes links as files with their text

    def _is_real_folder(self, raw: bytes) -> bool:
        if raw not in self._real_folders:
            real = self._is_real_folder(raw.rpartition(b"/")[0])
            if real:
                try:
                    real = stat.S_ISDIR(os.lstat(self._on_disk(raw)).st_mode)
                except PermissionError:
                    pass  # nothing in it can be opened either, a link or not
                except (OSError, ValueError):
                    real = False
            self._real_folders[raw] = real
        return self._real_folders[raw]

    def _on_disk(self, raw: bytes) -> str:
        name = raw.decode("utf-8") if os.name == "nt" else os.fsdecode(raw)
        return os.path.join(self.root, name)  # noqa: PTH118  a Path would drop the odd bytes' meaning and costs more

    def _content(self, full: str, max_bytes: int | None) -> bytes | None:
        bound = MAX_READ_BYTES if max_bytes is None else min(max_bytes, MAX_READ_BYTES)
        return read_regular(self._on_disk(self._raw[full]), bound)

    def _target(self, full: str) -> str | None:
        path = self._on_disk(self._raw[full])
        try:
            return readable_name(os.fsencode(os.readlink(path)))  # noqa: PTH115  a Path would lose a trailing slash
        except OSError:
            content = self._content(full, 4096)
            return None if content is None else readable_name(content)

    def _size(self, full: str) -> int:
        try:
            return os.lstat(self._on_disk(self._raw[full])).st_size
        except OSError:
            return 0


def read_regular(path: str, max_bytes: int) -> bytes | None:
    """Bytes of a regular file; None for anything else, for a link, and for a file over the bound."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags)
    except OSError:
        return None
    with open(descriptor, "rb") as file:  # noqa: PTH123  a descriptor has no path
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > max_bytes:
            return None
        content = file.read(max_bytes + 1)
    return content if len(content) <= max_bytes else None


def _staged(listing: bytes) -> Iterator[tuple[bytes, bytes]]:
    """(path, first digits of the mode); a path in conflict has three stages and is listed once."""
    last = b""
    for entry in listing.split(b"\0"):
        head, _, raw = entry.partition(b"\t")
        if raw and raw != last:
            last = raw
            yield raw, head[:3]
