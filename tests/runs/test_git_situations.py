"""Repositories in odd states get a clear error, and hostile ones run nothing and show nothing from outside."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from retrodoc_runs.errors import RepositoryReadError
from retrodoc_runs.git import Git, explain_failure, git_environment
from retrodoc_runs.snapshot import open_snapshot

MakeRepo = Callable[..., Path]
RunGit = Callable[..., str]


def clone(*arguments: str) -> None:
    subprocess.run(["git", "-c", "protocol.file.allow=always", "clone", "-q", *arguments], check=True)


# What cannot be read


def test_no_repository(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(RepositoryReadError, match="not in a Git repository") as caught:
        open_snapshot(tmp_path / "plain")
    assert "git init" in caught.value.mend


def test_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RepositoryReadError, match="does not exist"):
        open_snapshot(tmp_path / "nowhere")
    with pytest.raises(RepositoryReadError, match="is not a folder"):
        open_snapshot(tmp_path / "file")


def test_no_commit_yet(tmp_path: Path, git: RunGit) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text("a")
    with pytest.raises(RepositoryReadError, match="no commit yet"):
        open_snapshot(tmp_path)
    with open_snapshot(tmp_path, worktree=True) as snapshot:
        assert (snapshot.paths, snapshot.commit, snapshot.head) == (("a.py",), None, None)
        assert snapshot.changes() == ("a.py",)


def test_a_commit_without_files_is_empty_and_no_error(git_repo: MakeRepo) -> None:
    with open_snapshot(git_repo({})) as snapshot:
        assert snapshot.paths == ()
        assert snapshot.kind("a.py") == "missing"


@pytest.mark.parametrize(
    "revision", ["nope", "f" * 40, "", "HEAD:a.py", "a\nb", "--help", "HEAD~99", "HEAD^{tree}", " "]
)
def test_a_revision_that_is_no_commit(git_repo: MakeRepo, revision: str) -> None:
    with pytest.raises(RepositoryReadError, match="names no commit"):
        open_snapshot(git_repo({"a.py": "a"}), revision)


def test_a_commit_that_a_shallow_clone_lacks_names_the_fetch_depth(
    git_repo: MakeRepo, git: RunGit, tmp_path: Path
) -> None:
    repo = git_repo({"a.py": "1"})
    first = git(repo, "rev-parse", "HEAD").strip()
    git_repo({"a.py": "2"})
    git_repo({"a.py": "3"})
    clone("--depth", "2", f"file://{repo}", str(tmp_path / "shallow"))
    with pytest.raises(RepositoryReadError, match="fetch depth 2") as caught:
        open_snapshot(tmp_path / "shallow", first)
    assert "git fetch --unshallow" in caught.value.mend
    with open_snapshot(tmp_path / "shallow", "HEAD~1") as snapshot:
        assert (snapshot.read("a.py"), snapshot.shallow) == (b"2", True)


def test_a_partial_clone_says_what_to_fetch_and_fetches_nothing(
    git_repo: MakeRepo, git: RunGit, tmp_path: Path
) -> None:
    repo = git_repo({"a.py": "1"})
    git(repo, "config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "partial"
    clone("--no-checkout", "--filter=blob:none", f"file://{repo}", str(partial))
    with open_snapshot(partial) as snapshot:
        assert snapshot.paths == ("a.py",)
        with pytest.raises(RepositoryReadError) as caught:
            snapshot.read("a.py")
        assert "refetch" in caught.value.mend
        with pytest.raises(RepositoryReadError, match="partial clone"):
            list(snapshot.read_many(snapshot.paths))


def test_a_file_that_a_partial_clone_lacks_is_named_with_what_fetches_it(
    git_repo: MakeRepo, git: RunGit, tmp_path: Path
) -> None:
    repo = git_repo({"app/a b.py": "1", "app/b.py": "2", "app/same.py": "3", "link.py": "5"})
    (repo / "link.py").unlink()
    (repo / "link.py").symlink_to("app/b.py")
    git_repo({})
    first = git(repo, "rev-parse", "HEAD").strip()
    git_repo({"app/a b.py": "10", "app/b.py": "20", "link.py": None})
    git(repo, "config", "uploadpack.allowFilter", "true")
    git(repo, "config", "uploadpack.allowAnySHA1InWant", "true")
    partial = tmp_path / "partial"
    clone("--filter=blob:none", f"file://{repo}", str(partial))
    with open_snapshot(partial / "app", first) as snapshot:
        assert snapshot.read("same.py") == b"3"
        for read in (lambda: snapshot.read("a b.py"), lambda: list(snapshot.read_many(["same.py", "a b.py"]))):
            with pytest.raises(RepositoryReadError) as caught:
                read()
            assert "app/a b.py" in caught.value.message
            assert "2 other files" in caught.value.message
            assert first[:12] in caught.value.message
            assert "partial clone" in caught.value.message
    fetch = next(part for part in caught.value.mend.split(": ") if part.startswith("git cat-file"))
    fetch = fetch.partition(" (")[0]
    subprocess.run(fetch, shell=True, check=True, cwd=partial)
    with open_snapshot(partial / "app", first) as snapshot:
        assert snapshot.read("a b.py") == b"1"
    with open_snapshot(partial, first) as snapshot, pytest.raises(RepositoryReadError, match=r"link\.py"):
        snapshot.read("link.py")


def test_a_missing_object_of_a_whole_clone_names_its_file(git_repo: MakeRepo, git: RunGit) -> None:
    repo = git_repo({"a.py": "a"})
    blob = git(repo, "rev-parse", "HEAD:a.py").strip()
    (repo / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with open_snapshot(repo) as snapshot, pytest.raises(RepositoryReadError, match=r"a\.py") as caught:
        snapshot.read("a.py")
    assert "git fsck" in caught.value.mend


def test_a_damaged_object_is_an_error(git_repo: MakeRepo, git: RunGit) -> None:
    repo = git_repo({"a.py": "a"})
    blob = git(repo, "rev-parse", "HEAD:a.py").strip()
    path = repo / ".git/objects" / blob[:2] / blob[2:]
    path.chmod(0o644)
    path.write_bytes(b"damaged")
    with open_snapshot(repo) as snapshot, pytest.raises(RepositoryReadError):
        snapshot.read("a.py")


def test_a_repository_of_another_user_says_how_to_trust_it(git_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = git_repo({"a.py": "a"})
    if os.getuid() != 0:
        pytest.skip("only root can give a folder away")
    for path in (repo, *repo.rglob("*")):
        os.chown(path, 12345, 12345)
    with pytest.raises(RepositoryReadError, match="another user") as caught:
        open_snapshot(repo)
    assert f"safe.directory {repo}" in caught.value.mend
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "safe.directory")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(repo))
    with open_snapshot(repo) as snapshot:
        assert snapshot.read("a.py") == b"a"


@pytest.mark.parametrize("started_in", [".", "desk/orders"])
def test_the_folder_to_trust_is_the_repository_wherever_one_stands(
    started_in: str, git_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command that is shown is run as it is, and the repository can be read."""
    repo = git_repo({"desk/orders/a.py": "a"}, name="it's an order desk")
    monkeypatch.chdir(repo / started_in)
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    refused = subprocess.run(["git", "rev-parse", "--git-dir"], capture_output=True, check=False)
    error = explain_failure(refused.stderr, Path())
    assert error.message == f"{repo / started_in} belongs to another user, and Git refuses to read it"
    settings = repo.parent / "gitconfig"
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    subprocess.run(error.mend.partition(": ")[2], shell=True, check=True)
    assert subprocess.run(["git", "rev-parse", "--git-dir"], capture_output=True, check=False).returncode == 0


def test_git_that_is_not_installed(git_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    repo = git_repo({"a.py": "a"})
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RepositoryReadError, match="git was not found"):
        open_snapshot(repo)


# Other shapes of a repository


def test_a_bare_repository_has_commits_and_no_work_tree(git_repo: MakeRepo, tmp_path: Path) -> None:
    clone("--bare", str(git_repo({"a.py": "a", "lib/b.py": "b"})), str(tmp_path / "bare.git"))
    with open_snapshot(tmp_path / "bare.git") as snapshot:
        assert (snapshot.paths, snapshot.read("lib/b.py"), snapshot.dirty()) == (("a.py", "lib/b.py"), b"b", False)
    with pytest.raises(RepositoryReadError, match="bare"):
        open_snapshot(tmp_path / "bare.git", worktree=True)


def test_a_linked_work_tree_is_read_on_its_own(git_repo: MakeRepo, git: RunGit, tmp_path: Path) -> None:
    repo = git_repo({"a.py": "1"})
    git(repo, "worktree", "add", "-q", "-b", "other", str(tmp_path / "linked"))
    (tmp_path / "linked/a.py").write_text("2")
    with open_snapshot(tmp_path / "linked", worktree=True) as snapshot:
        assert (snapshot.root, snapshot.read("a.py"), snapshot.dirty()) == (tmp_path / "linked", b"2", True)


def test_a_submodules_folder_is_a_repository_of_its_own(git_repo: MakeRepo, git: RunGit) -> None:
    inner = git_repo({"i.py": "i"}, name="inner")
    repo = git_repo({"a.py": "a"})
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "deps/inner")
    for worktree in (False, True):
        with open_snapshot(repo / "deps/inner", worktree=worktree) as snapshot:
            assert (snapshot.root, snapshot.paths) == (repo / "deps/inner", ("i.py",))


def test_a_sparse_checkout_has_every_file_of_the_commit(git_repo: MakeRepo, git: RunGit) -> None:
    repo = git_repo({"app/a.py": "a", "lib/b.py": "b", "c.py": "c"})
    git(repo, "sparse-checkout", "set", "app")
    with open_snapshot(repo) as at_head, open_snapshot(repo, worktree=True) as on_disk:
        assert at_head.paths == ("app/a.py", "c.py", "lib/b.py")
        assert on_disk.paths == ("app/a.py", "c.py")
        assert not at_head.dirty()


def test_a_merge_in_conflict_lists_each_path_once(git_repo: MakeRepo, git: RunGit) -> None:
    repo = git_repo({"a.py": "1\n"})
    git(repo, "checkout", "-qb", "other")
    git_repo({"a.py": "2\n"})
    git(repo, "checkout", "-q", "main")
    git_repo({"a.py": "3\n"})
    assert subprocess.run(["git", "-C", str(repo), "merge", "-q", "other"], capture_output=True).returncode == 1
    with open_snapshot(repo, worktree=True) as snapshot:
        assert snapshot.paths == ("a.py",)
        assert b"<<<<<<<" in (snapshot.read("a.py") or b"")


def test_a_repository_with_sha256_objects(tmp_path: Path, git: RunGit) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256")
    (tmp_path / "a.py").write_text("a")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "x")
    with open_snapshot(tmp_path) as snapshot:
        assert (snapshot.read("a.py"), len(snapshot.commit or "")) == (b"a", 64)


def test_a_folder_reached_through_a_link_is_the_folder_itself(git_repo: MakeRepo, tmp_path: Path) -> None:
    repo = git_repo({"app/a.py": "a"})
    (tmp_path / "shortcut").symlink_to(repo / "app")
    with open_snapshot(tmp_path / "shortcut") as snapshot:
        assert (snapshot.root, snapshot.subfolder, snapshot.paths) == (repo, "app", ("a.py",))


@pytest.mark.parametrize("name", ["two\nlines", "sp ace", "é", "quote'\"", "-dash", "$(x)"])
def test_odd_folder_names(git_repo: MakeRepo, name: str) -> None:
    repo = git_repo({f"{name}/a.py": "a"}, name=f"{name}repo")
    for worktree in (False, True):
        with open_snapshot(repo / name, worktree=worktree) as snapshot:
            assert (snapshot.root, snapshot.subfolder, snapshot.paths) == (repo, name, ("a.py",))
            assert snapshot.dirty() is False


# The caller's Git variables and a hostile configuration


def test_variables_that_a_hook_sets_do_not_redirect(git_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    other = git_repo({"other.py": "o"}, name="other")
    repo = git_repo({"a.py": "a"})
    for name, value in {
        "GIT_DIR": other / ".git",
        "GIT_WORK_TREE": other,
        "GIT_INDEX_FILE": other / ".git/index",
        "GIT_OBJECT_DIRECTORY": other / ".git/objects",
        "GIT_PREFIX": "x/",
        "GIT_EXTERNAL_DIFF": "false",
        "GIT_LITERAL_PATHSPECS": "0",
        "GIT_NAMESPACE": "x",
    }.items():
        monkeypatch.setenv(name, str(value))
    for worktree in (False, True):
        with open_snapshot(repo, worktree=worktree) as snapshot:
            assert (snapshot.paths, snapshot.dirty()) == (("a.py",), False)


def test_the_callers_own_configuration_is_kept() -> None:
    kept = git_environment(
        {"GIT_CONFIG_GLOBAL": "g", "GIT_CONFIG_KEY_0": "k", "GIT_DIR": "d", "GIT_TRACE": "1", "HOME": "h"}
    )
    assert (kept["GIT_CONFIG_GLOBAL"], kept["GIT_CONFIG_KEY_0"], kept["HOME"]) == ("g", "k", "h")
    assert not {"GIT_DIR", "GIT_TRACE"} & set(kept)


def test_a_hostile_configuration_runs_nothing(git_repo: MakeRepo, git: RunGit, tmp_path: Path) -> None:
    """Each of these settings is seen to run its program when Git is started plainly."""
    repo = git_repo(
        {"a.py": "a\n", "b.bin": "b\n", ".gitattributes": "*.py filter=evil diff=evil\n*.bin filter=e=vil\n"}
    )
    git_repo({"a.py": "a2\n"})
    proof = tmp_path / "proof"
    proof.mkdir()
    script = tmp_path / "evil.sh"
    script.write_text(f'#!/bin/sh\ntouch "{proof}/$(basename "$1")"\nexec cat\n')
    script.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "filter.evil.clean",
        "filter.e=vil.clean",
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
        "core.pager",
        "core.sshCommand",
        "gpg.program",
        "core.editor",
        "filter.evil.process",
    ):
        git(repo, "config", key, f"{script} {key}")
    git(repo, "config", "log.showSignature", "true")
    git(repo, "config", "core.hooksPath", str(tmp_path / "hooks"))
    (tmp_path / "hooks").mkdir()
    for hook in ("post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"):
        (tmp_path / "hooks" / hook).write_text(f"#!/bin/sh\ntouch {proof}/hook-{hook}\n")
        (tmp_path / "hooks" / hook).chmod(0o755)
    (repo / "a.py").write_text("a3\n")
    (repo / "b.bin").write_text("c\n")
    os.utime(repo / "b.bin", (1, 1))

    for worktree in (False, True):
        with open_snapshot(repo, worktree=worktree) as snapshot:
            assert snapshot.dirty()
            assert len(list(snapshot.read_many(snapshot.paths))) == 3
            assert snapshot.git.run("log", "-p", "--no-ext-diff", "--no-textconv", "--format=%s")  # type: ignore[attr-defined]
    assert list(proof.iterdir()) == []

    git(repo, "config", "--unset", "filter.evil.process")
    subprocess.run(["git", "-C", str(repo), "status"], capture_output=True)
    subprocess.run(["git", "-C", str(repo), "diff", "HEAD~1", "HEAD"], capture_output=True)
    assert {"core.fsmonitor", "filter.evil.clean", "filter.e=vil.clean", "diff.external"} & {
        path.name for path in proof.iterdir()
    } >= {"core.fsmonitor", "filter.e=vil.clean"}


def test_a_missing_object_is_not_fetched_by_a_program_of_the_repositorys_choice(
    git_repo: MakeRepo, git: RunGit, tmp_path: Path
) -> None:
    repo = git_repo({"a.py": "a"})
    blob = git(repo, "rev-parse", "HEAD:a.py").strip()
    (repo / ".git/objects" / blob[:2] / blob[2:]).unlink()
    proof = tmp_path / "proof"
    for key, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": f"ext::touch {proof}",
        "remote.origin.promisor": "true",
        "protocol.ext.allow": "always",
        "protocol.allow": "always",
    }.items():
        git(repo, "config", key, value)
    with open_snapshot(repo) as snapshot, pytest.raises(RepositoryReadError, match="partial clone"):
        snapshot.read("a.py")
    assert not proof.exists()
    subprocess.run(["git", "-C", str(repo), "cat-file", "-p", blob], capture_output=True)
    assert proof.exists(), "Git started plainly runs it, so this test can fail"


def test_a_hostile_work_tree_setting_shows_nothing_of_the_disk(git_repo: MakeRepo, git: RunGit, tmp_path: Path) -> None:
    victim = git_repo({"secret.py": "s"}, name="victim")
    for target in (tmp_path, victim, Path("/")):
        repo = git_repo({"a.py": "a"}, name=f"victim/evil{len(str(target))}")
        git(repo, "config", "core.worktree", str(target))
        with pytest.raises(RepositoryReadError, match="work tree"):
            open_snapshot(repo, worktree=True)
        with open_snapshot(repo) as snapshot:
            assert snapshot.paths == ("a.py",)
            assert snapshot.changes() == ()


_opened: list[str] | None = None


def _note_opened(event: str, args: tuple[object, ...]) -> None:
    if event == "open" and _opened is not None and isinstance(args[0], str | bytes):
        _opened.append(os.fsdecode(args[0]))


sys.addaudithook(_note_opened)


def test_no_file_outside_is_even_opened(git_repo: MakeRepo, tmp_path: Path) -> None:
    global _opened
    (tmp_path / "key").write_text("secret")
    repo = git_repo({"a.py": "a", "lib/b.py": "b", "lib2/c.py": "c"})
    for name, target in {
        "l1": "../key",
        "l2": "/etc/passwd",
        "lib/l3": "../../key",
        "l4": "lib/l3",
        "l5": "..",
    }.items():
        (repo / name).symlink_to(target)
    shutil.rmtree(repo / "lib2")
    (repo / "lib2").symlink_to(tmp_path)
    asked = [
        "l1",
        "l2",
        "l4",
        "l5/key",
        "lib2/key",
        "lib2/c.py",
        "../key",
        "/etc/passwd",
        "lib/../../key",
        "l5/repository/a.py",
    ]
    try:
        _opened = []
        for worktree in (False, True):
            with open_snapshot(repo, worktree=worktree) as snapshot:
                assert [snapshot.read(path) for path in asked if path != "lib2/c.py"] == [None] * (len(asked) - 1)
                assert "secret" not in "".join(data.decode() for _, data in snapshot.read_many(snapshot.paths))
                snapshot.dirty()
                snapshot.read_setting("l1")
                snapshot.read_setting("l2")
        assert str(repo / "a.py") in _opened
        outside = [path for path in _opened if not Path(path).is_relative_to(repo) and not path.startswith("/dev/")]
    finally:
        _opened = None
    assert [path for path in outside if "passwd" in path or path.startswith(str(tmp_path))] == []


def forged_tree(repo: Path, entries: list[tuple[str, str, str]]) -> str:
    """A commit whose tree holds names that Git would never write."""
    raw = b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(object_id) for mode, name, object_id in entries)
    store = ["git", "-C", str(repo), "hash-object", "-w", "--literally", "--stdin", "-t"]
    tree = subprocess.run([*store, "tree"], input=raw, capture_output=True, check=True).stdout.decode().strip()
    commit = ["git", "-C", str(repo), "commit-tree", tree, "-m", "forged"]
    return subprocess.run(commit, capture_output=True, check=True).stdout.decode().strip()


def test_forged_names_are_not_listed(git_repo: MakeRepo, git: RunGit) -> None:
    repo = git_repo({"a.py": "a"})
    blob = git(repo, "rev-parse", "HEAD:a.py").strip()
    names = ["..", ".", ".git", ".GIT", "a//b", "../../x", "/etc/passwd", "fine.py"]
    commit = forged_tree(repo, [("100644", name, blob) for name in names])
    with open_snapshot(repo, commit) as snapshot:
        assert snapshot.paths == ("fine.py",)


def test_a_forged_index_shows_nothing_of_the_disk(git_repo: MakeRepo, tmp_path: Path) -> None:
    (tmp_path / "s.py").write_text("secret")
    repo = git_repo({"x1s.py": "a", "b.py": "b"})
    index = repo / ".git/index"
    index.write_bytes(index.read_bytes().replace(b"x1s.py", b"../s.p"))
    try:
        with open_snapshot(repo, worktree=True) as snapshot:
            assert all("secret" not in data.decode() for _, data in snapshot.read_many(snapshot.paths))
    except RepositoryReadError:
        return  # Git found the forgery itself


def test_replaced_objects_do_not_change_what_a_commit_says(git_repo: MakeRepo, git: RunGit) -> None:
    repo = git_repo({"a.py": "true", "b.py": "forged"})
    blobs = [git(repo, "rev-parse", f"HEAD:{name}").strip() for name in ("a.py", "b.py")]
    git(repo, "replace", *blobs)
    with open_snapshot(repo) as snapshot:
        assert snapshot.read("a.py") == b"true"


def test_nothing_is_written_into_the_repository(git_repo: MakeRepo) -> None:
    repo = git_repo({"a.py": "a"})
    os.utime(repo / "a.py", (1, 1))
    before = {path: path.stat().st_mtime_ns for path in repo.rglob("*")}
    for worktree in (False, True):
        with open_snapshot(repo, worktree=worktree) as snapshot:
            assert not snapshot.dirty()
    assert {path: path.stat().st_mtime_ns for path in repo.rglob("*")} == before


def test_git_answers_in_english_whatever_the_callers_language(
    git_repo: MakeRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "fr_FR.UTF-8")
    monkeypatch.setenv("LANGUAGE", "fr")
    repo = git_repo({"a.py": "a"})
    shutil.rmtree(repo / ".git")
    with pytest.raises(RepositoryReadError, match="not in a Git repository"):
        Git(repo).run("status")
