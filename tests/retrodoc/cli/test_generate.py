"""`retrodoc generate` as a person runs it: real repositories, a real process, what is printed and what is written."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
Repo = Callable[..., Path]

APP = {
    "desk/app.py": """
from flask import Flask

from desk.orders import place_order

app = Flask(__name__)


@app.post("/orders")
def take_order():
    order = place_order(request.json)
    notify_kitchen(order)
    return jsonify(order)


def notify_kitchen(order):
    queue.publish("kitchen", order)
""",
    "desk/orders.py": """
def place_order(form):
    row = check_form(form)
    return save_row(row)


def check_form(form):
    return form


def save_row(row):
    database.insert_row("orders", row)
    return row
""",
}


def retrodoc(*arguments: str | Path, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "retrodoc", *map(str, arguments)]
    return subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, env={**os.environ, **environment}, check=False, timeout=120
    )


def pages(folder: Path) -> dict[str, bytes]:
    docs = {path for path in (folder / "docs").rglob("*") if path.is_file() and path.name != "manifest.json"}
    return {str(path.relative_to(folder)): path.read_bytes() for path in {*docs, folder / "llms.txt"}}


def test_a_repository_is_documented_judged_and_written_in_one_go(git_repo: Repo) -> None:
    repo = git_repo(APP)
    done = retrodoc("generate", repo)
    assert done.returncode == 0, done.stderr
    assert "entry points: total 1 = documented 1 + unaccounted 0" in done.stdout
    page = (repo / "docs/functional").rglob("take-order.md")
    assert "`take_order` calls `place_order`" in next(page).read_text()


def test_an_unchanged_repository_rewrites_no_file(git_repo: Repo) -> None:
    repo = git_repo(APP)
    retrodoc("generate", repo)
    before = {path: path.stat().st_mtime_ns for path in repo.rglob("*") if path.is_file()}
    done = retrodoc("generate", repo)
    assert done.returncode == 0
    assert "Nothing changed" in done.stdout
    after = {path: path.stat().st_mtime_ns for path in repo.rglob("*") if path.is_file()}
    assert {path for path in after if after[path] != before.get(path)} <= {repo / ".retrodoc/runs/.lock"}


def test_committing_the_pages_needs_no_new_run(git_repo: Repo, git: Callable[..., str]) -> None:
    repo = git_repo(APP)
    retrodoc("generate", repo)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "Document")
    assert "Nothing changed" in retrodoc("generate", repo).stdout


def test_two_runs_give_the_same_bytes(git_repo: Repo) -> None:
    first, second = git_repo(APP, "a/desk"), git_repo(APP, "b/desk")
    retrodoc("generate", first)
    time.sleep(1.1)  # another second, so another run id
    retrodoc("generate", second, "--force")
    assert pages(first) == pages(second)


def test_an_edited_page_is_kept_and_named(git_repo: Repo) -> None:
    repo = git_repo(APP)
    retrodoc("generate", repo)
    index = repo / "docs/functional/README.md"
    index.write_text("mine\n")
    done = retrodoc("generate", repo, "--force")
    assert index.read_text() == "mine\n"
    assert "docs/functional/README.md" in done.stdout
    retrodoc("generate", repo, "--force", "--overwrite")
    assert index.read_text() != "mine\n"


def test_an_edited_page_is_replaced_or_written_again_without_another_run(git_repo: Repo) -> None:
    """`--overwrite` and the removal of an edited page hold where nothing else changed."""
    repo = git_repo(APP)
    retrodoc("generate", repo)
    index = repo / "docs/functional/README.md"
    written = index.read_text()
    for mend in (["--overwrite"], []):
        index.write_text("mine\n")
        assert "kept as a person edited it" in retrodoc("generate", repo).stdout
        assert "Nothing changed" in retrodoc("generate", repo).stdout
        if not mend:
            index.unlink()
        retrodoc("generate", repo, *mend)
        assert index.read_text() == written


def test_a_dry_run_shows_the_pages_and_writes_none(git_repo: Repo) -> None:
    repo = git_repo(APP)
    done = retrodoc("generate", repo, "--dry-run")
    assert done.returncode == 0
    assert "+++ b/docs/functional/README.md" in done.stdout
    assert not (repo / "docs").exists()
    retrodoc("generate", repo)
    again = retrodoc("generate", repo, "--dry-run")
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "No page would change.\n")


def test_the_pages_read_back_to_the_runs_own_verdicts(git_repo: Repo) -> None:
    repo = git_repo(APP)
    retrodoc("generate", repo)
    from_run = json.loads(retrodoc("check", "--format", "json", cwd=repo).stdout)
    from_pages = json.loads(retrodoc("check", "docs/functional", "--format", "json", cwd=repo).stdout)

    def verdicts(result: dict[str, list[dict[str, object]]]) -> set[tuple[object, ...]]:
        return {(s["use_case"], s["order"], s["verdict"], tuple(s["reasons"])) for s in result["steps"]}  # type: ignore[arg-type]

    assert from_run["steps"]
    assert verdicts(from_run) == verdicts(from_pages)


def test_what_has_no_step_to_check_is_no_green_light(git_repo: Repo) -> None:
    """Neither the first time, nor when nothing changed since."""
    repo = git_repo({"shop.php": "<?php\nfunction sell() { return pay(); }\n"})
    first, again = retrodoc("generate", repo), retrodoc("generate", repo)
    assert (first.returncode, again.returncode) == (2, 2)
    assert "nothing was checked" in first.stdout
    assert "Nothing changed" in again.stdout
    assert "**No entry point was found**" in (repo / "docs/functional/README.md").read_text()


def test_head_is_read_and_the_difference_is_said(git_repo: Repo) -> None:
    repo = git_repo(APP)
    (repo / "desk/app.py").write_text(APP["desk/app.py"].replace("take_order", "receive_order"))
    at_head = retrodoc("scan", repo, "--format", "json")
    assert "--worktree" in at_head.stderr
    assert json.loads(at_head.stdout)["entry_points"][0]["handler"]["symbol"].endswith("take_order")
    in_tree = retrodoc("scan", repo, "--format", "json", "--worktree")
    assert json.loads(in_tree.stdout)["entry_points"][0]["handler"]["symbol"].endswith("receive_order")


def test_a_folder_inside_a_repository_is_documented_on_its_own(git_repo: Repo) -> None:
    repo = git_repo({f"apps/desk/{path}": text for path, text in APP.items()} | {"other.py": "def x(): ...\n"})
    folder = repo / "apps/desk"
    done = retrodoc("generate", folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "docs/functional/README.md").exists()
    assert not (repo / "docs").exists()
    assert retrodoc("check", "docs/functional", cwd=folder).returncode == 0


BAD = [
    ("an empty folder", lambda tmp: tmp, [], "is not in a Git repository"),
    ("a folder that is not there", lambda tmp: tmp / "nowhere", [], "does not exist"),
    ("a file", lambda tmp: _write(tmp / "file.py", "x = 1\n"), [], "is not a folder"),
]


def _write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@pytest.mark.parametrize("command", ["generate", "scan", "plan"])
@pytest.mark.parametrize(("situation", "make", "options", "said"), BAD, ids=[case[0] for case in BAD])
def test_where_there_is_no_repository_the_reason_is_said(
    tmp_path: Path, command: str, situation: str, make: Callable[[Path], Path], options: list[str], said: str
) -> None:
    done = retrodoc(command, make(tmp_path), *options)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.rglob(".retrodoc"))


@pytest.mark.parametrize(
    ("files", "config", "options", "said"),
    [
        ({"README.md": "# Hello\n"}, None, [], "no source"),
        ({"a.txt": "x\n"}, None, [], "no source"),
        (APP, "language = [", [], "not valid TOML"),
        (APP, "langage = 'fr'", [], "langage"),
        (APP, "[ingest]\nmax_file_bytes = 'big'", [], "max_file_bytes"),
        (APP, "[llm]\nprovider = 'openai'\nbase_url = 'http://127.0.0.1:9/v1'", [], "--trust-config"),
        (APP, "[llm]\nkey_env = 'AWS_SECRET_ACCESS_KEY'", [], "--trust-config"),
        (APP, None, ["--provider", "anthropic", "--model", "claude-sonnet-4-5"], "ANTHROPIC_API_KEY"),
        (APP, None, ["--provider", "openai", "--model", "gpt-4o"], "OPENAI_API_KEY"),
        (APP, None, ["--provider", "nobody", "--model", "x"], "nobody"),
        (APP, None, ["--max-cost", "much"], "--max-cost"),
        (APP, None, ["--max-cost", "-1"], "'--max-cost': '-1' is not an amount"),
        (APP, None, ["--out", ""], "'--out': is empty"),
        (APP, None, ["--runs", ""], "'--runs': is empty"),
    ],
)
def test_what_cannot_be_used_is_named_with_the_mend(
    git_repo: Repo, files: dict[str, str], config: str | None, options: list[str], said: str
) -> None:
    repo = git_repo(files | ({"retrodoc.toml": config} if config else {}))
    done = retrodoc("generate", repo, *options)
    assert done.returncode == 2, done.stdout
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (repo / "docs").exists()


def test_an_empty_repository_is_named(tmp_path: Path, git: Callable[..., str]) -> None:
    git(tmp_path, "init", "-q")
    done = retrodoc("generate", tmp_path)
    assert done.returncode == 2
    assert "commit" in done.stderr


def test_the_json_of_a_scan_is_printed_whatever_the_exit_code(tmp_path: Path) -> None:
    done = retrodoc("scan", tmp_path, "--format", "json")
    assert done.returncode == 2
    assert "message" in json.loads(done.stdout)["error"]


def test_killed_at_any_moment_a_resumed_run_gives_the_pages_of_an_undisturbed_one(git_repo: Repo) -> None:
    many = {
        f"desk/part{n}.py": APP["desk/app.py"].replace("/orders", f"/part{n}").replace("take_order", f"take_{n}")
        for n in range(30)
    }
    undisturbed, disturbed = git_repo(APP | many, "a/desk"), git_repo(APP | many, "b/desk")
    assert retrodoc("generate", undisturbed).returncode == 0
    began = time.monotonic()
    retrodoc("generate", disturbed)
    whole = time.monotonic() - began
    shutil.rmtree(disturbed / "docs")
    shutil.rmtree(disturbed / ".retrodoc")
    (disturbed / "llms.txt").unlink()
    killed = 0
    for moment in range(5):
        process = subprocess.Popen(
            [sys.executable, "-m", "retrodoc", "generate", disturbed],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(whole * (0.3 + 0.15 * moment))
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
    assert killed
    assert retrodoc("generate", disturbed).returncode == 0
    assert pages(undisturbed) == pages(disturbed)


def test_an_interrupt_leaves_a_run_that_resumes_and_says_so(git_repo: Repo) -> None:
    many = {f"desk/part{n}.py": APP["desk/app.py"].replace("/orders", f"/part{n}") for n in range(60)}
    repo = git_repo(APP | many)
    process = subprocess.Popen(
        [sys.executable, "-m", "retrodoc", "generate", repo], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    begun = repo / ".retrodoc/runs/.lock"
    while not begun.exists() and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert "Traceback" not in said
    # A shell gives 130 for both: Python ends by the signal itself when it came while a string was executed, as by
    # the decorator of a dataclass, even if it was caught.
    assert process.returncode in (130, -signal.SIGINT)
    assert "the same command resumes" in said
    assert not (repo / "docs").exists()
    assert retrodoc("generate", repo).returncode == 0
    assert (repo / "docs/functional/README.md").is_file()


@pytest.mark.skipif(not shutil.which("mount") or os.geteuid() != 0, reason="a small disk needs root and mount")
def test_a_full_disk_is_said_and_leaves_nothing_half_written(git_repo: Repo, tmp_path: Path) -> None:
    many = {f"desk/part{n}.py": APP["desk/app.py"].replace("/orders", f"/part{n}") for n in range(40)}
    repo = git_repo(APP | many)
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", disk], check=False).returncode:
        pytest.skip("this machine lets nobody mount a small disk")
    try:
        done = retrodoc("generate", repo, "--runs", disk / "runs", "--out", disk / "docs")
        assert done.returncode == 2
        assert "disk is full" in done.stderr or "No space left" in done.stderr
        assert "Traceback" not in done.stderr
        assert not list(disk.rglob("*.md"))
        for saved in disk.rglob("run.json"):
            json.loads(saved.read_text())
    finally:
        subprocess.run(["umount", disk], check=True)
