"""What a command's end looks like when something outside it ends it."""

from __future__ import annotations

import os
import subprocess
import sys

import click
import pytest

from retrodoc.cli.app import run


@pytest.mark.parametrize(
    ("command", "error", "code", "said"),
    [
        ("generate", KeyboardInterrupt(), 130, "\nstopped: what was complete is saved; the same command resumes\n"),
        ("doctor", KeyboardInterrupt(), 130, "\nstopped\n"),
        ("doctor", PermissionError(13, "Permission denied", "runs"), 2, "error: no permission: runs\n"),
    ],
)
def test_what_stops_a_command_is_said(
    command: str,
    error: BaseException,
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def stopped() -> None:
        raise error

    monkeypatch.setattr(f"retrodoc.cli.{command}.{command}", click.Command(command, callback=stopped))
    assert run([command]) == code
    assert capsys.readouterr().err.startswith(said)


def test_a_reader_that_went_away_is_no_finding_and_no_green_light() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "retrodoc", "--help"], stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")
