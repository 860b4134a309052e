"""What a command's end looks like when something outside it ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

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


COMMANDS = ["check wiki.md", "check wiki.md --format json", "generate", "report", "render", "runs list", "--help"]


@pytest.fixture(scope="module")
def documented(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a run, whose page cites what is not there."""
    repo = tmp_path_factory.mktemp("desk")
    (repo / "app.py").write_text("import click\n\n\n@click.command()\ndef hello():\n    return greet()\n")
    (repo / "wiki.md").write_text("`hello` greets (app.py:400).\n")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "A commit"]):
        subprocess.run(["git", *words], cwd=repo, check=True)
    subprocess.run([sys.executable, "-m", "retrodoc", "generate", "-q"], cwd=repo, check=True, capture_output=True)
    return repo


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_stream_that_is_closed_is_one_that_nobody_reads(command: str, closed: str, documented: Path) -> None:
    program = f"{sys.executable} -m retrodoc {command}"
    usual = subprocess.run(program, shell=True, cwd=documented, capture_output=True, check=False)
    done = subprocess.run(f"{program} {closed}", shell=True, cwd=documented, capture_output=True, check=False)
    assert done.returncode == usual.returncode == ("wiki" in command)
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("wrong", ["check --nonsense", "check /none", "nonsense"])
def test_an_error_that_nobody_can_read_is_still_no_finding(wrong: str, documented: Path) -> None:
    done = subprocess.run(f"{sys.executable} -m retrodoc {wrong} 2>/dev/full", shell=True, cwd=documented, check=False)
    assert done.returncode == 2


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_a_signal_ends_the_workers_too(sent: signal.Signals, code: int, tmp_path: Path) -> None:
    """Those that were left behind would hold our streams, and their memory, for ever."""
    source = "".join(f"def f{number}():\n    return {number}\n" for number in range(400))
    names = [f"{number}.py" for number in range(400)]
    for name in names:
        (tmp_path / name).write_text(source)
    command = [sys.executable, "-m", "retrodoc", "chunk", "--jobs", "2", *names]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"0.py:\n"
        process.send_signal(sent)
        _, told = process.communicate(timeout=60)  # ends when the last one that holds the streams does
    assert (process.returncode, told.strip()) == (code, b"stopped")
