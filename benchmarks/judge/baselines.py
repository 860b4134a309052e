"""What the judge is compared with: trusting every citation, the article's first rule, and words that overlap."""

from __future__ import annotations

import re
from collections.abc import Callable

from labelled import Labelled, LabelledSet

from retrodoc_checks.names import read_step, split_words
from retrodoc_checks.stems import stem_of
from retrodoc_checks.words import words_of
from retrodoc_runs.lines import decode, split_lines

Accepts = Callable[[Labelled], bool | None]
"""Whether a baseline says valid (True), unsupported (False), or nothing (None)."""

_BACKTICKS = re.compile(r"`([^`]+)`")
_NAMES = (
    re.compile(r"\b[a-zA-Z]\w*_\w+\b"),
    re.compile(r"\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\b"),
    re.compile(r"\b(\w+)\("),
)
_TOKEN = re.compile(r"[^\W\d_]\w*")


def all_valid(step: Labelled) -> bool | None:
    """What is cited is believed."""
    return bool(step.refs)


def first_rule(labelled: LabelledSet) -> Accepts:
    """Names in backticks, snake_case, CamelCase and calls: each a substring of the cited lines, ignoring case."""

    def accepts(step: Labelled) -> bool | None:
        if not step.refs:
            return False
        names = set(_BACKTICKS.findall(step.text)).union(*(pattern.findall(step.text) for pattern in _NAMES))
        code = cited_text(labelled, step).lower()
        return True if names and all(name.lower() in code for name in names) else None

    return accepts


def overlap(labelled: LabelledSet) -> Callable[[Labelled], float]:
    """The share of a step's words that are sub-words at its lines."""

    def share(step: Labelled) -> float:
        words = [word for word in words_of(read_step(step.text)) if not word.denied]
        tokens = _TOKEN.findall(cited_text(labelled, step))
        there = {stem_of(word) for token in tokens for word in split_words(token)}
        return sum(word.stem in there for word in words) / len(words) if words else 0.0

    return share


def best_overlap(labelled: LabelledSet) -> tuple[float, Accepts]:
    """Words overlapping at the threshold that is best for this very set: an advantage that no rule has in the field."""
    share = overlap(labelled)
    shares = {id(step): share(step) for step in labelled.steps if step.refs}

    def at(threshold: float) -> Accepts:
        return lambda step: (True if shares[id(step)] >= threshold else None) if step.refs else False

    def right(threshold: float) -> int:
        return sum(
            step.supported if shares[id(step)] >= threshold else not step.supported
            for step in labelled.steps
            if step.refs
        )

    # Enough must be settled for the comparison to mean anything.
    ordered = sorted(shares.values(), reverse=True)
    candidates = [value for value in sorted(set(shares.values())) if ordered.index(value) >= 0.4 * len(ordered)]
    threshold = max(candidates, key=lambda value: (_precision(labelled, shares, value), right(value)))
    return threshold, at(threshold)


def _precision(labelled: LabelledSet, shares: dict[int, float], threshold: float) -> float:
    accepted = [step for step in labelled.steps if step.refs and shares[id(step)] >= threshold]
    return sum(step.supported for step in accepted) / len(accepted)


def cited_text(labelled: LabelledSet, step: Labelled) -> str:
    pieces = []
    for ref in step.refs:
        lines = split_lines(labelled.snapshot.read(ref.path) or b"")
        pieces.append(decode(b"\n".join(lines[(ref.start_line or 1) - 1 : ref.end_line or len(lines)])))
    return "\n".join(pieces)
