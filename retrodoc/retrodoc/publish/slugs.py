"""Which file name a domain, feature or use case gets: safe anywhere, and unique also where case does not count.

A run may hold any slug (a model's, or another tool's). A page's path is built from ours only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from retrodoc.passes.words import slug_of

_SAFE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
MAX_LENGTH = 60
"""Of a slug: three of them and `docs/functional/use-cases` stay under the 260 characters that Windows allows."""

_RESERVED = frozenset({"readme", "index", "con", "prn", "aux", "nul"}) | {
    f"{device}{number}" for device in ("com", "lpt") for number in range(1, 10)
}
"""A page of that name would be a folder's own page, or no file at all on Windows."""


def safe_slug(slug: str, fallback: str = "item") -> str:
    """The slug itself when it is safe as a file name, else the nearest one that is."""
    if not (_SAFE.fullmatch(slug) and len(slug) <= MAX_LENGTH):
        slug = slug_of(slug, fallback)
    return f"{slug}-page" if slug in _RESERVED else slug


def unique_slugs(slugs: Iterable[str], fallback: str = "item") -> list[str]:
    """Safe slugs for the members of one folder, in order: the second of a name is `name-2`."""
    used: set[str] = set()
    result = []
    for slug in slugs:
        wanted = safe_slug(slug, fallback)
        candidate, number = wanted, 1
        while candidate in used:
            number += 1
            candidate = f"{wanted[: MAX_LENGTH - 6].rstrip('-')}-{number}"
        used.add(candidate)
        result.append(candidate)
    return result
