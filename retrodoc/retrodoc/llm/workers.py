"""How many jobs are under way at once, and that leaving them is possible: daemon threads, and results as they come."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Generic, TypeVar

J = TypeVar("J")
A = TypeVar("A")


@dataclass(frozen=True)
class Result(Generic[J, A]):
    """What became of a job: its answer, or what was raised."""

    job: J
    answer: A | None = None
    error: BaseException | None = None
    seconds: float = 0.0


class Workers(Generic[J, A]):
    """`width` threads that do jobs. They are daemons: who interrupts twice does not wait for a slow model."""

    def __init__(self, work: Callable[[J], A], width: int) -> None:
        self._work = work
        self._width = width
        self._asked: SimpleQueue[J | None] = SimpleQueue()
        self._answered: SimpleQueue[Result[J, A]] = SimpleQueue()
        self._under_way = 0

    def results(self, jobs: Sequence[J], go_on: Callable[[], bool]) -> Iterator[Result[J, A]]:
        """Each job's result as it comes. While `go_on` says no, none is begun; those under way still come."""
        for _ in range(self._width):
            threading.Thread(target=self._serve, name="ask", daemon=True).start()
        queue = iter(jobs)
        try:
            while True:
                while go_on() and self._under_way < self._width and (job := next(queue, None)) is not None:
                    self._asked.put(job)
                    self._under_way += 1
                if not self._under_way:
                    return
                yield self._next()
        finally:
            for _ in range(self._width):
                self._asked.put(None)

    def wait(self) -> None:
        """Until what is under way is done; its results are dropped."""
        while self._under_way:
            self._next()

    def _next(self) -> Result[J, A]:
        result = self._answered.get()
        self._under_way -= 1
        return result

    def _serve(self) -> None:
        while (job := self._asked.get()) is not None:
            began = time.monotonic()
            try:
                answer = self._work(job)
            except BaseException as error:  # noqa: BLE001 - raised where the jobs are asked for
                self._answered.put(Result(job, error=error))
            else:
                self._answered.put(Result(job, answer, seconds=time.monotonic() - began))
