"""What a chunker did, counted the same way for all: where its chunks start, what they split, what they lose.

A chunk **starts on a definition** when the first thing in it that is neither white space nor a comment is the first
byte of a definition (decorators, attributes and `export` included) of `queries/*/definitions.scm` that is no constant,
or when it is the start of its file; `inner` counts the chunks that are no start of a file. A definition **is split**
when it has at most the budget's characters and a chunk starts inside it. **Lossless**: chunks join to the file, byte
for byte. The **floor** is the sum over files of their characters over the budget, rounded up.
"""

from __future__ import annotations

import bisect
import itertools
from dataclasses import dataclass, field

BUDGET = 6_000


@dataclass
class Truth:
    """What is known of a file, whoever chunks it."""

    source: bytes
    characters: int
    comments: list[tuple[int, int]]
    starts: set[int] = field(default_factory=set)
    fitting: list[tuple[int, int]] = field(default_factory=list)
    offsets: list[int] | None = None
    """Byte of each character, when they differ."""


def truth_of(path: str, source: bytes) -> Truth:
    from retrodoc_chunkers import syntax_of

    text = source.decode()
    syntax = syntax_of(source, path)
    truth = Truth(source, len(text), list(syntax.comments))
    if len(text) != len(source):
        offsets = [0]
        for character in text:
            offsets.append(offsets[-1] + len(character.encode()))
        truth.offsets = offsets
    for one in syntax.definitions:
        if one.kind != "constant":
            truth.starts.add(one.start_byte)
            if len(source[one.start_byte : one.end_byte].decode()) <= BUDGET:
                truth.fitting.append((one.start_byte, one.end_byte))
    return truth


@dataclass
class Figures:
    chunks: int = 0
    on_start: int = 0
    inner: int = 0
    inner_on_start: int = 0
    definitions: int = 0
    split: int = 0
    over: int = 0
    files: int = 0
    lossless: int = 0
    floor: int = 0


def measure(truths: dict[str, Truth], result: dict) -> Figures:
    figures = Figures()
    for path, spans in result["cuts"].items():
        if spans is None:
            continue
        truth = truths[path]
        figures.files += 1
        figures.floor += -(-truth.characters // BUDGET)
        if not result["bytes"] and truth.offsets is not None:
            spans = [
                (truth.offsets[start], truth.offsets[min(end, truth.characters)]) if start >= 0 else (-1, -1)
                for start, end in spans
            ]
        joined = b"".join(truth.source[start:end] for start, end in spans if start >= 0)
        figures.lossless += joined == truth.source
        for start, end in spans:
            figures.chunks += 1
            figures.over += len(truth.source[max(start, 0) : max(end, 0)].decode("utf-8", "replace")) > BUDGET
            first = first_code(truth, start)
            if start == 0:
                figures.on_start += 1
                continue
            figures.inner += 1
            figures.inner_on_start += first in truth.starts
            figures.on_start += first in truth.starts
        cuts = sorted(start for start, _ in spans if start > 0)
        figures.definitions += len(truth.fitting)
        for start, end in truth.fitting:
            index = bisect.bisect_right(cuts, start)
            figures.split += index < len(cuts) and cuts[index] < end
    return figures


def first_code(truth: Truth, at: int) -> int:
    """The first byte from `at` on that is neither white space nor a comment."""
    ends = dict(truth.comments)
    source = truth.source
    while 0 <= at < len(source):
        while at < len(source) and source[at] in b" \t\r\n\f\v":
            at += 1
        if at not in ends:
            break
        at = ends[at]
    return at


def forced_cuts(truth: Truth) -> int:
    """Cuts that nobody can put on a definition: what lies between two of them, comments apart, is over the budget."""
    starts = {end: start for start, end in truth.comments}
    forced = 0
    for start, end in itertools.pairwise(sorted({0, *truth.starts, len(truth.source)})):
        while end > start and (truth.source[end - 1] in b" \t\r\n\f\v" or end in starts):
            end = starts.get(end, end - 1)
        forced += max(-(-len(truth.source[start : max(start, end)].decode()) // BUDGET) - 1, 0)
    return forced
