"""Whether a citation is false: a fact about paths and lines, without any judgement. And what it probably meant."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass

from retrodoc_checks.files import FileIndex
from retrodoc_checks.findings import Place, Reason
from retrodoc_checks.source import SourceFile
from retrodoc_runs.steps import SourceRef

MAX_LINES = 80
"""A wider range is not specific. DESIGN section 4: a quarter of a commercial generator's spanned over 100 lines."""
MAX_SHARE = 0.40
"""Of a file that is longer than SHORT_FILE lines; a wider range is not specific."""
SHORT_FILE = 40
MAX_LINE_BYTES = 1000
"""A longer line holds everything: it is minified or generated."""

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


@dataclass(frozen=True, slots=True)
class Cited:
    """Lines that exist: `start` to `end` of a text file; of an empty file, 1 to 0."""

    source: SourceFile
    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start + 1


@dataclass(frozen=True, slots=True)
class FalseCitation:
    """Why a citation is false, and what it probably meant."""

    reasons: tuple[Reason, ...]
    hint: Place | None = None
    source: SourceFile | None = None
    """The file, when it is only the lines that are false."""
    path: str = ""
    """As it is cited, normalised: a link may lead to the file."""


def resolve_ref(ref: SourceRef, index: FileIndex) -> Cited | FalseCitation:
    """The lines that a citation reaches, or why it reaches none."""
    path = ref.path
    if path.startswith(("/", "\\\\", "~")) or _DRIVE.match(path):
        return FalseCitation((Reason.PATH_OUTSIDE,))
    plain = posixpath.normpath(path) if path else ""
    if plain == ".." or plain.startswith("../"):
        return FalseCitation((Reason.PATH_OUTSIDE,))
    if not plain or "\0" in path:
        return FalseCitation((Reason.PATH_MISSING,))
    if plain == ".":
        return FalseCitation((Reason.PATH_IS_DIRECTORY,))
    end = index.resolve(plain)
    if end.end == "file":
        return _lines(ref, plain, index)
    if end.end in _ENDS:
        return FalseCitation((_ENDS[end.end],))
    return _missing(ref, plain, index)


_ENDS = {
    "outside": Reason.PATH_OUTSIDE,
    "directory": Reason.PATH_IS_DIRECTORY,
    "submodule": Reason.IN_SUBMODULE,
}


def _missing(ref: SourceRef, path: str, index: FileIndex) -> FalseCitation:
    """No such file. Several that end in this path make it ambiguous; one that is like it is the hint."""
    path = path.replace("\\", "/").removeprefix("./")
    candidates = index.named(path.rpartition("/")[2])
    tail = "/" + path
    ending = [candidate for candidate in candidates if candidate.endswith(tail)]
    if len(ending) > 1:
        return FalseCitation((Reason.PATH_AMBIGUOUS,))
    for likely in (
        [candidate for candidate in candidates if candidate == path],
        ending,
        [candidate for candidate in candidates if candidate.casefold() == path.casefold()],
        list(candidates),
    ):
        if len(likely) == 1:
            return FalseCitation((Reason.PATH_MISSING,), Place(likely[0], ref.start_line))
    return FalseCitation((Reason.PATH_MISSING,))


def _lines(ref: SourceRef, path: str, index: FileIndex) -> Cited | FalseCitation:
    source = index.source(path)
    if source is None:
        return FalseCitation((Reason.BINARY_FILE,))
    if ref.start_line is None:
        return Cited(source, 1, source.lines)
    start = ref.start_line
    end = start if ref.end_line is None else ref.end_line
    reasons = []
    if start < 1 or end < 1:
        reasons.append(Reason.LINE_BEFORE_FIRST)
    if end < start:
        reasons.append(Reason.RANGE_REVERSED)
    if max(start, end) > source.lines:
        reasons.append(Reason.LINE_PAST_END)
    return FalseCitation(tuple(reasons), source=source, path=path) if reasons else Cited(source, start, end)


def too_wide(cited: Iterable[Cited]) -> bool:
    """True when one of the ranges is so wide, or holds so long a line, that it shows nothing in particular."""
    return any(
        one.length > MAX_LINES
        or (one.source.lines > SHORT_FILE and one.length > MAX_SHARE * one.source.lines)
        or one.source.longest_line(one.start, one.end) > MAX_LINE_BYTES
        for one in cited
    )
