"""`check` as a command: what it prints, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click
import pytest
from click.testing import CliRunner

from retrodoc.cli.check import check as check_command
from retrodoc.errors import RetroDocError
from retrodoc_runs.errors import RunsError


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    message: str = ""
    """Of the error that stopped it."""
    mend: str = ""

    @property
    def json(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self.out)
        return data


@pytest.fixture(scope="session")
def check() -> Callable[..., Outcome]:
    """`check("docs", "--repo", path)` runs the command as the program does."""

    def run(*arguments: object) -> Outcome:
        result = CliRunner().invoke(check_command, [str(argument) for argument in arguments], standalone_mode=False)
        out = result.stdout_bytes.decode("utf-8") if hasattr(result, "stdout_bytes") else result.stdout
        error = result.exception
        if isinstance(error, (RetroDocError, RunsError)):
            return Outcome(2, out, error.message, error.mend)
        if isinstance(error, click.ClickException):
            return Outcome(2, out, error.format_message())
        if error is not None:
            raise error
        return Outcome(result.return_value, out)

    return run
