"""A number that cannot be used is refused in words that name it: not a number, endless, out of range."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from command_tree import commands

from retrodoc.cli.app import run
from retrodoc.config import load_settings
from retrodoc.errors import ConfigError

NO_NUMBER = ("nan", "-nan", "NaN", "snan", "inf", "-inf", "infinity", "1e999", "-1", "", "1,5", "one", "\u0661e999")


def options_with_a_number() -> Iterator[tuple[str, str]]:
    """(command, option) of every option that takes a number that need not be whole."""
    for words, command in commands():
        for one in command.params:
            if isinstance(one.type, click.types.FloatParamType) or one.metavar in ("USD", "SHARE"):
                yield words, one.opts[0]


def test_the_options_with_a_number_are_found() -> None:
    assert {option for _, option in options_with_a_number()} >= {"--threshold", "--max-cost"}


@pytest.mark.parametrize("value", NO_NUMBER)
@pytest.mark.parametrize(("command", "option"), list(options_with_a_number()))
def test_what_is_no_amount_is_refused_by_the_option_s_name(
    command: str, option: str, value: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run([*command.split(), f"{option}={value}", str(tmp_path)]) == 2
    said = capfd.readouterr().err
    assert f"Invalid value for '{option}'" in said
    assert len(said.splitlines()) <= 5


@pytest.mark.parametrize(
    "text",
    [
        "report = {threshold = nan}",
        "report = {threshold = inf}",
        "report = {threshold = 1.01}",
        "llm = {timeout_seconds = nan}",
        "llm = {timeout_seconds = inf}",
        "llm = {timeout_seconds = 1e300}",
        "llm = {timeout_seconds = 0}",
        "llm = {max_cost = inf}",
        "llm = {max_cost = 'nan'}",
        "llm = {max_cost = -1}",
        "llm = {prices = {m = {input = inf, output = 1}}}",
        "llm = {prices = {m = {input = 1, output = 'nan'}}}",
    ],
)
def test_what_is_no_amount_is_refused_in_settings_too(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.toml"
    config.write_text(text)
    monkeypatch.setenv("RETRODOC_CONFIG", str(config))
    with pytest.raises(ConfigError) as caught:
        load_settings(tmp_path)
    assert text.partition(" = {")[0] in caught.value.message
    assert "Input should be" in caught.value.message
