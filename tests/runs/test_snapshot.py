"""A snapshot gives the bytes of a commit or of the work tree, and nothing from outside."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrodoc_runs.errors import RepositoryReadError
from retrodoc_runs.snapshot import MemorySnapshot, Snapshot, open_snapshot

MakeRepo = Callable[..., Path]
RunGit = Callable[..., str]


def contents(snapshot: Snapshot) -> dict[str, bytes]:
    return dict(snapshot.read_many(snapshot.paths))


def test_a_commit_gives_its_own_bytes_and_the_work_tree_the_ones_on_disk(git_repo: MakeRepo) -> None:
    repo = git_repo({"a.py": "old\n", "lib/b.py": b"\x00\xff\r\n", "gone.py": "x"})
    (repo / "a.py").write_text("new\n")
    (repo / "gone.py").unlink()
    (repo / "untracked.py").write_text("u\n")
    with open_snapshot(repo) as at_head, open_snapshot(repo, worktree=True) as on_disk:
        assert contents(at_head) == {"a.py": b"old\n", "gone.py": b"x", "lib/b.py": b"\x00\xff\r\n"}
        assert contents(on_disk) == {"a.py": b"new\n", "lib/b.py": b"\x00\xff\r\n", "untracked.py": b"u\n"}
        assert on_disk.kind("gone.py") == "missing"


def test_an_older_commit_is_read_by_any_name_it_has(git_repo: MakeRepo, git: RunGit) -> None:
    repo = git_repo({"a.py": "1"})
    first = git(repo, "rev-parse", "HEAD").strip()
    git(repo, "tag", "v1")
    git_repo({"a.py": "2"})
    for name in (first, first[:10], "v1", "HEAD~1", "main^"):
        with open_snapshot(repo, name) as snapshot:
            assert (snapshot.read("a.py"), snapshot.commit) == (b"1", first)
            assert snapshot.head == git(repo, "rev-parse", "HEAD").strip()


def test_a_folder_inside_a_repository_is_read_by_paths_of_its_own(git_repo: MakeRepo) -> None:
    repo = git_repo({"top.py": "t", "apps/shop/cart.py": "c", "apps/shopping.py": "s"})
    for worktree in (False, True):
        with open_snapshot(repo / "apps/shop", worktree=worktree) as snapshot:
            assert (snapshot.root, snapshot.subfolder) == (repo, "apps/shop")
            assert contents(snapshot) == {"cart.py": b"c"}
            assert snapshot.read("top.py") is None
            assert snapshot.read("../shopping.py") is None
            assert snapshot.read("../../top.py") is None


def test_kinds(git_repo: MakeRepo, git: RunGit) -> None:
    inner = git_repo({"i.py": "i"}, name="inner")
    repo = git_repo({"a.py": "a", "lib/b.py": "b"})
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "deps/inner")
    git(repo, "commit", "-qm", "A submodule")
    expected = {
        "a.py": "file",
        "lib": "directory",
        "lib/b.py": "file",
        "lib/": "missing",
        "a.py/x": "missing",
        "deps": "directory",
        "deps/inner": "submodule",
        "deps/inner/i.py": "submodule",
        "nope": "missing",
        "": "missing",
        ".": "missing",
        "lib/../a.py": "missing",
        "/etc/passwd": "missing",
        "A.py": "missing",
        ".git/config": "missing",
        "a.py\0": "missing",
    }
    for worktree in (False, True):
        with open_snapshot(repo, worktree=worktree) as snapshot:
            assert {path: snapshot.kind(path) for path in expected} == expected
            assert snapshot.submodules == ("deps/inner",)
            assert snapshot.read("deps/inner/i.py") is None
            assert "deps/inner" not in snapshot.paths


LINKS = {
    "same.py": "a.py",
    "chain.py": "same.py",
    "lib/up.py": "../a.py",
    "folder": "lib",
    "through.py": "folder/b.py",
    "folder_up": "lib/deep/..",
    "loop1": "loop2",
    "loop2": "loop1",
    "self": "self",
    "out": "../outside.txt",
    "lib/out_and_in": "../../repository/a.py",
    "absolute": "/etc/hostname",
    "broken": "nowhere.py",
    "to_root": ".",
}
ENDS = {
    "same.py": ("file", b"A"),
    "chain.py": ("file", b"A"),
    "lib/up.py": ("file", b"A"),
    "folder": ("directory", None),
    "folder/b.py": ("file", b"B"),
    "folder/up.py": ("file", b"A"),
    "through.py": ("file", b"B"),
    "folder_up": ("directory", None),
    "folder_up/b.py": ("file", b"B"),
    "loop1": ("loop", None),
    "self": ("loop", None),
    "self/x": ("loop", None),
    "out": ("outside", None),
    "lib/out_and_in": ("outside", None),
    "absolute": ("outside", None),
    "absolute/x": ("outside", None),
    "broken": ("missing", None),
    "to_root": ("directory", None),
    "to_root/to_root/a.py": ("file", b"A"),
}


@pytest.mark.parametrize("where", ["memory", "commit", "worktree"])
def test_a_link_is_followed_only_while_it_stays_inside(where: str, git_repo: MakeRepo, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("secret")
    files = {"a.py": "A", "lib/b.py": "B", "lib/deep/c.py": "C"}
    (tmp_path / "repository/lib").mkdir(parents=True)
    repo = tmp_path / "repository"
    subprocess.run(["git", "init", "-qb", "main", str(repo)], check=True)
    for link, target in LINKS.items():
        (repo / link).symlink_to(target)
    git_repo(files)
    snapshot = MemorySnapshot(files, LINKS) if where == "memory" else open_snapshot(repo, worktree=where == "worktree")
    with snapshot:
        found = {path: (snapshot.resolve(path).end, snapshot.read(path)) for path in ENDS}
        assert found == ENDS
        assert {link: snapshot.link_target(link) for link in LINKS} == LINKS
        assert {snapshot.kind(link) for link in LINKS} == {"symlink"}
        assert set(contents(snapshot)) == {path for path in snapshot.paths if snapshot.read(path) is not None}
        assert snapshot.size("chain.py") == 1
        assert snapshot.blob_id("chain.py") == snapshot.blob_id("a.py")
        with pytest.raises(KeyError):
            snapshot.size("out")


def test_a_tracked_folder_that_became_a_link_is_not_read_through(git_repo: MakeRepo, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/key.py").write_text("secret")
    repo = git_repo({"lib/key.py": "mine", "a.py": "a"})
    (repo / "lib/key.py").unlink()
    (repo / "lib").rmdir()
    (repo / "lib").symlink_to(tmp_path / "elsewhere")
    with open_snapshot(repo, worktree=True) as snapshot:
        assert snapshot.read("lib/key.py") is None
        assert contents(snapshot) == {"a.py": b"a"}
        assert snapshot.resolve("lib/key.py").end == "outside"


def test_a_pipe_in_place_of_a_file_does_not_block(git_repo: MakeRepo) -> None:
    repo = git_repo({"a.py": "a", "b.py": "b"})
    with open_snapshot(repo, worktree=True) as listed_before:
        (repo / "a.py").unlink()
        os.mkfifo(repo / "a.py")
        assert listed_before.read("a.py") is None
    with open_snapshot(repo, worktree=True) as snapshot:
        assert snapshot.paths == ("b.py",)


def test_ignored_files_and_nested_repositories_are_not_the_work_trees(git_repo: MakeRepo) -> None:
    repo = git_repo({".gitignore": "*.log\n", "a.py": "a"})
    (repo / "x.log").write_text("x")
    git_repo({"b.py": "b"}, name="repository/nested")
    with open_snapshot(repo, worktree=True) as snapshot:
        assert snapshot.paths == (".gitignore", "a.py")
        assert snapshot.kind("nested/b.py") == "submodule"


def test_odd_names_are_readable_text_and_are_read_by_it(git_repo: MakeRepo) -> None:
    names = [
        b"caf\xe9.py",
        "café.py".encode(),
        b"two\nlines.py",
        b"tab\t.py",
        b'quo"te.py',
        b"caf\\xe9.py",
        "数.py".encode(),
    ]
    repo = git_repo({})
    for number, name in enumerate(names):
        Path(os.fsdecode(os.fsencode(repo) + b"/" + name)).write_text(str(number))
    git_repo({})
    for worktree in (False, True):
        with open_snapshot(repo, worktree=worktree) as snapshot:
            found = contents(snapshot)
            assert sorted(found.values()) == [str(number).encode() for number in range(len(names))]
            assert found["café.py"] == b"1"
            assert found["two\nlines.py"] == b"2"
            assert {found["caf\\xe9.py"], found["caf\\\\xe9.py"]} == {b"0", b"5"}
            assert all(path.encode() for path in snapshot.paths)


def test_a_large_file_is_passed_over_and_its_size_known(git_repo: MakeRepo) -> None:
    repo = git_repo({"big.bin": b"x" * 300_000, "a.py": "a", "z.py": "z"})
    for worktree in (False, True):
        with open_snapshot(repo, worktree=worktree) as snapshot:
            assert dict(snapshot.read_many(snapshot.paths, max_bytes=1000)) == {"a.py": b"a", "z.py": b"z"}
            assert snapshot.read("big.bin", max_bytes=299_999) is None
            assert snapshot.size("big.bin") == 300_000
            assert len(snapshot.read("big.bin") or b"") == 300_000


def test_the_consumer_may_read_other_files_in_between(git_repo: MakeRepo) -> None:
    files = {f"f{number:03}.py": f"{number}\n" * 500 for number in range(200)}
    with open_snapshot(git_repo(files)) as snapshot:
        for path, data in snapshot.read_many(snapshot.paths):
            assert snapshot.read("f007.py") == files["f007.py"].encode()
            assert data == files[path].encode()


def test_threads_get_the_file_that_they_asked_for(git_repo: MakeRepo) -> None:
    files = {f"f{number:03}.py": f"{number}\n" * number for number in range(60)}
    wrong: list[str] = []
    with open_snapshot(git_repo(files)) as snapshot:

        def work() -> None:
            wrong.extend(path for path in files for _ in range(5) if snapshot.read(path) != files[path].encode())

        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_a_generator_that_is_left_early_leaves_the_reader_usable(git_repo: MakeRepo) -> None:
    files = {f"f{number:03}.py": f"{number}" for number in range(150)}
    with open_snapshot(git_repo(files)) as snapshot:
        next(snapshot.read_many(snapshot.paths))
        assert snapshot.read("f149.py") == b"149"


def test_git_dying_in_between_is_an_error_and_the_next_read_works(git_repo: MakeRepo) -> None:
    with open_snapshot(git_repo({"a.py": "a"})) as snapshot:
        assert snapshot.read("a.py") == b"a"
        process = snapshot._reader._process
        process.kill()
        process.wait()
        with pytest.raises(RepositoryReadError):
            snapshot.read("a.py")
        assert snapshot.read("a.py") == b"a"


def test_an_interrupt_of_the_terminal_does_not_reach_git(git_repo: MakeRepo) -> None:
    with open_snapshot(git_repo({"a.py": "a"})) as snapshot:
        assert snapshot.read("a.py") == b"a"
        assert os.getpgid(snapshot._reader._process.pid) != os.getpgid(0)


def test_a_snapshot_that_is_forgotten_ends_its_process(git_repo: MakeRepo) -> None:
    snapshot = open_snapshot(git_repo({"a.py": "a"}))
    process = snapshot._reader._process
    assert process.poll() is None
    del snapshot
    assert process.poll() is not None


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_reads_through_a_process_of_its_own(git_repo: MakeRepo) -> None:
    files = {f"f{number}.py": f"{number}" * 1000 for number in range(30)}
    with open_snapshot(git_repo(files)) as snapshot:
        assert snapshot.read("f0.py") == b"0" * 1000
        child = os.fork()
        right = all(snapshot.read(path) == text.encode() for path, text in files.items())
        if child == 0:
            os._exit(0 if right else 1)
        assert right
        assert os.waitpid(child, 0)[1] == 0


def test_dirty_says_where_the_work_tree_differs_within_the_folder(git_repo: MakeRepo) -> None:
    repo = git_repo({"a.py": "a", "lib/b.py": "b", ".gitignore": "*.log"})
    (repo / "x.log").write_text("ignored")
    with open_snapshot(repo) as snapshot:
        assert not snapshot.dirty()
    (repo / "lib/b.py").write_text("other")
    (repo / "new.py").write_text("n")
    with open_snapshot(repo) as snapshot, open_snapshot(repo / "lib") as inside:
        assert snapshot.dirty()
        assert set(snapshot.changes()) == {"lib/b.py", "new.py"}
        assert inside.changes() == ("b.py",)


def test_line_ends_of_the_checkout_do_not_change_the_commits_bytes(git_repo: MakeRepo, git: RunGit) -> None:
    repo = git_repo({"a.py": "x\ny\n", ".gitattributes": "*.py text eol=crlf\n"})
    (repo / "a.py").unlink()
    git(repo, "checkout", "-q", "--", "a.py")
    assert (repo / "a.py").read_bytes() == b"x\r\ny\r\n"
    with open_snapshot(repo) as at_head, open_snapshot(repo, worktree=True) as on_disk:
        assert at_head.read("a.py") == b"x\ny\n"
        assert on_disk.read("a.py") == b"x\r\ny\r\n"
        assert not at_head.dirty()


def test_links_written_as_files_are_still_links(git_repo: MakeRepo, git: RunGit) -> None:
    repo = git_repo({"a.py": "a"})
    (repo / "link.py").symlink_to("a.py")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "A link")
    git(repo, "config", "core.symlinks", "false")
    (repo / "link.py").unlink()
    git(repo, "checkout", "-q", "--", "link.py")
    assert not (repo / "link.py").is_symlink()
    with open_snapshot(repo, worktree=True) as snapshot:
        assert (snapshot.kind("link.py"), snapshot.read("link.py")) == ("symlink", b"a")


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    files=st.dictionaries(
        st.text(st.sampled_from("ab.é \\"), min_size=1, max_size=6).filter(lambda name: name.strip(".") != ""),
        st.binary(max_size=300),
        max_size=8,
    )
)
def test_what_is_committed_is_what_is_read(files: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> None:
    repo = tmp_path_factory.mktemp("round")
    subprocess.run(["git", "init", "-q", str(repo)], check=True)
    for name, data in files.items():
        (repo / name).write_bytes(data)
    subprocess.run(["git", "-C", str(repo), "add", "-Af"], check=True)
    subprocess.run(["git", "-C", str(repo), "commit", "-qm", "x", "--allow-empty"], check=True)
    with open_snapshot(repo) as snapshot, open_snapshot(repo, worktree=True) as on_disk:
        assert contents(snapshot) == files == contents(on_disk)
        assert {path: snapshot.blob_id(path) for path in files} == {path: on_disk.blob_id(path) for path in files}


def test_files_of_a_folder_that_cannot_be_opened_are_listed_and_unread(
    git_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root opens everything, so the refusal is played."""
    repo = git_repo({"shut/inner/a.py": "a\n", "open.py": "o\n"})
    lstat = os.lstat

    def refused(path: str) -> os.stat_result:
        if "/shut/" in os.fspath(path):
            raise PermissionError(13, "Permission denied", path)
        return lstat(path)

    monkeypatch.setattr(os, "lstat", refused)
    with open_snapshot(repo, worktree=True) as snapshot:
        assert sorted(snapshot.paths) == ["open.py", "shut/inner/a.py"]
