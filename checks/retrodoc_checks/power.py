"""Whether a check could have failed: how many other ranges of the same length in the file would have passed it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_

from retrodoc_checks.citations import Cited
from retrodoc_checks.evidence import Scope, kept_at, windows_holding
from retrodoc_checks.names import Promise

MAX_SHARE = 0.40
"""Of the windows; above it the check could not fail. DESIGN section 4."""


def passing_share(cited: Cited, kept: Sequence[Promise], scope: Scope) -> float:
    """The share of the file's windows of this length that keep these promises too, the own one included."""
    if not kept:
        return 1.0
    windows = reduce(and_, (windows_holding(cited.source, one, cited.length, scope=scope) for one in kept))
    # The own window passed; a sampled count may have missed it.
    return max(windows.bit_count(), 1) / cited.source.window_count(cited.length)


def shares(cited: Sequence[Cited], promises: Sequence[Promise], scope: Scope) -> list[float]:
    """For each citation, how easily it would have kept what it keeps: 1.0 when it keeps nothing."""
    found = []
    for one in cited:
        kept = [promise for promise in promises if kept_at(one, promise, scope)]
        found.append(passing_share(one, kept, scope))
    return found
