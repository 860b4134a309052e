"""Whether the ordinary words of a step belong to its lines: those that the file knows, do they stand here or elsewhere?

A word stands where it does itself, or what code may say for it: a translation from French, another word of programmers.
A model that cites a wrong place, or a detail that is not there, uses words that the file has, at other lines. A word
that the file does not have at all says nothing: prose is not code, and it may be in another language than the code.
A word that stands in almost every range of the file says nothing either: at its lines, each weighs as much as it is
rare there, and elsewhere as much as it is rare in code at large.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from retrodoc_checks.citations import Cited
from retrodoc_checks.lexicon import ACTOR_WORDS, FUNCTION_WORDS, NEGATORS
from retrodoc_checks.meanings import meanings_of
from retrodoc_checks.names import WORD, Reading
from retrodoc_checks.rarity import rarity_of
from retrodoc_checks.source import Bits, windows_of
from retrodoc_checks.stems import stem_of

MIN_WINDOWS = 20
"""A file with fewer ranges of that length says nothing about chance. DESIGN section 4."""
RAREST = 0.02
"""Share of the windows under which a word weighs no more: one window in fifty."""
PRIOR_HERE = 4.0
PRIOR_ELSEWHERE = 4.0
"""What is believed before any word is looked at, in the same weights (a word in one window of eight weighs 2.1): as
much for as against, so that words which say little leave a step in the middle of all steps. ADR 0019."""
MAX_CITATIONS = 50
MAX_WORDS = 200
"""Distinct words of a step that are looked at."""


@dataclass(frozen=True, slots=True)
class Footing:
    """How far the step's words stand at its lines."""

    here: tuple[str, ...]
    elsewhere: tuple[str, ...]
    """Words that stand in a cited file, and not at the cited lines. Those of denied clauses are in neither list. They
    weigh where they are at the lines, since code names what it denies; their absence shows nothing."""
    weight_here: float
    weight_elsewhere: float
    ahead: float
    """The share of the other ranges of the file, those that share no line with the cited one, that hold fewer of the
    words; the best of the citations."""

    @property
    def share(self) -> float:
        """0 to 1: the weight of the words that stand here, among those that the file knows."""
        total = self.weight_here + self.weight_elsewhere + PRIOR_HERE + PRIOR_ELSEWHERE
        return (self.weight_here + PRIOR_HERE) / total


NO_FOOTING = Footing((), (), 0.0, 0.0, 0.0)


class StepWord(NamedTuple):
    """An ordinary word of a step."""

    word: str
    stem: str
    denied: bool = False
    """Whether it stands in denied clauses alone."""


def words_of(reading: Reading) -> list[StepWord]:
    """Each ordinary word of the step, once."""
    found: dict[str, StepWord] = {}
    skipped = FUNCTION_WORDS[reading.language]
    clauses = reading.clauses
    clause = 0
    for match in WORD.finditer(reading.text):
        while clauses[clause].end <= match.start():  # the last one ends with the text
            clause += 1
        word = _without_elision(match.group().lower())
        if len(word) < 3 or word in skipped or word in ACTOR_WORDS:
            continue
        denied = clauses[clause].denied
        if denied and NEGATORS.fullmatch(word):
            continue
        stem = stem_of(word)
        if stem not in found or (found[stem].denied and not denied):
            found[stem] = StepWord(word, stem, denied)
        if len(found) >= MAX_WORDS:
            break
    return list(found.values())


def _without_elision(word: str) -> str:
    """`l'adresse` -> `adresse`, `shop's` -> `shop`."""
    before, mark, after = word.partition("'")
    if not mark:
        before, mark, after = word.partition("’")
    return after if mark and len(before) <= 2 else before


def footing(reading: Reading, cited: Sequence[Cited]) -> Footing:
    """Weigh the step's words at its citations. Files too short to say anything are left out."""
    telling = [one for one in cited if one.source.window_count(one.length) >= MIN_WINDOWS][:MAX_CITATIONS]
    words = words_of(reading) if telling else []
    if not words:
        return NO_FOOTING
    here: list[str] = []
    elsewhere: list[str] = []
    weights = [0.0, 0.0]
    held: list[list[Bits]] = [[] for _ in telling]
    enclosing = [_enclosing_stems(one) for one in telling]
    for word, stem, denied in words:
        stems = (stem, *meanings_of(stem, reading.language))
        found, share, known = False, 1.0, False
        for number, one in enumerate(telling):
            lines = one.source.lines_of_words(stems)
            count = one.source.window_count(one.length)
            windows = windows_of(lines, one.length, count)
            held[number].append(windows)
            known = known or bool(lines)
            if windows >> (one.start - 1) & 1 or _names(enclosing[number], stems):
                share = min(share, windows.bit_count() / count)
                found = True
        if found:
            weights[0] -= math.log(max(share, RAREST))
            if not denied:
                here.append(word)
        elif known and not denied:
            weights[1] += min(rarity_of(other) for other in stems)
            elsewhere.append(word)
    ahead = max(_ahead(one, windows) for one, windows in zip(telling, held, strict=True))
    return Footing(tuple(here), tuple(elsewhere), weights[0], weights[1], ahead)


def alike(one: str, other: str) -> bool:
    """Two stems are alike when they are equal, or one of four letters or more begins the other."""
    if one == other:
        return True
    return len(one) > 3 and len(other) > 3 and (one.startswith(other) or other.startswith(one))


def _enclosing_stems(one: Cited) -> dict[str, list[str]]:
    """Stems of the names of the definitions around, by their first four letters: stems that are alike share them."""
    found: dict[str, list[str]] = {}
    for definition in one.source.syntax.enclosing(one.start):
        if definition.end_line >= one.end:
            for stem in one.source.stems_of(definition.name):
                found.setdefault(stem[:4], []).append(stem)
    return found


def _names(enclosing: Mapping[str, Sequence[str]], stems: Sequence[str]) -> bool:
    return any(alike(stem, other) for stem in stems for other in enclosing.get(stem[:4], ()))


def _ahead(one: Cited, held: Sequence[Bits]) -> float:
    """The share of the ranges apart from this one that hold fewer of the words, counted in columns of bits."""
    count = one.source.window_count(one.length)
    own = sum(windows >> (one.start - 1) & 1 for windows in held)
    first, last = max(one.start - one.length + 1, 1), min(one.start + one.length - 1, count)
    others = ((1 << count) - 1) & ~(((1 << (last - first + 1)) - 1) << (first - 1))
    total = others.bit_count()
    if not own or not total:
        return 0.0
    planes: list[Bits] = []
    for windows in held:
        carry = windows
        for place, plane in enumerate(planes):
            planes[place], carry = plane ^ carry, plane & carry
        if carry:
            planes.append(carry)
    return (fewer_than(own, planes, others)).bit_count() / total


def fewer_than(number: int, planes: Sequence[Bits], among: Bits) -> Bits:
    """The windows whose count, written in binary across the planes, is under `number`."""
    under, equal = 0, among
    for place in range(max(len(planes), number.bit_length()) - 1, -1, -1):
        plane = planes[place] if place < len(planes) else 0
        if number >> place & 1:
            under |= equal & ~plane
            equal &= plane
        else:
            equal &= ~plane
    return under
