"""`--base`: of a pull request, the steps that it can make false are judged, and no others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from retrodoc.cli.check import check as check_command
from retrodoc_runs.models import Run, SourceRef, Step, UseCase
from retrodoc_runs.store import RunStore

BODY = "".join(f"line_{number} = {number}\n" for number in range(1, 31))
"""30 lines, each a name of its own."""
CITED = (10, 14)
PAGE = "The `line_10` and the `line_14` are set (src/a.py:10-14).\n"
OTHER = "The `line_3` is set (src/b.py:3).\n"

Make = Callable[..., Path]


def edited(*edits: tuple[int, int, str]) -> str:
    """The body with lines first to last replaced; `(n + 1, n, text)` inserts after line n."""
    lines = BODY.splitlines(keepends=True)
    for first, last, text in sorted(edits, reverse=True):
        lines[first - 1 : last] = [text] if text else []
    return "".join(lines)


EDITS: dict[str, tuple[str | None, bool]] = {
    "a cited line": (edited((12, 12, "other = 1\n")), True),
    "the first cited line": (edited((10, 10, "other = 1\n")), True),
    "the last cited line": (edited((14, 14, "other = 1\n")), True),
    "a range that ends in the cited one": (edited((7, 10, "other = 1\n")), True),
    "a range around it": (edited((7, 17, "other = 1\n")), True),
    "an insertion inside": (edited((13, 12, "other = 1\n")), True),
    "a deletion inside": (edited((12, 12, "")), True),
    "all of it": (edited((10, 14, "")), True),
    "the line above": (edited((9, 9, "other = 1\n")), False),
    "the line below": (edited((15, 15, "other = 1\n")), False),
    "an insertion right above": (edited((10, 9, "other = 1\n")), False),
    "an insertion right below": (edited((15, 14, "other = 1\n")), False),
    "an insertion at the top": ("import os\n" + BODY, False),
    "a deletion above": (edited((2, 4, "")), False),
    "far below": (edited((30, 30, "other = 1\n")), False),
    "the whole file": (None, True),
    "every line": (BODY.replace("line", "name"), True),
    "its line ends": (BODY.replace("\n", "\r\n"), True),
}


def repository(git_repo: Make, git: Callable[..., str], files: dict[str, str | None], page: str = PAGE) -> Path:
    """A branch `change` off `main` with one commit that writes `files`."""
    shop = git_repo({"src/a.py": BODY, "src/b.py": BODY, "docs/a.md": page, "docs/b.md": OTHER})
    git(shop, "checkout", "-q", "-b", "change")
    return git_repo(files)


def run_at(shop: Path, commit: str, *refs: SourceRef) -> None:
    """Saves a run with a step for each citation."""
    steps = tuple(
        Step(order=order, description="The `line_10` is set.", source_refs=(ref,))
        for order, ref in enumerate(refs, start=1)
    )
    RunStore(shop / ".retrodoc/runs").save(
        Run(
            id="20260102T030405Z",
            repository="shop",
            commit=commit,
            created_at="2026-01-02T03:04:05Z",
            use_cases=(UseCase(slug="set", steps=steps),),
            complete=True,
        )
    )


def cited(path: str = "src/a.py", start: int | None = CITED[0], end: int | None = CITED[1]) -> SourceRef:
    return SourceRef(path=path, start_line=start, end_line=end)


def judged_pages(data: dict[str, Any]) -> set[str]:
    return {one["page"] for one in data["steps"]}


@pytest.mark.parametrize(("text", "judged"), EDITS.values(), ids=EDITS.keys())
def test_a_step_of_a_page_is_judged_when_a_cited_line_is_touched(
    text: str | None, judged: bool, git_repo: Make, git: Any, check: Any
) -> None:
    shop = repository(git_repo, git, {"src/a.py": text})
    data = check(shop / "docs", "--base", "main", "--format", "json").json
    assert judged_pages(data) == ({"docs/a.md"} if judged else set())
    assert data["summary"]["untouched_steps"] == (1 if judged else 2)


@pytest.mark.parametrize(("text", "judged"), EDITS.values(), ids=EDITS.keys())
def test_a_step_of_a_run_is_judged_when_a_cited_line_is_touched(
    text: str | None, judged: bool, git_repo: Make, git: Any, check: Any
) -> None:
    shop = repository(git_repo, git, {"src/a.py": text})
    run_at(shop, git(shop, "rev-parse", "main").strip(), cited(), cited("src/b.py", 3, 3))
    data = check("--repo", shop, "--base", "main", "--format", "json").json
    assert [one["order"] for one in data["steps"]] == ([1] if judged else [])


def test_lines_of_an_older_commit_are_followed_to_the_base_first(git_repo: Make, git: Any, check: Any) -> None:
    """At the base the cited lines are 12 to 16: the change touches them there, or what the run calls 10 to 14."""
    git_repo({"src/a.py": BODY, "src/old.py": BODY})
    older = git(git_repo({}), "rev-parse", "HEAD").strip()
    shop = git_repo({"src/a.py": "import os\nimport sys\n" + BODY, "src/old.py": None, "src/new.py": BODY})
    for first, judged in ((10, []), (11, []), (12, [1]), (16, [1]), (17, [])):
        git(shop, "checkout", "-q", "-B", "change", "main")
        run_at(shop, older, cited(), cited("src/old.py"))
        lines = ("import os\nimport sys\n" + BODY).splitlines(keepends=True)
        lines[first - 1] = "other = 1\n"
        git_repo({"src/a.py": "".join(lines)})
        data = check("--repo", shop, "--base", "main", "--format", "json").json
        assert [one["order"] for one in data["steps"]] == judged, first
    git(shop, "checkout", "-q", "-B", "change", "main")
    run_at(shop, older, cited(), cited("src/old.py"))
    git_repo({"src/new.py": edited((12, 12, "other = 1\n"))})
    data = check("--repo", shop, "--base", "main", "--format", "json").json
    assert [one["order"] for one in data["steps"]] == [2], "the file was renamed between the run and the base"


def test_lines_of_a_commit_of_the_branch_are_followed_to_its_end(git_repo: Make, git: Any, check: Any) -> None:
    """What was written on the branch is nowhere at the base: it is touched by the change that it came with."""
    shop = repository(git_repo, git, {"src/a.py": BODY + "added = 1\n" * 3})
    run_at(shop, git(shop, "rev-parse", "HEAD").strip(), cited(), cited("src/a.py", 31, 33))
    git_repo({"src/a.py": "import os\n" + BODY + "added = 1\n" * 3})
    data = check("--repo", shop, "--base", "main", "--format", "json").json
    assert [one["order"] for one in data["steps"]] == [2]


def test_permalinks_are_followed_from_the_commit_that_they_pin(git_repo: Make, git: Any, check: Any) -> None:
    git_repo({"src/a.py": BODY})
    older = git(git_repo({}), "rev-parse", "HEAD").strip()
    page = f"The `line_10` [is set](https://github.com/acme/repository/blob/{older}/src/a.py#L10-L14).\n"
    shop = git_repo({"src/a.py": "import os\n" + BODY, "docs/a.md": page})
    for number, judged in ((10, set()), (11, {"docs/a.md"}), (15, {"docs/a.md"}), (16, set())):
        git(shop, "checkout", "-q", "-B", "change", "main")
        lines = ("import os\n" + BODY).splitlines(keepends=True)
        lines[number - 1] = "other = 1\n"
        git_repo({"src/a.py": "".join(lines)})
        data = check(shop / "docs", "--base", "main", "--format", "json").json
        assert judged_pages(data) == judged, number


@pytest.mark.parametrize("page", ["It is `line_10` (src/a.py).\n", "See src/a.py:10-14 and [it](src/a.py).\n"])
def test_a_whole_file_is_touched_by_any_of_its_lines(page: str, git_repo: Make, git: Any, check: Any) -> None:
    page = page.replace("(src/a.py)", "[a](src/a.py)")
    shop = repository(git_repo, git, {"src/a.py": edited((30, 30, "other = 1\n"))}, page)
    data = check(shop / "docs", "--base", "main", "--format", "json").json
    assert judged_pages(data) == {"docs/a.md"}


@pytest.mark.parametrize(
    "files", [{"src/a.py": None, "src/c.py": BODY}, {"src/a.py": None}, {"src/a.py": b"\0" + BODY.encode()}]
)
def test_a_file_that_was_renamed_deleted_or_replaced_is_touched(
    files: dict[str, Any], git_repo: Make, git: Any, check: Any
) -> None:
    shop = repository(git_repo, git, files)
    outcome = check(shop / "docs", "--base", "main", "--format", "json")
    assert (outcome.code, judged_pages(outcome.json)) == (1, {"docs/a.md"})


def test_a_file_that_came_is_touched(git_repo: Make, git: Any, check: Any) -> None:
    shop = repository(git_repo, git, {"src/new.py": BODY}, PAGE.replace("src/a.py", "src/new.py"))
    data = check(shop / "docs", "--base", "main", "--format", "json").json
    assert (judged_pages(data), data["summary"]["valid"]) == ({"docs/a.md"}, 1)


def test_a_link_is_touched_with_the_file_that_it_leads_to(git_repo: Make, git: Any, check: Any) -> None:
    shop = repository(git_repo, git, {}, PAGE.replace("src/a.py", "link.py"))
    git(shop, "checkout", "-q", "main")
    (shop / "link.py").symlink_to("src/a.py")
    git_repo({})
    git(shop, "checkout", "-q", "-B", "change", "main")
    git_repo({"src/a.py": edited((12, 12, "other = 1\n"))})
    data = check(shop / "docs", "--base", "main", "--format", "json").json
    assert judged_pages(data) == {"docs/a.md"}


def test_lines_that_a_page_gives_and_a_change_moved_are_listed_and_not_judged(
    git_repo: Make, git: Any, check: Any
) -> None:
    shop = repository(git_repo, git, {"src/a.py": "import os\n" + BODY})
    outcome = check(shop / "docs", "--base", "main")
    assert outcome.code == 0
    assert "1 citation not judged, since the change only moved what is cited:" in outcome.out
    assert "docs/a.md:1  src/a.py:10-14 is at src/a.py:11-15 by now" in outcome.out


def test_a_run_names_its_commit_so_moved_lines_are_nothing_to_mend(git_repo: Make, git: Any, check: Any) -> None:
    shop = repository(git_repo, git, {"src/a.py": "import os\n" + BODY})
    run_at(shop, git(shop, "rev-parse", "main").strip(), cited())
    assert "only moved" not in check("--repo", shop, "--base", "main").out


def test_lines_that_are_past_the_end_by_now_are_judged(git_repo: Make, git: Any, check: Any) -> None:
    """A check of the whole page would call them broken from the day that the change is merged."""
    shop = repository(git_repo, git, {"src/a.py": edited((2, 4, ""))}, PAGE.replace("10-14", "26-30"))
    outcome = check(shop / "docs", "--base", "main", "--format", "json")
    assert (outcome.code, outcome.json["steps"][0]["reasons"]) == (1, ["line-past-end"])
    assert outcome.json["steps"][0]["citations"][0]["new_lines"] == [23, 27]


def test_every_step_of_a_page_that_changed_is_judged(git_repo: Make, git: Any, check: Any) -> None:
    shop = repository(git_repo, git, {"docs/a.md": PAGE + "\nMore.\n"})
    data = check(shop / "docs", "--base", "main", "--format", "json").json
    assert judged_pages(data) == {"docs/a.md"}


@pytest.mark.parametrize("output", ["text", "json", "sarif", "junit", "github"])
def test_a_change_that_touches_nothing_cited_is_no_error(output: str, git_repo: Make, git: Any, check: Any) -> None:
    """Else every pull request about something else would be red. The output says that nothing was judged, and why."""
    shop = repository(git_repo, git, {"src/c.py": BODY}, PAGE.replace("10-14", "10-400"))
    assert check(shop / "docs").code == 1
    outcome = check(shop / "docs", "--base", "main", "--format", output)
    assert outcome.code == 0
    if output in ("text", "github"):
        assert "none to judge" in outcome.out
        assert "2 steps not judged: nothing that they cite changed since" in outcome.out
    explained = " ".join(check_command.get_help(click.Context(check_command)).split())
    assert "0 when nothing is wrong: with --base, also when the change touches nothing that is cited" in explained


def test_a_target_without_a_citation_is_an_error_with_base_too(git_repo: Make, git: Any, check: Any) -> None:
    shop = repository(git_repo, git, {"docs/a.md": "None.\n", "docs/b.md": "None.\n"})
    outcome = check(shop / "docs", "--base", "main")
    assert (outcome.code, "nothing to check" in outcome.message) == (2, True)


def test_the_work_tree_has_its_own_changes(git_repo: Make, git: Any, check: Any) -> None:
    shop = repository(git_repo, git, {})
    (shop / "src/a.py").write_text(edited((12, 12, "other = 1\n")))
    (shop / "docs/c.md").write_text(OTHER)
    data = check(shop / "docs", "--base", "main", "--worktree", "--format", "json").json
    assert judged_pages(data) == {"docs/a.md", "docs/c.md"}
    (shop / "src/a.py").write_text(edited((2, 2, "other = 1\n")))
    data = check(shop / "docs", "--base", "main", "--worktree", "--format", "json").json
    assert judged_pages(data) == {"docs/c.md"}


@pytest.mark.parametrize("options", [[], ["--worktree"]], ids=["commit", "worktree"])
def test_a_page_that_is_not_committed_yet_is_a_change(options: list[str], git_repo: Make, git: Any, check: Any) -> None:
    """It is read as it is on disk. Git names a new folder by itself alone, and not what is in it."""
    shop = repository(git_repo, git, {".gitignore": "left/\n"})
    for new in ("docs/c.md", "docs/new/deep/d.md", "left/e.md"):
        (shop / new).parent.mkdir(parents=True, exist_ok=True)
        (shop / new).write_text(OTHER)
    (shop / "docs/b.md").write_text(OTHER + "\nMore.\n")
    for target, judged in (
        ("docs", {"docs/b.md", "docs/c.md", "docs/new/deep/d.md"}),
        ("docs/new/deep/d.md", {"docs/new/deep/d.md"}),
        ("left", set()),
    ):
        data = check(shop / target, "--base", "main", "--format", "json", *options).json
        assert judged_pages(data) == judged


def test_a_cited_file_in_a_new_folder_is_a_change_of_the_work_tree(git_repo: Make, git: Any, check: Any) -> None:
    shop = repository(git_repo, git, {}, "The `line_10` is set (new/deep/a.py:10).\n")
    (shop / "new/deep").mkdir(parents=True)
    (shop / "new/deep/a.py").write_text(BODY)
    data = check(shop / "docs", "--base", "main", "--worktree", "--format", "json").json
    assert judged_pages(data) == {"docs/a.md"}


def test_what_is_untouched_is_not_read(git_repo: Make, git: Any, check: Any, monkeypatch: Any) -> None:
    """The time depends on the diff: no file but the touched one is opened."""
    from retrodoc_runs.gitsnapshot import CommitSnapshot

    read: list[str] = []
    content = CommitSnapshot._content

    def noted(self: CommitSnapshot, full: str, max_bytes: int | None) -> bytes | None:
        read.append(full)
        return content(self, full, max_bytes)

    monkeypatch.setattr(CommitSnapshot, "_content", noted)
    shop = repository(git_repo, git, {"src/a.py": edited((12, 12, "other = 1\n"))})
    run_at(shop, git(shop, "rev-parse", "main").strip(), cited(), *[cited("src/b.py", n, n) for n in range(1, 20)])
    assert len(check("--repo", shop, "--base", "main", "--format", "json").json["steps"]) == 1
    assert set(read) == {"src/a.py"}
