"""Whether a regex that somebody proposed for the starts of definitions is used: compiled, measured, decided.

The regex is untrusted. It runs in linear time (RE2), on one line at a time, with caps on its size and memory. It is
measured against `probe.py` on real files: how many definition-like lines it finds (recall), how much of a file it
matches (breadth), and how many lines it matches for each definition-like one (excess).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from retrodoc_chunkers.probe import Probe, probe
from retrodoc_chunkers.reading import encoding_of, minified

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

MAX_LENGTH = 500
"""Characters of a regex. A long list of keywords takes about 200."""
MAX_MEMORY = 1 << 20
"""Bytes that RE2 may use for one regex."""
MAX_PROGRAM = 1_000
"""Instructions of the compiled regex; a regex with thirty keywords takes about 200."""
MAX_LINE = 1_000
"""Bytes of a line that are matched; definitions start within them."""
LARGEST = 20
"""Files that a pattern is measured on: the largest of their kind, since those are the ones that are cut."""

ACCEPT_RECALL = 0.90
DROP_RECALL = 0.50
MAX_BREADTH = 0.40
"""Share of the non-blank lines of one file. A right regex was never seen to match more than 0.19."""
MAX_EXCESS = 2.0
"""Matched lines for each definition-like line, over all files. See adr/0004 for the measurement."""
BROAD = 0.20
"""Share of the non-blank lines of one file above which its matches must be explained by its definition-like lines."""
MAX_EXCESS_IN_FILE = 3.0
"""Matched lines for each definition-like line of a file above that share."""
MISSED_SHOWN = 8

RULES = """\
The regex is compiled with RE2: no look-ahead, no look-behind, no back-references, no possessive or atomic groups.
It is searched in one line at a time, without the line's end, so anchor it with ^ and allow for indentation.
\\w, \\d, \\s and [[:alpha:]] are ASCII only. (?i) at the start ignores case. Do not capture: use (?:...).
It must match the first line of each definition and nothing else: no empty alternative, no comments, no calls.
At most 500 characters."""
"""What the author of a regex must know; for prompts."""


class PatternError(ValueError):
    """A regex that cannot be compiled within the caps; the message says why."""


@cache
def _compiled(regex: str) -> Any:
    import re2

    options = re2.Options()
    options.max_mem = MAX_MEMORY
    options.log_errors = False
    try:
        return re2.compile(regex.encode("utf-8"), options)
    except re2.error as error:
        raise PatternError(error.args[0].decode("utf-8", "replace")) from error  # bytes, as the regex is


def compile_pattern(regex: str) -> Any:
    """A searcher for lines of bytes. `PatternError` when the regex is too long, too complex or no RE2 regex."""
    if not regex:
        raise PatternError("it is empty")
    if len(regex) > MAX_LENGTH:
        raise PatternError(f"it is {len(regex)} characters long, {MAX_LENGTH} are allowed")
    try:
        compiled = _compiled(regex)
    except UnicodeEncodeError as error:
        raise PatternError("it holds characters that cannot be encoded") from error
    if compiled.programsize > MAX_PROGRAM:
        raise PatternError(f"it is too complex: {compiled.programsize} instructions, {MAX_PROGRAM} are allowed")
    return compiled


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regex that finds the lines that start a definition."""

    regex: str

    def matches(self, source: bytes) -> list[int]:
        """Indexes (from 0) of the lines that it matches. `PatternError` as in `compile_pattern`."""
        search = compile_pattern(self.regex).search
        lines = source.split(b"\n")
        return [index for index, line in enumerate(lines) if search(_prepared(line)) is not None]

    def definition_starts(self, source: bytes) -> list[int]:
        """First bytes of the lines that it matches."""
        search = compile_pattern(self.regex).search
        starts = []
        offset = 0
        for line in source.split(b"\n"):
            if search(_prepared(line)) is not None:
                starts.append(offset)
            offset += len(line) + 1
        return [start for start in starts if start < len(source)]


def _prepared(line: bytes) -> bytes:
    return line[:-1][:MAX_LINE] if line.endswith(b"\r") else line[:MAX_LINE]


class Missed(NamedTuple):
    """A definition-like line that a pattern does not match."""

    path: str
    line: int
    """1-based."""
    text: str


@dataclass(frozen=True, slots=True)
class Measure:
    """What a pattern does on some files."""

    files: int
    definition_lines: int
    """Lines that look like the start of a definition."""
    found: int
    """How many of those it matches, on the line or on a decorator right above."""
    matched: int
    """All lines that it matches."""
    breadth: float
    """Its largest share of the non-blank lines of one file."""
    broadest: str
    """The file of that share."""
    excess_in_file: float
    """Its largest number of matches per definition-like line in a file of which it matches more than `BROAD`."""
    missed: tuple[Missed, ...]

    @property
    def recall(self) -> float:
        """Share of the definition-like lines that it finds; 0 when there are none."""
        return self.found / self.definition_lines if self.definition_lines else 0.0

    @property
    def excess(self) -> float:
        """Matched lines per definition-like line, over all files."""
        return self.matched / max(self.definition_lines, 1)


def largest(files: Mapping[str, bytes], count: int = LARGEST) -> dict[str, bytes]:
    """The largest files that somebody wrote (not minified), by size and then by name."""
    written = (path for path, source in files.items() if not minified(source))
    order = sorted(written, key=lambda path: (-len(files[path]), path))
    return {path: files[path] for path in order[:count]}


def measure(pattern: Pattern, files: Mapping[str, bytes]) -> Measure:
    """Measure a pattern on the largest of the files. `PatternError` when it does not compile."""
    chosen = largest(files)
    definition_lines = found = matched = 0
    breadth = excess_in_file = 0.0
    broadest = ""
    missed: list[Missed] = []
    for path, source in chosen.items():
        lines = [line.decode(encoding_of(line)) for line in source.split(b"\n")]
        probed = probe([line.rstrip("\r") for line in lines])
        hits = set(pattern.matches(source))
        matched += len(hits)
        definition_lines += len(probed.starts)
        for start in probed.starts:
            if start in hits or any(above in hits for above in probed.decorators[start]):
                found += 1
            else:
                missed.append(Missed(path, start + 1, lines[start].strip()[:120]))
        share = len(hits) / max(sum(1 for line in lines if line.strip()), 1)
        if share > breadth:
            breadth, broadest = min(share, 1.0), path
        if share > BROAD:
            excess_in_file = max(excess_in_file, len(hits) / max(_explained(probed, hits), 1))
    return Measure(
        len(chosen), definition_lines, found, matched, breadth, broadest, excess_in_file, tuple(_spread(missed))
    )


def _explained(probed: Probe, hits: Collection[int]) -> int:
    """Lines that a right pattern may match: the definition-like ones, and decorators above them."""
    return len(probed.starts) + sum(line in hits for above in probed.decorators.values() for line in above)


def _spread(missed: Sequence[Missed]) -> Iterable[Missed]:
    """At most `MISSED_SHOWN` of them, from all over the files."""
    step = max(len(missed) // MISSED_SHOWN, 1)
    return missed[::step][:MISSED_SHOWN]


class Decision(StrEnum):
    """What becomes of a pattern."""

    ACCEPTED = "accepted"
    BELOW = "below"
    """Recall from 50 to 90 %: corrected while tries are left, then used all the same."""
    DROPPED = "dropped"
    """Recall under 50 %: blank lines are better."""
    TOO_BROAD = "too-broad"
    """It matches more than 40 % of a file, or far more lines than there are definitions."""
    NOT_COMPILED = "not-compiled"
    NOT_CHECKABLE = "not-checkable"
    """No line of the files looks like a definition, so nothing can be said for or against it."""


def decide(measured: Measure) -> Decision:
    """The decision for a pattern that compiles, from its measure alone."""
    if measured.breadth > MAX_BREADTH:
        return Decision.TOO_BROAD
    if not measured.definition_lines:
        return Decision.NOT_CHECKABLE
    if measured.excess > MAX_EXCESS or measured.excess_in_file > MAX_EXCESS_IN_FILE:
        return Decision.TOO_BROAD
    if measured.recall >= ACCEPT_RECALL:
        return Decision.ACCEPTED
    return Decision.BELOW if measured.recall >= DROP_RECALL else Decision.DROPPED


@dataclass(frozen=True, slots=True)
class Judged:
    """A regex, what was measured and what was decided."""

    regex: str
    decision: Decision
    measured: Measure | None = None
    """None when it did not compile."""
    error: str = ""


def judge(regex: str, files: Mapping[str, bytes]) -> Judged:
    """Compile, measure and decide. Never raises on a bad regex."""
    try:
        measured = measure(Pattern(regex), files)
    except PatternError as error:
        return Judged(regex, Decision.NOT_COMPILED, None, str(error))
    return Judged(regex, decide(measured), measured)


USABLE = frozenset({Decision.ACCEPTED, Decision.BELOW})


def dump_judged(judged: Judged) -> str:
    """A judged pattern as JSON for a person to read and edit: the regex, its decision and its figures."""
    figures = judged.measured
    return json.dumps(
        {
            "regex": judged.regex,
            "decision": judged.decision.value,
            "recall": round(figures.recall, 4) if figures else None,
            "breadth": round(figures.breadth, 4) if figures else None,
            "excess": round(figures.excess, 4) if figures else None,
            "definition_lines": figures.definition_lines if figures else 0,
            "files": figures.files if figures else 0,
            "error": judged.error,
            "measured_regex": _digest(judged.regex),
        },
        indent=2,
        ensure_ascii=False,
    )


def load_usable(text: str, files: Mapping[str, bytes]) -> tuple[Pattern | None, Judged]:
    """A saved pattern, if it may be used. Edited by hand since it was measured, it is measured again on `files`.

    ValueError when the text is not what `dump_judged` wrote.
    """
    data = json.loads(text)
    if not isinstance(data, dict) or not isinstance(data.get("regex"), str):
        raise ValueError("a saved pattern needs a regex")
    if data.get("measured_regex") == _digest(data["regex"]):
        judged = Judged(data["regex"], Decision(data["decision"]), None, str(data.get("error", "")))
    else:
        judged = judge(data["regex"], files)
    return (Pattern(judged.regex) if judged.decision in USABLE else None), judged


def _digest(regex: str) -> str:
    return hashlib.sha256(regex.encode("utf-8", "surrogatepass")).hexdigest()[:16]
