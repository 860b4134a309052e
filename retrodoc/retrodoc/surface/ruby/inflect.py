"""Decides the singular of a plural and back as Rails would, where a route or a table is named after the other form.

Words that follow no rule are listed; an application's own (`inflect.irregular "person", "people"`) come from its
initializers, through the caller. Only the last word of a `snake_case` name changes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

_SAME = frozenset(
    ["equipment", "fish", "information", "jeans", "money", "news", "police", "rice", "series", "sheep", "species"]
)
_IRREGULAR = {
    "child": "children",
    "man": "men",
    "mouse": "mice",
    "movie": "movies",
    "ox": "oxen",
    "person": "people",
    "quiz": "quizzes",
    "sex": "sexes",
    "move": "moves",
    "shoe": "shoes",
    "matrix": "matrices",
    "index": "indices",
    "vertex": "vertices",
    "octopus": "octopi",
    "virus": "viri",
}
_ENDS_IN_S = ("status", "alias", "bus")
_ENDS_IN_SIS = ("analysis", "basis", "crisis", "diagnosis", "parenthesis", "prognosis", "synopsis", "thesis", "testis")
_SIBILANTS = ("x", "ch", "ss", "sh")


class Inflector:
    """`irregular` maps a singular to its plural; `uncountable` words have one form."""

    def __init__(self, irregular: Mapping[str, str] | None = None, uncountable: Iterable[str] = ()) -> None:
        self._plurals = {**_IRREGULAR, **(irregular or {})}
        self._singulars = {plural: one for one, plural in self._plurals.items()}
        self._same = _SAME | frozenset(uncountable)

    def singular(self, name: str) -> str:
        return self._change_last(name, self._singulars, self._plurals, _singular)

    def plural(self, name: str) -> str:
        return self._change_last(name, self._plurals, self._singulars, _plural)

    def _change_last(
        self, name: str, known: Mapping[str, str], done: Mapping[str, str], rule: Callable[[str], str]
    ) -> str:
        start = re.search(r"[A-Za-z]*$", name.lower()).start()  # type: ignore[union-attr] # it matches the empty end
        last = name[start:].lower()
        if last in self._same or last in done:
            return name
        if last in known:
            return name[:start] + known[last]
        return name[:start] + rule(name[start:])


def _singular(word: str) -> str:
    low = word.lower()
    if low.endswith((*_ENDS_IN_S, "ss", "sis")):
        return word
    if low.endswith("es"):
        stem = word[:-2]
        if low[:-2].endswith((*_ENDS_IN_S, *_SIBILANTS, "o")):
            return stem
        if low.endswith("bases"):
            return word[:-1] if low.endswith("databases") else stem + "is"
        if low[:-2] + "is" in _ENDS_IN_SIS:
            return stem + "is"
        if low.endswith("ies") and low[-4:-3] not in "aeiouy":
            return word[:-3] + "y"
        if low.endswith("ves") and not low.endswith(("tives", "hives", "moves")):
            return word[:-3] + ("f" if low[-4:-3] in "lr" else "ve" if low[-4:-3] == "f" else "fe")
    if low.endswith(("ta", "ia")):
        return word[:-1] + "um"
    return word[:-1] if low.endswith("s") else word


def _plural(word: str) -> str:
    low = word.lower()
    if low.endswith((*_ENDS_IN_S, *_SIBILANTS, "buffalo", "tomato")):
        return word + "es"
    if low.endswith("sis"):
        return word[:-2] + "es"
    if low.endswith("s"):
        return word
    if low.endswith("y") and (low[-2:-1] not in "aeiouy" or low.endswith("quy")):
        return word[:-1] + "ies"
    if low.endswith("fe") and not low.endswith("ffe"):
        return word[:-2] + "ves"
    if low.endswith(("lf", "rf")):
        return word[:-1] + "ves"
    if low.endswith(("tum", "ium")):
        return word[:-2] + "a"
    return word if low.endswith(("ta", "ia")) else word + "s"


def camelize(path: str) -> str:
    """`admin/order_items` is `Admin::OrderItems`."""
    return "::".join("".join(word[:1].upper() + word[1:] for word in part.split("_")) for part in path.split("/"))


def underscore(name: str) -> str:
    """`Admin::OrderItems` is `admin/order_items`; `HTTPServer` is `http_server`."""
    spaced = re.sub(r"([A-Z\d]+)([A-Z][a-z])", r"\1_\2", name.replace("::", "/"))
    return re.sub(r"([a-z\d])([A-Z])", r"\1_\2", spaced).replace("-", "_").lower()


_OWN_IRREGULAR = re.compile(rb"inflect\w*\.irregular[\s(]+['\"](\w+)['\"]\s*,\s*['\"](\w+)['\"]")
_OWN_UNCOUNTABLE = re.compile(rb"inflect\w*\.uncountable[\s(]+((?:%w[\[({])?[\w\s'\",\[]+)")


def inflector_of(sources: Sources) -> Inflector:
    """The application's own exceptions, from its initializers."""
    irregular: dict[str, str] = {}
    uncountable: list[str] = []
    for path in sources.containing(re.compile(rb"inflect\w*\.(?:irregular|uncountable)"), "ruby"):
        if re.search(r"(^|/)(test|spec|dummy)/", path):
            continue
        data = b"\n".join(line for line in sources.data(path).split(b"\n") if not line.lstrip().startswith(b"#"))
        irregular.update((one.decode(), many.decode()) for one, many in _OWN_IRREGULAR.findall(data))
        for words in _OWN_UNCOUNTABLE.findall(data):
            uncountable.extend(re.findall(r"\w+", words.decode().split("\n")[0].removeprefix("%w")))
    return Inflector(irregular, uncountable)
