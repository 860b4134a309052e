"""Renames and touched lines are what Git says, for any name and any edit."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrodoc_runs.git import Git
from retrodoc_runs.history import TouchedLines, renames, touched
from retrodoc_runs.lines import split_lines

MakeRepo = Callable[..., Path]
BODY = "".join(f"line {number}\n" for number in range(1, 11))


def changed(git_repo: MakeRepo, before: dict[str, str | bytes], after: dict[str, str | bytes | None]) -> Git:
    git_repo(before)
    return Git(git_repo(after))


CHANGES: dict[str, tuple[str, str, tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]] = {
    "one-line": (BODY, BODY.replace("line 3\n", "LINE 3\n"), ((3, 3),), ((3, 3),)),
    "inserted": (BODY, BODY.replace("line 3\n", "line 3\nnew\nnew\n"), ((4, 3),), ((4, 5),)),
    "inserted-first": (BODY, "new\n" + BODY, ((1, 0),), ((1, 1),)),
    "deleted": (BODY, BODY.replace("line 3\nline 4\n", ""), ((3, 4),), ((3, 2),)),
    "two-places": (BODY, BODY.replace("line 2\n", "x\n").replace("line 9\n", ""), ((2, 2), (9, 9)), ((2, 2), (9, 8))),
    "last-line-feed": (BODY, BODY.rstrip("\n"), ((10, 10),), ((10, 10),)),
    "no-last-line-feed-on-both-sides": ("a\nb", "a\nc", ((2, 2),), ((2, 2),)),
    "lines-that-look-like-a-patch": (
        "a\n-- x\n++ y\n@@ -1 +1 @@\n",
        "b\n-- x\n-- z\n+++ q\n@@ -1 +1 @@\n",
        ((1, 1), (3, 3)),
        ((1, 1), (3, 4)),
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_lines_that_an_edit_touches(name: str, git_repo: MakeRepo) -> None:
    before, after, old, new = CHANGES[name]
    git = changed(git_repo, {"a.py": before, "b.py": "b"}, {"a.py": after})
    assert touched(git, "HEAD~1", "HEAD") == (TouchedLines("a.py", "a.py", old, new),)


def test_files_that_came_and_went(git_repo: MakeRepo) -> None:
    git = changed(
        git_repo,
        {"gone.py": "p\nq\n", "old.py": BODY, "same.py": "x", "pic.png": b"\0\1"},
        {
            "gone.py": None,
            "old.py": None,
            "new.py": BODY + "more\n",
            "added.py": "1\n",
            "pic.png": b"\0\2",
            "void.py": "",
        },
    )
    assert touched(git, "HEAD~1", "HEAD") == (
        TouchedLines(None, "added.py", ((1, 0),), ((1, 1),)),
        TouchedLines("gone.py", None, ((1, 2),), ((1, 0),)),
        TouchedLines("old.py", "new.py", ((11, 10),), ((11, 11),)),
        TouchedLines("pic.png", "pic.png", (), ()),
        TouchedLines(None, "void.py", (), ()),
    )
    assert renames(git, "HEAD~1", "HEAD") == {"old.py": "new.py"}


ODD_NAMES = [
    b"a b.py",
    b"caf\xc3\xa9.py",
    b"caf\xe9.py",
    b'quo"te.py',
    b"back\\slash.py",
    b"two\nlines.py",
    b"tab\t.py",
    b"\x01.py",
]


@pytest.mark.parametrize("raw", ODD_NAMES)
def test_names_are_those_of_the_snapshot(raw: bytes, git_repo: MakeRepo) -> None:
    repo = git_repo({})
    path = Path(os.fsdecode(os.fsencode(repo) + b"/" + raw))
    path.write_text(BODY)
    git_repo({})
    path.write_text("x\n" + BODY)
    git_repo({})
    name = raw.decode("utf-8", "backslashreplace")
    git = Git(repo)
    assert touched(git, "HEAD~1", "HEAD") == (TouchedLines(name, name, ((1, 0),), ((1, 1),)),)
    path.rename(path.with_name("plain.py"))
    git_repo({})
    assert renames(git, "HEAD~1", "HEAD") == {name: "plain.py"}


def test_paths_are_relative_to_the_folder_and_what_is_outside_is_not_seen(git_repo: MakeRepo) -> None:
    git_repo({"app/a.py": BODY, "lib/b.py": BODY, "app/out.py": BODY * 2})
    repo = git_repo({"app/a.py": None, "app/new.py": BODY, "lib/b.py": "x", "app/out.py": None, "lib/out.py": BODY * 2})
    git = Git(repo / "app")
    assert renames(git, "HEAD~1", "HEAD") == {"a.py": "new.py"}
    assert [(each.old_path, each.new_path) for each in touched(git, "HEAD~1", "HEAD")] == [
        ("a.py", "new.py"),
        ("out.py", None),
    ]


def test_the_work_tree_is_an_end_as_well(git_repo: MakeRepo, git: Callable[..., str]) -> None:
    repo = git_repo({"a.py": BODY, "b.py": BODY + "b\n"})
    (repo / "a.py").write_text(BODY.replace("line 5\n", ""))
    git(repo, "mv", "b.py", "c.py")
    assert touched(Git(repo), "HEAD", None) == (
        TouchedLines("a.py", "a.py", ((5, 5),), ((5, 4),)),
        TouchedLines("b.py", "c.py", (), ()),
    )
    assert renames(Git(repo), "HEAD", None) == {"b.py": "c.py"}


def test_a_file_that_became_a_link_went_and_came(git_repo: MakeRepo) -> None:
    repo = git_repo({"a.py": BODY, "b.py": "b"})
    (repo / "a.py").unlink()
    (repo / "a.py").symlink_to("b.py")
    git_repo({})
    assert [(each.old_path, each.new_path) for each in touched(Git(repo), "HEAD~1", "HEAD")] == [
        ("a.py", None),
        (None, "a.py"),
    ]


def test_settings_of_the_repository_change_nothing(git_repo: MakeRepo, git: Callable[..., str]) -> None:
    repo = git_repo({"a.py": BODY, "old.py": BODY * 2})
    git_repo({"a.py": BODY.replace("line 5\n", "x\n"), "old.py": None, "new.py": BODY * 2})
    expected = touched(Git(repo), "HEAD~1", "HEAD"), renames(Git(repo), "HEAD~1", "HEAD")
    for key, value in {
        "diff.noprefix": "false",
        "diff.mnemonicPrefix": "true",
        "diff.context": "9",
        "diff.interHunkContext": "9",
        "diff.renames": "false",
        "diff.renameLimit": "1",
        "diff.external": "false",
        "color.ui": "always",
        "core.quotePath": "true",
        "diff.algorithm": "patience",
        "diff.colorMoved": "zebra",
        "diff.relative": "false",
    }.items():
        git(repo, "config", key, value)
    assert (touched(Git(repo), "HEAD~1", "HEAD"), renames(Git(repo), "HEAD~1", "HEAD")) == expected
    assert expected[1] == {"old.py": "new.py"}


LINES = st.lists(st.sampled_from([b"a", b"b", b"", b"--- x", b"+++ y", b"@@ -1 +1 @@", b"\\ No newline"]), max_size=8)


@settings(max_examples=40, deadline=None)
@given(old=LINES, new=LINES, old_end=st.booleans(), new_end=st.booleans())
def test_what_is_not_touched_is_equal(
    old: list[bytes], new: list[bytes], old_end: bool, new_end: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    repo = tmp_path_factory.mktemp("touched")
    before, after = (b"\n".join(lines) + b"\n" * end for lines, end in ((old, old_end), (new, new_end)))
    subprocess.run(["git", "init", "-q", str(repo)], check=True)
    for content in (before, after):
        (repo / "a.py").write_bytes(content)
        subprocess.run(["git", "-C", str(repo), "add", "-A"], check=True)
        subprocess.run(["git", "-C", str(repo), "commit", "-qm", "x", "--allow-empty"], check=True)
    files = touched(Git(repo), "HEAD~1", "HEAD")
    if before == after:
        assert files == ()
        return
    (only,) = files
    assert untouched(split_lines(before), only.old) == untouched(split_lines(after), only.new)


def untouched(lines: list[bytes], ranges: tuple[tuple[int, int], ...]) -> list[bytes]:
    return [line for number, line in enumerate(lines, 1) if not any(first <= number <= last for first, last in ranges)]
