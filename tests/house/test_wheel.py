"""What is installed in other people's environments: four packages with names of their own, and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {"retrodoc", "retrodoc_checks", "retrodoc_chunkers", "retrodoc_runs"}


def uv() -> str:
    beside = Path(sys.executable).with_name("uv")
    found = str(beside) if beside.exists() else shutil.which("uv")
    if found is None:
        pytest.skip("uv is not installed")
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    folder = tmp_path_factory.mktemp("dist")
    command = [uv(), "build", "-q", "--wheel", "--python", sys.executable, "--out-dir", str(folder), str(ROOT)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode and os.environ.get("CI") != "true":
        pytest.skip(f"the wheel's build back end cannot be fetched here: {result.stderr.strip()[-200:]}")
    assert result.returncode == 0, result.stderr
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        yield archive


def test_the_wheel_holds_four_packages_with_names_of_their_own(wheel: zipfile.ZipFile) -> None:
    """A top-level `checks` or `runs` would be shadowed by, or would shadow, a folder of the documented repository."""
    top = {name.partition("/")[0] for name in wheel.namelist()}
    assert {name for name in top if not name.endswith(".dist-info")} == PACKAGES


def test_the_wheel_holds_every_file_that_a_package_reads(wheel: zipfile.ZipFile) -> None:
    held = set(wheel.namelist())
    folders = [ROOT / "retrodoc", ROOT / "checks", ROOT / "chunkers", ROOT / "runs"]
    wanted = {
        path.relative_to(folder).as_posix()
        for folder in folders
        for package in folder.glob("retrodoc*")
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert wanted - held == set()
    assert {f"{package}/__init__.py" for package in PACKAGES} <= wanted


def test_the_wheel_installs_one_command(wheel: zipfile.ZipFile) -> None:
    (entry_points,) = [name for name in wheel.namelist() if name.endswith("entry_points.txt")]
    assert wheel.read(entry_points).decode().split() == ["[console_scripts]", "retrodoc", "=", "retrodoc.__main__:main"]
