"""What a search of a commit found is known to the next check of that commit, and to no other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from retrodoc.caching import cached_syntax
from retrodoc_runs.snapshot import Snapshot

Check = Callable[..., object]
CODE = {
    "cart.py": "class Cart:\n    def total(self):\n        return sum(self.rows)\n" + "\n# spare\nx = 1\n" * 30,
    "pay.py": "def charge():\n    pass\n",
}
SAID = "It calls `charge`, and `refund` too. `cart.py:2-3`\n"


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("RETRODOC_CACHE", str(tmp_path / "cache"))
    cached_syntax.cache_clear()
    yield tmp_path / "cache/searched"
    cached_syntax.cache_clear()


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Each search of a repository adds the commit that it was of."""
    seen: list[str] = []
    plain = Snapshot.read_many

    def read_many(self: Snapshot, *arguments: object, **named: object) -> object:
        seen.append(str(self.commit))
        return plain(self, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Snapshot, "read_many", read_many)
    return seen


@pytest.fixture
def repository(git_repo: Callable[..., Path]) -> Path:
    return git_repo(CODE | {"said.md": SAID})


def test_a_commit_is_searched_once_and_the_answer_stays(
    check: Check, repository: Path, kept: Path, searches: list[str]
) -> None:
    first = check(repository / "said.md", "--repo", repository, "--format", "json")
    assert len(searches) == 1
    assert check(repository / "said.md", "--repo", repository, "--format", "json") == first
    assert len(searches) == 1
    assert len(list(kept.iterdir())) == 1
    assert kept.stat().st_mode & 0o077 == 0, "nobody else reads the names in private code"


def test_another_question_is_asked_and_kept_beside_the_others(
    check: Check, repository: Path, kept: Path, searches: list[str], tmp_path: Path
) -> None:
    check(repository / "said.md", "--repo", repository)
    more = tmp_path / "more.md"
    more.write_text(SAID + "\nIt calls `spare_part`. `cart.py:2-3`\n")
    for _ in range(2):
        check(more, "--repo", repository)
        assert len(searches) == 2
    check(repository / "said.md", "--repo", repository)
    assert len(searches) == 2


def test_another_commit_is_searched_anew(
    check: Check, repository: Path, kept: Path, searches: list[str], git: Callable[..., str]
) -> None:
    check(repository / "said.md", "--repo", repository)
    (repository / "pay.py").write_text("def refund():\n    pass\n")
    git(repository, "commit", "-aqm", "Pay back")
    outcome = check(repository / "said.md", "--repo", repository, "--format", "json")
    assert len(searches) == 2
    missing = outcome.json["steps"][0]["missing"]  # type: ignore[attr-defined]
    assert [one["where"] for one in missing] == [None, "pay.py:1"]
    assert len(list(kept.iterdir())) == 2


def test_a_work_tree_is_always_searched(check: Check, repository: Path, kept: Path, searches: list[str]) -> None:
    for count in (1, 2):
        check(repository / "said.md", "--repo", repository, "--worktree")
        assert len(searches) == count
    assert not kept.exists()


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"[",
        b"[[]]",
        b'[["name", 7, []]]',
        b'[["nonsense", ["charge"], []]]',
        b'[["name", ["charge"], ["gone.py"]]]',
    ],
)
def test_what_is_damaged_is_not_believed(
    check: Check, repository: Path, kept: Path, searches: list[str], damage: bytes
) -> None:
    first = check(repository / "said.md", "--repo", repository, "--format", "json")
    (file,) = kept.iterdir()
    file.write_bytes(damage)
    assert check(repository / "said.md", "--repo", repository, "--format", "json") == first
    assert len(searches) == 2


def test_what_was_written_longest_ago_is_dropped(
    check: Check, repository: Path, kept: Path, monkeypatch: pytest.MonkeyPatch, git: Callable[..., str]
) -> None:
    monkeypatch.setattr("retrodoc.searched.MAX_COMMITS", 2)
    for number in range(4):
        check(repository / "said.md", "--repo", repository)
        git(repository, "commit", "-qm", f"Step {number}", "--allow-empty")
    assert len(list(kept.iterdir())) == 2


def test_a_page_that_is_judged_is_no_place_of_its_own_names(check: Check, git_repo: Callable[..., Path]) -> None:
    """Else a name that nobody has would be elsewhere in the repository: in the very sentence that is judged."""
    pages = {"docs/a.md": "It calls `refund`. `cart.py:2-3`\n", "docs/b.md": "It calls `pay_back`. `cart.py:2-3`\n"}
    repository = git_repo(CODE | pages)
    whole = check(repository / "docs", "--repo", repository, "--format", "json").json  # type: ignore[attr-defined]
    assert [step["reasons"] for step in whole["steps"]] == [["nowhere"], ["nowhere"]]
    (repository / "docs/c.md").write_text("It calls `refund`. `cart.py:2-3`\n")
    other = check(repository / "docs/c.md", "--repo", repository, "--format", "json").json  # type: ignore[attr-defined]
    assert [step["hint"] for step in other["steps"]] == ["docs/a.md:1"], "a page that is not judged counts"
