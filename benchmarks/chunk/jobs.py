"""How much two processes gain on this machine: `chunk_many` with two jobs beside two processes that share nothing.

Wall-clock seconds, each the best of some rounds that take turns, over the corpus four times: to start two processes
takes a quarter of a second, a tenth of what one process needs for the corpus once. The machine's own limit is what two
processes reach that start together, each with half of the files in its memory already, and that send nothing back.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Sequence
from multiprocessing.synchronize import Barrier
from typing import NamedTuple

from corpus import File
from figures import BUDGET

from retrodoc_chunkers import chunk_source
from retrodoc_chunkers.many import chunk_many

ROUNDS = 2
TIMES = 4
"""The corpus is read so often: a repository of 120 MB, for which somebody would ask for two jobs."""


class Seconds(NamedTuple):
    one: float
    two: float
    """With two jobs: from the start of the processes to the last chunk in the first one's hands."""
    limit: float


def measure(files: Sequence[File]) -> Seconds:
    """Wall-clock seconds for all files."""
    files = list(files) * TIMES
    rounds = [Seconds(_many(files, 1), _many(files, 2), _apart(files)) for _ in range(ROUNDS)]
    return Seconds(*map(min, zip(*rounds, strict=True)))


def shown(seconds: Seconds, size: int) -> str:
    one, two, limit = seconds
    size *= TIMES
    return (
        f"chunk_many: {size / 1e6 / one:.1f} MB/s with 1 job, {size / 1e6 / two:.1f} MB/s with 2:"
        f" {one / two:.2f} times as fast; two processes that share nothing: {size / 1e6 / limit:.1f} MB/s,"
        f" {one / limit:.2f} times; of what this machine can do, 2 jobs reach {limit / two:.2f}"
    )


def _many(files: Sequence[File], jobs: int) -> float:
    start = time.perf_counter()
    for _ in chunk_many(files, BUDGET, jobs):
        pass
    return time.perf_counter() - start


def _apart(files: Sequence[File]) -> float:
    """Two forked processes, each with every second file; the clock starts when both stand ready."""
    context = multiprocessing.get_context("fork")  # they begin with the files and touch no lock
    ready = context.Barrier(3)
    halves = [context.Process(target=_half, args=(files[index::2], ready)) for index in range(2)]
    for half in halves:
        half.start()
    ready.wait()
    start = time.perf_counter()
    for half in halves:
        half.join()
    return time.perf_counter() - start


def _half(files: Sequence[File], ready: Barrier) -> None:
    ready.wait()
    for path, source in files:
        chunk_source(source, path, BUDGET)
