"""What one rule had made of the sources serves the next one, and goes with them."""

from __future__ import annotations

import gc
import weakref

from retrodoc.ingest.sources import Sources, once_for_sources


def test_what_is_made_of_sources_is_made_once_and_not_kept_longer() -> None:
    asked: list[int] = []

    @once_for_sources
    def made(sources: Sources) -> None:
        asked.append(id(sources))

    one, other = Sources({}), Sources({})
    for sources in (one, other, one):
        made(sources)
    assert asked == [id(one), id(other)], "what is None is made once, too"
    gone = weakref.ref(one)
    del one, sources
    gc.collect()
    assert gone() is None
