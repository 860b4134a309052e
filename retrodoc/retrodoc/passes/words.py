"""Plain words out of identifiers, for titles and slugs: `add_product` is "Add product"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

_HUMPS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+\d*|[A-Z]+\d*|\d+")


def words_of(name: str) -> list[str]:
    """Lower-case words of an identifier, in order: `HTTPServer_v2` gives http, server, v2."""
    plain = unicodedata.normalize("NFKC", name)
    return [word.lower() for word in _HUMPS.findall(plain)] or [plain.lower()]


def phrase(name: str) -> str:
    """The words of an identifier as one phrase, in lower case."""
    return " ".join(words_of(name))


def title(name: str) -> str:
    """The same with a capital at its start."""
    text = phrase(name)
    return text[:1].upper() + text[1:]


def slug_of(text: str, fallback: str = "item") -> str:
    """Lower-case ASCII words joined by hyphens, at most 60 characters."""
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", ascii_text)
    slug = re.sub(r"[^a-z0-9]+", "-", spaced.lower()).strip("-")[:60].strip("-")
    return slug or fallback


def singular(word: str) -> str:
    """`queries` is "query", `issues` is "issue"; a guess that only groups names."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def listed(names: Collection[str]) -> str:
    """Names in backticks, with commas and an "and"."""
    quoted = [f"`{name}`" for name in names]
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)
