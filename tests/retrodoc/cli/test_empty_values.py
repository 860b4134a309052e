"""A value that is empty, as of a variable that is not set, is never taken for what was left out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from command_tree import commands

from retrodoc.cli.app import run


def values() -> Iterator[tuple[str, str]]:
    """(command, option or argument) of everything that takes a value."""
    for words, command in commands():
        for one in command.params:
            if isinstance(one, click.Argument):
                yield words, ""
            elif isinstance(one, click.Option) and not one.is_flag and words:
                yield from ((words, spelling) for spelling in one.opts)


@pytest.mark.parametrize(("command", "option"), list(values()), ids=lambda part: part or "argument")
def test_an_empty_value_is_refused_by_name(
    command: str,
    option: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)  # what is not refused would be written here
    assert run([*command.split(), *([option, ""] if option else [""])]) == 2
    told = capfd.readouterr()
    assert told.out == ""
    _, colon, said = told.err.partition("Invalid value for ")
    assert colon, told.err
    assert said.startswith("'") if not option else f"'{option}'" in said
    assert len(told.err.splitlines()) == 4, told.err


def test_the_table_holds_what_takes_a_value() -> None:
    found = {(*command.split(), option) for command, option in values()}
    assert {("report", ""), ("check", "--base"), ("runs", "cost", "--path"), ("generate", "--key-env")} <= found
    assert len(found) > 60
