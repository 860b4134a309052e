"""A place that is not there, or can hold nothing of what was asked for, is said to be so: never an empty answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from retrodoc.cli.app import run

Repo = Callable[..., Path]
TAKE_A_REPOSITORY = [
    ["generate", "{}"],
    ["plan", "{}"],
    ["scan", "{}"],
    ["doctor", "{}"],
    ["check", "--repo", "{}"],
    ["report", "--repo", "{}"],
    ["report", "{}"],
    ["render", "--repo", "{}"],
    ["audit", "--repo", "{}"],
    ["runs", "list", "--repo", "{}"],
    ["runs", "show", "--repo", "{}"],
    ["runs", "cost", "--repo", "{}"],
    ["runs", "cost", "--path", "{}"],
    ["runs", "cost", "{}"],
]


def error_of(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> str:
    code = run(arguments)
    told = capfd.readouterr()
    assert (code, told.out) == (2, ""), arguments
    return told.err


@pytest.mark.parametrize("command", TAKE_A_REPOSITORY, ids=" ".join)
def test_a_path_that_is_no_repository_is_said_to_be_none(
    command: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    bare_folder = tmp_path / "folder"
    bare_folder.mkdir()
    for place, why in (
        (tmp_path / "gone", "gone does not exist"),
        (file, "file is no"),
        (bare_folder, "folder is not in a Git repository"),
    ):
        said = error_of([word.format(place) for word in command], capfd)
        assert why in said.replace("is not a folder", "is no folder"), command
        assert "retrodoc generate" not in said, "nothing can be written there"


@pytest.mark.parametrize("command", ["list", "show", "cost"])
def test_runs_that_are_kept_nowhere_are_not_simply_none(
    command: str, git_repo: Repo, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    repo = git_repo({"a.py": "x = 1\n"})
    gone = tmp_path / "gone"
    assert "gone does not exist" in error_of(["runs", command, "--repo", str(repo), "--runs", str(gone)], capfd)
    gone.write_text("x")
    assert "gone is not a folder" in error_of(["runs", command, "--repo", str(repo), "--runs", str(gone)], capfd)


def test_a_repository_without_a_run_has_none_and_that_is_no_error(
    git_repo: Repo, capfd: pytest.CaptureFixture[str]
) -> None:
    repo = git_repo({"a.py": "x = 1\n"})
    assert run(["runs", "list", "--repo", str(repo), "--format", "json"]) == 0
    assert json.loads(capfd.readouterr().out) == []


def test_runs_outside_of_a_repository_are_listed_from_anywhere(
    git_repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept"
    repo = git_repo({"a.py": "import click\n\n\n@click.command()\ndef hello():\n    greet()\n"})
    run(["generate", str(repo), "--runs", str(kept)])
    capfd.readouterr()
    monkeypatch.chdir(tmp_path)
    assert run(["runs", "list", "--runs", str(kept), "--format", "json"]) == 0
    (listed,) = json.loads(capfd.readouterr().out)
    assert run(["runs", "cost", str(kept / listed["id"]), "--format", "json"]) == 0
    assert json.loads(capfd.readouterr().out)["run"] == listed["id"]


def test_doctor_without_a_path_needs_no_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["doctor"]) == 0
    assert "recorded" in capfd.readouterr().out


@pytest.mark.parametrize("command", [["generate", "."], ["scan"], ["report"], ["runs", "list"]], ids=" ".join)
def test_the_current_folder_is_named_by_its_path(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert f"{tmp_path} is not in a Git repository" in error_of(command, capfd)
