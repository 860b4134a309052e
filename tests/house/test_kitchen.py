"""The example that every newcomer sees is a working application: its own tests pass."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KITCHEN = ROOT / "examples" / "kitchen"


def test_the_kitchen_passes_its_own_tests(tmp_path: Path) -> None:
    """In an environment of its own: Flask and Celery are the example's needs, not RetroDoc's."""
    application = tmp_path / "kitchen"
    shutil.copytree(KITCHEN, application, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    python = str(tmp_path / "venv" / "bin" / "python")
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    install = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "flask", "celery", "pytest"]
    installed = subprocess.run(install, capture_output=True, text=True, check=False)
    if installed.returncode:
        pytest.skip(f"Flask and Celery cannot be fetched here: {installed.stderr.strip()[-200:]}")

    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    result = subprocess.run(
        command, cwd=application, env=environment, capture_output=True, text=True, check=False, timeout=120
    )

    assert result.returncode == 0, result.stdout
    assert "13 passed" in result.stdout


def test_the_kitchen_says_nothing_about_retrodoc() -> None:
    """RetroDoc must find out by itself: the example is written as if nobody would ever document it."""
    texts = [
        path.read_text(encoding="utf-8") for path in KITCHEN.rglob("*") if path.is_file() and path.suffix != ".pyc"
    ]
    assert len(texts) > 15
    assert not [text for text in texts if "retrodoc" in text.lower()]
