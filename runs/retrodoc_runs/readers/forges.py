"""What a code forge's link says: which repository, which revision, which file, which lines."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote, urlsplit

if TYPE_CHECKING:
    from retrodoc_runs.readers.grammar import Lines


@dataclass(frozen=True, slots=True)
class Permalink:
    repository: str
    """Host and name in small letters, such as `github.com/acme/shop`."""
    tail: str
    """`<revision>/<path>`: a branch's name may hold slashes, so only the repository can tell where the path begins."""
    path: str
    revision: str
    lines: Lines | None
    bad_lines: str = ""
    """The fragment, when it was meant as lines and cannot be read."""


_SHAPES = (
    # GitLab: /group/subgroup/name/-/blob/<revision>/<path>
    re.compile(r"/(?P<name>[^/]+(?:/[^/]+)+?)/-/(?:blob|blame|raw)/(?P<tail>.+)"),
    # Gitea, Forgejo: /owner/name/src/commit/<revision>/<path>
    re.compile(r"/(?P<name>[^/]+/[^/]+)/(?:src|blame|raw)/(?:commit|branch|tag)/(?P<tail>.+)"),
    # GitHub: /owner/name/blob/<revision>/<path>
    re.compile(r"/(?P<name>[^/]+/[^/]+)/(?:blob|blame|raw|edit)/(?P<tail>.+)"),
    # Bitbucket: /owner/name/src/<revision>/<path>
    re.compile(r"/(?P<name>[^/]+/[^/]+)/src/(?P<tail>.+)"),
    # SourceHut: /~owner/name/tree/<revision>/item/<path>
    re.compile(r"/(?P<name>~[^/]+/[^/]+)/tree/(?P<revision>[^/]+)/item/(?P<path>.+)"),
)
_RAW_HOST = "raw.githubusercontent.com"
_RAW = re.compile(r"/(?P<name>[^/]+/[^/]+)/(?P<tail>.+)")


def parse_permalink(url: str, exists: Callable[[str], bool] = lambda _path: False) -> Permalink | None:
    """The parts of a link to a file on a forge; None for any other link. `exists` tells the repository's files."""
    from retrodoc_runs.readers.grammar import looks_like_lines, parse_anchor  # its patterns take 20 ms to compile

    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not host:
        return None
    path = parts.path
    shapes = (_RAW,) if host == _RAW_HOST else _SHAPES
    found = next((found for shape in shapes if (found := shape.fullmatch(path))), None)
    if not found:
        return None
    groups = found.groupdict()
    tail = groups.get("tail") or f"{groups.get('revision')}/{groups.get('path')}"
    revision, _, file = tail.partition("/")
    if not file or file.endswith("/"):
        return None
    revision, file = _split(tail, exists)
    fragment = parts.fragment.removeprefix("diff-")
    lines = parse_anchor(fragment) or _queried(parts.query)
    bad = fragment if lines is None and looks_like_lines(fragment) else ""
    host = "github.com" if host == _RAW_HOST else host
    return Permalink(f"{host}/{groups['name']}".lower(), unquote(tail), unquote(file), unquote(revision), lines, bad)


def _split(tail: str, exists: Callable[[str], bool]) -> tuple[str, str]:
    """Where the revision ends: at the first slash, unless a longer one leaves a file that exists."""
    pieces = tail.split("/")
    for cut in range(1, min(len(pieces), 8)):
        if exists(unquote("/".join(pieces[cut:]))):
            return "/".join(pieces[:cut]), "/".join(pieces[cut:])
    return pieces[0], "/".join(pieces[1:])


def _queried(query: str) -> Lines | None:
    """Azure DevOps and Sourcegraph put the lines in the query: `line=10&lineEnd=20`, `L10-20`."""
    from retrodoc_runs.readers.grammar import parse_anchor

    for key in query.split("&"):
        if key.startswith("L") and (lines := parse_anchor(key)):
            return lines
    values = parse_qs(query)
    start, end = values.get("line", [""])[0], values.get("lineEnd", [""])[0]
    if start.isdecimal() and len(start) < 10:
        return int(start), int(end) if end.isdecimal() and len(end) < 10 else int(start)
    return None


_PIN = re.compile(r"[0-9a-f]{7,64}\Z")
_TAG = re.compile(r"(?:[\w.-]*[-_/])?v?\d+(?:\.\d+)+(?:[-.+]?\w+)*\Z")


def is_pinned(revision: str) -> bool:
    """Whether a revision stays what it is: a hash or a version's tag. A branch moves."""
    return _PIN.match(revision) is not None or _TAG.match(revision) is not None


def same_repository(named: str, checked: str) -> bool:
    """Whether a permalink's repository is the one that is checked.

    `checked` is what is known of it: `github.com/acme/shop`, `acme/shop`, or a folder's name alone. Empty: any is.
    """
    if not checked:
        return True
    wanted = checked.lower().removesuffix(".git").strip("/").split("/")
    return named.lower().removesuffix(".git").split("/")[-len(wanted) :] == wanted


_REMOTE = re.compile(r"(?:[a-z+]+://)?(?:[^@/]+@)?(?P<host>[^:/]+)(?::\d+(?=/)|:)?/*(?P<name>.+)", re.IGNORECASE)


def repository_of_remote(url: str) -> str:
    """`git@github.com:acme/shop.git` and `https://github.com/acme/shop` give `github.com/acme/shop`; else empty."""
    if url.startswith(("/", ".", "file:")):
        return ""
    found = _REMOTE.fullmatch(url.strip())
    if not found or "/" not in found["name"]:
        return ""
    return f"{found['host']}/{found['name'].removesuffix('.git').strip('/')}".lower()
