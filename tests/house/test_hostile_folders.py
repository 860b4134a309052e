"""RetroDoc runs inside other people's repositories, and none of their code is ever run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

TRAP = """\
import pathlib
pathlib.Path(__file__).with_name("RAN").write_text("this module was imported")
raise SystemExit("a module of the target was run")
"""
APPLICATION = """\
from flask import Blueprint

bp = Blueprint("orders", __name__)


@bp.post("/orders/<int:number>/send")
def send_order(number):
    order = find_order(number)
    return print_ticket(order)


def find_order(number):
    return load("order", number)


def print_ticket(order):
    return render(order)
"""
OWN_FOLDERS = ("checks", "runs", "chunkers")
FORGED = ("retrodoc_checks", "retrodoc_runs", "retrodoc_chunkers", "typer", "yaml", "rich", "pydantic", "tree_sitter")
"""What we import, in a place where Python looks first if it is allowed to."""

SCRIPT = [str(Path(sys.executable).with_name("retrodoc"))]
MODULE = [sys.executable, "-m", "retrodoc"]


def repository_with(names: tuple[str, ...]) -> dict[str, str]:
    return {"desk/routes.py": APPLICATION, **{f"{name}/__init__.py": TRAP for name in names}}


@pytest.mark.parametrize("program", [SCRIPT, MODULE], ids=["retrodoc", "python -m retrodoc"])
@pytest.mark.parametrize(
    "names", [OWN_FOLDERS, FORGED], ids=["folders called as ours", "folders called as what we import"]
)
def test_a_repository_that_owns_such_folders_is_documented_from_inside_it(
    git_repo: Callable[..., Path], program: list[str], names: tuple[str, ...]
) -> None:
    repository = git_repo(repository_with(names))

    for arguments in (["scan"], ["generate", "-q"], ["check"], ["report"]):
        result = subprocess.run(
            [*program, *arguments], cwd=repository, capture_output=True, text=True, check=False, timeout=120
        )
        assert result.returncode in (0, 1), f"{arguments}: {result.stdout}{result.stderr}"
        assert "Traceback" not in result.stderr

    assert list(repository.rglob("RAN")) == []
    pages = list((repository / "docs" / "functional").rglob("*.md"))
    assert any("send_order" in page.read_text(encoding="utf-8") for page in pages)


def test_the_traps_would_be_seen(git_repo: Callable[..., Path]) -> None:
    repository = git_repo(repository_with(OWN_FOLDERS))
    subprocess.run([sys.executable, "-c", "import checks"], cwd=repository, capture_output=True, check=False)
    assert [trap.parent.name for trap in repository.rglob("RAN")] == ["checks"]
