"""A plan sends nothing, so it needs nothing that sending needs: no key, no SDK, no network."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from retrodoc.cli.app import run

Repo = Callable[..., Path]
APP = {"a.py": "import click\n\n\n@click.command()\ndef hello():\n    greet()\n\n\ndef greet():\n    return 1\n"}
CHOICES = {
    "anthropic": (["--provider", "anthropic", "--model", "claude-sonnet-4-5"], "ANTHROPIC_API_KEY"),
    "openai": (["--provider", "openai", "--model", "gpt-4o"], "OPENAI_API_KEY"),
    "a server's key": (["--base-url", "https://models.example/v1", "--model", "m", "--key-env", "MINE"], "MINE"),
    "a server without": (["--base-url", "https://models.example/v1", "--model", "m"], None),
    "recorded": (["--provider", "recorded:answers"], None),
}


@pytest.mark.parametrize("choice", CHOICES)
def test_a_plan_works_without_a_key_and_says_which_one_the_run_needs(
    choice: str, git_repo: Repo, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    options, variable = CHOICES[choice]
    repo = git_repo(APP)
    assert run(["plan", str(repo), *options]) == 0, capfd.readouterr().err
    told = capfd.readouterr()
    assert "total " in told.out
    assert ("generate needs a key" in told.out) == (variable is not None)
    assert run(["plan", str(repo), *options, "--format", "json"]) == 0
    without = json.loads(capfd.readouterr().out)
    assert without["key_missing"] == variable
    if variable:
        assert variable in told.out
        monkeypatch.setenv(variable, "sk-1234")
        assert run(["plan", str(repo), *options, "--format", "json"]) == 0
        assert json.loads(capfd.readouterr().out) == without | {"key_missing": None}, "the key changes no figure"


def test_a_plan_needs_no_sdk(
    git_repo: Repo, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "anthropic", None)
    assert run(["plan", str(git_repo(APP)), *CHOICES["anthropic"][0]]) == 0
    assert "claude-sonnet-4-5" in capfd.readouterr().out


def test_a_plan_and_the_run_mean_the_same_drafter(git_repo: Repo, capfd: pytest.CaptureFixture[str]) -> None:
    """Else what an earlier run holds would not count as kept."""
    from retrodoc.llm.settings import LlmSettings
    from retrodoc.llm.setup import choose, name_model

    for settings in (
        LlmSettings(provider="recorded:x"),
        LlmSettings(base_url="http://localhost:1/v1", model="m"),
        LlmSettings(provider="anthropic", base_url="http://localhost:1", model="m"),
    ):
        chosen, named = choose(settings), name_model(settings)
        assert chosen is not None
        assert named is not None
        assert (chosen.drafter, chosen.provider.free) == (named.drafter, named.free)
        chosen.provider.close()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--provider", "nobody", "--model", "m"], "there is no provider 'nobody'"),
        (["--provider", "recorded:"], "recorded: needs a folder"),
        (["--provider", "recorded"], "there is no provider 'recorded'"),
        (["--provider", "local"], "needs a model file"),
        (["--provider", "local", "--model", "gone.gguf"], "gone.gguf cannot be read"),
        (["--provider", "openai"], "no model is named for openai"),
        (["--base-url", "localhost", "--model", "m"], "no http or https address"),
    ],
)
def test_what_no_run_could_use_is_no_plan(
    options: list[str], said: str, git_repo: Repo, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["plan", str(git_repo(APP)), *options]) == 2
    assert said in capfd.readouterr().err
