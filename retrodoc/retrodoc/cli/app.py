"""Which commands there are, and what a program's end looks like: the message, the mend, the exit code."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module

import click

from retrodoc import __version__
from retrodoc.cli.failure import Failure, close_standard_output, failure_of

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
    """Run a command line; returns the exit code, which says enough where nobody can read what is said."""
    try:
        result = retrodoc.main(list(arguments), prog_name="retrodoc", standalone_mode=False)
    except click.Abort as error:
        return _stopped(arguments, error.__cause__)
    except click.ClickException as error:  # a usage error of the command line itself
        with suppress(OSError):
            error.show()
        return 2
    except KeyboardInterrupt as error:
        return _stopped(arguments, error)
    except BrokenPipeError:
        return _unheard()
    except SystemExit:  # no command of ours exits by itself: click does, when the reader went away
        return _unheard()
    except Exception as error:  # noqa: BLE001 - whatever it is, it has an exit code of ours
        return _fail(failure_of(error))
    return result if isinstance(result, int) else 0


def _fail(failure: Failure) -> int:
    if failure.own_fault:
        import traceback

        traceback.print_exc()
    with suppress(OSError):
        click.echo(f"error: {_shown(failure.message)}", err=True)
        if failure.mend:
            click.echo(f"  {_shown(failure.mend)}", err=True)
    return failure.code


def _shown(text: str) -> str:
    """Without what could move the cursor or turn the text around: a message may hold a hostile file's name."""
    return "".join(one if one.isprintable() or one == "\n" else "\N{REPLACEMENT CHARACTER}" for one in text)


def _unheard() -> int:
    """The reader of our output went away: say nothing, and let nothing else try to write there."""
    close_standard_output()
    return UNHEARD


def _stopped(arguments: Sequence[str], cause: BaseException | None) -> int:
    """The exit code is as shells expect: 128 and the signal, Ctrl-C where none is named."""
    resumes = "generate" in arguments[:1]
    with suppress(OSError):
        click.echo("stopped" + (": what was complete is saved; the same command resumes" if resumes else ""), err=True)
    number = cause.args[0] if isinstance(cause, KeyboardInterrupt) and cause.args else signal.SIGINT
    return 128 + int(number)
