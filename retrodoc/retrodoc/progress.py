"""What a person sees while they wait: a bar for what takes over a second, and nothing where there is no terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

PATIENCE_SECONDS = 1.0
"""A stage that ends before this shows nothing."""


class Reporter:
    """Tells progress and notes on standard error. `quiet` keeps warnings only, `verbose` adds details."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        self.quiet = quiet
        self.verbose = verbose
        self._bars = not quiet and sys.stderr.isatty()

    def note(self, text: str) -> None:
        """Something worth one line."""
        if not self.quiet:
            print(text, file=sys.stderr)  # noqa: T201  this is where notes are printed

    def detail(self, text: str) -> None:
        """Something that only `-v` shows."""
        if self.verbose:
            print(text, file=sys.stderr)  # noqa: T201

    def warn(self, text: str) -> None:
        """Something that must be seen, also with `-q`."""
        print(f"warning: {text}", file=sys.stderr)  # noqa: T201

    @contextmanager
    def stage(self, name: str, total: int) -> Iterator[Callable[[], None]]:
        """Count `total` pieces of work: call what is given after each one."""
        began = time.monotonic()
        bar: RichProgress | None = None
        done = 0

        def advance() -> None:
            nonlocal bar, done
            done += 1
            if not self._bars or (bar is None and time.monotonic() - began < PATIENCE_SECONDS):
                return
            if bar is None:
                bar = _bar()
                bar.start()
                bar.add_task(name, total=total)
            bar.update(bar.task_ids[0], completed=done)

        try:
            yield advance
        finally:
            if bar is not None:
                bar.stop()
        self.detail(f"{name}: {done} of {total} in {time.monotonic() - began:.2f} s")


def _bar() -> RichProgress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
