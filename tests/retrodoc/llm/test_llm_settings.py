"""What settings come to; what a repository may not choose; where a key may come from and where it never goes."""

from __future__ import annotations

import logging
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from drive_units import PRICE, unit_inputs
from model_server import ModelServer

from retrodoc.errors import ConfigError, ProviderError, UsageError
from retrodoc.llm.ledger import Ledger
from retrodoc.llm.settings import CONSENT_FIELDS, LlmSettings, without_consent
from retrodoc.llm.setup import choose, key_variable, make_asker, make_provider
from retrodoc.prompts import load_prompt

SECRET = "sk-live-4f1c9a77e2"


def test_a_repository_may_slow_a_run_down_and_nothing_else() -> None:
    table = dict.fromkeys(LlmSettings.model_fields, 1) | {"unknown": 1}
    allowed, refused = without_consent(table)
    assert allowed == {"requests_per_minute": 1, "tokens_per_minute": 1}
    assert set(refused) == CONSENT_FIELDS | {"unknown"}
    assert {"provider", "base_url", "key_env", "model", "max_cost", "prices", "record"} <= CONSENT_FIELDS


@pytest.mark.parametrize(
    ("settings", "variable"),
    [
        ({"provider": "anthropic"}, "ANTHROPIC_API_KEY"),
        ({"provider": "openai"}, "OPENAI_API_KEY"),
        ({"provider": "openai", "base_url": "http://localhost:1/v1"}, "RETRODOC_API_KEY"),
        ({"provider": "anthropic", "base_url": "http://localhost:1"}, "RETRODOC_API_KEY"),
        ({"provider": "openai", "key_env": "MINE"}, "MINE"),
        ({"provider": "openai", "key_env": "MINE", "base_url": "http://localhost:1/v1"}, "MINE"),
        ({"provider": "local"}, None),
        ({"provider": "recorded:x"}, None),
    ],
)
def test_a_vendors_key_goes_to_the_vendor_alone(settings: dict[str, Any], variable: str | None) -> None:
    made = LlmSettings(**settings)
    assert made.provider is not None
    assert key_variable(made.provider, made) == variable


def test_another_servers_requests_carry_no_vendors_key(
    model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    for spec, url in (("openai", model_server.url), ("anthropic", model_server.root)):
        settings = LlmSettings(provider=spec, model="m", base_url=url, prices={"m": PRICE}, max_cost=Decimal(1))
        chosen = choose(settings)
        assert chosen is not None
        with make_asker(chosen, settings, Ledger()) as asker:
            asker.ask(load_prompt("use_cases"), unit_inputs(1), "u")
    assert model_server.calls == 2
    assert SECRET not in str(model_server.request_headers)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"provider": "nobody"}, "there is no provider 'nobody'"),
        ({"provider": "recorded:"}, "recorded: needs a folder"),
        ({"provider": "local"}, "needs a model file"),
        ({"provider": "local", "model": "no/such.gguf"}, "cannot be read"),
        (
            {"provider": "openai", "model": "m", "key_env": "NOT_SET", "base_url": "http://localhost:1"},
            "NOT_SET is not",
        ),
        ({"provider": "openai", "base_url": "http://localhost:1"}, "no model is named"),
        ({"provider": "openai", "model": "m", "base_url": "localhost"}, "no http or https address"),
    ],
)
def test_what_cannot_be_used_is_said_before_anything_is_sent(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        choose(LlmSettings(**settings))
    assert message in raised.value.message
    assert raised.value.mend


def test_the_vendors_own_address_is_closed_while_the_network_is_forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    for spec in ("openai", "anthropic"):
        with pytest.raises(ProviderError, match="RETRODOC_FORBID_NETWORK"):
            make_provider(spec, LlmSettings(model="m"))


def test_a_vendor_without_its_key_is_a_clear_error() -> None:
    with pytest.raises(ConfigError, match="environment variable OPENAI_API_KEY is not set"):
        make_provider("openai", LlmSettings(model="m"))


def test_no_provider_is_no_error() -> None:
    assert choose(LlmSettings()) is None


def test_a_base_url_alone_means_an_openai_compatible_server() -> None:
    chosen = choose(LlmSettings(base_url="http://localhost:1/v1", model="m"))
    assert chosen is not None
    assert chosen.drafter == "openai m"
    chosen.provider.close()


def test_a_model_without_a_known_price_is_refused_unless_allowed_and_then_capped(model_server: ModelServer) -> None:
    settings = LlmSettings(base_url=model_server.url, model="m", max_calls=2, max_cost=Decimal(1))
    chosen = choose(settings)
    assert chosen is not None
    with pytest.raises(UsageError, match="the price of m is not known"):
        make_asker(chosen, settings, Ledger())
    allowed = settings.model_copy(update={"allow_unpriced": True})
    with make_asker(chosen, allowed, Ledger()) as asker:
        for number in range(2):
            asker.ask(load_prompt("use_cases"), unit_inputs(number), f"u{number}")
        with pytest.raises(Exception, match="cap of 2 calls"):
            asker.ask(load_prompt("use_cases"), unit_inputs(3), "u3")
    assert model_server.calls == 2


def test_no_key_prompt_or_answer_reaches_a_log_or_a_file(
    model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """Logs at their default level; every file of the run, answers included, for the key."""
    monkeypatch.setenv("MY_KEY", SECRET)
    caplog.set_level(logging.NOTSET)
    model_server.error_message = f"bad key {SECRET}"
    model_server.faults = {"500": 0.5}
    settings = LlmSettings(
        provider="openai", model="m", base_url=model_server.url, key_env="MY_KEY", prices={"m": PRICE},
        max_cost=Decimal(5), call_tries=20, pause_after=99,
    )  # fmt: skip
    events = []
    for spec, url in (("openai", model_server.url), ("anthropic", model_server.root)):
        each = settings.model_copy(update={"provider": spec, "base_url": url})
        chosen = choose(each)
        assert chosen is not None
        with make_asker(chosen, each, Ledger(tmp_path / spec), on_event=events.append) as asker:
            asker.caller.pace.rest = lambda seconds: None  # type: ignore[method-assign]  # no need to wait here
            for number in range(6):
                asker.ask(load_prompt("use_cases"), unit_inputs(number), f"u{number}")
    assert SECRET in str(model_server.request_headers), "the key was used"
    assert "[MY_KEY]" in str(events), "and a server repeated it"
    loud = [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
    shown = "\n".join(loud) + "".join(capfd.readouterr())
    assert SECRET not in shown + str(events)
    for private in ("handler_1_", "business analyst", "Somebody asks the application"):
        assert private not in shown + str(events)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 12
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]
    assert SECRET not in "\n".join(r.getMessage() for r in caplog.records), "at no level"
