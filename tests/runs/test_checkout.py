"""What is read from the work tree in place of Git's objects is what was committed, byte for byte, or nothing."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from retrodoc_runs.checkout import MAX_MISSES, Checkout, blob_id
from retrodoc_runs.errors import RepositoryReadError
from retrodoc_runs.snapshot import open_snapshot

MakeRepo = Callable[..., Path]
RunGit = Callable[..., str]


def without_objects(repo: Path, git: RunGit, *names: str) -> None:
    """Take the blobs out of Git's store, so that only the work tree can give them."""
    for name in names:
        blob = git(repo, "rev-parse", f"HEAD:{name}").strip()
        (repo / ".git/objects" / blob[:2] / blob[2:]).unlink()


def test_many_files_come_from_the_work_tree_when_they_are_there_as_committed(git_repo: MakeRepo, git: RunGit) -> None:
    repo = git_repo({"a.py": "a", "é/b.py": b"\x00\xff\r\n", "empty": ""})
    without_objects(repo, git, "a.py", "é/b.py", "empty")
    with open_snapshot(repo) as snapshot:
        assert dict(snapshot.read_many(snapshot.paths)) == {"a.py": b"a", "é/b.py": b"\x00\xff\r\n", "empty": b""}
        with pytest.raises(RepositoryReadError):
            snapshot.read("a.py")  # a cited file is Git's alone


@pytest.mark.parametrize("written", [b"A", b"a\n", b"ab", b"", None], ids=["other", "longer", "end", "empty", "gone"])
def test_a_file_that_differs_comes_from_git_in_its_place_of_the_order(
    git_repo: MakeRepo, written: bytes | None
) -> None:
    repo = git_repo({"a.py": "a", "b.py": "b", "c.py": "c"})
    (repo / "b.py").unlink()
    if written is not None:
        (repo / "b.py").write_bytes(written)
    with open_snapshot(repo) as snapshot:
        assert list(snapshot.read_many(("c.py", "b.py", "a.py"))) == [("c.py", b"c"), ("b.py", b"b"), ("a.py", b"a")]


def test_a_file_that_several_links_end_at_is_given_for_each(git_repo: MakeRepo) -> None:
    repo = git_repo({"a.py": "a", "changed.py": "old"})
    for link, target in {"one": "a.py", "two": "a.py", "three": "changed.py"}.items():
        (repo / link).symlink_to(target)
    git_repo({})
    (repo / "changed.py").write_text("new")
    paths = ("one", "three", "two", "changed.py", "a.py")
    with open_snapshot(repo) as snapshot:
        assert [data for _, data in snapshot.read_many(paths)] == [b"a", b"old", b"a", b"old", b"a"]


def test_the_bound_holds_for_both(git_repo: MakeRepo) -> None:
    repo = git_repo({"a.py": "12345", "b.py": "12345", "c.py": "1"})
    (repo / "b.py").write_text("1")
    with open_snapshot(repo) as snapshot:
        assert dict(snapshot.read_many(snapshot.paths, 4)) == {"c.py": b"1"}


def test_nothing_behind_a_link_is_opened(tmp_path: Path) -> None:
    top, outside = tmp_path / "top", tmp_path / "outside"
    top.mkdir()
    outside.mkdir()
    (outside / "a.py").write_bytes(b"a")
    (top / "folder").symlink_to(outside)
    (top / "a.py").symlink_to(outside / "a.py")
    (top / "real").mkdir()
    (top / "real/a.py").write_bytes(b"a")
    read = Checkout(top).read
    known = blob_id(b"a")
    assert [read(name, known, 10) for name in ("folder/a.py", "a.py", "real/a.py")] == [None, None, b"a"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFO")
def test_what_is_no_regular_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.py")
    (tmp_path / "b.py").mkdir()
    read = Checkout(tmp_path).read
    assert [read(name, blob_id(b""), 10) for name in ("a.py", "b.py", "none/c.py", "x\0y")] == [None] * 4


def test_another_commit_is_not_tried_for_every_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"a")
    checkout = Checkout(tmp_path)
    for _ in range(2):
        for _ in range(MAX_MISSES - 1):
            assert checkout.read("a.py", blob_id(b"b"), 10) is None
        assert checkout.read("a.py", blob_id(b"a"), 10) == b"a"
    for _ in range(MAX_MISSES):
        checkout.read("a.py", blob_id(b"b"), 10)
    assert checkout.read("a.py", blob_id(b"a"), 10) is None


def test_a_repository_of_longer_ids_is_read_alike(git_repo: MakeRepo, git: RunGit, tmp_path: Path) -> None:
    repo = tmp_path / "sha256"
    repo.mkdir()
    git(repo, "init", "-q", "--object-format=sha256")
    (repo / "a.py").write_bytes(b"a")
    git(repo, "add", "a.py")
    git(repo, "commit", "-q", "-m", "one")
    without_objects(repo, git, "a.py")
    with open_snapshot(repo) as snapshot:
        assert dict(snapshot.read_many(snapshot.paths)) == {"a.py": b"a"}


def test_without_a_work_tree_git_gives_all(git_repo: MakeRepo, git: RunGit, tmp_path: Path) -> None:
    git(git_repo({"a.py": "a"}), "clone", "-q", "--bare", ".", str(tmp_path / "bare"))
    with open_snapshot(tmp_path / "bare") as snapshot:
        assert dict(snapshot.read_many(snapshot.paths)) == {"a.py": b"a"}
