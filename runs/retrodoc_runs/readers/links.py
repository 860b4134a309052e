"""What a link cites: by its target, by its label, and whether the two speak of the same place."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import unquote

from retrodoc_runs.readers.forges import is_pinned, parse_permalink
from retrodoc_runs.readers.grammar import (
    EXTENSIONS,
    Lines,
    extension,
    looks_like_lines,
    names_a_file,
    parse_anchor,
    parse_lines,
)
from retrodoc_runs.readers.model import Citation

Exists = Callable[[str], bool]


def read_link(href: str, exists: Exists) -> tuple[Citation | None, str]:
    """The citation that a link's target is, or the part of it that was meant as one and cannot be read."""
    if re.match(r"https?:", href, re.IGNORECASE):
        return read_address(href, exists)
    rooted = href.startswith(("repo://", "file://"))  # OpenWiki and Qoder mean a path from the root by these
    if rooted:
        href = href[len("repo://") :]
    elif re.match(r"[A-Za-z][A-Za-z0-9+.-]+:(?![0-9])", href) or href.startswith(("#", "//")):
        return None, ""
    path, _, fragment = href.partition("#")
    path = path.partition("?")[0]
    lines = parse_anchor(fragment) if fragment else None
    if fragment and lines is None and looks_like_lines(fragment):
        return None, unquote(href)
    path = unquote(path)
    written = strict_citation(path)
    if lines is None and written and names_a_file(written[0]):
        start, end = written[1][0]
        return Citation(written[0], start, end, from_page=not rooted), ""
    if not path or path.endswith("/"):
        return None, ""
    if lines is None:
        return Citation(path, from_page=not rooted), ""
    return Citation(path, *lines, from_page=not rooted), ""


def read_own_lines(path: str, href: str) -> tuple[Citation | None, str]:
    """The same for a target that is lines alone, `#L10-L20`: they are taken for lines of `path`, the label's file."""
    fragment = href.removeprefix("#")
    lines = parse_anchor(fragment)
    if lines is None:
        return None, href if looks_like_lines(fragment) else ""
    return Citation(path, *lines), ""


def read_address(href: str, exists: Exists) -> tuple[Citation | None, str]:
    """The same for a web address: a permalink of a forge is a citation, and nothing else."""
    link = parse_permalink(href, exists)
    if link is None:
        return None, ""
    if link.bad_lines:
        return None, f"{link.path}#{link.bad_lines}"
    commit = link.revision if is_pinned(link.revision) else None
    start, end = link.lines or (None, None)
    return Citation(link.path, start, end, commit, link.repository), ""


_STRICT = re.compile(
    r"(?P<path>.+?)(?::|#(?=L)|\s+(?=L[0-9]))(?P<lines>L?[0-9][0-9LC:,\s\-\u2010-\u2013\u2212]*)\Z", re.DOTALL
)


def strict_citation(label: str) -> tuple[str, list[Lines]] | None:
    """A text that is a citation from its first character to its last."""
    found = _STRICT.match(label)
    if not found:
        return None
    ranges = parse_lines(found["lines"])
    return (found["path"], ranges) if ranges else None


_RUN_TOGETHER = re.compile(
    r"(?P<path>.+\.(?P<extension>[A-Za-z]{1,12}))\s?(?P<lines>[0-9]+(?:-[0-9]+)?(?:,\s?[0-9]+(?:-[0-9]+)?)*)\Z",
    re.DOTALL,
)


def linked_citation(label: str) -> tuple[str, list[Lines]] | None:
    """A link's label that is a citation. DeepWiki's own pages, copied as text, lose the colon: `src/app.py10-20`."""
    strict = strict_citation(label)
    if strict:
        return strict
    found = _RUN_TOGETHER.match(label)
    if not found or found["extension"].lower() not in EXTENSIONS or extension(label) in EXTENSIONS:
        return None
    ranges = parse_lines(found["lines"])
    return (found["path"], ranges) if ranges and names_a_file(found["path"]) else None


def can_be_path(path: str) -> bool:
    return names_a_file(path) or not re.search(r"\s", path)


def same_file(label: str, path: str) -> bool:
    """Whether a label names the file of its target, whole or by its last parts."""
    wanted = [part for part in re.split(r"[/\\]", label.strip("` ")) if part not in ("", ".", "..")]
    there = [part for part in path.split("/") if part not in ("", ".", "..")]
    if not wanted or not there:
        return False
    shorter = min(len(wanted), len(there))
    return wanted[-shorter:] == there[-shorter:]


def only_names(label: str, target: Citation) -> bool:
    """Whether a label only names its target, as `cart.py (lines 10-20)` or `L10-L20` does."""
    name = target.path.rsplit("/", 1)[-1]
    rest = label.replace(target.path, "").replace(name, "")
    return re.search(r"[^\W\d]", _REFERENCE_WORDS.sub("", rest)) is None


_REFERENCE_WORDS = re.compile(r"\b(?:lines?|lignes?|to|à)\b|L(?=[0-9])", re.IGNORECASE)
