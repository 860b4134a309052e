"""Which commands there are, and what a program's end looks like: the message, the mend, the exit code."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module

import typer

from retrodoc import __version__
from retrodoc.errors import RetroDocError
from retrodoc_runs.errors import RunsError

INTERRUPTED = 130
"""128 + SIGINT, as shells expect."""
UNHEARD = 141
"""128 + SIGPIPE, as of any program whose reader went away: no finding, and no green light either."""


def _version(show: bool) -> None:
    if show:
        typer.echo(f"retrodoc {__version__}")
        raise typer.Exit


_COMMANDS = ("generate", "plan", "scan", "check", "report", "render", "audit", "chunk", "doctor")
"""In the order of the help; each is the function of that name in the module of that name."""


def build(only: str = "") -> typer.Typer:
    """The whole application, or no more than the command `only`, since to describe options takes time as well.

    Importing a command imports nothing heavy: it does that when it runs.
    """
    app = typer.Typer(
        name="retrodoc",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # plain help costs no import of tables, and reads the same in a file
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def main(
        version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
    ) -> None:
        """Write the functional documentation of a Git repository, each step citing the code, and check it."""

    for name in (only,) if only in _COMMANDS else _COMMANDS:
        app.command()(getattr(import_module(f"retrodoc.cli.{name}"), name))
    if only not in _COMMANDS:
        from retrodoc.cli.runs import runs

        app.add_typer(runs, name="runs")
    return app


def run(arguments: Sequence[str]) -> int:
    """Run a command line; returns the exit code."""
    try:
        result = build(next(iter(arguments), ""))(args=list(arguments), standalone_mode=False)
    except typer.Abort:
        return _stopped()
    except typer.TyperException as error:  # a usage error of the command line itself
        show = getattr(error, "show", None)
        if show is None:
            return _fail(error.message, "", 2)
        show()
        return 2
    except RetroDocError as error:
        return _fail(error.message, error.mend, error.exit_code)
    except RunsError as error:
        return _fail(str(error), getattr(error, "mend", ""), 2)
    except KeyboardInterrupt:
        return _stopped()
    except BrokenPipeError:
        return _unheard()
    except SystemExit as error:
        if isinstance(error.__context__, BrokenPipeError):  # typer's own end of the same
            return _unheard()
        raise
    except OSError as error:
        return _failed_write(error)
    except Exception:  # noqa: BLE001 - Python's own exit code for it is 1, which would say "findings"
        traceback.print_exc()
        return _fail("this is a fault of RetroDoc's own", "Please report it with the lines above.", 2)
    if result == INTERRUPTED:  # what typer makes of a KeyboardInterrupt
        return _stopped()
    return result if isinstance(result, int) else 0


def _fail(message: str, mend: str, code: int) -> int:
    typer.echo(f"error: {message}", err=True)
    if mend:
        typer.echo(f"  {mend}", err=True)
    return code


def _failed_write(error: OSError) -> int:
    where = f": {error.filename}" if error.filename else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _fail(f"the disk is full{where}", "Free some room and run the same command again: it resumes.", 2)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return _fail(f"no permission{where}", "Mend it, or name another folder with --out or --runs.", 2)
    return _fail(f"{error.strerror or error}{where}", "", 2)


def _unheard() -> int:
    """The reader of our output went away: say nothing, and let nothing else try to write there."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
    return UNHEARD


def _stopped() -> int:
    typer.echo("stopped: what was complete is saved; the same command resumes", err=True)
    return INTERRUPTED
