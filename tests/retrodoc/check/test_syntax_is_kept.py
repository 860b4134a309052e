"""A second check parses nothing: what was read is kept in the user's cache folder, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from retrodoc.caching import cache_folder, cached_syntax

Check = Callable[..., object]

STEPS = """\
- slug: buy
  steps:
  - order: 1
    description: "`Cart.total` adds the rows."
    source_refs:
    - {path: cart.py, start_line: 2, end_line: 3}
"""
CART = "class Cart:\n    def total(self):\n        return sum(self.rows)\n" + "\n# spare\nx = 1\n" * 30


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"HOME": "/home/ada"}, "/home/ada/.cache/retrodoc"),
        ({"HOME": "/home/ada", "XDG_CACHE_HOME": "/var/tmp/ada"}, "/var/tmp/ada/retrodoc"),
        ({"HOME": "/home/ada", "XDG_CACHE_HOME": "relative"}, "/home/ada/.cache/retrodoc"),
        ({"HOME": "/home/ada", "RETRODOC_CACHE": "/elsewhere"}, "/elsewhere"),
        ({"HOME": "/home/ada", "RETRODOC_CACHE": "off"}, None),
        ({"HOME": "/home/ada", "RETRODOC_CACHE": "OFF"}, None),
        ({"HOME": "relative"}, None),
    ],
)
def test_which_folder_keeps_it(
    environment: dict[str, str], folder: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("HOME", "XDG_CACHE_HOME", "RETRODOC_CACHE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert cache_folder() == (None if folder is None else Path(folder))


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "cache"
    monkeypatch.setenv("RETRODOC_CACHE", str(folder))
    cached_syntax.cache_clear()
    yield folder
    cached_syntax.cache_clear()


def test_a_second_check_parses_nothing_and_says_the_same(
    check: Check, git_repo: Callable[..., Path], kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = git_repo({"cart.py": CART})
    target = tmp_path / "said.yaml"
    target.write_text(STEPS)
    first = check(target, "--repo", repository, "--format", "json")
    assert [path for path in kept.rglob("*") if path.is_file()]
    assert not [path for path in repository.rglob("*") if "retrodoc" in path.name]
    monkeypatch.setattr("retrodoc_chunkers.syntax.parse", None)
    assert check(target, "--repo", repository, "--format", "json") == first


def test_when_it_is_off_every_check_parses(
    check: Check, git_repo: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The counterpart: without it, the test above would fail."""
    monkeypatch.setenv("RETRODOC_CACHE", "off")
    cached_syntax.cache_clear()
    repository = git_repo({"cart.py": CART})
    target = tmp_path / "said.yaml"
    target.write_text(STEPS)
    check(target, "--repo", repository)
    monkeypatch.setattr("retrodoc_chunkers.syntax.parse", None)
    with pytest.raises(TypeError):
        check(target, "--repo", repository)
    cached_syntax.cache_clear()


def test_another_user_cannot_look_into_it(check: Check, git_repo: Callable[..., Path], kept: Path) -> None:
    repository = git_repo({"cart.py": CART, "docs.md": "The `Cart.total` adds. `cart.py:2-3`\n"})
    check(repository / "docs.md", "--repo", repository)
    assert {folder.name: folder.stat().st_mode & 0o077 for folder in kept.iterdir()} == {"syntax": 0}
