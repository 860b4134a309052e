"""Every command of the program, so that a rule for all of them meets a new one too."""

from __future__ import annotations

from collections.abc import Iterator

import click

from retrodoc.cli.app import retrodoc as program


def commands(command: click.Command = program, words: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """(the words that call it, the command) of the program, its groups and what they hold."""
    yield " ".join(words), command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None, name
            yield from commands(child, (*words, name))
