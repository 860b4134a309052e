"""Which words code may use for a word of a step: its translations from French, or what programmers say instead of it.

`thesaurus.txt` holds a meaning a line; words meet by their stems. Read once, a language when it is asked for.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from retrodoc_checks.lexicon import Language
from retrodoc_checks.stems import stem_of

_HEAD = 3
"""Letters that two words with one stem share: a stem has three or more."""
SHORTEST_BEGINNING = 5
"""Letters with which one word must begin another, and how many more that may have, when neither has an entry."""
LONGEST_REST = 4
_CONJUGATIONS = tuple("issements issement issants issant issent issait ions ir it is ie e i u us ues ue".split())
"""What French verbs end in beside the endings that `stem_of` knows; the longest first where one ends another."""


@cache
def _meanings() -> tuple[list[str], list[str]]:
    """The English and the French words of each line."""
    text = (Path(__file__).parent / "thesaurus.txt").read_text("ascii")
    pairs = [line.partition(" = ") for line in text.split("\n") if line and line[0] != "#"]
    return [english for english, _, _ in pairs], [french for _, _, french in pairs]


@cache
def _heads(language: Language) -> dict[str, list[tuple[str, int]]]:
    """First letters -> the words that begin so, and the numbers of their lines."""
    found: dict[str, list[tuple[str, int]]] = {}
    for number, words in enumerate(_meanings()[language == "fr"]):
        for word in words.split():
            found.setdefault(word[:_HEAD], []).append((word, number))
    return found


@lru_cache(maxsize=16384)
def meanings_of(stem: str, language: Language) -> tuple[str, ...]:
    """Stems of the English words for this stem of an English or French one, itself left out, each once; maybe none."""
    begun = stem[: _HEAD + 1]  # a stem begins its word, and what is near another shares four letters with it
    words = [(word, number) for word, number in _heads(language).get(stem[:_HEAD], ()) if word.startswith(begun)]
    entries = [(stem_of(word), number) for word, number in words]
    numbers = [number for other, number in entries if other == stem]
    if not numbers:
        root = _root(stem, language)
        numbers = [number for other, number in entries if _near(root, _root(other, language))]
    english = _meanings()[0]
    stems = (stem_of(word) for number in dict.fromkeys(numbers) for word in english[number].split())
    return tuple(other for other in dict.fromkeys(stems) if other != stem)


def _root(stem: str, language: Language) -> str:
    """`choisit` -> `chois`, as `choisir`; English stems stay."""
    if language == "fr":
        for ending in _CONJUGATIONS:
            if stem.endswith(ending) and len(stem) - len(ending) > _HEAD:
                return stem[: -len(ending)]
    return stem


def _near(one: str, other: str) -> bool:
    """Equal, or one begins the other by enough letters and the rest is no more than an ending."""
    if one == other:
        return True
    short, long = (one, other) if len(one) < len(other) else (other, one)
    return len(short) >= SHORTEST_BEGINNING and len(long) - len(short) <= LONGEST_REST and long.startswith(short)
