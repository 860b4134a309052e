"""Where what was read of source files is kept for the next run: the user's cache folder, never the repository."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from retrodoc_chunkers.syntax import Syntax, syntax_of

VARIABLE = "RETRODOC_CACHE"
"""Names another folder, or `off`."""


def cache_folder() -> Path | None:
    """The folder that keeps what was read; None when the user wants none, or has no home."""
    named = os.environ.get(VARIABLE, "").strip()
    if named.lower() == "off":
        return None
    if named:
        return Path(named)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
    if not Path(base).is_absolute():  # as the XDG specification asks; unset as well
        home = os.path.expanduser("~")  # noqa: PTH111  Path.home() raises where this gives ~ back
        if not Path(home).is_absolute():
            return None
        base = os.path.join(home, "Library/Caches" if sys.platform == "darwin" else ".cache")  # noqa: PTH118
    return Path(base) / "retrodoc"


@cache
def cached_syntax() -> Callable[[bytes, str], Syntax]:
    """`syntax_of`, from the cache for content that was read before."""
    folder = cache_folder()
    if folder is None:
        return syntax_of
    from retrodoc_chunkers.cache import SyntaxCache

    return SyntaxCache(folder / "syntax").get
