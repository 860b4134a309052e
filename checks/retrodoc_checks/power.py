"""Whether a check could have failed: how many other ranges of the same length in the file would have passed it."""

from __future__ import annotations

from collections.abc import Sequence

from retrodoc_checks.citations import Cited
from retrodoc_checks.evidence import Scope, kept_at, windows_holding
from retrodoc_checks.names import Promise

MAX_SHARE = 0.40
"""Of the windows; above it the check could not fail. DESIGN section 4."""


def passing_share(cited: Cited, kept: Sequence[Promise], scope: Scope) -> float:
    """The share of the file's windows of this length that keep these promises too, the own one included."""
    count = cited.source.window_count(cited.length)
    if count <= 0 or not kept:
        return 1.0
    windows = (1 << count) - 1
    for promise in kept:
        windows &= windows_holding(cited.source, promise, cited.length, scope=scope)
        if not windows:
            break
    # The own window passed; a sampled count may have missed it.
    return max(windows.bit_count(), 1) / count


def shares(cited: Sequence[Cited], promises: Sequence[Promise], scope: Scope) -> list[float]:
    """For each citation, how easily it would have kept what it keeps: 1.0 when it keeps nothing."""
    found = []
    for one in cited:
        kept = [promise for promise in promises if kept_at(one, promise, scope)]
        found.append(passing_share(one, kept, scope))
    return found
