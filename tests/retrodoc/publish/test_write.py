"""What a person edited is never overwritten silently, and nothing is ever half-written."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from retrodoc.errors import OutputError
from retrodoc.publish.layout import Layout
from retrodoc.publish.write import plan_pages, write_pages

MANIFEST, STAGING = Layout().manifest, Layout().staging
INDEX = "docs/functional/README.md"
PAGE = "docs/functional/orders/send.md"
PAGES = {INDEX: b"# Index\n", PAGE: b"# Send\n\nline\n"}


def publish(root: Path, pages: Mapping[str, bytes], *, force: bool = False) -> None:
    write_pages(plan_pages(root, pages, force=force))


def written(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.relative_to(root).as_posix() != MANIFEST
    }


def test_pages_are_created_and_a_second_time_nothing_is_touched(tmp_path: Path) -> None:
    plan = plan_pages(tmp_path, PAGES)
    assert (plan.created, plan.changed, plan.kept) == ((INDEX, PAGE), (), ())
    write_pages(plan)
    assert written(tmp_path) == PAGES
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}

    again = plan_pages(tmp_path, PAGES)
    assert again.does_nothing
    write_pages(again)

    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_an_edited_page_is_kept_and_reported_until_forced(tmp_path: Path) -> None:
    publish(tmp_path, PAGES)
    (tmp_path / PAGE).write_bytes(b"# Send\n\nmy words\n")
    changed = PAGES | {PAGE: b"# Send\n\nnew\n", INDEX: b"# New\n"}

    plan = plan_pages(tmp_path, changed)
    assert (plan.changed, plan.kept) == ((INDEX,), (PAGE,))
    write_pages(plan)
    assert written(tmp_path) == {INDEX: b"# New\n", PAGE: b"# Send\n\nmy words\n"}
    assert plan_pages(tmp_path, changed).kept == (PAGE,), "a kept page stays an edited one"

    publish(tmp_path, changed, force=True)
    assert written(tmp_path) == changed


def test_a_page_that_we_never_wrote_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / "llms.txt").write_bytes(b"mine\n")
    pages = PAGES | {"llms.txt": b"ours\n"}

    publish(tmp_path, pages)

    assert (tmp_path / "llms.txt").read_bytes() == b"mine\n"
    assert plan_pages(tmp_path, pages).kept == ("llms.txt",)


def test_a_page_of_an_earlier_run_is_removed_unless_it_was_edited(tmp_path: Path) -> None:
    other = "docs/functional/tables/close.md"
    publish(tmp_path, PAGES | {other: b"# Close\n"})
    (tmp_path / PAGE).write_bytes(b"edited\n")

    plan = plan_pages(tmp_path, {INDEX: PAGES[INDEX]})
    assert (plan.removed, plan.kept) == ((other,), (PAGE,))
    write_pages(plan)

    assert written(tmp_path) == {INDEX: PAGES[INDEX], PAGE: b"edited\n"}
    assert not (tmp_path / "docs/functional/tables").exists(), "the folder goes with its last page"


def test_force_removes_no_edited_page(tmp_path: Path) -> None:
    publish(tmp_path, PAGES)
    (tmp_path / PAGE).write_bytes(b"edited\n")
    publish(tmp_path, {INDEX: PAGES[INDEX]}, force=True)
    assert (tmp_path / PAGE).read_bytes() == b"edited\n"


def test_a_deleted_page_comes_back(tmp_path: Path) -> None:
    publish(tmp_path, PAGES)
    (tmp_path / PAGE).unlink()
    publish(tmp_path, PAGES)
    assert written(tmp_path) == PAGES


def test_line_ends_that_git_changed_are_no_edit(tmp_path: Path) -> None:
    publish(tmp_path, PAGES)
    (tmp_path / PAGE).write_bytes(PAGES[PAGE].replace(b"\n", b"\r\n"))

    assert plan_pages(tmp_path, PAGES).does_nothing
    assert plan_pages(tmp_path, PAGES | {PAGE: b"new\n"}).changed == (PAGE,)


@pytest.mark.parametrize("damaged", [b"", b"{", b"[]", b'{"pages": 3}', b"[" * 100_000, b"\xff"])
def test_with_a_damaged_manifest_nothing_counts_as_ours(tmp_path: Path, damaged: bytes) -> None:
    publish(tmp_path, PAGES)
    (tmp_path / MANIFEST).write_bytes(damaged)
    plan = plan_pages(tmp_path, {INDEX: b"# New\n"})
    assert (plan.kept, plan.removed) == ((INDEX,), ())


def test_a_dry_run_shows_every_change_and_writes_nothing(tmp_path: Path) -> None:
    publish(tmp_path, PAGES)
    before = written(tmp_path)

    diff = plan_pages(tmp_path, {INDEX: b"# Index\nmore", "llms.txt": b"# L\n"}).diff()

    assert written(tmp_path) == before
    assert diff == (
        "--- a/docs/functional/README.md\n+++ b/docs/functional/README.md\n@@ -1 +1,2 @@\n # Index\n+more\n"
        "\\ No newline at end of file\n"
        "--- /dev/null\n+++ b/llms.txt\n@@ -0,0 +1 @@\n+# L\n"
        "--- a/docs/functional/orders/send.md\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-# Send\n-\n-line\n"
    )


# -- a repository is hostile until shown otherwise


@pytest.mark.parametrize("link", ["docs", "docs/functional", "docs/functional/orders", PAGE, "docs/_retrodoc"])
def test_nothing_is_written_through_a_symbolic_link(tmp_path: Path, link: str) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.mkdir()
    (root / link).parent.mkdir(parents=True)
    (root / link).symlink_to(outside if link != PAGE else outside / "file")

    with pytest.raises(OutputError, match="symbolic link"):
        plan_pages(root, PAGES)

    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("path", ["src/app.py", "docs/guide.md", "../outside.md", "docs/functional/../../src/app.py"])
def test_a_manifest_that_names_what_is_not_ours_removes_nothing(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    publish(root, PAGES)
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(b"# Index\n")
    manifest = json.loads((root / MANIFEST).read_text())
    manifest["pages"][path] = manifest["pages"][INDEX]
    (root / MANIFEST).write_text(json.dumps(manifest))

    publish(root, PAGES)

    assert (root / path).read_bytes() == b"# Index\n"


@pytest.mark.parametrize("path", ["/etc/x.md", "../x.md", "docs/../../x.md"])
def test_a_page_never_leaves_the_root(tmp_path: Path, path: str) -> None:
    with pytest.raises(OutputError, match="no place for a page"):
        plan_pages(tmp_path, {path: b""})


def test_a_folder_in_the_place_of_a_page_is_said(tmp_path: Path) -> None:
    (tmp_path / PAGE).mkdir(parents=True)
    with pytest.raises(OutputError, match="is a folder"):
        plan_pages(tmp_path, PAGES)


# -- full disks and sudden ends


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 128 KiB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(place)], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no small file system can be mounted here: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_leaves_the_old_pages_whole(small_disk: Path) -> None:
    publish(small_disk, PAGES)
    manifest = (small_disk / MANIFEST).read_bytes()
    bigger = {**PAGES, INDEX: b"# New\n", "docs/functional/tables/a.md": b"x" * 40_000, "llms.txt": b"y" * 400_000}

    with pytest.raises(OutputError, match="disk is full"):
        publish(small_disk, bigger)

    assert written(small_disk) == PAGES
    assert (small_disk / MANIFEST).read_bytes() == manifest
    assert not (small_disk / "docs/functional/tables").exists()


def test_a_folder_that_cannot_be_written_to_is_said(tmp_path: Path) -> None:
    if os.geteuid() == 0 or shutil.which("chmod") is None:
        (tmp_path / "docs").write_bytes(b"a file where the folder should be")
    else:
        tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="cannot write"):
        publish(tmp_path, PAGES)


KILLED_AT = """
import os, signal, sys
from pathlib import Path
from retrodoc.publish import write

moves = 0
replace = Path.replace
def counted(self, target):
    global moves
    if moves == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    moves += 1
    return replace(self, target)
Path.replace = counted
pages = {f"docs/functional/page-{number}.md": sys.argv[3].encode() for number in range(3)}
write.write_pages(write.plan_pages(Path(sys.argv[1]), pages))
"""


@pytest.mark.parametrize("moves", range(5))
def test_killed_between_any_two_moves_the_next_run_knows_every_page_as_ours(tmp_path: Path, moves: int) -> None:
    """Two moves of the manifest and three of pages: it is killed before each of them."""
    pages = {f"docs/functional/page-{number}.md": b"old" for number in range(3)}
    publish(tmp_path, pages)

    killed = subprocess.run([sys.executable, "-c", KILLED_AT, str(tmp_path), str(moves), "new"], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert set(written(tmp_path / "docs/functional").values()) <= {b"old", b"new"}

    newest = dict.fromkeys(pages, b"newest")
    assert plan_pages(tmp_path, newest).kept == ()
    publish(tmp_path, newest)
    assert written(tmp_path) == newest
    assert not (tmp_path / STAGING).exists()
