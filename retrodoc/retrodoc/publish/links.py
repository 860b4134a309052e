"""Where a citation's link leads: relative to the page, so that it works in a checkout and on a code forge alike.

Pages that are written outside the repository may be moved away from it: they link to the forge, at the run's commit,
when the `origin` remote is one that we know how to write addresses for.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import quote, urlsplit

from retrodoc_runs.models import SourceRef

ForgeKind = Literal["github", "gitlab", "bitbucket", "gitea"]

_HOSTS: tuple[tuple[str, ForgeKind], ...] = (
    ("github", "github"),
    ("gitlab", "gitlab"),
    ("bitbucket.org", "bitbucket"),
    ("codeberg.org", "gitea"),
    ("gitea", "gitea"),
    ("forgejo", "gitea"),
)
"""By a part of the host's name: many run their own under such a name."""

_SCP_FORM = re.compile(r"(?:[^@/\s]+@)?(?P<host>[A-Za-z0-9.-]+):(?!/)(?P<path>[^\s]+)")
NOWHERE = "#"
"""A citation whose path leaves the repository is shown and leads nowhere."""


@dataclass(frozen=True, slots=True)
class Forge:
    """A repository on a code forge; `url` is its page, without a slash at the end."""

    kind: ForgeKind
    url: str

    def commit(self, commit: str) -> str:
        """The page of a commit."""
        return f"{self.url}/{'commits' if self.kind == 'bitbucket' else 'commit'}/{commit}"

    def lines(self, commit: str, ref: SourceRef) -> str:
        """The page of a file at a commit, at the cited lines."""
        path = quote(ref.path)
        start, end = _range(ref)
        if self.kind == "bitbucket":
            anchor = "" if start is None else f"#lines-{start}" + ("" if end == start else f":{end}")
            return f"{self.url}/src/{commit}/{path}{anchor}"
        folder = {"github": "blob", "gitlab": "-/blob", "gitea": "src/commit"}[self.kind]
        anchor = "" if start is None else f"#L{start}"
        if start is not None and end != start:
            anchor += f"-{end}" if self.kind == "gitlab" else f"-L{end}"
        return f"{self.url}/{folder}/{commit}/{path}{anchor}"


def forge_of(origin: str | None) -> Forge | None:
    """The forge that a remote's address names: HTTPS, SSH or `git@host:path`; user names and passwords are dropped."""
    if not origin:
        return None
    origin = origin.strip()
    if "://" in origin:
        parts = urlsplit(origin)
        if parts.scheme not in ("https", "http", "ssh", "git"):
            return None
        host, path = (parts.hostname or "").lower(), parts.path
    else:
        found = _SCP_FORM.fullmatch(origin)
        if found is None:
            return None
        host, path = found["host"].lower(), found["path"]
    path = re.sub(r"\.git/?$", "", path).strip("/")
    kind = next((kind for name, kind in _HOSTS if name in host), None)
    if kind is None or "/" not in path:
        return None
    return Forge(kind, f"https://{host}/{quote(path)}")


@dataclass(frozen=True, slots=True)
class Linker:
    """Makes link targets for pages; pages and paths are relative to the folder that holds `docs/`.

    `source_root` leads from there to the documented folder ("" when they are the same). `subfolder` is the documented
    folder in its repository. `outside` says that the pages are no part of it.
    """

    source_root: str = ""
    forge: Forge | None = None
    commit: str | None = None
    subfolder: str = ""
    outside: bool = False

    def lines(self, page: str, ref: SourceRef) -> str:
        """The target of a citation on `page`; `NOWHERE` for a path that leaves the repository."""
        if not _stays_inside(ref.path):
            return NOWHERE
        if self.outside and self.forge and self.commit:
            inside = replace(ref, path=posixpath.join(self.subfolder, ref.path))
            return self.forge.lines(self.commit, inside)
        start, end = _range(ref)
        anchor = "" if start is None else f"#L{start}" + ("" if end == start else f"-L{end}")
        target = posixpath.normpath(posixpath.join(self.source_root, ref.path))
        return quote(_relative(target, page)) + anchor

    def page(self, page: str, other: str) -> str:
        """The target of a link from one page to another."""
        return quote(_relative(other, page))

    def commit_page(self) -> str | None:
        """The forge's page of the run's commit, where there is one."""
        return self.forge.commit(self.commit) if self.forge and self.commit else None


def _relative(target: str, page: str) -> str:
    """`target` as reached from the folder of `page`, both normalised and relative to one root.

    `posixpath.relpath` would ask the operating system for the current folder, and cannot go above it.
    """
    there, here = target.split("/"), page.split("/")[:-1]
    shared = 0
    while shared < min(len(there) - 1, len(here)) and there[shared] == here[shared]:
        shared += 1
    return "/".join([".."] * (len(here) - shared) + there[shared:])


def _stays_inside(path: str) -> bool:
    if not path or path.startswith(("/", "\\")) or "\\" in path or "\0" in path or re.match(r"[A-Za-z]:", path):
        return False
    return not posixpath.normpath(path).startswith("../") and posixpath.normpath(path) != ".."


def _range(ref: SourceRef) -> tuple[int | None, int | None]:
    """The lines to point at; none for a whole file, and none for a range that no editor could show."""
    start, end = ref.start_line, ref.end_line if ref.end_line is not None else ref.start_line
    if start is None or end is None or start < 1 or end < start:
        return None, None
    return start, end
