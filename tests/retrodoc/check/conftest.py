"""`check` as a command: what it prints, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

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
    app = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    app.command()(check_command)

    def run(*arguments: object) -> Outcome:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=True)
        out = result.stdout_bytes.decode("utf-8") if hasattr(result, "stdout_bytes") else result.stdout
        error = result.exception
        if isinstance(error, (RetroDocError, RunsError)):
            return Outcome(2, out, error.message, error.mend)
        if error is not None and not isinstance(error, SystemExit):
            raise error
        return Outcome(result.exit_code, out)

    return run
