"""A run that cannot be read stops who needs it; who only counts what it documents says so and goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from retrodoc.cli.app import run

Repo = Callable[..., Path]
APP = {"a.py": "import click\n\n\n@click.command()\ndef hello():\n    greet()\n\n\ndef greet():\n    return 1\n"}


def damaged(git_repo: Repo, capfd: pytest.CaptureFixture[str]) -> Path:
    repo = git_repo(APP)
    assert run(["generate", str(repo)]) == 0
    (kept,) = (repo / ".retrodoc").rglob("run.json")
    kept.write_text("{")
    capfd.readouterr()
    return repo


@pytest.mark.parametrize("command", ["report", "render", "audit", "runs show"])
def test_who_needs_the_run_says_that_it_is_damaged(
    command: str, git_repo: Repo, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run([*command.split(), str(damaged(git_repo, capfd))]) == 2
    assert "run.json is damaged" in capfd.readouterr().err


@pytest.mark.parametrize("command", ["scan", "plan --provider recorded:x", "generate"])
def test_who_only_counts_what_it_documents_warns_and_goes_on(
    command: str, git_repo: Repo, capfd: pytest.CaptureFixture[str]
) -> None:
    name, *options = command.split()
    assert run([name, str(damaged(git_repo, capfd)), *options, "-q"]) == 0
    told = capfd.readouterr()
    assert told.err.startswith("warning: ")
    assert "run.json is damaged" in told.err


def test_a_scan_with_a_damaged_run_documents_nothing(git_repo: Repo, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["scan", str(damaged(git_repo, capfd)), "--format", "json"]) == 0
    assert json.loads(capfd.readouterr().out)["accounting"]["documented"] == 0


@pytest.mark.parametrize("taken", [".retrodoc", ".retrodoc/runs"])
def test_a_file_in_the_place_of_the_runs_is_named(
    taken: str, git_repo: Repo, capfd: pytest.CaptureFixture[str]
) -> None:
    repo = git_repo(APP)
    (repo / taken).parent.mkdir(exist_ok=True)
    (repo / taken).write_text("x")
    assert run(["generate", str(repo)]) == 2
    told = capfd.readouterr().err
    assert f"{repo / taken} is not a folder" in told
    assert "--runs" in told
    assert "space" not in told
