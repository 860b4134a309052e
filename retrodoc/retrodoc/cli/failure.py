"""What stopped a command, in words: what is wrong, how to mend it, the exit code; and the same in JSON on request."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import click

from retrodoc.errors import RetroDocError
from retrodoc_runs.errors import RunsError


class Failure(NamedTuple):
    """`own_fault`: nobody foresaw it, so where it happened matters."""

    message: str
    mend: str
    code: int = 2
    own_fault: bool = False


def failure_of(error: Exception) -> Failure:
    """The sentences for what a command raised."""
    if isinstance(error, click.UsageError):
        of = f"See `{error.ctx.command_path} --help`." if error.ctx else ""
        return Failure(error.format_message(), of)
    if isinstance(error, click.ClickException):
        return Failure(error.format_message(), "")
    if isinstance(error, RetroDocError):
        return Failure(error.message, error.mend, error.exit_code)
    if isinstance(error, RunsError):
        return Failure(error.message, error.mend)
    if isinstance(error, OSError):
        return _of_the_system(error)
    # Python's own exit code for it is 1, which would say "findings".
    return Failure("this is a fault of RetroDoc's own", "Please report it with the lines above.", own_fault=True)


def _of_the_system(error: OSError) -> Failure:
    where = f": {os.fsdecode(error.filename)}" if isinstance(error.filename, str | bytes) else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Failure(f"the disk is full{where}", "Free some room and run the same command again: it resumes.")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return Failure(f"no permission{where}", "Mend it, or name another folder with --out or --runs.")
    return Failure(f"{error.strerror or error}{where}", "")


def close_standard_output() -> None:
    """Let nothing else be written there, nor when the program ends: nobody listens, or the disk is full."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)


class Command(click.Command):
    """A command with `--format`: what stops it is printed on standard output in the format that was asked for.

    The error goes on to `app.run`, which says it to a person and gives the exit code.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does; a command line that cannot be parsed is answered in its format too."""
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx  # an option without its value does not know whose it is
            self._answer(_format_in(given), error, ctx)
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """As click does."""
        try:
            return super().invoke(ctx)
        except (click.Abort, click.exceptions.Exit, BrokenPipeError):
            raise
        except Exception as error:
            self._answer(ctx.params.get("output", ""), error, ctx)
            raise

    def print_failure(self, output: str, failure: Failure, target: str | None) -> None:  # noqa: ARG002
        """One line of JSON, as where several files are an object a line; `target` is for who says what it was."""
        if output == "json":
            import json

            click.echo(json.dumps({"error": {"message": failure.message, "mend": failure.mend}}))

    def _answer(self, output: str, error: Exception, ctx: click.Context) -> None:
        try:
            self.print_failure(output, failure_of(error), ctx.params.get("target"))
        except OSError:  # what stopped the command is what has to be told
            close_standard_output()


def _format_in(arguments: Sequence[str]) -> str:
    """What `--format` says where nothing could be parsed; the last one counts, as it does otherwise."""
    said = ""
    for before, word in pairwise(["", *arguments]):
        if before == "--format":
            said = word
        elif word.startswith("--format="):
            said = word.removeprefix("--format=")
    return said
