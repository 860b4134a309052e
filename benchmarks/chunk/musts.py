"""What the chunk benchmark must show, each figure beside its bound: one that is missed makes the command fail."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from corpus import File
from figures import BUDGET, Figures

from retrodoc_chunkers import chunk_source

MIN_SIZE = 20_000_000
LANGUAGES = 8
LARGE_LIMIT = 0.85
"""Of the parser's own speed, on files over the budget."""
SYNTAX_LIMIT = 0.50
JOBS_LIMIT = 0.80
ON_DEFINITION = 0.90
FLOOR = 1.15
MEMORY = 150
"""Megabytes at the peak."""
_LINE_END = re.compile(rb"\r\n|\n|\r")


@dataclass(frozen=True)
class Must:
    """A figure, what it must be, and whether it is."""

    what: str
    figure: str
    bound: str
    met: bool

    def __str__(self) -> str:
        return f"{'met   ' if self.met else 'MISSED'}  {self.what}: {self.figure} ({self.bound})"


def at_least(what: str, figure: float, bound: float, form: str = ".3f") -> Must:
    return Must(what, format(figure, form), f"at least {bound:{form}}", figure >= bound)


def at_most(what: str, figure: float, bound: float, form: str = ".3f") -> Must:
    return Must(what, format(figure, form), f"at most {bound:{form}}", figure <= bound)


def of_corpus(files: Sequence[File], languages: Iterable[str], changed: Sequence[str]) -> list[Must]:
    """`changed`: packages whose digest is not the pinned one, or that are missing."""
    return [
        Must("packages that are not the pinned ones", ", ".join(changed) or "none", "none", not changed),
        at_least("bytes of source", sum(len(source) for _, source in files), MIN_SIZE, ",d"),
        at_least("languages", len(set(languages)), LANGUAGES, "d"),
    ]


def of_speed(seconds: Mapping[str, float]) -> list[Must]:
    """From CPU seconds of the parser and of our own, measured in turn on each file."""
    parse = seconds["parse-small"] + seconds["parse-large"]
    syntax = seconds["syntax-small"] + seconds["syntax-large"]
    large = seconds["parse-large"] / seconds["retrodoc-large"]
    return [
        at_least("files over the budget, share of the parser's speed", large, LARGE_LIMIT),
        at_least(
            "syntax_of: definitions, calls, imports, kinds, enclosing; share of the parser's speed",
            parse / syntax,
            SYNTAX_LIMIT,
        ),
    ]


def of_jobs(share: float) -> Must:
    """Near-linear on two cores: against two processes that share nothing, since a busy machine slows both."""
    return at_least("two jobs, share of what two processes reach", share, JOBS_LIMIT)


def of_chunks(one: Figures, memory: int, files: int) -> list[Must]:
    """From the figures of our own chunks, and the megabytes that making them took at the peak."""
    return [
        at_least("chunks that start on a definition", one.on_start / one.chunks, ON_DEFINITION),
        at_most("definitions that fit and are split", one.split, 0, "d"),
        at_most("chunks over the budget", one.over, 0, "d"),
        at_most("files that are not reproduced byte for byte", files - one.lossless, 0, "d"),
        at_most("chunks over their floor", one.chunks / one.floor, FLOOR),
        at_most("megabytes at the peak", memory, MEMORY, "d"),
    ]


def of_lines(files: Sequence[File]) -> Must:
    """Line numbers of our chunks against a count of line ends that shares no code with them."""
    wrong = 0
    for path, source in files:
        ends = [found.end() for found in _LINE_END.finditer(source)]
        line = 0
        for one in chunk_source(source, path, BUDGET):
            while line < len(ends) and ends[line] <= one.start_byte:
                line += 1
            last = line
            while last < len(ends) and ends[last] < one.end_byte:
                last += 1
            wrong += (one.start_line, one.end_line) != (line + 1, last + 1)
    return at_most("chunks whose first or last line is not an editor's", wrong, 0, "d")


def of_peers(ran: Iterable[str], wanted: Iterable[str]) -> Must:
    missing = sorted(set(wanted) - set(ran))
    return Must("peers without a row", ", ".join(missing) or "none", "none", not missing)


def of_cache(misses: int) -> Must:
    return at_most("files that a second run of the index parses", misses, 0, "d")
