"""`doctor`, `runs cost` and a run by hand through recordings, as commands of the whole program."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer, right_answer

APP = """from flask import Flask

app = Flask(__name__)


@app.post("/orders")
def take_order():
    return make_order(1)


def make_order(table):
    return dict(table=table)
"""
SECRET = "sk-live-77aa01"
Repo = Callable[..., Path]


def retrodoc(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "retrodoc", *arguments],
        cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, **environment},
    )  # fmt: skip


def doctor(folder: Path, *arguments: str, **environment: str) -> tuple[int, dict[str, Any]]:
    done = retrodoc(folder, "doctor", "--format", "json", *arguments, **environment)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def state(facts: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = [each for each in facts["providers"] if each["name"] == name]
    return found


def test_doctor_without_a_provider_says_what_is_missing_and_is_content(tmp_path: Path) -> None:
    code, facts = doctor(tmp_path)
    assert code == 0
    assert facts["chosen"] is None
    assert not state(facts, "openai")["usable"]
    assert "OPENAI_API_KEY is not set" in state(facts, "openai")["reason"]
    assert state(facts, "recorded")["usable"]
    assert {"python", "ruby", "rust"} <= {each["language"] for each in facts["grammars"] if each["problem"] is None}
    assert facts["prices"].startswith("genai-prices ")


def test_doctor_reaches_a_server_that_is_named_and_sends_it_nothing_that_costs(tmp_path: Path) -> None:
    with ModelServer() as server:
        code, facts = doctor(tmp_path, "--base-url", server.url, "--model", "m")
        assert (code, state(facts, "openai")["usable"]) == (0, True)
        assert server.calls == 0
        gone = server.url
    code, facts = doctor(tmp_path, "--base-url", gone, "--model", "m")
    assert (code, state(facts, "openai")["usable"]) == (2, False)
    assert "does not answer" in state(facts, "openai")["reason"]


@pytest.mark.parametrize(
    ("spec", "why"),
    [("nobody", "no provider 'nobody'"), ("recorded", "no provider 'recorded'"), ("recorded:", "needs a folder")],
)
def test_doctor_says_why_a_provider_that_is_none_cannot_be_chosen(spec: str, why: str, tmp_path: Path) -> None:
    code, facts = doctor(tmp_path, "--provider", spec)
    assert (code, facts["chosen_usable"]) == (2, False)
    assert why in facts["chosen_problem"]
    assert why in retrodoc(tmp_path, "doctor", "--provider", spec).stdout


def test_doctor_shows_where_a_key_is_and_never_the_key(tmp_path: Path) -> None:
    done = retrodoc(tmp_path, "doctor", OPENAI_API_KEY=SECRET, ANTHROPIC_API_KEY=SECRET)
    assert "key in OPENAI_API_KEY" in done.stdout
    assert SECRET not in done.stdout + done.stderr


def test_doctor_reads_a_model_file_and_says_what_it_does_not_say(tmp_path: Path) -> None:
    key, value = b"general.name", b"Tiny"
    body = b"GGUF" + struct.pack("<IQQ", 3, 0, 1)
    body += struct.pack("<Q", len(key)) + key + struct.pack("<IQ", 8, len(value)) + value
    (tmp_path / "tiny.gguf").write_bytes(body)
    done = retrodoc(tmp_path, "doctor", "--provider", "local", "--model", "tiny.gguf")
    assert "name       Tiny" in done.stdout
    assert "licence    not said in the file" in done.stdout


@pytest.mark.parametrize("model", ["none.gguf", "bad.gguf"])
def test_doctor_with_a_model_file_that_is_none_says_so_and_fails(model: str, tmp_path: Path) -> None:
    (tmp_path / "bad.gguf").write_bytes(b"PK\x03\x04")
    code, facts = doctor(tmp_path, "--provider", "local", "--model", model)
    assert code == 2
    assert model in facts["model_file_problem"]


def test_costs_are_shown_by_pass_model_and_unit_and_add_up(git_repo: Repo) -> None:
    repository = git_repo({"app.py": APP})
    prices = "[llm.prices.m]\ninput = 3\noutput = 15\ncache_read = 0.3\ncache_write = 3.75\n"
    (repository.parent / "config.toml").write_text(prices)
    config = {"RETRODOC_CONFIG": str(repository.parent / "config.toml")}
    with ModelServer() as server:
        done = retrodoc(repository, "generate", "--base-url", server.url, "--model", "m", "--max-cost", "1", **config)
        assert done.returncode in (0, 1), done.stderr
        bill, calls = server.billed, server.calls
    costs = json.loads(retrodoc(repository, "runs", "cost", "--format", "json").stdout)
    assert sum(row["calls"] for row in costs["by_pass"]) == calls >= 3
    assert {row["pass"] for row in costs["by_pass"]} == {"domains", "use_cases", "judge"}
    assert sum(float(row["cost"]) for row in costs["by_pass"]) == pytest.approx(float(bill), abs=1e-12)
    assert sum(float(row["cost"]) for row in costs["by_unit"]) == pytest.approx(float(bill), abs=1e-12)
    text = retrodoc(repository, "runs", "cost").stdout
    assert f"{bill:.4f}" in text
    assert "uncertain" not in text


def test_a_run_without_any_server_is_answered_by_hand_file_by_file(git_repo: Repo) -> None:
    """The walk through docs/model.md; the answers are the loopback server's, written as a person would."""
    repository = git_repo({"app.py": APP})
    answers = repository.parent / "answers"
    command = ("generate", "--provider", f"recorded:{answers}")
    rounds = 0
    while (done := retrodoc(repository, *command)).returncode == 2:
        rounds += 1
        assert rounds < 10, done.stderr
        assert "pending" in done.stderr
        questions = list((answers / "pending").glob("*.md"))
        assert questions
        for question in questions:
            text = question.read_text()
            target = Path(text.split("into:\n\n")[1].split("\n")[0].strip())
            system, user = text.split("## system\n\n")[1].split("\n\n## user\n\n")
            target.parent.mkdir(exist_ok=True)
            target.write_text(f"```json\n{right_answer(system, user)}\n```")
    assert done.returncode in (0, 1), done.stderr
    assert rounds == 3, "grouping, drafting, judging"
    assert (repository / "docs" / "functional" / "README.md").exists()


@pytest.mark.parametrize(
    "table",
    ['base_url = "{url}"\nmodel = "m"', 'provider = "openai"\nbase_url = "{url}"\nmodel = "m"\nkey_env = "HOME"'],
)
@pytest.mark.parametrize("command", [("generate",), ("plan",), ("doctor",)])
def test_a_repository_that_names_a_server_gets_nothing_without_consent(
    table: str, command: tuple[str, ...], git_repo: Repo
) -> None:
    with ModelServer() as server:
        toml = f"[llm]\nallow_unpriced = true\n{table.format(url=server.url)}\n"
        repository = git_repo({"app.py": APP, "retrodoc.toml": toml})
        refused = retrodoc(repository, *command)
        assert (refused.returncode, server.visits) == (2, 0)
        assert "--trust-config" in refused.stderr
        trusted = retrodoc(repository, *command, "--trust-config", HOME=SECRET)
        assert trusted.returncode in (0, 1), trusted.stderr
        assert server.visits > 0 or command == ("plan",), "with consent it is asked: the refusal was no accident"
