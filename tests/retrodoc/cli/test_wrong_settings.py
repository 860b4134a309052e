"""Settings that cannot mean what was meant are refused by name: a file that is not there, a folder that leads away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from retrodoc.cli.app import run

Repo = Callable[..., Path]
APP = {"a.py": "import click\n\n\n@click.command()\ndef hello():\n    greet()\n\n\ndef greet():\n    return 1\n"}


@pytest.mark.parametrize("command", ["generate", "plan", "scan", "doctor"])
@pytest.mark.parametrize("named", ["gone.toml", "file/config.toml", "folder"])
def test_a_settings_file_that_is_named_and_not_there_is_an_error(
    named: str,
    command: str,
    git_repo: Repo,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    repo = git_repo(APP)
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    monkeypatch.setenv("RETRODOC_CONFIG", str(tmp_path / named))
    assert run([command, str(repo)]) == 2
    told = capfd.readouterr()
    assert told.out == ""
    assert str(tmp_path / named) in told.err
    assert "RETRODOC_CONFIG" in told.err


def test_the_usual_settings_file_need_not_exist(
    git_repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    repo = git_repo(APP)
    monkeypatch.setenv("RETRODOC_CONFIG", "")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nowhere"))
    assert run(["scan", str(repo)]) == 0


@pytest.mark.parametrize("folder", ["../pages", "a/../../pages", "..", "/srv/pages", "/", "C:\\\\pages", "..\\\\pages"])
@pytest.mark.parametrize("command", ["generate", "render", "scan"])
def test_a_folder_for_pages_that_leads_away_is_refused_before_anything_is_read(
    command: str, folder: str, git_repo: Repo, capfd: pytest.CaptureFixture[str]
) -> None:
    repo = git_repo(APP)
    if command == "render":
        assert run(["generate", str(repo)]) == 0
        capfd.readouterr()
    (repo / "retrodoc.toml").write_text(f'[output]\nfolder = "{folder}"\n')
    assert run([command, str(repo)]) == 2
    told = capfd.readouterr()
    assert told.out == ""
    assert f"{repo}/retrodoc.toml: output.folder: " in told.err
    assert "documented folder" in told.err
    assert "--out" in told.err


@pytest.mark.parametrize("folder", ["a\\u0000b", "a\\nb", ".git", "docs/.GIT/x"])
def test_a_folder_for_pages_that_is_none_is_refused(
    folder: str, git_repo: Repo, capfd: pytest.CaptureFixture[str]
) -> None:
    repo = git_repo(APP | {"retrodoc.toml": f'[output]\nfolder = "{folder}"\n'})
    assert run(["generate", str(repo)]) == 2
    assert "output.folder: " in capfd.readouterr().err


@pytest.mark.parametrize(
    ("folder", "page"),
    [
        (".", "functional/README.md"),
        ("", "functional/README.md"),
        ("a/b/", "a/b/functional/README.md"),
        ("./a//b", "a/b/functional/README.md"),
        ("a/../b", "b/functional/README.md"),
        ("..pages", "..pages/functional/README.md"),
    ],
)
def test_a_folder_for_pages_may_be_spelled_as_one_likes(
    folder: str, page: str, git_repo: Repo, capfd: pytest.CaptureFixture[str]
) -> None:
    repo = git_repo(APP | {"retrodoc.toml": f'[output]\nfolder = "{folder}"\n'})
    assert run(["generate", str(repo)]) == 0
    assert (repo / page).is_file()
    capfd.readouterr()
    assert run(["scan", str(repo)]) == 0
    assert "differs" not in capfd.readouterr().err, "its own pages are no change of the sources"
