"""What remains of a word when its ending is taken off, so that "authenticated" and `authenticate` meet. EN and FR."""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import combining, normalize

_ENDINGS = tuple(
    "ions ion ements ement ments ment ingly edly ings ing ied ies ers er ors or ed ly es ees ee s e y "
    "ives ive ity al able ible ant ent".split()
)
"""Tried in this order; the first that leaves three letters is taken off."""
_BY_LAST = {last: tuple(ending for ending in _ENDINGS if ending[-1] == last) for last in {*"".join(_ENDINGS)}}
_SHORTEST = 3
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


@lru_cache(maxsize=16384)
def stem_of(word: str) -> str:
    """The stem of a word in lower case, without accents: `vérifié` -> `verifi`, `stopped` -> `stop`."""
    plain = without_accents(word)
    for ending in _BY_LAST.get(plain[-1:], ()):
        if plain.endswith(ending) and len(plain) - len(ending) >= _SHORTEST:
            plain = plain[: -len(ending)]
            doubled = len(plain) > _SHORTEST and plain[-1] == plain[-2] and plain[-1] not in "aeiouls"
            return plain[:-1] if doubled else plain
    return plain


def without_accents(text: str) -> str:
    """`vérifié` -> `verifie`."""
    return text if text.isascii() else _NOT_ASCII.sub(_bare, text)


def _bare(match: re.Match[str]) -> str:
    return "".join(c for c in normalize("NFD", match.group()) if not combining(c))
