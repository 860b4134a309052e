"""Many files at once: parsing holds the interpreter's lock, so several jobs are several processes.

Files travel in batches of about a megabyte, large enough that sending them costs little and small enough that no
process waits long for the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from retrodoc_chunkers.chunk import MAX_CHARS, Chunk, ChunkTuple, chunk_source, chunks_from, chunks_to

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import ProcessPoolExecutor
    from pathlib import Path

    File = tuple[str, bytes]

T = TypeVar("T")
R = TypeVar("R")
BATCH_BYTES = 1_000_000


def chunk_many(
    files: Iterable[tuple[str, bytes]], max_chars: int = MAX_CHARS, jobs: int = 1
) -> Iterator[tuple[str, list[Chunk]]]:
    """`chunk_source` for many files (path, bytes), in their order; `jobs` is how many processes are used."""
    if jobs <= 1:
        for path, source in files:
            yield path, chunk_source(source, path, max_chars)
        return
    batches = list(_batches(files))
    with _pool(min(jobs, len(batches) or 1)) as pool:
        for batch, answers in zip(batches, pool.map(_chunk_batch, batches, [max_chars] * len(batches)), strict=True):
            for (path, source), answer in zip(batch, answers, strict=True):
                yield path, chunks_from(answer, source, path)


def fill_cache(folder: Path, files: Iterable[tuple[str, bytes]], jobs: int = 1) -> None:
    """Read many files (path, bytes) into the `SyntaxCache` of a folder, with several processes."""
    batches = list(_batches(files))
    if jobs <= 1 or len(batches) <= 1:
        for batch in batches:
            _fill_batch(folder, batch)
        return
    with _pool(min(jobs, len(batches))) as pool:
        for _ in pool.map(_fill_batch, [folder] * len(batches), batches):
            pass


def each(work: Callable[[T], R], items: Sequence[T], jobs: int = 1) -> Iterator[R]:
    """What `work` gives for each item, in their order; with more than one job, both must be picklable.

    `work` should read a file itself and return little: what crosses between processes costs time.
    """
    if jobs <= 1 or len(items) <= 1:
        yield from map(work, items)
        return
    with _pool(min(jobs, len(items))) as pool:
        yield from pool.map(work, items, chunksize=max(1, min(MAX_SHARE, len(items) // (SHARES * jobs))))


SHARES = 8
"""Each process asks for work this often, so that none waits long for the last."""
MAX_SHARE = 32
"""Files in one share: results come while others are worked on."""


def _pool(jobs: int) -> ProcessPoolExecutor:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # Spawned, never forked: a fork copies the locks of threads that it does not copy.
    return ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"), initializer=_end_with_parent)


def _end_with_parent() -> None:
    """End this process when the one that gives it work is killed: it would wait for work for ever."""
    import multiprocessing
    import os
    import threading

    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _batches(files: Iterable[tuple[str, bytes]]) -> Iterator[list[File]]:
    batch: list[File] = []
    size = 0
    for path, source in files:
        batch.append((path, source))
        size += len(source)
        if size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _chunk_batch(batch: list[File], max_chars: int) -> list[list[ChunkTuple]]:
    return [chunks_to(chunk_source(source, path, max_chars)) for path, source in batch]


def _fill_batch(folder: Path, batch: list[File]) -> None:
    from retrodoc_chunkers.cache import SyntaxCache

    cache = SyntaxCache(folder)
    for path, source in batch:
        cache.get(source, path)
