"""Where no source can be read, the error says what is there instead, and never sends anybody to the same error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from retrodoc.cli.app import run

Repo = Callable[..., Path]

CASES = {
    "no file": ({}, ["there is no file in {}", "Commit its files"]),
    "no language": (
        {"a.cob": "X.\n", "b.cob": "Y.\n", "run.jcl": "//J\n", "Notes": "n\n"},
        ["in {}: ", "4 files in languages that it does not know (.cob 2, .jcl 1, Notes 1)", "retrodoc doctor"],
    ),
    "left out": (
        {"app.min.js": "f()\n", "id_rsa": "k", "logo.png": b"\0"},
        ["3 paths left out (", "minified 1", "secret 1", "[ingest] include"],
    ),
    "a hostile name": ({"a.\x1b[2J": "x\n"}, ["1 file in languages that it does not know"]),
}


@pytest.mark.parametrize("command", ["scan", "generate", "plan"])
@pytest.mark.parametrize("case", CASES)
def test_what_is_there_instead_is_said(
    case: str, command: str, git_repo: Repo, capfd: pytest.CaptureFixture[str]
) -> None:
    files, expected = CASES[case]
    repo = git_repo(files)
    assert run([command, str(repo)]) == 2
    told = capfd.readouterr()
    assert told.out == ""
    for words in expected:
        assert words.format(repo) in told.err
    assert f"retrodoc {command}" not in told.err
    assert "retrodoc scan" not in told.err, "it would say the same"
    assert "\x1b" not in told.err


def test_an_empty_commit_of_a_folder_that_has_files_by_now_names_worktree(
    git_repo: Repo, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = git_repo({})
    (repo / "a.py").write_text("import click\n\n\n@click.command()\ndef hello():\n    greet()\n")
    monkeypatch.chdir(repo)
    assert run(["scan"]) == 2
    told = capfd.readouterr().err
    assert f"there is no file in {repo}" in told, "a folder that was not named is named all the same"
    assert "--worktree" in told
    assert run(["scan", "--worktree"]) == 0


def test_a_work_tree_without_a_file_is_not_told_to_read_the_work_tree(
    git_repo: Repo, capfd: pytest.CaptureFixture[str]
) -> None:
    repo = git_repo({})
    assert run(["scan", "--worktree", str(repo)]) == 2
    told = capfd.readouterr().err
    assert "there is no file" in told
    assert "--worktree" not in told


def test_many_endings_are_not_all_listed(git_repo: Repo, capfd: pytest.CaptureFixture[str]) -> None:
    repo = git_repo({f"a.x{number:03}": "1\n" for number in range(60)})
    assert run(["scan", str(repo)]) == 2
    message = capfd.readouterr().err.splitlines()[0]
    assert "60 files" in message
    assert len(message) < 400
