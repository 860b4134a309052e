"""What a link cites: by its target, by its label, and whether the two speak of the same place."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote

from retrodoc_runs.readers.forges import is_pinned, parse_permalink
from retrodoc_runs.readers.grammar import (
    EXTENSIONS,
    Found,
    Lines,
    extension,
    looks_like_lines,
    names_a_file,
    parse_anchor,
    parse_lines,
    scan,
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


@dataclass(frozen=True, slots=True)
class Label:
    """What the label of a link says by itself."""

    citations: tuple[tuple[str, list[Lines]], ...] = ()
    """(path, lines) of each."""
    rest: str = ""
    """The words around them."""
    unread: tuple[str, ...] = ()
    """What only looks like a citation."""

    @property
    def only_cites(self) -> bool:
        return bool(self.citations) and re.search(r"\w", self.rest) is None


def read_label(label: str, exists: Exists) -> Label:
    """A label may be one citation, its path with spaces and all, or several, or words with citations in them."""
    strict = linked_citation(label)
    found = list(scan(label))
    cited = [one for one in found if one.path]
    if strict and can_be_path(strict[0]) and not _holds_others(strict[0], cited, exists):
        return Label((strict,))
    outside, position = [], 0
    for one in found:
        outside.append(label[position : one.start])
        position = one.end
    return Label(
        tuple((one.path, list(one.ranges)) for one in cited),
        "".join([*outside, label[position:]]),
        tuple(one.text for one in found if not one.ranges),
    )


def _holds_others(path: str, cited: list[Found], exists: Exists) -> bool:
    """Whether what would be the path of a label, up to its last lines, is rather words or other citations."""
    if len(cited) > 1:
        return True
    return bool(cited) and cited[0].path != path and not exists(path) and exists(cited[0].path)


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


def names_another_file(label: str, target: Citation, exists: Exists) -> bool:
    """Whether a label is the name of a file, and of another than its target.

    `Node.js` and `and/or` are none; `app/cart.py` is short for `src/shop/app/lib/cart.py` unless there is such a file.
    """
    named = label.strip("` ")
    if re.search(r"\s", named) or not names_a_file(named) or same_file(named, target.path):
        return False
    if exists(named):
        return True
    is_short = named.rpartition("/")[2] == target.path.rpartition("/")[2]
    return "/" in named and extension(named) in EXTENSIONS and not is_short


def only_names(label: str, target: Citation) -> bool:
    """Whether a label only names its target, as `cart.py (lines 10-20)` or `L10-L20` does."""
    return re.search(r"[^\W\d]", _REFERENCE_WORDS.sub("", _without_name(label, target))) is None


def other_lines(label: str, target: Citation) -> Lines | None:
    """The lines that a label which only names its target gives, when they are others: `L10-L20`, `cart.py, line 3`.

    A mere number is none: it numbers the link.
    """
    found = _LABEL_LINES.fullmatch(_without_name(label, target))
    if not found or not (found["mark"] or found["end"]) or target.lines is None:
        return None
    lines = int(found["start"]), int(found["end"] or found["start"])
    return None if lines == target.lines else lines


def _without_name(label: str, target: Citation) -> str:
    return label.replace(target.path, "").replace(target.path.rsplit("/", 1)[-1], "")


_REFERENCE_WORDS = re.compile(r"\b(?:lines?|lignes?|to|à)\b|L(?=[0-9])", re.IGNORECASE)
_LABEL_LINES = re.compile(
    r"[^\w:]*(?P<mark>lines?|lignes?|L|:)?\s*(?P<start>[0-9]{1,9})(?:\s*(?:[-\u2013]|to|à)\s*L?(?P<end>[0-9]{1,9}))?[^\w:]*",
    re.IGNORECASE,
)
