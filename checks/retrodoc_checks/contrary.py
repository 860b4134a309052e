"""How a step's text says the contrary of itself: one statement denied, as a person would write it.

Only what grammar turns round is denied: the verb of a statement. Not that of a condition or of a relative clause (the
statement would stay what it was), not a second time, and nothing in a title, which states nothing. A negation that
nobody would write, or that flips nothing, would make the audit's share for it say little.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from unicodedata import normalize

from retrodoc_checks.lexicon import NEGATORS
from retrodoc_checks.names import Reading, read_step

_SENTENCE = re.compile(r"[^.!?]+(?:[.!?](?=\S)[^.!?]*)*[.!?]?\s*")
_RELATIVE = re.compile(
    r"\b(?:that|which|who|whom|whose|where|qui|que|dont|où|lequel|laquelle|lesquels)\b", re.IGNORECASE
)
_LIMITED = r"(?! (?:only|seulement|que)\b)"
"""Denying "is only cleaned on request" says that it is cleaned at other times too: another claim, not the contrary."""
_ENGLISH = re.compile(rf"\b(is|are|was|were|can|may|must|will)\b{_LIMITED}")
_FRENCH = re.compile(rf"\b(est|sont|était|étaient|sera|seront|peut|peuvent|doit|doivent)\b{_LIMITED}", re.IGNORECASE)
_SUBJECT = r"\s*`[^`\n]+`\s+"
"""A name that begins the sentence: the verb follows it."""
_ENGLISH_AFTER = (
    "the|a|an|its|it|them|their|each|every|all|both|any|one|two|to|with|from|into|in|on|at|by|for|over|through|as|when"
)
_FRENCH_AFTER = "l[ae]s?|une?|des|du|son|sa|ses|leurs?|ces?|cette|chaque|tous|toutes|en|à|aux?|dans|sur|par|pour|avec"
_ENGLISH_VERB = re.compile(rf"{_SUBJECT}([a-z]{{2,}}s)(?=\s*[`.,;:]|\s*\Z|\s+(?:{_ENGLISH_AFTER})\b)")
_FRENCH_VERB = re.compile(
    rf"{_SUBJECT}([a-zàâçéèêëîïôûù]{{2,}}(?:e|it|nd|rt|nt|ut|et))(?=\s*[`.,;:]|\s*\Z|\s+(?:{_FRENCH_AFTER})\b|\s+l['’])"
)
"""A verb by what follows it; `mop` permissions matter."""
_NO_VERBS = frozenset("is was has as this its does les des ses une est que peut doit".split())
_BASES = (("ies", "y"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x"), ("zes", "z"), ("oes", "o"))


def contraries_of(text: str) -> list[str]:
    """The text with one of its statements denied, for each that can be; in their order."""
    text = normalize("NFKC", text)
    reading = read_step(text)
    found = []
    for sentence in _SENTENCE.finditer(reading.text):
        if NEGATORS.search(sentence.group()):
            continue
        for start, end, denied in _denials(text, sentence.start(), sentence.end(), reading):
            found.append(text[:start] + denied + text[end:])
    return found


def _denials(text: str, start: int, end: int, reading: Reading) -> Iterator[tuple[int, int, str]]:
    """(start, end, what stands there instead) of each verb of a sentence that can be denied."""
    french = reading.language == "fr"
    verb = (_FRENCH_VERB if french else _ENGLISH_VERB).match(text, start, end)
    if verb and verb[1] not in _NO_VERBS:
        yield verb.start(1), verb.end(1), (_denied_french if french else _denied_verb)(verb[1])
    deny: Callable[[str], str] = _denied_french if french else _denied_auxiliary
    for found in (_FRENCH if french else _ENGLISH).finditer(reading.text, start, end):
        if _states(found.start(), reading):
            yield found.start(), found.end(), deny(found[0])


def _states(place: int, reading: Reading) -> bool:
    """Whether a verb is a statement's own: not of a condition, and not after "who" or "that" in its clause."""
    clause = next(one for one in reading.clauses if one.start <= place < one.end)
    before = reading.text[clause.start : place]
    return not clause.conditional and _RELATIVE.search(before) is None and re.search(r"\w|\0", before) is not None


def _denied_auxiliary(verb: str) -> str:
    return "cannot" if verb == "can" else f"{verb} not"


def _denied_verb(verb: str) -> str:
    base = next((verb.removesuffix(end) + other for end, other in _BASES if verb.endswith(end)), verb.removesuffix("s"))
    return f"does not {base}"


def _denied_french(verb: str) -> str:
    return f"n'{verb} pas" if re.match(r"[aeiouhéèêàâîôû]", verb) else f"ne {verb} pas"
