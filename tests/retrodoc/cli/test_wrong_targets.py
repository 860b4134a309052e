"""What is named and cannot be used is refused before any work, in words that name it and what to do instead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from retrodoc.cli.app import run

Repo = Callable[..., Path]
APP = {"a.py": "import click\n\n\n@click.command()\ndef hello():\n    greet()\n\n\ndef greet():\n    return 1\n"}


def error_of(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> str:
    code = run(arguments)
    told = capfd.readouterr()
    assert (code, told.out) == (2, ""), told
    return told.err


@pytest.mark.parametrize("out", ["file", "file/deeper/still", ".git", ".git/pages"])
@pytest.mark.parametrize("command", ["generate", "render"])
def test_a_place_where_no_page_can_be_is_refused_before_anything_is_drafted(
    command: str, out: str, git_repo: Repo, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = git_repo(APP | {"file": "x\n"})
    monkeypatch.chdir(repo)
    if command == "render":
        assert run(["generate"]) == 0
        capfd.readouterr()
    runs = list((repo / ".retrodoc").rglob("run.json"))
    said = error_of([command, "--out", out], capfd)
    assert "is not a folder" in said if "file" in out else "Git's own folder" in said
    assert "--out" in said.splitlines()[1]
    assert list((repo / ".retrodoc").rglob("run.json")) == runs
    assert not (repo / ".git/functional").exists()


def test_a_file_where_the_pages_go_by_default_names_both_ways_out(
    git_repo: Repo, capfd: pytest.CaptureFixture[str]
) -> None:
    repo = git_repo(APP | {"docs": "x\n"})
    said = error_of(["generate", str(repo)], capfd)
    assert f"{repo}/docs is not a folder" in said
    assert "output.folder" in said
    assert "--out" in said
    assert run(["generate", str(repo), "--out", str(repo / "pages")]) == 0


def test_a_bare_repository_gets_no_page_unless_it_is_told_where(
    git_repo: Repo, git: Callable[..., str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    bare = tmp_path / "bare.git"
    git(git_repo(APP), "clone", "-q", "--bare", ".", str(bare))
    said = error_of(["generate", str(bare)], capfd)
    assert f"{bare} is a bare repository" in said
    assert "--out" in said
    assert not (bare / "docs").exists()
    assert run(["generate", str(bare), "--out", str(tmp_path / "pages"), "--runs", str(tmp_path / "runs")]) == 0
    assert (tmp_path / "pages/functional/README.md").is_file()


@pytest.mark.parametrize("command", ["generate", "plan --provider recorded:x", "scan", "report", "runs list"])
def test_a_file_where_runs_are_to_be_is_said_to_be_one(
    command: str, git_repo: Repo, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(git_repo(APP))
    assert "a.py is not a folder" in error_of([*command.split(), "--runs", "a.py"], capfd)


@pytest.mark.parametrize("language", ["EN", "english", "en-us", "e", "../x"])
def test_a_language_that_is_none_is_said_in_words(
    language: str, git_repo: Repo, capfd: pytest.CaptureFixture[str]
) -> None:
    said = error_of(["generate", str(git_repo(APP)), "--language", language], capfd)
    assert f"language: {language!r} is no language code such as en or pt-BR" in said


@pytest.mark.parametrize("key", ["sk-live-4f1c9a77e2", "A B", "1X", "x=y", "Bearer abc"])
@pytest.mark.parametrize("command", ["generate", "plan", "doctor"])
def test_a_key_in_place_of_its_variable_s_name_is_not_repeated(
    command: str, key: str, git_repo: Repo, capfd: pytest.CaptureFixture[str]
) -> None:
    said = error_of([command, str(git_repo(APP)), "--provider", "openai", "--model", "m", "--key-env", key], capfd)
    assert "llm.key_env" in said
    assert "name of an environment variable" in said
    assert key not in said


@pytest.mark.parametrize("target", ["/dev/null", "/etc/hostname", "there/page.rst"])
def test_a_text_of_another_kind_is_named_as_it_was_given(
    target: str, git_repo: Repo, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(git_repo(APP | {"there/page.rst": "x\n"}))
    assert f"error: {target} is of no kind that is read" in error_of(["check", target], capfd)


@pytest.mark.parametrize("inside", [".retrodoc", ".retrodoc/runs", ".retrodoc/runs/"])
@pytest.mark.parametrize("command", ["report", "runs show", "runs cost", "audit"])
def test_the_folder_of_the_runs_means_the_folder_that_they_document(
    command: str, inside: str, git_repo: Repo, capfd: pytest.CaptureFixture[str]
) -> None:
    repo = git_repo(APP)
    assert run(["generate", str(repo)]) == 0
    assert run([*command.split(), f"{repo}/{inside}"]) == 0, capfd.readouterr().err


def test_every_option_that_an_error_names_is_one_of_the_command(
    git_repo: Repo, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An audit by a model without a known price names --allow-unpriced, and takes it."""
    repo = git_repo(APP)
    monkeypatch.chdir(repo)
    assert run(["generate"]) == 0
    capfd.readouterr()
    asked = ["audit", "--sample", "1", "--base-url", "http://127.0.0.1:9/v1", "--model", "m"]
    assert "--allow-unpriced" in error_of(asked, capfd)
    (repo.parent / "config.toml").write_text("[llm]\ncall_tries = 1\npause_after = 1\n")
    monkeypatch.setenv("RETRODOC_CONFIG", str(repo.parent / "config.toml"))
    assert "price" not in error_of([*asked, "--allow-unpriced"], capfd)
