"""Whether an answer is written in the language that was asked for: by its script, then by its commonest words.

It answers only when it is sure: short texts, and languages that it has no words of, pass.
"""

from __future__ import annotations

import re
import unicodedata

WORDS: dict[str, frozenset[str]] = {
    "en": frozenset("the of and to is in that it with for are by this be from or which when not has".split()),
    "fr": frozenset("le la les des et est une un du que qui dans pour par sur avec au aux ce pas sont".split()),
    "de": frozenset("der die das und ist ein eine den dem von zu mit nicht auf für wird im des werden".split()),
    "es": frozenset("el los las y es una del que en por para con se al no un lo como su está".split()),
    "it": frozenset("il lo gli e è una del della che di per con si al non un dei nel sono viene".split()),
    "pt": frozenset("o os as e é uma do da que em por para com se ao não um dos no são".split()),
    "nl": frozenset("de het een en is van dat die in voor met niet op wordt zijn aan door als naar te".split()),
}
"""Twenty function words a language, chosen to be its own more than its neighbours'."""

MIN_WORDS = 25
"""Under this a text shows too few function words to tell."""
_WORD = re.compile(r"[^\W\d_]+")
_CODE = re.compile(r"`[^`\n]*`")


def wrong_language(text: str, expected: str) -> str | None:
    """What is wrong, in a sentence, or None. `expected` is a code (`en`, `pt-BR`), or a name, which is not checked.

    Names in backticks are code, not prose.
    """
    expected = expected.lower().partition("-")[0]
    if expected not in WORDS:
        return None
    words = [w.casefold() for w in _WORD.findall(_CODE.sub(" ", text))]
    if len(words) < MIN_WORDS:
        return None
    letters = "".join(words)
    foreign = sum(1 for c in letters if not _is_latin(c))
    if foreign > len(letters) / 2:
        return f"the text is not in the Latin script; it must be in {expected!r}"
    counts = {code: sum(1 for w in words if w in listed) for code, listed in WORDS.items()}
    best = max(counts, key=lambda code: counts[code])
    # Three times as many words of another language, and a tenth of the text: names and quotes do not add up to that.
    if counts[best] > 3 * counts[expected] and counts[best] >= len(words) / 10:
        return f"the text is in {best!r}; it must be in {expected!r}"
    return None


def _is_latin(char: str) -> bool:
    return char.isascii() or unicodedata.name(char, "").startswith("LATIN")
