"""`retrodoc` and `python -m retrodoc`: run a command, and turn what stops it into a message and an exit code."""

from __future__ import annotations

import gc
import os
import signal
import sys


def main() -> None:
    """Entry point of the console script. Exit codes: 0 checked and nothing wrong, 1 findings, 2 could not check."""
    _forget_current_folder()
    _open_what_is_closed()
    _end_in_order()
    # Trees and tables make many objects and hardly a cycle: the usual thresholds cost a fifth of a run.
    gc.set_threshold(100_000, 50, 50)
    # Looking for plugins of pydantic's reads the metadata of every installed package, and would run what it finds.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")
    try:
        from retrodoc.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # so early that no command has begun
        code = 130
    gc.freeze()  # what is left is given back by the system: looking through it all takes a tenth of a short run
    sys.exit(code)


def _forget_current_folder() -> None:
    """`python -m` puts the current folder first on the path: there, the target's own modules would be run as ours."""
    if sys.path and not sys.flags.safe_path:
        first = os.path.realpath(sys.path[0] or os.curdir)
        here = os.path.realpath(__file__)
        if first == os.path.realpath(os.curdir) and not here.startswith(first + os.sep):
            sys.path.pop(0)


def _open_what_is_closed() -> None:
    """A standard stream that the caller closed is None here, and the next file that is opened would get its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123  until the end


def _end_in_order() -> None:
    """What would end us at once is an interrupt: else processes that work for us would stay, and hold our streams."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:  # nohup has it ignored
            signal.signal(number, _interrupt)


def _interrupt(number: int, _frame: object) -> None:
    signal.signal(number, signal.SIG_DFL)  # a second one does end us at once
    raise KeyboardInterrupt(number)


if __name__ == "__main__":
    main()
