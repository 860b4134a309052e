"""What became of cited lines at another commit: the same, moved, changed or gone. Pure over two sets of files.

White space and comments do not count, unless the cited lines are comments themselves. A move is reported with its new
lines; it says nothing of the verdict, which stays what it was at the run's own commit.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from functools import cached_property
from itertools import islice, takewhile
from operator import eq
from typing import Protocol

from retrodoc_checks.findings import StepFinding, Verdict
from retrodoc_chunkers import Syntax, syntax_of
from retrodoc_runs.lines import count_lines, lines_hash, split_lines
from retrodoc_runs.steps import SourceRef

BOM = b"\xef\xbb\xbf"
MAX_COMPARED_LINES = 2_000
"""Between the first and the last difference of two versions; comparing more line by line takes too long."""
MAX_HELD_BYTES = 32_000_000
"""Of files that changed, both versions; their lines and code take a few times as much."""


class DriftStatus(StrEnum):
    SAME = "same"
    MOVED = "moved"
    CHANGED = "changed"
    GONE = "gone"
    """The file went, or the lines did and nothing came in their place."""
    WRONG_FROM_THE_START = "wrong-from-the-start"
    """The lines were not there at the run's own commit either: nothing to follow."""


_BY_GRAVITY = tuple(DriftStatus)
"""Last is worst."""


@dataclass(frozen=True, slots=True)
class CitationDrift:
    """`new_path` and `new_lines` (1-based, inclusive) say where the text is now, when that is elsewhere.

    A changed text in a renamed file has a new path and no new lines. `new_lines` is None for a whole file.
    """

    status: DriftStatus
    new_path: str | None = None
    new_lines: tuple[int, int] | None = None


class Contents(Protocol):
    """The part of a snapshot that is needed."""

    def read(self, path: str, max_bytes: int | None = None) -> bytes | None:
        """Bytes of a regular file; None for everything else."""


def no_renames() -> Mapping[str, str]:
    """Nothing is known to have been renamed."""
    return {}


class Drift:
    """Follows citations from one commit's files to another's. A cited file is read once while memory allows.

    `before` is None when the run's own commit is not there (a run of the work tree): then the hash that the citation
    carries stands for its text. `renames` is asked once, when a cited file is missing: old path to new path.
    """

    def __init__(
        self,
        before: Contents | None,
        after: Contents,
        renames: Callable[[], Mapping[str, str]] = no_renames,
        syntax: Callable[[bytes, str], Syntax] = syntax_of,
    ) -> None:
        self._before = before
        self._after = after
        self._renames = renames
        self._syntax = syntax
        self._renamed: Mapping[str, str] | None = None
        self._unchanged: dict[str, int] = {}
        """Number of lines of each cited file that did not change: all that is needed of it."""
        self._pairs: OrderedDict[str, _Pair] = OrderedDict()
        self._held = 0

    def of(self, ref: SourceRef) -> CitationDrift:
        """What became of one citation."""
        path = posixpath.normpath(ref.path)
        if path not in self._unchanged:
            pair = self._pair(path)
            if pair is not None:
                return _follow_pair(ref, pair, known=self._before is not None)
        exists = _exists(ref, self._unchanged[path])
        return CitationDrift(DriftStatus.SAME if exists else DriftStatus.WRONG_FROM_THE_START)

    def _pair(self, path: str) -> _Pair | None:
        """The two versions of a file; None when they are equal, which is noted."""
        if path in self._pairs:
            self._pairs.move_to_end(path)
            return self._pairs[path]
        old = self._before.read(path) if self._before is not None else None
        new_path, new = self._read_after(path)
        if old is not None and old == new and new_path == path and b"\0" not in old:
            self._unchanged[path] = count_lines(old)
            return None
        pair = _Pair(
            self._file(path, old), self._file(new_path, new), None if new_path == path else new_path, new is None
        )
        self._pairs[path] = pair
        self._held += pair.bytes
        while self._held > MAX_HELD_BYTES and len(self._pairs) > 1:
            self._held -= self._pairs.popitem(last=False)[1].bytes
        return pair

    def _read_after(self, path: str) -> tuple[str, bytes | None]:
        content = self._after.read(path)
        if content is not None:
            return path, content
        if self._renamed is None:
            self._renamed = self._renames()
        renamed = self._renamed.get(path)
        content = None if renamed is None else self._after.read(renamed)
        return (path, None) if renamed is None or content is None else (renamed, content)

    def _file(self, path: str, content: bytes | None) -> _File | None:
        """None for what is missing, and for a binary."""
        return None if content is None or b"\0" in content else _File(path, content, self._syntax)


@dataclass(frozen=True, slots=True)
class _Pair:
    """A file at both ends; None where it is missing or binary."""

    old: _File | None
    new: _File | None
    new_path: str | None
    """When it was renamed."""
    gone: bool

    @property
    def bytes(self) -> int:
        return sum(len(file.content) for file in (self.old, self.new) if file is not None)


def _follow_pair(ref: SourceRef, pair: _Pair, *, known: bool) -> CitationDrift:
    if known and (pair.old is None or not _exists(ref, len(pair.old.lines))):
        return CitationDrift(DriftStatus.WRONG_FROM_THE_START)
    if pair.gone:
        return CitationDrift(DriftStatus.GONE)
    if pair.new is None:
        return CitationDrift(DriftStatus.CHANGED, pair.new_path)
    status, lines = _follow(ref, pair.old, pair.new) if pair.old is not None else _follow_hash(ref, pair.new)
    if pair.new_path is None or status is DriftStatus.WRONG_FROM_THE_START:
        return CitationDrift(status, None, lines)
    if status in (DriftStatus.CHANGED, DriftStatus.GONE):
        return CitationDrift(status, pair.new_path)
    return CitationDrift(DriftStatus.MOVED, pair.new_path, lines or _lines_of(ref))


def _exists(ref: SourceRef, line_count: int) -> bool:
    lines = _lines_of(ref)
    return lines is None or 1 <= lines[0] <= lines[1] <= line_count


def step_drift(finding: StepFinding, citations: Iterable[CitationDrift]) -> DriftStatus:
    """The worst that became of a step's citations; `finding` is its verdict at its own commit.

    A step that was broken there is wrong from the start, whatever became of its lines.
    """
    if finding.verdict is Verdict.BROKEN:
        return DriftStatus.WRONG_FROM_THE_START
    return max((citation.status for citation in citations), key=_BY_GRAVITY.index, default=DriftStatus.SAME)


def _lines_of(ref: SourceRef) -> tuple[int, int] | None:
    return None if ref.start_line is None else (ref.start_line, ref.end_line or ref.start_line)


def _follow(ref: SourceRef, old: _File, new: _File) -> tuple[DriftStatus, tuple[int, int] | None]:
    lines = _lines_of(ref)
    if old.text == new.text:
        return DriftStatus.SAME, None
    if lines is None:
        return (DriftStatus.SAME if old.code == new.code else DriftStatus.CHANGED), None
    found = _exactly(old, new, *lines) or _by_code(old, new, *lines)
    if found is None:
        removed = old.removed_in(new)
        return DriftStatus.GONE if removed.issuperset(old.inked(*lines)) else DriftStatus.CHANGED, None
    return (DriftStatus.SAME, None) if found == lines else (DriftStatus.MOVED, found)


def _exactly(old: _File, new: _File, start: int, end: int) -> tuple[int, int] | None:
    """The cited lines to the byte: where they were, or at the one place where they are now."""
    block = old.block(start, end)
    length = end - start
    here = end <= len(new.lines) and new.block(start, end) == block
    if here and old.around(start, end) == new.around(start, end):
        return start, end
    if block.strip():  # an empty line is found anywhere, and says nothing
        place = _one_place(
            {at: old.around(at, at + length) for at in old.places(block)},
            {at: new.around(at, at + length) for at in new.places(block)},
            start,
        )
        if place is not None:
            return place, place + length
    return (start, end) if here else None


def _by_code(old: _File, new: _File, start: int, end: int) -> tuple[int, int] | None:
    """The cited lines as code; as text, white space aside, when they are comments."""
    before, after = old.code, new.code
    wanted = before.between(start, end)
    if not wanted:
        before, after = old.words, new.words
        wanted = before.between(start, end)
    if not wanted:
        return None
    if end <= len(new.lines) and after.between(start, end) == wanted:
        return start, end
    first_line, last_line = before.first_line(start, end), before.last_line(start, end)
    places = dict(after.places(wanted))
    first = _one_place(dict.fromkeys(first for first, _ in before.places(wanted)), dict.fromkeys(places), first_line)
    if first is None:
        return None
    return after.widened(first, places[first], first_line - start, end - last_line)


Around = tuple[bytes, bytes]
"""The next lines with text above and below a copy; what was copied or reordered has others."""


def _one_place(before: Mapping[int, Around | None], after: Mapping[int, Around | None], start: int) -> int | None:
    """The line at which the copy that started at `start` starts now; None when that cannot be told.

    Both map the start of each copy to what is around it, in order. A text that was there once goes to its one place.
    A copy that was there before is no place to move to: it would hide that the cited one changed. Among several, it
    is the one of the same rank while their number stays and what is above it too; else the one with the same
    neighbours, if nothing else has them.
    """
    if start not in before:
        return None
    if len(before) == 1:
        return next(iter(after)) if len(after) == 1 else None
    own = before[start]
    if own is None:
        return None
    if len(before) == len(after):
        ranked = list(after)[list(before).index(start)]
        there = after[ranked]
        if there is not None and there[0] == own[0]:
            return ranked
    alike = [at for at, around in after.items() if around == own]
    return alike[0] if len(alike) == 1 and list(before.values()).count(own) == 1 else None


def _removed_lines(before: list[bytes], after: list[bytes]) -> set[int]:
    """Lines that went without others in their place; empty when too much changed to tell."""
    head = _alike(before, after)
    rest = before[head:], after[head:]
    tail = _alike(*(lines[::-1] for lines in rest))
    old, new = (lines[: len(lines) - tail] for lines in rest)
    if max(len(old), len(new)) > MAX_COMPARED_LINES:
        return set()
    changes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return {head + line + 1 for kind, first, last, _, _ in changes if kind == "delete" for line in range(first, last)}


def _alike(before: list[bytes], after: list[bytes]) -> int:
    """How many lines both start with."""
    return sum(1 for _ in takewhile(bool, map(eq, before, after)))


def _follow_hash(ref: SourceRef, new: _File) -> tuple[DriftStatus, tuple[int, int] | None]:
    """Without the old text: the lines now that have the hash which the citation carries."""
    lines = _lines_of(ref)
    if ref.text_hash is None:
        return DriftStatus.WRONG_FROM_THE_START, None
    if lines is None:
        return (DriftStatus.SAME if lines_hash(new.lines) == ref.text_hash else DriftStatus.CHANGED), None
    start, end = lines
    if not 1 <= start <= end:
        return DriftStatus.WRONG_FROM_THE_START, None
    if lines_hash(new.lines[start - 1 : end]) == ref.text_hash:
        return DriftStatus.SAME, None
    length = end - start + 1
    places = [at for at in range(len(new.lines)) if lines_hash(new.lines[at : at + length]) == ref.text_hash]
    if len(places) != 1:
        return DriftStatus.CHANGED, None
    (at,) = places
    return DriftStatus.MOVED, (at + 1, at + length)


class _File:
    """One file's lines, and its code as one text to search in."""

    def __init__(self, path: str, content: bytes, syntax: Callable[[bytes, str], Syntax]) -> None:
        self._path = path
        self.content = content.removeprefix(BOM)
        self._syntax_of = syntax
        self.lines = split_lines(self.content)
        self._removed: set[int] | None = None

    @cached_property
    def text(self) -> bytes:
        """All lines, each after a line feed, and one at the end: a block of lines is found as `\\n<block>\\n`."""
        return b"\n" + b"\n".join(self.lines) + b"\n"

    @cached_property
    def _starts(self) -> list[int]:
        """Offset in `text` of the line feed before each line."""
        starts, at = [], 0
        for line in self.lines:
            starts.append(at)
            at += len(line) + 1
        return starts

    @cached_property
    def code(self) -> _Stream:
        """Without comments; the same as `words` where no grammar is known."""
        syntax = self._syntax_of(self.content, self._path)
        if syntax.language is None:
            return self.words
        return _Stream(_masked(self.content, syntax.comments, syntax.strings))

    @cached_property
    def words(self) -> _Stream:
        """With comments."""
        return _Stream(self.content)

    def block(self, start: int, end: int) -> bytes:
        return b"\n".join(self.lines[start - 1 : end])

    def removed_in(self, new: _File) -> set[int]:
        """Lines of this file that went; compared once, since a file is followed to one other."""
        if self._removed is None:
            self._removed = _removed_lines(self.lines, new.lines)
        return self._removed

    def inked(self, start: int, end: int) -> list[int]:
        """Those of the lines that hold more than white space; all of them when none does."""
        inked = [line for line in range(start, end + 1) if self.lines[line - 1].strip()]
        return inked or list(range(start, end + 1))

    def places(self, block: bytes) -> list[int]:
        """The lines at which a copy of these lines starts."""
        wanted = b"\n" + block + b"\n"
        found, at = [], self.text.find(wanted)
        while at >= 0:
            found.append(bisect_left(self._starts, at) + 1)
            at = self.text.find(wanted, at + 1)
        return found

    def around(self, start: int, end: int) -> Around:
        """The next lines above and below that hold more than white space, trimmed."""
        above = next((line.strip() for line in reversed(self.lines[: start - 1]) if line.strip()), b"")
        return above, next((line.strip() for line in islice(self.lines, end, None) if line.strip()), b"")


_WORD = rb"[\w\x80-\xff$@]"
_IDLE_SPACE = re.compile(rb"(?<!" + _WORD + rb") | (?!" + _WORD + rb")")
_WORD_AT_END = re.compile(_WORD + rb"\Z")
_WORD_AT_START = re.compile(_WORD)
_KEPT_SPACE = bytes.maketrans(b" \t\r\x0b\x0c", b"\x01\x02\x03\x04\x05")
_KEPT_LINE_FEED = b"\x06"


def _masked(content: bytes, comments: Iterable[tuple[int, int]], strings: Iterable[tuple[int, int]]) -> bytes:
    """The content with comments blanked and the white space inside strings kept apart, line feeds where they were."""
    spans = sorted([(start, end, True) for start, end in comments] + [(start, end, False) for start, end in strings])
    pieces, at = [], 0
    for start, end, is_comment in spans:
        if start < at:
            continue
        pieces.append(content[at:start])
        inside = content[start:end]
        if is_comment:
            pieces.append(b" " + b"\n" * inside.count(b"\n"))
        else:
            pieces.append(inside.replace(b"\r\n", b"\n").translate(_KEPT_SPACE).replace(b"\n", _KEPT_LINE_FEED + b"\n"))
        at = end
    pieces.append(content[at:])
    return b"".join(pieces)


class _Stream:
    """A file as one run of tokens: white space, line feeds too, is one space between words and nothing elsewhere."""

    def __init__(self, masked: bytes) -> None:
        pieces: list[bytes] = []
        self._lines: list[int] = []
        """Number of each line that holds any token."""
        self._starts: list[int] = []
        """Where it starts in `text`."""
        self._ends: list[int] = []
        at = 0
        for number, raw in enumerate(masked.split(b"\n"), start=1):
            line = _IDLE_SPACE.sub(b"", b" ".join(raw.split()))
            if not line:
                continue
            if pieces and _WORD_AT_END.search(pieces[-1]) and _WORD_AT_START.match(line):
                pieces.append(b" ")
                at += 1
            pieces.append(line)
            self._lines.append(number)
            self._starts.append(at)
            at += len(line)
            self._ends.append(at)
        self.text = b"".join(pieces)
        self._numbers = set(self._lines)
        self._line_at = dict(zip(self._starts, self._lines, strict=True))
        self._line_to = dict(zip(self._ends, self._lines, strict=True))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Stream) and self.text == other.text

    __hash__ = None  # type: ignore[assignment]

    def between(self, start: int, end: int) -> bytes:
        """The tokens of these lines."""
        first, last = self._span(start, end)
        return self.text[self._starts[first] : self._ends[last]] if first <= last else b""

    def first_line(self, start: int, end: int) -> int:
        """The first of these lines that holds a token; there is one."""
        return self._lines[self._span(start, end)[0]]

    def last_line(self, start: int, end: int) -> int:
        return self._lines[self._span(start, end)[1]]

    def places(self, wanted: bytes) -> list[tuple[int, int]]:
        """First and last line of each run of whole lines that holds exactly these tokens."""
        found, at = [], self.text.find(wanted)
        while at >= 0:
            first, last = self._line_at.get(at), self._line_to.get(at + len(wanted))
            if first is not None and last is not None:
                found.append((first, last))
            at = self.text.find(wanted, at + 1)
        return found

    def widened(self, first: int, last: int, above: int, below: int) -> tuple[int, int]:
        """The range with up to so many lines without tokens around it, as the citation had."""
        while above > 0 and first > 1 and first - 1 not in self._numbers:
            first, above = first - 1, above - 1
        limit = self._lines[-1]
        while below > 0 and last < limit and last + 1 not in self._numbers:
            last, below = last + 1, below - 1
        return first, last

    def _span(self, start: int, end: int) -> tuple[int, int]:
        return bisect_left(self._lines, start), bisect_left(self._lines, end + 1) - 1
