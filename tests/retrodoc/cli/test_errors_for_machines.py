"""Whoever asks for JSON gets JSON, also when there is nothing to show: one form, the exit code of the text."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_tree import commands

from retrodoc.cli.app import run

WRONG = {
    "plan": ["/none"],
    "scan": ["/none"],
    "check": ["/none"],
    "report": ["--repo", "/none"],
    "audit": ["--repo", "/none"],
    "chunk": ["/none.py"],
    "doctor": ["/none"],
    "runs list": ["--repo", "/none"],
    "runs show": ["--repo", "/none"],
    "runs cost": ["--repo", "/none"],
}
"""A path that is not there, as each command takes one."""


def commands_with_json() -> Iterator[str]:
    for words, command in commands():
        formats = [one.type for one in command.params if one.name == "output"]
        if formats and "json" in formats[0].choices:  # type: ignore[attr-defined]
            yield words


def test_every_command_with_json_is_in_the_table() -> None:
    assert set(commands_with_json()) == set(WRONG)


def error_in(out: str, command: str) -> dict[str, str]:
    """The error in the published form; `check` says as well what it was to check."""
    document: dict[str, Any] = json.loads(out)
    assert set(document) == ({"target", "error"} if command == "check" else {"error"})
    assert set(document["error"]) == {"message", "mend"}
    said: dict[str, str] = document["error"]
    return said


@pytest.mark.parametrize("command", WRONG)
def test_an_error_is_the_same_in_json_as_in_text(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    code = run([*command.split(), *WRONG[command]])
    text = capfd.readouterr()
    assert (code, text.out) == (2, "")
    assert run([*command.split(), *WRONG[command], "--format", "json"]) == code
    told = capfd.readouterr()
    said = error_in(told.out, command)
    assert told.err == text.err, "a person who reads along sees the same"
    assert text.err == f"error: {said['message']}\n" + (f"  {said['mend']}\n" if said["mend"] else "")
    assert "/none" in said["message"]


@pytest.mark.parametrize("wrong", [["--nonsense"], ["--runs"], ["--format"], ["--format", "nonsense"]])
@pytest.mark.parametrize("command", WRONG)
def test_a_command_line_that_cannot_be_parsed_is_an_error_in_json_too(
    command: str, wrong: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    asked = ["--format=json"] if "nonsense" not in wrong else []
    assert run([*command.split(), *asked, *wrong]) == 2
    told = capfd.readouterr()
    assert "Error: " in told.err
    if asked:
        said = error_in(told.out, command)
        assert f"Error: {said['message']}" in told.err
        assert f"retrodoc {command} --help" in said["mend"]
    else:
        assert told.out == ""


def test_a_value_that_cannot_be_used_is_an_error_in_json_too(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "--threshold", "7", "--format", "json"]) == 2
    assert "--threshold" in error_in(capfd.readouterr().out, "report")["message"]


@pytest.mark.parametrize("raised", [NameError("a fault"), OSError(errno.ENOSPC, "No space left on device", "runs")])
def test_what_no_command_foresees_is_an_error_in_json_too(
    raised: Exception, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr("retrodoc.llm.diagnosis.examine", broken)
    assert run(["doctor", "--format", "json"]) == 2
    told = capfd.readouterr()
    assert f"error: {error_in(told.out, 'doctor')['message']}\n" in told.err


def test_one_file_of_several_that_cannot_be_read_is_one_more_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    assert run(["chunk", str(tmp_path / "a.py"), str(tmp_path / "none.py"), "--format", "json"]) == 2
    first, last = map(json.loads, capfd.readouterr().out.splitlines())
    assert first["path"].endswith("a.py")
    assert "none.py" in last["error"]["message"]


def test_a_name_that_is_no_text_is_still_json(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    name = os.fsdecode(bytes(tmp_path) + b"/\xff\x1b[2J.py")
    assert run(["chunk", name, "--format", "json"]) == 2
    assert name in error_in(capfd.readouterr().out, "chunk")["message"]


@pytest.mark.parametrize("output", ["json", "sarif", "junit", "github"])
def test_a_check_that_cannot_be_made_says_so_in_its_format(output: str, capfd: pytest.CaptureFixture[str]) -> None:
    for wrong in (["/none"], ["--at", ""], ["--nonsense"]):
        assert run(["check", "--format", output, *wrong]) == 2
        assert capfd.readouterr().out.strip(), wrong


@pytest.mark.parametrize("command", ["scan", "check"])
def test_an_error_that_cannot_be_written_keeps_its_exit_code(command: str) -> None:
    """The disk is full, or nobody listens: what stopped the command is said all the same."""
    arguments = [sys.executable, "-m", "retrodoc", command, "/none", "--format", "json"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(arguments, stdout=full, stderr=subprocess.PIPE, check=False, text=True)
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, "error: /none does not exist")
    assert len(done.stderr.splitlines()) == 2, done.stderr
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(arguments, stdout=write, stderr=subprocess.PIPE, check=False, text=True)
    os.close(write)
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, "error: /none does not exist")
    assert len(done.stderr.splitlines()) == 2, done.stderr
