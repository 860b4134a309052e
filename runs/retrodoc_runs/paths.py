"""What a path means inside a repository: which names are safe, and where a symbolic link ends."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["file", "directory", "symlink", "submodule", "missing"]
End = Literal["file", "directory", "submodule", "missing", "outside", "loop"]

MAX_LINKS = 40
"""Followed for one path before it counts as a loop; what Linux allows."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """Where a path ends once every symbolic link on the way is followed."""

    end: End
    path: str
    """Of the file, folder or submodule that it ends at, from the top of the repository; else how far it got."""
    followed: bool
    """True when a link was followed."""


def is_safe(path: str) -> bool:
    """False for a path that no repository can hold: absolute, with empty, `.`, `..` or `.git` parts, or a NUL.

    Git refuses such names when it writes; a forged tree or index may hold them all the same.
    """
    if not path or "\0" in path:
        return False
    return all(part not in ("", ".", "..") and part.lower() != ".git" for part in path.split("/"))


def readable_name(raw: bytes) -> str:
    """A path as text that any format can hold: UTF-8, and each byte that is not shown as `\\xe9`."""
    return raw.decode("utf-8", "backslashreplace")


def parents(paths: Iterable[str]) -> set[str]:
    """Every folder that holds one of these files, at any depth; the root, the empty string, included."""
    found = {""}
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


def resolve(
    path: str,
    kinds: Mapping[str, Kind],
    folders: Collection[str],
    target_of: Callable[[str], str | None],
) -> Resolution:
    """Follow `path` as a POSIX system would, without ever leaving the root.

    `kinds` maps each listed file, link and submodule; `folders` are those that hold them; `target_of(link)` is the
    text of a link. A link that goes above the root, or to an absolute path, ends `outside`, also when it would
    come back in: that depends on what the checkout's folder is called.
    """
    waiting = path.split("/")[::-1]
    here: list[str] = []
    links = 0
    while waiting:
        part = waiting.pop()
        if part in ("", "."):
            continue
        if part == "..":
            if not here:
                return Resolution("outside", "", links > 0)
            here.pop()
            continue
        current = "/".join((*here, part))
        kind = kinds.get(current)
        if kind == "submodule":
            return Resolution("submodule", current, links > 0)
        if kind == "symlink":
            links += 1
            if links > MAX_LINKS:
                return Resolution("loop", current, True)
            target = target_of(current)
            if not target:
                return Resolution("missing", current, True)
            if target.startswith("/") or _is_windows_absolute(target):
                return Resolution("outside", current, True)
            waiting.extend(target.split("/")[::-1])
            continue
        if kind is None and current not in folders:
            return Resolution("missing", current, links > 0)
        if kind == "file" and any(rest not in ("", ".") for rest in waiting):
            return Resolution("missing", current, links > 0)
        here.append(part)
    end = "/".join(here)
    return Resolution("file" if kinds.get(end) == "file" else "directory", end, links > 0)


def _is_windows_absolute(target: str) -> bool:
    return target.startswith("\\") or (
        len(target) > 1 and target[1] == ":" and target[0].isascii() and target[0].isalpha()
    )
