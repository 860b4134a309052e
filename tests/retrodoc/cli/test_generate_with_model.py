"""`retrodoc generate` with a model: a whole run over loopback, its money, what is asked again and what is not."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "llm"))

from model_server import ModelServer, right_answer

ROOT = Path(__file__).resolve().parents[3]
MODEL = "loopback"
PRICED = f'[llm.prices."{MODEL}"]\ninput = "3"\noutput = "15"\ncache_read = "0.3"\ncache_write = "3.75"\n'


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def kitchen(git_repo: Callable[..., Path], tmp_path: Path) -> Path:
    source = ROOT / "examples/kitchen"
    files = {
        str(path.relative_to(source)): path.read_bytes()
        for path in sorted(source.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    (tmp_path / "user.toml").write_text(PRICED)
    return git_repo(files, "kitchen")


def retrodoc(folder: Path, *arguments: str, priced: bool = True) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "RETRODOC_CONFIG": str(folder.parent / "user.toml") if priced else os.devnull}
    return subprocess.run(
        [sys.executable, "-m", "retrodoc", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env=environment,
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=120,
    )


def generate(folder: Path, server: ModelServer, *options: str, **more: bool) -> subprocess.CompletedProcess[str]:
    return retrodoc(folder, "generate", "--base-url", server.url, "--model", MODEL, *options, **more)


def run_of(folder: Path) -> dict[str, object]:
    return json.loads(retrodoc(folder, "runs", "show", "--format", "json").stdout)  # type: ignore[no-any-return]


def by_feature(system: str, user: str) -> str:
    """Two features, one entry point forgotten, one invented."""
    if '{"domains"' not in system:
        return right_answer(system, user)
    numbers = [int(number) for number in re.findall(r"(?m)^(\d+)\. ", user)]
    features = [
        {"name": "Orders", "description": "What guests want.", "entry_points": numbers[1 : len(numbers) // 2]},
        {"name": "Bills", "description": "What guests owe.", "entry_points": [*numbers[len(numbers) // 2 :], 999]},
    ]
    return json.dumps({"domains": [{"name": "Service", "description": "At the table.", "features": features}]})


def test_a_whole_run_is_drafted_judged_and_paid_to_the_cent(kitchen: Path, server: ModelServer) -> None:
    server.answer = by_feature
    done = generate(kitchen, server, "--max-cost", "2")
    assert done.returncode == 0, done.stderr
    run = run_of(kitchen)
    assert run["complete"] is True
    assert run["judgements"]
    assert all(item["outcome"] == "supported" for item in run["judgements"])  # type: ignore[attr-defined]
    costs = json.loads(retrodoc(kitchen, "runs", "cost", "--format", "json").stdout)
    ledger = sum(Decimal(row["cost"]) for row in costs["by_pass"])
    assert ledger == server.billed > 0
    report = json.loads(retrodoc(kitchen, "report", "--format", "json").stdout)
    assert report["summary"]["doubtful"] == len(run["judgements"])  # type: ignore[arg-type]
    assert report["summary"]["score_low"] == report["summary"]["score_high"] == 1.0
    assert {stats["pass"]: stats["repair_rate"] for stats in report["model_passes"]} == {
        "domains": 0,
        "judge": 0,
        "use_cases": 0,
    }


def test_a_forgotten_entry_point_is_uncategorised_and_an_invented_one_dropped(
    kitchen: Path, server: ModelServer
) -> None:
    server.answer = by_feature
    generate(kitchen, server, "--max-cost", "2")
    run = run_of(kitchen)
    features = {feature["name"]: feature for feature in run["features"]}  # type: ignore[attr-defined]
    assert len(features["Uncategorised"]["entry_points"]) == 1
    notes = " ".join(run["notes"])  # type: ignore[arg-type]
    assert "1 entry point" in notes
    grouped = [label for feature in features.values() for label in feature["entry_points"]]
    assert sorted(grouped) == sorted({entry["label"] for entry in _entries(kitchen)})


def test_an_entry_point_that_the_model_writes_nothing_of_is_outlined_and_reported(
    kitchen: Path, server: ModelServer
) -> None:
    def forgetful(system: str, user: str) -> str:
        text = right_answer(system, user)
        if '{"use_cases"' in system:
            value = json.loads(text)
            value["use_cases"] = value["use_cases"][:-2]
            text = json.dumps(value)
        return text

    server.answer = forgetful
    assert generate(kitchen, server, "--max-cost", "2").returncode == 0
    run = run_of(kitchen)
    told = {label for use_case in run["use_cases"] for label in use_case["entry_points"]}  # type: ignore[attr-defined]
    assert told == {entry["label"] for entry in _entries(kitchen)}
    assert "wrote nothing of 2 entry points" in " ".join(run["notes"])  # type: ignore[arg-type]
    pages = [page.read_text() for page in (kitchen / "docs/functional").glob("*/use-cases/*/*.md")]
    assert sum("without a model" in page for page in pages) == 2
    assert sum(f"**Drafted by:** openai {MODEL}" in page for page in pages) == len(pages) - 2 > 0


def _entries(folder: Path) -> list[dict[str, str]]:
    return json.loads(retrodoc(folder, "scan", "--format", "json").stdout)["entry_points"]  # type: ignore[no-any-return]


def test_an_unchanged_repository_costs_no_call(kitchen: Path, server: ModelServer) -> None:
    generate(kitchen, server, "--max-cost", "2")
    calls = server.calls
    assert "Nothing changed" in generate(kitchen, server, "--max-cost", "2").stdout
    assert server.calls == calls


def test_only_the_feature_whose_code_changed_is_asked_about_again(
    kitchen: Path, server: ModelServer, git: Callable[..., str]
) -> None:
    server.answer = by_feature
    generate(kitchen, server, "--max-cost", "2")
    before = len(server.requests)
    target = next(path for path in (kitchen / "order_desk").rglob("routes.py") if "billing" in str(path))
    target.write_text(target.read_text() + "\n\n# nothing of this is reached\n")
    git(kitchen, "commit", "-aqm", "A comment at the end")
    generate(kitchen, server, "--max-cost", "2")
    asked_again = len(server.requests) - before
    target.write_text(target.read_text().replace("def split_bill(", "def split_the_bill("))
    git(kitchen, "commit", "-aqm", "Rename")
    generate(kitchen, server, "--max-cost", "2")
    assert asked_again == 0
    assert len(server.requests) > before


def test_a_shortened_path_is_completed_and_an_unknown_one_stays_and_is_broken(
    kitchen: Path, server: ModelServer
) -> None:
    def odd_paths(system: str, user: str) -> str:
        text = right_answer(system, user)
        if '{"use_cases"' in system:
            value = json.loads(text)
            first, second = value["use_cases"][0]["steps"][:2]
            first["source_refs"][0]["path"] = first["source_refs"][0]["path"].split("/", 1)[1]
            second["source_refs"][0]["path"] = "nowhere/at_all.py"
            text = json.dumps(value)
        return text

    server.answer = odd_paths
    done = generate(kitchen, server, "--max-cost", "2")
    assert done.returncode == 1
    steps = run_of(kitchen)["use_cases"][0]["steps"]  # type: ignore[index]
    assert (kitchen / steps[0]["source_refs"][0]["path"]).is_file()
    assert steps[1]["source_refs"][0]["path"] == "nowhere/at_all.py"
    checked = json.loads(retrodoc(kitchen, "check", "--format", "json").stdout)
    assert checked["summary"]["broken"] == 1


def test_a_ceiling_stops_before_the_call_that_could_pass_it_and_a_higher_one_goes_on(
    kitchen: Path, server: ModelServer
) -> None:
    server.answer = by_feature
    done = generate(kitchen, server, "--max-cost", "0.05")
    assert done.returncode == 2
    assert "0.05" in done.stderr
    assert "left" in done.stderr
    assert server.billed <= Decimal("0.05")
    paid = server.calls
    done = generate(kitchen, server, "--max-cost", "3")
    assert done.returncode == 0, done.stderr
    asked = [json.dumps(request, sort_keys=True) for request in server.requests]
    assert len(asked) == len(set(asked)), "a paid question was asked twice"
    assert server.calls > paid


def test_nothing_is_sent_before_the_cost_is_approved(kitchen: Path, server: ModelServer) -> None:
    done = generate(kitchen, server)
    assert done.returncode == 2
    assert "--max-cost" in done.stderr
    assert server.calls == 0


def test_an_unknown_price_is_refused_until_it_is_allowed(kitchen: Path, server: ModelServer) -> None:
    refused = generate(kitchen, server, priced=False)
    assert refused.returncode == 2
    assert "--allow-unpriced" in refused.stderr
    assert server.calls == 0
    assert generate(kitchen, server, "--allow-unpriced", priced=False).returncode == 0


def test_what_was_set_aside_is_listed_and_retried_on_request(kitchen: Path, server: ModelServer) -> None:
    def mute(system: str, user: str) -> str:
        return "I would rather not." if '{"use_cases"' in system else by_feature(system, user)

    server.answer = mute
    done = generate(kitchen, server, "--max-cost", "5")
    assert done.returncode == 1
    shown = retrodoc(kitchen, "runs", "show").stdout
    assert "Set aside" in shown
    assert "I would rather not." in shown
    server.answer = by_feature
    assert "Nothing changed" in generate(kitchen, server, "--max-cost", "5").stdout
    done = generate(kitchen, server, "--max-cost", "5", "--retry")
    assert done.returncode == 0, done.stderr
    assert not run_of(kitchen)["set_aside"]


def test_the_repositorys_own_settings_send_nothing_without_consent(
    kitchen: Path, server: ModelServer, git: Callable[..., str]
) -> None:
    (kitchen / "retrodoc.toml").write_text(f'[llm]\nbase_url = "{server.url}"\nmodel = "{MODEL}"\n')
    git(kitchen, "add", "-A")
    git(kitchen, "commit", "-qm", "Configure")
    assert retrodoc(kitchen, "generate").returncode == 2
    assert retrodoc(kitchen, "generate", "--provider", "none").returncode == 0
    assert server.calls == 0
    shutil.rmtree(kitchen / ".retrodoc")
    assert retrodoc(kitchen, "generate", "--trust-config", "--max-cost", "2").returncode == 0
    assert server.calls > 0


def test_a_plan_sends_nothing_and_says_what_is_kept(kitchen: Path, server: ModelServer) -> None:
    command = ("plan", "--base-url", server.url, "--model", MODEL, "--format", "json")
    plan = json.loads(retrodoc(kitchen, *command).stdout)
    assert plan["features"] > 1
    assert plan["passes"][-1]["usd"][0] != "0"
    assert server.calls == 0
    generate(kitchen, server, "--max-cost", "2")
    again = json.loads(retrodoc(kitchen, *command).stdout)
    assert again["features_kept"] == again["features"]
    assert Decimal(again["passes"][-1]["usd"][1]) < Decimal(plan["passes"][-1]["usd"][0])


def test_an_audit_lets_a_model_read_valid_steps_again(kitchen: Path, server: ModelServer) -> None:
    def strict(system: str, user: str) -> str:
        return right_answer(system, user).replace('"supported"', '"partial"')

    assert retrodoc(kitchen, "generate", "--provider", "none").returncode == 0
    server.answer = strict
    model = ("--base-url", server.url, "--model", MODEL, "--max-cost", "1")
    done = retrodoc(kitchen, "audit", "--mutants", "5", "--sample", "8", *model, "--format", "json")
    assert done.returncode == 0, done.stderr
    audit = json.loads(done.stdout)
    assert server.calls > 0
    assert "0.5" in json.dumps(audit), "a reader who says partial halves the score"
    refused = retrodoc(kitchen, "audit", "--sample", "8")
    assert refused.returncode == 2
    assert "--provider" in refused.stderr
