"""The check command from end to end, on real repositories: targets, exit codes, and what each format holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SHOP = {
    "src/cart.py": "import bank\n\n\ndef empty(cart):\n    cart.lines.clear()\n\n\ndef pay(cart, card):\n"
    "    bank.charge(card, cart.total())\n    empty(cart)\n",
    "src/bank.py": "def charge(card, amount):\n    return card.take(amount)\n",
}
PAGE = """\
# Paying

`pay` charges the card with `charge`.

Sources: [src/cart.py:8-9]()

The cart is emptied by `empty`.

Sources: [src/cart.py:40-41]()
"""
GOOD = "# Paying\n\n`pay` charges the card with `charge` (src/cart.py:8-9).\n"


@pytest.fixture
def shop(git_repo: Callable[..., Path]) -> Path:
    return git_repo(SHOP | {"docs/pay.md": PAGE, "docs/good.md": GOOD})


def use_cases(*steps: dict[str, Any]) -> str:
    return json.dumps([{"slug": "pay-an-order", "steps": list(steps)}])


def step(order: int, description: str, *refs: tuple[str, int, int]) -> dict[str, Any]:
    cited = [{"path": path, "start_line": start, "end_line": end} for path, start, end in refs]
    return {"order": order, "description": description, "source_refs": cited}


def test_a_page_without_a_fault_gives_exit_code_0(shop: Path, check: Callable[..., Any]) -> None:
    outcome = check(shop / "docs/good.md")
    assert outcome.code == 0
    assert "1 step in 1 page: 1 valid" in outcome.out


def test_a_false_citation_gives_exit_code_1_and_says_why(shop: Path, check: Callable[..., Any]) -> None:
    outcome = check(shop / "docs/pay.md")
    assert outcome.code == 1
    assert "src/cart.py:40-41: the file ends at line 10; the citation is 31 past it" in outcome.out
    assert "2 steps in 1 page: 1 valid, 1 broken" in outcome.out


def test_a_folder_is_read_page_by_page(shop: Path, check: Callable[..., Any]) -> None:
    data = check(shop / "docs", "--format", "json").json
    assert [(one["use_case"], one["order"], one["verdict"]) for one in data["steps"]] == [
        ("docs/good", 1, "valid"),
        ("docs/pay", 1, "valid"),
        ("docs/pay", 2, "broken"),
    ]
    assert data["use_cases"] == [
        {"slug": "docs/good", "score_low": 1.0, "score_high": 1.0},
        {"slug": "docs/pay", "score_low": 0.5, "score_high": 0.5},
    ]


def test_a_yaml_list_is_read_whatever_its_name(shop: Path, tmp_path: Path, check: Callable[..., Any]) -> None:
    target = tmp_path / "anything.yml"
    target.write_text(use_cases(step(1, "`pay` charges.", ("src/cart.py", 8, 9)), step(2, "It is sent.")))
    outcome = check(target, "--repo", shop, "--format", "json")
    assert outcome.code == 1
    assert [(one["verdict"], one["reasons"]) for one in outcome.json["steps"]] == [
        ("valid", ["all-found"]),
        ("unsupported", ["no-citation"]),
    ]
    assert outcome.json["commit"] is None
    assert outcome.json["repository"] == "repository"


def test_the_glossary_beside_a_yaml_list_is_read(shop: Path, tmp_path: Path, check: Callable[..., Any]) -> None:
    target = tmp_path / "use-cases.yaml"
    target.write_text(use_cases(step(1, "The shopping basket is emptied.", ("src/cart.py", 4, 5))))
    before = check(target, "--repo", shop, "--format", "json").json["steps"][0]["reasons"]
    (tmp_path / "glossary.yaml").write_text("- name: ShoppingBasket\n  kind: class\n")
    after = check(target, "--repo", shop, "--format", "json").json["steps"][0]
    assert "entity-not-at-lines" not in before
    assert after["reasons"] == ["entity-not-at-lines"]
    assert after["missing"][0]["name"] == "ShoppingBasket"


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [("broken", 1), ("unsupported", 0), ("doubtful", 0), ("drift", 0), ("none", 0), ("unsupported,broken", 1)],
)
def test_what_is_a_failure_is_told_by_fail_on(shop: Path, check: Callable[..., Any], fail_on: str, code: int) -> None:
    assert check(shop / "docs/pay.md", "--fail-on", fail_on).code == code


@pytest.mark.parametrize("option", ["--at", "--base"])
def test_an_empty_revision_is_a_usage_error(shop: Path, check: Callable[..., Any], option: str) -> None:
    """Of a variable that is not set, in CI: judged at HEAD, it would look like an answer."""
    outcome = check(shop / "docs", option, "")
    assert outcome.code == 2
    assert "is empty" in outcome.message


@pytest.mark.parametrize("fail_on", ["brocken", "", " , "])
def test_an_unknown_kind_of_failure_is_a_usage_error(shop: Path, check: Callable[..., Any], fail_on: str) -> None:
    assert check(shop / "docs/pay.md", "--fail-on", fail_on).code == 2


def test_a_page_without_a_citation_is_no_green_light(git_repo: Callable[..., Path], check: Callable[..., Any]) -> None:
    shop = git_repo(SHOP | {"docs/empty.md": "# Nothing\n\nThe shop sells books. See src/cart.py:1O.\n"})
    outcome = check(shop / "docs/empty.md", "--format", "json")
    assert outcome.code == 2
    assert "no citation in" in outcome.message
    assert "1 text looks like a citation and cannot be read" in outcome.message
    assert outcome.json["error"]["message"] == outcome.message


@pytest.mark.parametrize("text", ["[]", "- slug: pay\n  steps: []\n"])
def test_a_list_without_a_step_is_no_green_light(
    shop: Path, tmp_path: Path, check: Callable[..., Any], text: str
) -> None:
    (tmp_path / "list.yaml").write_text(text)
    outcome = check(tmp_path / "list.yaml", "--repo", shop)
    assert outcome.code == 2
    assert "no step in" in outcome.message


def test_citations_of_another_repository_alone_are_named(shop: Path, git: Callable[..., str], check: Any) -> None:
    git(shop, "remote", "add", "origin", "git@github.com:acme/shop.git")
    (shop / "docs/other.md").write_text("See [it](https://github.com/acme/other/blob/main/a.py#L1).\n")
    outcome = check(shop / "docs/other.md")
    assert outcome.code == 2
    assert "1 citation is of github.com/acme/other, and this is github.com/acme/shop" in outcome.message


def test_plans_changelogs_and_decisions_are_left_out_unless_named(
    git_repo: Callable[..., Path], check: Callable[..., Any]
) -> None:
    aside = ["docs/CHANGELOG.md", "docs/adr/0001-cart.md", "docs/plans/next.md", "docs/roadmap.md"]
    shop = git_repo(SHOP | {"docs/good.md": GOOD} | dict.fromkeys(aside, GOOD))
    data = check(shop / "docs", "--format", "json").json
    assert {one["page"] for one in data["steps"]} == {"docs/good.md"}
    assert {one["path"]: one["reason"] for one in data["left_out"]} == {
        "docs/CHANGELOG.md": "changelog",
        "docs/adr/0001-cart.md": "decision",
        "docs/plans/next.md": "plan",
        "docs/roadmap.md": "plan",
    }
    assert check(shop / "docs/adr/0001-cart.md").code == 0
    assert check(shop / "docs/adr").code == 0


def test_a_permalink_is_judged_at_the_commit_that_it_pins(
    git_repo: Callable[..., Path], git: Callable[..., str], check: Callable[..., Any]
) -> None:
    shop = git_repo(SHOP)
    sha = git(shop, "rev-parse", "HEAD").strip()
    page = f"`pay` [charges](https://github.com/acme/repository/blob/{sha}/src/cart.py#L8-L9).\n"
    git_repo({"src/cart.py": None, "docs/pay.md": page})
    (one,) = check(shop / "docs/pay.md", "--format", "json").json["steps"]
    assert one["verdict"] == "valid"


def test_a_pinned_commit_that_is_not_here_is_judged_at_head_and_says_so(
    git_repo: Callable[..., Path], check: Callable[..., Any]
) -> None:
    page = f"`pay` [charges](https://github.com/acme/repository/blob/{'a' * 40}/src/cart.py#L8-L9).\n"
    shop = git_repo(SHOP | {"docs/pay.md": page})
    outcome = check(shop / "docs/pay.md", "--format", "json")
    (one,) = outcome.json["steps"]
    assert one["verdict"] == "valid"
    assert one["facts"]["commit-not-here"] == ["a" * 40]
    assert "is not in this clone" in check(shop / "docs/pay.md", "-v").out


def test_citations_of_two_commits_in_one_step_are_each_judged_at_their_own(
    git_repo: Callable[..., Path], git: Callable[..., str], check: Callable[..., Any]
) -> None:
    rest = "x = 1\n" * 9
    shop = git_repo({"a.py": "def first():\n    return 1\n" + rest, "b.py": rest})
    old = git(shop, "rev-parse", "HEAD").strip()
    git_repo({"a.py": None, "b.py": "def second():\n    return 2\n" + rest})
    link = f"https://github.com/acme/repository/blob/{old}/a.py#L1-L2"
    git_repo({"docs/two.md": f"[Calls]({link}) `first`, then `second` (b.py:1-2).\n"})
    (one,) = check(shop / "docs/two.md", "--format", "json").json["steps"]
    assert (one["verdict"], one["missing"]) == ("valid", [])


def test_the_work_tree_is_read_on_request_only_and_the_output_names_it(shop: Path, check: Callable[..., Any]) -> None:
    (shop / "src/cart.py").write_text("")
    head = check(shop / "docs/good.md")
    assert head.code == 0
    assert "the work tree differs" in head.out
    tree = check(shop / "docs/good.md", "--worktree")
    assert tree.code == 1
    assert "read: the work tree of repository" in tree.out
    data = check(shop / "docs/good.md", "--worktree", "--format", "json").json
    assert (data["checked_at_commit"], data["worktree"]) == (None, True)


def test_at_names_the_revision_that_is_read(
    git_repo: Callable[..., Path], git: Callable[..., str], check: Callable[..., Any]
) -> None:
    shop = git_repo(SHOP | {"docs/good.md": GOOD})
    first = git(shop, "rev-parse", "HEAD").strip()
    git_repo({"src/cart.py": "x = 1\n"})
    assert check(shop / "docs/good.md").code == 1
    outcome = check(shop / "docs/good.md", "--at", first, "--format", "json")
    assert outcome.code == 0
    assert outcome.json["checked_at_commit"] == first


def test_at_and_worktree_exclude_each_other(shop: Path, check: Callable[..., Any]) -> None:
    outcome = check(shop / "docs", "--at", "HEAD", "--worktree")
    assert (outcome.code, outcome.message) == (2, "--at and --worktree exclude each other")


def test_a_revision_that_is_not_here_is_an_error(shop: Path, check: Callable[..., Any]) -> None:
    outcome = check(shop / "docs", "--at", "v9")
    assert outcome.code == 2
    assert "v9 names no commit" in outcome.message


@pytest.mark.parametrize("target", ["docs/nothing.md", "no-such-run", "a/b"])
def test_a_target_that_is_nothing_is_an_error(shop: Path, check: Callable[..., Any], target: str) -> None:
    outcome = check(target, "--repo", shop)
    assert outcome.code == 2
    assert outcome.message


def test_base_judges_only_what_the_changes_touch(
    git_repo: Callable[..., Path], git: Callable[..., str], check: Callable[..., Any]
) -> None:
    other = "`charge` takes the amount (src/bank.py:1-2).\n"
    shop = git_repo(SHOP | {"docs/good.md": GOOD, "docs/bank.md": other})
    git(shop, "checkout", "-q", "-b", "change")
    git_repo({"src/bank.py": "def charge(card, amount):\n    return card.take(amount, now=True)\n"})
    data = check(shop / "docs", "--base", "main", "--format", "json").json
    assert {one["page"] for one in data["steps"]} == {"docs/bank.md"}
    assert data["summary"]["untouched_steps"] == 1
    git_repo({"docs/good.md": GOOD + "\nMore.\n"})
    data = check(shop / "docs", "--base", "main", "--format", "json").json
    assert {one["page"] for one in data["steps"]} == {"docs/bank.md", "docs/good.md"}


def test_base_counts_from_where_the_branch_began(
    git_repo: Callable[..., Path], git: Callable[..., str], check: Callable[..., Any]
) -> None:
    shop = git_repo(SHOP | {"docs/good.md": GOOD})
    git(shop, "checkout", "-q", "-b", "change")
    git_repo({"other.py": "x = 1\n"})
    git(shop, "checkout", "-q", "main")
    git_repo({"src/cart.py": "x = 1\n"})
    git(shop, "checkout", "-q", "change")
    outcome = check(shop / "docs", "--base", "main", "--format", "json")
    assert (outcome.code, outcome.json["steps"]) == (0, [])


def test_a_base_that_is_not_here_is_an_error(shop: Path, check: Callable[..., Any]) -> None:
    outcome = check(shop / "docs", "--base", "origin/main")
    assert outcome.code == 2
    assert "origin/main names no commit of this clone" in outcome.message


def test_paths_start_from_the_folder_that_is_named(git_repo: Callable[..., Path], check: Callable[..., Any]) -> None:
    repository = git_repo({f"server/{path}": text for path, text in SHOP.items()} | {"docs/good.md": GOOD})
    assert check(repository / "docs/good.md").code == 1
    assert check(repository / "docs/good.md", "--repo", repository / "server").code == 0


def test_openwiki_claims_are_steps(git_repo: Callable[..., Path], check: Callable[..., Any]) -> None:
    claims = {
        "schemaVersion": 1,
        "claims": [
            {"statement": "`pay` charges the card.", "evidence": [{"resource": "repo://src/cart.py#L8-L9"}]},
            {"statement": "`gone` exists.", "evidence": [{"resource": "repo://src/gone.py#L1-L2"}]},
            {"statement": "Nothing shows this."},
            {"statement": "Half a line.", "evidence": ["repo://src/cart.py#L1x"]},
        ],
    }
    shop = git_repo(SHOP | {"openwiki/.claims/cart/pay.json": json.dumps(claims), "openwiki/index.md": "# Wiki\n"})
    data = check(shop / "openwiki", "--format", "json").json
    assert [(one["use_case"], one["order"], one["verdict"]) for one in data["steps"]] == [
        ("openwiki/cart/pay", 1, "valid"),
        ("openwiki/cart/pay", 2, "broken"),
        ("openwiki/cart/pay", 3, "unsupported"),
    ]
    assert [one["text"] for one in data["unparsed"]] == ["repo://src/cart.py#L1x"]
