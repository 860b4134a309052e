"""Which commands there are, and what a program's end looks like: the message, the mend, the exit code."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from retrodoc import __version__
from retrodoc.errors import RetroDocError
from retrodoc_runs.errors import RunsError

INTERRUPTED = 130
"""128 + SIGINT, as shells expect."""
UNHEARD = 141
"""128 + SIGPIPE, as of any program whose reader went away: no finding, and no green light either."""
COMMANDS = ("generate", "plan", "scan", "check", "report", "render", "audit", "chunk", "doctor", "runs")
"""In the order of the help; each is the command of that name in the module of that name."""


class _Commands(click.Group):
    """Imports a command when it is asked for, which imports nothing heavy: a command does that when it runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"retrodoc.cli.{cmd_name}"), cmd_name)
        return command


@click.group(cls=_Commands, name="retrodoc", context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="retrodoc %(version)s", help="Show the version.")
def retrodoc() -> None:
    """Write the functional documentation of a Git repository, each step citing the code, and check it."""


def run(arguments: Sequence[str]) -> int:
    """Run a command line; returns the exit code."""
    try:
        result = retrodoc.main(list(arguments), prog_name="retrodoc", standalone_mode=False)
    except click.Abort:
        return _stopped(arguments)
    except click.ClickException as error:  # a usage error of the command line itself
        error.show()
        return 2
    except RetroDocError as error:
        return _fail(error.message, error.mend, error.exit_code)
    except RunsError as error:
        return _fail(str(error), getattr(error, "mend", ""), 2)
    except KeyboardInterrupt:
        return _stopped(arguments)
    except BrokenPipeError:
        return _unheard()
    except SystemExit:  # no command of ours exits by itself: click does, when the reader went away
        return _unheard()
    except OSError as error:
        return _failed_write(error)
    except Exception:  # noqa: BLE001 - Python's own exit code for it is 1, which would say "findings"
        import traceback

        traceback.print_exc()
        return _fail("this is a fault of RetroDoc's own", "Please report it with the lines above.", 2)
    return result if isinstance(result, int) else 0


def _fail(message: str, mend: str, code: int) -> int:
    click.echo(f"error: {_shown(message)}", err=True)
    if mend:
        click.echo(f"  {_shown(mend)}", err=True)
    return code


def _shown(text: str) -> str:
    """Without what could move the cursor or turn the text around: a message may hold a hostile file's name."""
    return "".join(one if one.isprintable() or one == "\n" else "\N{REPLACEMENT CHARACTER}" for one in text)


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


def _stopped(arguments: Sequence[str]) -> int:
    resumes = "generate" in arguments[:1]
    click.echo("stopped" + (": what was complete is saved; the same command resumes" if resumes else ""), err=True)
    return INTERRUPTED
