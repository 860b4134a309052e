"""How sure a share is: the Wilson interval, which stays honest for small numbers and for shares near 0 and 1."""

from __future__ import annotations

import math
from dataclasses import dataclass

Z_95 = 1.959963984540054
"""Standard deviations that hold 95 % of a normal distribution."""


@dataclass(frozen=True, slots=True)
class Share:
    """`count` of `total`, with its 95 % interval; `value` is None when there was nothing to count."""

    count: int
    total: int

    @property
    def value(self) -> float | None:
        return self.count / self.total if self.total else None

    @property
    def low(self) -> float:
        return wilson(self.count, self.total)[0]

    @property
    def high(self) -> float:
        return wilson(self.count, self.total)[1]

    def __str__(self) -> str:
        return "none" if self.value is None else f"{self.value:.2f} ({self.low:.2f}-{self.high:.2f})"


def wilson(count: int, total: int, z: float = Z_95) -> tuple[float, float]:
    """Bounds of the share `count / total`; 0 and 1 when `total` is 0."""
    if total == 0:
        return 0.0, 1.0
    share = count / total
    spread = z * z / total
    centre = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / total + spread / (4 * total)) / (1 + spread)
    return (0.0 if count == 0 else max(0.0, centre - half)), (1.0 if count == total else min(1.0, centre + half))
