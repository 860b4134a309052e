"""Each dependency has its reason in adr/0007, a public address in the lock, and wheels for every Python we name."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHONS = ("311", "312", "313", "314")


def requirement_name(requirement: str) -> str:
    return re.split(r"[\s<>=!~\[;]", requirement, maxsplit=1)[0].lower()


def project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def runtime_names() -> list[str]:
    extras = [name for group in project()["optional-dependencies"].values() for name in group]
    return sorted(requirement_name(requirement) for requirement in [*project()["dependencies"], *extras])


def locked() -> dict[str, dict[str, Any]]:
    lock = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
    return {package["name"]: package for package in lock["package"]}


def needed(names: list[str]) -> dict[str, dict[str, Any]]:
    """Those packages and all that they depend on, on Linux."""
    packages, found, waiting = locked(), {}, list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found[name] = packages[name]
        for dependency in packages[name].get("dependencies", []):
            marker = dependency.get("marker", "")
            if "emscripten" not in marker.replace("!= 'emscripten'", "") and "'win32'" not in marker:
                waiting.append(dependency["name"])
    return found


def reasons() -> str:
    return (ROOT / "adr" / "0007-dependencies.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", runtime_names())
def test_each_dependency_has_its_reason(name: str) -> None:
    text = reasons()
    if name.startswith("tree-sitter-"):
        assert f"-{name.removeprefix('tree-sitter-')}" in text
    else:
        assert f"| {name} " in text


def test_each_reason_is_of_a_dependency() -> None:
    rows = re.findall(r"^\| ([a-z][\w-]*)", reasons(), re.MULTILINE)
    assert set(rows) - {"dependency"} - set(runtime_names()) - {"tree-sitter-c"} == set()


def test_the_lock_holds_public_addresses_only() -> None:
    text = (ROOT / "uv.lock").read_text(encoding="utf-8")
    assert set(re.findall(r'registry = "([^"]*)"', text)) == {"https://pypi.org/simple"}
    assert {url.split("/")[2] for url in re.findall(r'url = "([^"]*)"', text)} == {"files.pythonhosted.org"}


def fits(wheel: str, python: str) -> bool:
    """Whether a wheel of that file name installs on that CPython on Linux, by its tags."""
    tags, abi, platform = wheel.removesuffix(".whl").split("-")[-3:]
    if platform != "any" and not ("manylinux" in platform and "x86_64" in platform):
        return False
    for tag in tags.split("."):
        if tag == "py3" or (tag == f"cp{python}" and abi in (f"cp{python}", "abi3", "none")):
            return True
        if abi == "abi3" and (found := re.fullmatch(r"cp3(\d+)", tag)) and int(found[1]) <= int(python[1:]):
            return True
    return False


@pytest.mark.parametrize(
    ("wheel", "python", "expected"),
    [
        ("a-1-py3-none-any.whl", "314", True),
        ("a-1-cp39-abi3-manylinux_2_17_x86_64.whl", "314", True),
        ("a-1-cp313-abi3-manylinux_2_17_x86_64.whl", "312", False),
        ("a-1-cp312-cp312-manylinux_2_17_x86_64.whl", "312", True),
        ("a-1-cp312-cp312-manylinux_2_17_x86_64.whl", "313", False),
        ("a-1-cp314-cp314t-manylinux_2_17_x86_64.whl", "314", False),
        ("a-1-cp312-cp312-win_amd64.whl", "312", False),
    ],
)
def test_the_reading_of_wheel_names(wheel: str, python: str, expected: bool) -> None:
    assert fits(wheel, python) is expected


@pytest.mark.parametrize("python", PYTHONS)
def test_everything_that_users_install_has_a_wheel(python: str) -> None:
    without = [
        name
        for name, package in needed(runtime_names()).items()
        if not any(fits(wheel["url"].rsplit("/", 1)[1], python) for wheel in package.get("wheels", []))
    ]
    assert without == []
