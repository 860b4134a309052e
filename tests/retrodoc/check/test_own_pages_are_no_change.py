"""What RetroDoc itself wrote beside the sources is no difference of the work tree, wherever it was told to write it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from retrodoc.cli.app import run

Repo = Callable[..., Path]
APP = {
    "desk/app.py": "import click\n\n\n@click.command()\ndef hello():\n    greet()\n\n\ndef greet():\n    return 1\n",
    "wiki/page.md": "`hello` calls `greet` (desk/app.py:5-6).\n",
    "notes.txt": "a\n",
}
PLACES: dict[str, tuple[list[str], str]] = {
    "docs": ([], ""),
    "another folder": ([], '[output]\nfolder = "pages/own"\n'),
    "--out inside": (["--out", "{repo}/written/here"], ""),
    "a documented folder": ([], ""),
}


def documented(git_repo: Repo, place: str) -> Path:
    options, settings = PLACES[place]
    files = dict(APP)
    if settings:
        files["retrodoc.toml"] = settings
    repo = git_repo(files)
    folder = repo / "desk" if place == "a documented folder" else repo
    assert run(["generate", str(folder), *(option.format(repo=repo) for option in options)]) == 0
    return repo


def differs(repo: Path, check: Any, capfd: pytest.CaptureFixture[str]) -> tuple[bool, bool]:
    """What `check` and `scan` say."""
    checked = check(repo / "wiki/page.md")
    assert checked.code == 0, checked
    assert check(repo / "wiki/page.md", "--format", "json").json["dirty"] == ("differs" in checked.out)
    capfd.readouterr()
    assert run(["scan", str(repo)]) == 0
    return "differs" in checked.out, "differs" in capfd.readouterr().err


@pytest.mark.parametrize("place", PLACES)
def test_pages_of_our_own_are_no_change(
    place: str, git_repo: Repo, check: Any, capfd: pytest.CaptureFixture[str], git: Callable[..., str]
) -> None:
    repo = documented(git_repo, place)
    assert "??" in git(repo, "status", "--porcelain"), "they are there, and not committed"
    assert differs(repo, check, capfd) == (False, False)
    (repo / "notes.txt").write_text("b\n")
    assert differs(repo, check, capfd) == (True, True)


@pytest.mark.parametrize("place", PLACES)
def test_a_page_of_our_own_that_was_committed_and_edited_is_no_change_of_the_sources(
    place: str, git_repo: Repo, check: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    repo = documented(git_repo, place)
    git_repo({})  # commits all that is there
    (page,) = repo.rglob("functional/README.md")
    page.write_text(f"{page.read_text()}\nBy hand.\n")
    (llms,) = repo.rglob("llms.txt")
    llms.write_text("By hand.\n")
    assert differs(repo, check, capfd) == (False, False)


@pytest.mark.parametrize("new", ["docs/guide.md", "docs/functional.py", "functional/app.py", "sub/llms.txt"])
def test_what_lies_beside_them_or_is_called_as_they_are_is_a_change(
    new: str, git_repo: Repo, check: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    repo = documented(git_repo, "docs")
    (repo / new).parent.mkdir(exist_ok=True)
    (repo / new).write_text("x = 1\n")
    assert differs(repo, check, capfd) == (True, True)


def test_the_page_that_is_checked_is_read_as_it_is_and_no_change_either(
    git_repo: Repo, check: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    repo = git_repo(APP)
    (repo / "wiki/page.md").write_text("Now `hello` calls `greet` (desk/app.py:5-6).\n")
    assert differs(repo, check, capfd) == (False, True)
    new = repo / "new/deep/page.md"
    new.parent.mkdir(parents=True)
    new.write_text("`hello` calls `greet` (desk/app.py:5-6).\n")
    assert "differs" in check(new).out, "another page is edited"
    (repo / "wiki/page.md").write_text(APP["wiki/page.md"])
    assert "differs" not in check(new).out
    (repo / "new/other.txt").write_text("x\n")
    assert "differs" in check(new).out
