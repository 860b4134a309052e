"""Imports go down only, and the judge's side of the house knows no model, no network, no terminal and no clock."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOWER_PACKAGES = (
    ROOT / "checks/retrodoc_checks",
    ROOT / "chunkers/retrodoc_chunkers",
    ROOT / "runs/retrodoc_runs",
)
FORBIDDEN = {
    "clock": {"time", "datetime", "zoneinfo", "sched", "timeit"},
    "network": {"asyncio", "ftplib", "http", "httpx", "httpx2", "requests", "smtplib", "socket", "ssl"}
    | {"urllib.request", "urllib3", "aiohttp", "websockets"},
    "model": {"anthropic", "openai", "xllamacpp", "genai_prices"},
    "terminal": {"typer", "click", "rich", "curses"},
    "chance": {"secrets", "uuid"},
}


def imported(source: str) -> Iterator[str]:
    """Every module that the source imports, wherever the import stands, and what `__import__`-like calls name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ("import_module", "__import__"):
                yield str(node.args[0].value)


def forbidden(source: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in imported(source):
        for kind, modules in FORBIDDEN.items():
            if any(name == module or name.startswith(f"{module}.") for module in modules):
                found.setdefault(kind, []).append(name)
    return found


@pytest.mark.parametrize(
    ("source", "kinds"),
    [
        ("import time", {"clock"}),
        ("def now():\n    from datetime import datetime", {"clock"}),
        ("from urllib import request", {"network"}),
        ("import http.client as c", {"network"}),
        ("import importlib\nimportlib.import_module('anthropic')", {"model"}),
        ("from rich.console import Console", {"terminal"}),
        ("import uuid", {"chance"}),
        ("from urllib.parse import quote\nimport timezones\nfrom .time import x", set()),
    ],
)
def test_the_scan_finds_what_it_is_for(source: str, kinds: set[str]) -> None:
    assert set(forbidden(source)) == kinds


@pytest.mark.parametrize("package", LOWER_PACKAGES, ids=lambda package: package.name)
def test_no_module_below_the_program_knows_clock_network_model_or_terminal(package: Path) -> None:
    modules = sorted(package.rglob("*.py"))
    assert modules

    found = {str(path.relative_to(ROOT)): forbidden(path.read_text(encoding="utf-8")) for path in modules}

    assert {path: names for path, names in found.items() if names} == {}


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Import-linter on the packages of `folder`, which come before the installed ones on the path."""
    packages = [str(folder / package.parent.name) for package in (*LOWER_PACKAGES, Path("retrodoc/retrodoc"))]
    program = (
        f"import sys; sys.path[:0] = {packages!r}; from importlinter.cli import lint_imports_command as main; main()"
    )
    command = [sys.executable, "-c", program, "--config", str(folder / "pyproject.toml"), "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A copy of the four packages, so that a test can break it."""
    for name in ("retrodoc", "checks", "chunkers", "runs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_import_contracts_hold(house: Path) -> None:
    result = lint_imports(house)
    assert result.returncode == 0, result.stdout
    assert "2 kept, 0 broken" in result.stdout


@pytest.mark.parametrize(
    ("module", "statement"),
    [
        ("runs/retrodoc_runs/lines.py", "import retrodoc_checks"),
        ("runs/retrodoc_runs/lines.py", "import retrodoc_chunkers"),
        ("chunkers/retrodoc_chunkers/model.py", "import retrodoc_runs"),
        ("checks/retrodoc_checks/findings.py", "import retrodoc.errors"),
        ("checks/retrodoc_checks/findings.py", "import rich"),
    ],
)
def test_an_import_that_goes_up_or_out_is_refused(house: Path, module: str, statement: str) -> None:
    path = house / module
    path.write_text(path.read_text(encoding="utf-8") + f"\n{statement}\n", encoding="utf-8")

    result = lint_imports(house)

    assert result.returncode == 1
    assert statement.split()[1].partition(".")[0] in result.stdout
