"""Replay: a run and its pages say the same, and at another commit each citation says what became of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from retrodoc.passes.evidence import Evidence
from retrodoc.publish.links import Linker
from retrodoc_runs.models import Entity, Judgement, Run, SourceRef, Step, UseCase
from retrodoc_runs.readers import own_pages
from retrodoc_runs.snapshot import open_snapshot
from retrodoc_runs.store import RunStore

CART = """\
import bank


def empty(cart):
    cart.lines.clear()


def pay(cart, card):
    bank.charge(card, cart.total())
    empty(cart)


class ShoppingBasket:
    lines = []
"""
FILES = {"src/cart.py": CART, "src/gone.py": "def leave(cart):\n    cart.close()\n" + "x = 1\n" * 9}


def cited(path: str, start: int, end: int) -> SourceRef:
    return SourceRef(path=path, start_line=start, end_line=end)


STEPS = (
    Step(
        order=1,
        action="charge the card",
        description="`pay` calls `charge`.",
        source_refs=(cited("src/cart.py", 8, 9),),
    ),
    Step(order=2, description="`empty` clears the lines.", source_refs=(cited("src/cart.py", 4, 5),)),
    Step(order=3, description="`leave` closes the cart.", source_refs=(cited("src/gone.py", 1, 2),)),
    Step(order=4, description="`refund` is called.", source_refs=(cited("src/cart.py", 90, 95),)),
    Step(order=5, description="The shopping basket is kept.", source_refs=(cited("src/cart.py", 13, 14),)),
    Step(order=6, description="It is sent by <b>post</b> & *fast*, snake_case | `a``b`.", source_refs=()),
)
VERDICTS = ["valid", "valid", "valid", "broken", "valid", "unsupported"]


def run_of(commit: str | None, **more: Any) -> Run:
    values: dict[str, Any] = {
        "id": "20260102T030405Z",
        "repository": "shop",
        "commit": commit,
        "created_at": "2026-01-02T03:04:05Z",
        "complete": True,
        "use_cases": (UseCase(slug="pay-an-order", name="Pay an order", steps=STEPS),),
        "entities": (Entity(name="ShoppingBasket", kind="class", path="src/cart.py", start_line=13, end_line=14),),
    }
    return Run(**(values | more))


def pages(run: Run) -> dict[str, str]:
    page, linker = "docs/functional/pay/pay.md", Linker()
    steps = [
        own_pages.step_to_markdown(
            "pay-an-order", step, lambda ref: linker.lines(page, ref), f"### {step.order}. See it"
        )
        for step in run.use_cases[0].steps
    ]
    head = own_pages.page_marker(run)
    return {
        page: "\n\n".join(["# Pay", head, *steps, "Nothing else (src/cart.py:1) is read."]) + "\n",
        "docs/functional/entities.md": f"# Entities\n\n{head}\n\n{own_pages.entity_marker('ShoppingBasket')}\n",
        "docs/functional/README.md": f"# Functions\n\n{head}\n\nSee [the cart](../../src/cart.py#L1-L2).\n",
    }


@pytest.fixture
def shop(git_repo: Callable[..., Path], git: Callable[..., str]) -> Callable[..., tuple[Path, str]]:
    """`shop()` is a repository and its commit, with the run of that commit saved."""

    def make(prefix: str = "") -> tuple[Path, str]:
        repository = git_repo({prefix + path: text for path, text in FILES.items()})
        commit = git(repository, "rev-parse", "HEAD").strip()
        RunStore(repository / prefix / ".retrodoc" / "runs").save(run_of(commit, subfolder=prefix.strip("/")))
        return repository, commit

    return make


def verdicts(data: dict[str, Any]) -> list[str]:
    return [one["verdict"] for one in data["steps"]]


def statuses(data: dict[str, Any]) -> list[tuple[str, list[str]]]:
    return [(one["status"], [cited["status"] for cited in one["citations"]]) for one in data["steps"]]


def test_a_run_is_named_by_its_id_its_folder_or_nothing(shop: Any, check: Any) -> None:
    repository, commit = shop()
    for target in (["20260102T030405Z"], [repository / ".retrodoc/runs/20260102T030405Z"], []):
        data = check(*target, "--repo", repository, "--format", "json").json
        assert verdicts(data) == VERDICTS
        assert (data["kind"], data["commit"], data["checked_at_commit"]) == ("run", commit, commit)


def test_the_folder_of_a_run_is_enough(shop: Any, check: Any) -> None:
    repository, _ = shop()
    assert verdicts(check(repository / ".retrodoc/runs/20260102T030405Z", "--format", "json").json) == VERDICTS


def test_the_pages_of_a_run_read_back_to_its_verdicts(shop: Any, git_repo: Any, check: Any) -> None:
    repository, commit = shop()
    git_repo(pages(run_of(commit)))
    run = check("--repo", repository, "--format", "json").json
    read = check(repository / "docs/functional", "--format", "json").json
    for key in ("verdict", "reasons", "missing", "hint", "citations", "use_case", "order", "strength"):
        assert [one[key] for one in read["steps"]] == [one[key] for one in run["steps"]]
    assert (read["kind"], read["commit"], read["checked_at_commit"]) == ("own-pages", commit, commit)


@pytest.mark.parametrize("prefix", ["", "server/"])
def test_a_link_of_a_page_that_leads_elsewhere_than_it_says_is_judged_too(
    shop: Any, git_repo: Any, check: Any, prefix: str
) -> None:
    repository, commit = shop(prefix)
    written = pages(run_of(commit, subfolder=prefix.strip("/")))
    written = {path: text.replace("cart.py#L8-L9", "cart.py#L9999") for path, text in written.items()}
    git_repo({prefix + path: text for path, text in written.items()})
    for options in ([], ["--repo", repository / prefix]):
        outcome = check(repository / prefix / "docs/functional", *options, "--format", "json")
        assert (outcome.code, verdicts(outcome.json)) == (1, ["broken", *VERDICTS[1:]])
        assert outcome.json["steps"][0]["reasons"] == ["line-past-end"]


def test_a_run_says_that_the_repository_went_on(shop: Any, git_repo: Any, git: Any, check: Any) -> None:
    repository, commit = shop()
    written = pages(run_of(commit))
    assert "HEAD is" not in check("--repo", repository).out
    git_repo(written | {"other.py": "x = 1\n"})
    head = git(repository, "rev-parse", "HEAD")[:12]
    said = f"HEAD is {head} by now: --at HEAD says what became of each citation"
    for target in ([], [repository / "docs/functional"]):
        assert check(*target, "--repo", repository).out.count(said) == 1
        assert check(*target, "--repo", repository, "--format", "github").out.count(said) == 1
        for option in (["--at", "HEAD"], ["--at", "HEAD~1"], ["--worktree"], ["--base", "HEAD~1"]):
            assert "HEAD is" not in check(*target, "--repo", repository, *option).out


def test_a_page_without_a_commit_is_read_at_head_and_says_nothing_of_it(git_repo: Any, check: Any) -> None:
    repository = git_repo(FILES | {"docs/a.md": "`pay` charges (src/cart.py:8-9).\n"})
    assert "HEAD is" not in check(repository / "docs/a.md").out


def test_pages_of_permalinks_say_that_the_repository_went_on(git_repo: Any, git: Any, check: Any) -> None:
    repository = git_repo(FILES)
    old = git(repository, "rev-parse", "HEAD").strip()
    page = f"`pay` [charges](https://github.com/acme/repository/blob/{old}/src/cart.py#L8-L9).\n"
    git_repo({"docs/a.md": page})
    assert "--at HEAD says what became of each citation" in check(repository / "docs/a.md").out
    assert "--at HEAD says" not in check(repository / "docs/a.md", "--at", "HEAD").out


def test_a_page_of_a_run_is_read_whatever_it_is_called(shop: Any, git_repo: Any, check: Any) -> None:
    repository, commit = shop()
    git_repo({path.replace("pay/pay", "plans/roadmap"): text for path, text in pages(run_of(commit)).items()})
    data = check(repository / "docs", "--format", "json").json
    assert (verdicts(data), data["left_out"]) == (VERDICTS, [])


def test_one_page_of_a_run_still_knows_the_entities(shop: Any, git_repo: Any, check: Any) -> None:
    repository, commit = shop()
    git_repo(pages(run_of(commit)))
    assert verdicts(check(repository / "docs/functional/pay/pay.md", "--format", "json").json) == VERDICTS


def test_pages_are_checked_at_the_commit_they_were_written_for(shop: Any, git_repo: Any, check: Any) -> None:
    repository, commit = shop()
    git_repo(pages(run_of(commit)) | {"src/gone.py": None, "src/cart.py": "x = 1\n"})
    assert verdicts(check(repository / "docs/functional", "--format", "json").json) == VERDICTS


def test_a_run_of_a_folder_is_checked_in_that_folder(shop: Any, git_repo: Any, check: Any) -> None:
    repository, commit = shop("server/")
    assert verdicts(check("--repo", repository / "server", "--format", "json").json) == VERDICTS
    git_repo({f"server/{path}": text for path, text in pages(run_of(commit, subfolder="server")).items()})
    data = check(repository / "server/docs/functional", "--format", "json").json
    assert verdicts(data) == VERDICTS
    assert check(repository / "server/docs", "--repo", repository, "--format", "json").json["steps"] == data["steps"]


def test_at_another_commit_each_citation_says_what_became_of_it(shop: Any, git_repo: Any, check: Any) -> None:
    repository, _ = shop()
    changed = "VERSION = 3\n\n\n" + CART.replace("cart.lines.clear()", "cart.lines = None")
    git_repo({"src/cart.py": changed, "src/gone.py": None})
    outcome = check("--repo", repository, "--at", "HEAD", "--format", "json")
    assert statuses(outcome.json) == [
        ("moved", ["moved"]),
        ("changed", ["changed"]),
        ("gone", ["gone"]),
        ("wrong-from-the-start", ["wrong-from-the-start"]),
        ("moved", ["moved"]),
        (None, []),
    ]
    assert outcome.json["steps"][0]["citations"][0]["new_lines"] == [11, 12]
    assert outcome.json["summary"]["wrong_from_the_start"] == 1


def test_a_move_keeps_the_verdict_and_what_went_is_broken(shop: Any, git_repo: Any, check: Any) -> None:
    repository, _ = shop()
    git_repo({"src/cart.py": "VERSION = 3\n\n\n" + CART, "src/gone.py": None})
    data = check("--repo", repository, "--at", "HEAD", "--format", "json").json
    assert verdicts(data) == ["valid", "valid", "broken", "broken", "valid", "unsupported"]
    assert data["steps"][2]["reasons"] == ["path-missing"]


def test_a_renamed_file_is_followed(shop: Any, git_repo: Any, check: Any) -> None:
    repository, _ = shop()
    git_repo({"src/cart.py": None, "src/basket.py": CART})
    data = check("--repo", repository, "--at", "HEAD", "--format", "json").json
    (citation,) = data["steps"][0]["citations"]
    assert (citation["status"], citation["new_path"], citation["new_lines"]) == ("moved", "src/basket.py", [8, 9])
    assert verdicts(data) == VERDICTS


def test_nothing_at_another_commit_raises_a_verdict(shop: Any, git_repo: Any, check: Any) -> None:
    repository, _ = shop()
    git_repo({"src/cart.py": CART + "\n" * 80 + "def refund(cart):\n    refund(cart)\n" * 5})
    data = check("--repo", repository, "--at", "HEAD", "--format", "json").json
    assert (data["steps"][3]["verdict"], data["steps"][3]["status"]) == ("broken", "wrong-from-the-start")


def test_white_space_and_comments_alone_are_silent(shop: Any, git_repo: Any, check: Any) -> None:
    repository, _ = shop()
    git_repo(
        {
            "src/cart.py": CART.replace(
                "    bank.charge(card, cart.total())", "    bank.charge(card, cart.total())  # ask"
            )
        }
    )
    data = check("--repo", repository, "--at", "HEAD", "--format", "json").json
    assert {status for status, _ in statuses(data)} == {"same", "wrong-from-the-start", None}


@pytest.mark.parametrize(("fail_on", "code"), [("drift", 1), ("broken", 1), ("doubtful", 0), ("none", 0)])
def test_drift_is_a_failure_on_request(shop: Any, git_repo: Any, check: Any, fail_on: str, code: int) -> None:
    repository, _ = shop()
    git_repo({"src/cart.py": CART.replace("cart.lines.clear()", "cart.lines = None")})
    assert check("--repo", repository, "--at", "HEAD", "--fail-on", fail_on).code == code


def test_without_another_commit_nothing_is_compared(shop: Any, check: Any) -> None:
    repository, _ = shop()
    data = check("--repo", repository, "--format", "json").json
    assert {one["status"] for one in data["steps"]} == {None}


def test_a_pinned_permalink_is_followed_to_another_commit(git_repo: Any, git: Any, check: Any) -> None:
    shop = git_repo(FILES)
    sha = git(shop, "rev-parse", "HEAD").strip()
    page = f"`pay` [charges](https://github.com/acme/repository/blob/{sha}/src/cart.py#L8-L9).\n"
    git_repo({"src/cart.py": "VERSION = 3\n\n\n" + CART, "docs/pay.md": page})
    (one,) = check(shop / "docs/pay.md", "--at", "HEAD", "--format", "json").json["steps"]
    assert (one["verdict"], one["citations"][0]["status"]) == ("valid", "moved")
    assert one["citations"][0]["new_lines"] == [11, 12]


def test_base_tells_what_a_change_did_to_a_page_that_it_did_not_touch(git_repo: Any, git: Any, check: Any) -> None:
    page = "`pay` charges (src/cart.py:8-9).\n\n`empty` clears (src/cart.py:4-5).\n"
    shop = git_repo(FILES | {"docs/pay.md": page})
    git(shop, "checkout", "-q", "-b", "change")
    paid = CART.replace("\n\ndef pay", "\n\nVERSION = 3\n\n\ndef pay").replace(
        "card, cart.total()", "cart.total(), card"
    )
    git_repo({"src/cart.py": paid})
    data = check(shop / "docs", "--base", "main", "--format", "json").json
    assert (statuses(data), data["summary"]["untouched_steps"]) == ([("changed", ["changed"])], 1)
    assert data["steps"][0]["verdict"] != "valid", "the page gives lines that are no longer those"
    git_repo({"docs/pay.md": page.replace(":8-9", ":11-12")})
    data = check(shop / "docs", "--base", "main", "--format", "json").json
    assert statuses(data) == [(None, [None]), (None, [None])]
    assert verdicts(data) == ["valid", "valid"]


def test_judgements_of_a_run_count_in_its_scores(shop: Any, check: Any) -> None:
    repository, commit = shop()
    doubtful = Step(order=1, description="It is paid.", source_refs=(cited("src/cart.py", 8, 9),))
    with open_snapshot(repository, commit) as snapshot:
        key = Evidence(snapshot).key(doubtful)
    said = Judgement(use_case="pay", order=1, outcome="partial", model="m", key=key)
    run = run_of(commit, id="20260103T030405Z", use_cases=(UseCase(slug="pay", steps=(doubtful,)),), judgements=(said,))
    store = RunStore(repository / ".retrodoc" / "runs")
    store.save(run)
    data = check("--repo", repository, "--format", "json").json
    assert data["use_cases"] == [{"slug": "pay", "score_low": 0.5, "score_high": 0.5}]
    stale = said.model_copy(update={"key": "of another text or code"})
    store.save(run.model_copy(update={"judgements": (stale,)}))
    data = check("--repo", repository, "--format", "json").json
    assert data["use_cases"] == [{"slug": "pay", "score_low": 0.0, "score_high": 1.0}]


def test_a_run_that_stopped_early_does_not_stand_for_the_whole(shop: Any, check: Any) -> None:
    repository, commit = shop()
    store = RunStore(repository / ".retrodoc" / "runs")
    store.save(run_of(commit, id="20260105T030405Z"))
    store.save(run_of(commit, id="20260106T030405Z", use_cases=(), complete=False))
    assert check("--repo", repository, "--format", "json").json["target"] == "20260105T030405Z"
    assert check("20260106T030405Z", "--repo", repository).code == 2, "by its name it is still looked at"


def test_a_run_of_the_work_tree_is_checked_there(shop: Any, check: Any) -> None:
    repository, _ = shop()
    (repository / "src/cart.py").write_text("x = 1\n")
    store = RunStore(repository / ".retrodoc" / "runs")
    store.save(run_of(None, id="20260104T030405Z", worktree=True))
    data = check("--repo", repository, "--format", "json").json
    assert (data["worktree"], data["commit"], verdicts(data)[0]) == (True, None, "broken")


def test_a_run_whose_commit_a_shallow_clone_lacks_names_the_fetch_depth(
    shop: Any, git_repo: Any, git: Any, check: Any
) -> None:
    repository, commit = shop()
    git_repo({"other.py": "x = 1\n"})
    clone = repository.parent / "clone"
    git(repository, "clone", "-q", "--depth", "1", f"file://{repository}", str(clone))
    RunStore(clone / ".retrodoc" / "runs").save(run_of(commit))
    outcome = check("--repo", clone, "--format", "json")
    assert outcome.code == 2
    assert "fetch depth 1" in outcome.message
    assert outcome.json["error"]["mend"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "src/gone.py of commit"),
        (["--at", "HEAD"], "src/gone.py of commit"),
        (["--base", "HEAD~1"], "are compared"),
    ],
)
def test_a_cited_file_that_a_partial_clone_lacks_stops_the_check_by_name(
    shop: Any, git_repo: Any, git: Any, check: Any, options: list[str], says: str
) -> None:
    """Not a finding: nobody could tell a step that is right from one that could not be read."""
    repository, commit = shop()
    git_repo({"src/gone.py": "x = 1\n"})
    git(repository, "config", "uploadpack.allowFilter", "true")
    clone = repository.parent / "clone"
    git(repository, "clone", "-q", "--filter=blob:none", f"file://{repository}", str(clone))
    RunStore(clone / ".retrodoc" / "runs").save(run_of(commit))
    outcome = check("--repo", clone, *options, "--format", "json")
    assert outcome.code == 2
    assert says in outcome.message
    assert "git fetch" in outcome.mend
    assert outcome.json["error"]["message"] == outcome.message


@pytest.mark.parametrize("damaged", [False, True])
def test_a_file_that_is_not_here_and_not_cited_stops_nothing(
    git_repo: Any, git: Any, check: Any, damaged: bool
) -> None:
    """A name that is not found may be in it, and the finding says that it was not searched."""
    said = "`pay` charges", "`pay` asks `refund`", "`pay` asks `leave`"
    repository = git_repo(FILES | {"big/a.py": "refund = 1\n", "big/b.py": "refund = 2\n"})
    if damaged:
        for name in ("a", "b"):
            blob = git(repository, "rev-parse", f"HEAD:big/{name}.py").strip()
            (repository / ".git/objects" / blob[:2] / blob[2:]).unlink()
            (repository / f"big/{name}.py").unlink()
    else:
        git(repository, "config", "uploadpack.allowFilter", "true")
        clone = repository.parent / "clone"
        git(repository, "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{repository}", str(clone))
        git(clone, "sparse-checkout", "set", "--no-cone", "/src")
        git(clone, "checkout", "-q", "main")
        repository = clone
    (repository / "page.md").write_text("\n\n".join(f"{one} (src/cart.py:8-9)." for one in said))
    outcome = check(repository / "page.md", "--format", "json")
    assert outcome.code == 0
    found, lost, elsewhere = outcome.json["steps"]
    assert (found["verdict"], "not-searched" in found["facts"]) == ("valid", False)
    assert (lost["reasons"], lost["facts"]["not-searched"]) == (["nowhere"], 2)
    assert (elsewhere["reasons"], "not-searched" in elsewhere["facts"]) == (["elsewhere-in-repository"], False)


def test_a_use_case_without_steps_is_listed_and_never_averaged_in(shop: Any, check: Any) -> None:
    repository, commit = shop()
    empty = UseCase(slug="nothing", steps=())
    run = run_of(commit, id="20260105T030405Z")
    RunStore(repository / ".retrodoc" / "runs").save(run.model_copy(update={"use_cases": (*run.use_cases, empty)}))
    data = check("--repo", repository, "--format", "json").json
    assert data["unscored"] == ["nothing"]
    assert [one["slug"] for one in data["use_cases"]] == ["pay-an-order"]


def test_openwiki_hashes_tell_what_changed_without_a_commit(git_repo: Any, check: Any) -> None:
    import hashlib
    import json

    def claim(statement: str, resource: str, text: str, kind: str = "lines") -> dict[str, Any]:
        version = f"repo-{kind}-v1:sha256:{hashlib.sha256(text.encode()).hexdigest()}:eyJ9"
        return {"statement": statement, "evidence": [{"resource": f"repo://{resource}", "version": version}]}

    lines = CART.splitlines(keepends=True)
    claims = [
        claim("`pay` charges.", "src/cart.py#L8-L9", "".join(lines[7:9])),
        claim("`empty` clears.", "src/cart.py#L1-L2", "".join(lines[3:5])),
        claim("`pay` charges.", "src/cart.py#L8-L9", "another text\n"),
        claim("`pay` charges.", "src/absent.py#L8-L9", "any"),
        claim("`pay` charges.", "src/cart.py", CART, "file"),
    ]
    shop = git_repo(FILES | {"openwiki/.claims/pay.json": json.dumps({"claims": claims})})
    data = check(shop / "openwiki", "--format", "json").json
    assert [one["citations"][0]["status"] for one in data["steps"]] == ["same", "moved", "changed", "gone", "same"]
    assert data["steps"][1]["citations"][0]["new_lines"] == [4, 5]


def test_line_ends_and_byte_order_marks_change_no_verdict(git_repo: Any, check: Any) -> None:
    page = "`pay` charges (src/cart.py:8-9).\n\n`empty` clears (src/cart.py:4-5).\n"
    plain = git_repo({"src/cart.py": CART, "docs/pay.md": page}, name="plain")
    other = git_repo(
        {
            "src/cart.py": b"\xef\xbb\xbf" + CART.replace("\n", "\r\n").encode(),
            "docs/pay.md": page.replace("\n", "\r\n"),
        },
        name="other",
    )
    read = [check(shop / "docs", "--format", "json").json["steps"] for shop in (plain, other)]
    assert [one["verdict"] for one in read[0]] == [one["verdict"] for one in read[1]] == ["valid", "valid"]
