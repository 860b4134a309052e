"""Where the link of a published citation leads: to the place that its label names, or to another, which it cites too.

A reader of the page follows the target and sees the label; when they disagree, one of them is false. Links that lead
where their label says, which is all that we publish, are told without the patterns of other people's citations.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import quote, unquote

from retrodoc_runs.readers.blocks import Block, Piece
from retrodoc_runs.steps import SourceRef


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page lies, so that its links can be followed."""

    folder: str | None = None
    """The page's folder, from the repository's root or, without `from_root`, the documented one; None: not known."""
    repository: str = ""
    """Such as `github.com/acme/shop`; empty: whichever a link names."""
    exists: Callable[[str], bool] = lambda _path: False
    """Which files the repository holds."""
    from_root: bool = True


@dataclass(frozen=True, slots=True)
class Documented:
    """What the page says that it documents."""

    commit: str | None = None
    subfolder: str = ""


@dataclass(frozen=True, slots=True)
class Led:
    """What a target cites besides its label: one of the three, or nothing."""

    ref: SourceRef | None = None
    foreign: str = ""
    """The other repository that it leads into."""
    problem: str = ""
    """The part of it that cannot be read."""


def follow(label: SourceRef, href: str, page: Place, documented: Documented) -> Led:
    """What the target `href` cites that its label does not."""
    if href in ("", "#") or _leads_there(label, href, page, documented):
        return Led()
    from retrodoc_runs.readers.forges import same_repository  # what we publish needs neither
    from retrodoc_runs.readers.links import read_link, read_own_lines

    target, problem = read_own_lines(label.path, href) if href.startswith("#") else read_link(href, page.exists)
    if problem or target is None:
        return Led(problem=problem)
    if target.repository and not same_repository(target.repository, page.repository):
        return Led(foreign=target.repository)
    if not _of_that_commit(target.commit, documented.commit):
        return Led(problem=href)
    path = target.path
    if target.from_page:
        path = _followed(label, path, page, documented.subfolder)
    elif not href.startswith("#"):
        path = _below(path, documented.subfolder)
    same = posixpath.normpath(path) == posixpath.normpath(label.path)
    if same and target.lines in (None, (label.start_line, label.end_line)):
        return Led()
    return Led(SourceRef(path=label.path if same else path, start_line=target.start_line, end_line=target.end_line))


def _leads_there(label: SourceRef, href: str, page: Place, documented: Documented) -> bool:
    """Whether a target is one of those that are published for this label."""
    path, _, anchor = href.partition("#")
    if anchor not in _anchors(label):
        return False
    if "://" not in path:
        return _followed(label, unquote(path), page, documented.subfolder) == posixpath.normpath(label.path)
    file = quote(posixpath.join(documented.subfolder, label.path))
    return (
        documented.commit is not None
        and _is_ours(path, page.repository)
        and path.endswith(f"/{documented.commit}/{file}")
    )


def _is_ours(url: str, repository: str) -> bool:
    return unquote(url.partition("://")[2]).lower().startswith(f"{repository.lower()}/")


def _anchors(label: SourceRef) -> tuple[str, ...]:
    """Of the places that a label may link to: its lines as each forge writes them, or the whole file."""
    start, end = label.start_line, label.end_line
    if start is None or end is None:
        return ("",)
    if start == end:
        return ("", f"L{start}", f"lines-{start}")
    return ("", f"L{start}-L{end}", f"L{start}-{end}", f"lines-{start}:{end}")


def _followed(label: SourceRef, target: str, page: Place, subfolder: str) -> str:
    """The path of a relative target, as labels write it; of a page that lies outside, by the last parts of its name."""
    if target.startswith("/"):
        return _below(target.lstrip("/"), subfolder)
    if page.folder is None or page.folder.split("/")[0] == "..":
        named = posixpath.normpath(label.path)
        parts = [part for part in target.split("/") if part not in ("", ".", "..")]
        return named if f"/{'/'.join(parts)}".endswith(f"/{named}") else target
    folder = page.folder if page.from_root else posixpath.join(subfolder, page.folder)
    return _below(posixpath.join(folder, target), subfolder)


def _below(path: str, subfolder: str) -> str:
    """A path from the repository's root as one from the documented folder."""
    path = posixpath.normpath(path)
    if not subfolder or path.startswith(("/", "..")):
        return path
    return posixpath.relpath(f"/{path}", f"/{subfolder}")


def _of_that_commit(named: str | None, documented: str | None) -> bool:
    """A permalink to another commit shows other lines, at which nothing of this page is judged."""
    return named is None or documented is None or documented.startswith(named)


def unlinked(pieces: Iterable[Piece], line: int, page: Place) -> tuple[list[SourceRef], list[tuple[str, int]]]:
    """What a person wrote among the links without one: citations, and (text, line) of what only looks like one."""
    pieces = tuple(pieces)
    if not any(character.isalnum() for piece in pieces for character in piece.text):
        return [], []
    from retrodoc_runs.readers.prose import read_block

    read = read_block(Block("paragraph", line, pieces), sources=True, exists=page.exists)
    refs = [SourceRef(path=one.path, start_line=one.start_line, end_line=one.end_line) for one in read.citations]
    return refs, read.unparsed
