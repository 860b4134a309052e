"""How much a word tells, by how common it is in source code at large: "default" tells little, "voucher" a lot."""

from __future__ import annotations

import math
from functools import cache, lru_cache
from pathlib import Path

LEVELS = (0.30, 0.15, 0.08, 0.04, 0.02)
"""Shares of the source files of public packages; `common_stems.txt` lists the stems of each, the commonest first."""
BEYOND = LEVELS[-1] / 2
"""The share of what the table does not list."""


@cache
def _table() -> dict[str, list[tuple[str, float]]]:
    """First four letters -> (stem, share)."""
    found: dict[str, list[tuple[str, float]]] = {}
    level = BEYOND
    for line in (Path(__file__).parent / "common_stems.txt").read_text("utf-8").splitlines():
        if line.startswith("= "):
            level = float(line[2:])
        elif not line.startswith("#"):
            for stem in line.split():
                found.setdefault(stem[:4], []).append((stem, level))
    return found


@lru_cache(maxsize=16384)
def rarity_of(stem: str) -> float:
    """Minus the natural logarithm of the share of files that hold a stem alike: 1.2 for the commonest, 4.6 for rare."""
    alike = [
        share
        for other, share in _table().get(stem[:4], ())
        if stem == other or (len(stem) > 3 and len(other) > 3 and (stem.startswith(other) or other.startswith(stem)))
    ]
    return -math.log(max(alike, default=BEYOND))
