"""Which provider settings mean, and an asker made of provider, price, ceiling and ledger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from retrodoc.errors import ConfigError, UsageError
from retrodoc.llm.asker import Asker
from retrodoc.llm.budget import Budget, Caps
from retrodoc.llm.caller import Caller
from retrodoc.llm.events import Event
from retrodoc.llm.http import Key, read_key
from retrodoc.llm.ledger import Ledger
from retrodoc.llm.pace import Pace
from retrodoc.llm.prices import FREE, Price, find_price
from retrodoc.llm.provider import Provider
from retrodoc.llm.settings import LlmSettings

PROVIDERS = ("anthropic", "openai", "local", "recorded:DIR")
OTHER_KEY = "RETRODOC_API_KEY"
VENDOR_KEYS = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}


@dataclass(frozen=True)
class Chosen:
    """What settings come to: the provider, the model's id for requests and prices, and its price (None: unknown)."""

    provider: Provider
    model: str
    price: Price | None

    @property
    def drafter(self) -> str:
        """As a run names it."""
        return f"{self.provider.name} {self.model}"


def make_provider(spec: str, settings: LlmSettings) -> Provider:
    """The provider that `spec` names: `anthropic`, `openai`, `local` or `recorded:DIR`.

    Nothing is sent. Raises ConfigError or ProviderError when it cannot be used as set.
    """
    provider = _provider(spec, settings)
    if settings.record is not None and not spec.startswith("recorded:"):
        from retrodoc.llm.recorded import Recorder

        return Recorder(provider, settings.record)
    return provider


def choose(settings: LlmSettings) -> Chosen | None:
    """Provider, model and price by the settings; None when they name no provider. Nothing is sent."""
    spec = settings.provider or ("openai" if settings.base_url else None)
    if spec is None:
        return None
    provider = make_provider(spec, settings)
    model = _model(spec, settings, provider)
    vendor, base_url = (spec, None) if settings.base_url is None else (None, settings.base_url)
    price = FREE if provider.free else find_price(model, settings.prices, vendor=vendor, base_url=base_url)
    return Chosen(provider, model, price)


def make_budget(chosen: Chosen, settings: LlmSettings, ledger: Ledger, ceiling: Decimal | None) -> Budget:
    """Room for this run's calls, counting what its ledger already holds.

    Raises UsageError for a model without a known price, unless settings allow it.
    """
    records = [record for record in ledger.records() if record.outcome != "pending"]
    caps = None
    if chosen.price is None:
        if not settings.allow_unpriced:
            raise UsageError(
                f"the price of {chosen.model} is not known",
                f'Set [llm.prices."{chosen.model}"] input and output in dollars per million tokens (0 if it is free), '
                "or use --allow-unpriced, which caps calls and tokens instead.",
            )
        caps = Caps(settings.max_calls, settings.max_total_tokens)
    return Budget(
        chosen.price,
        ceiling,
        caps=caps,
        spent=ledger.spent(),
        calls=len(records),
        tokens=sum(record.usage.total for record in records),
    )


def make_asker(
    chosen: Chosen,
    settings: LlmSettings,
    ledger: Ledger,
    *,
    ceiling: Decimal | None = None,
    on_event: Callable[[Event], None] | None = None,
    salt: str = "",
) -> Asker:
    """An asker for one run. `ceiling` is the approved cost in dollars (default: `settings.max_cost`)."""
    budget = make_budget(chosen, settings, ledger, settings.max_cost if ceiling is None else ceiling)
    if chosen.provider.name == "local":  # one model in one process: two at once only stall each other
        settings = settings.model_copy(update={"concurrency": 1})
    pace = Pace(settings.requests_per_minute, settings.tokens_per_minute)
    caller = Caller(chosen.provider, ledger, budget, settings, pace, on_event=on_event, salt=salt)
    return Asker(caller, chosen.model)


def key_variable(spec: str, settings: LlmSettings) -> str | None:
    """The environment variable that holds the key; None for providers that have none."""
    if spec not in VENDOR_KEYS:
        return None
    return settings.key_env or (VENDOR_KEYS[spec] if settings.base_url is None else OTHER_KEY)


def _provider(spec: str, settings: LlmSettings) -> Provider:
    if spec.startswith("recorded:"):
        from retrodoc.llm.recorded import RecordedProvider

        folder = spec.removeprefix("recorded:")
        if not folder:
            raise ConfigError("recorded: needs a folder", "Such as --provider recorded:answers.")
        return RecordedProvider(Path(folder))
    if spec == "local":
        from retrodoc.llm.embedded import EmbeddedProvider

        if settings.model is None:
            raise ConfigError("the embedded model needs a model file", "Give --model FILE.gguf.")
        return EmbeddedProvider(Path(settings.model), context=settings.context_size, threads=settings.threads)
    if spec == "anthropic":
        from retrodoc.llm.anthropic import ANTHROPIC_URL, AnthropicProvider

        return AnthropicProvider(
            _key(spec, settings),
            settings.base_url or ANTHROPIC_URL,
            timeout=settings.timeout_seconds,
            context=settings.context_size,
        )
    if spec == "openai":
        from retrodoc.llm.openai import OPENAI_URL, OpenAiProvider

        return OpenAiProvider(
            settings.base_url or OPENAI_URL,
            _key(spec, settings),
            timeout=settings.timeout_seconds,
            context=settings.context_size,
        )
    raise ConfigError(f"there is no provider {spec!r}", f"There are: {', '.join(PROVIDERS)}.")


def _key(spec: str, settings: LlmSettings) -> Key | None:
    """The key. A vendor's own address and a variable named in settings need one; another server may do without."""
    variable = key_variable(spec, settings)
    assert variable is not None
    key = read_key(variable)
    if key is None and (settings.base_url is None or settings.key_env is not None):
        raise ConfigError(f"the environment variable {variable} is not set", f"Export {variable}=... with your key.")
    return key


def _model(spec: str, settings: LlmSettings, provider: Provider) -> str:
    if spec.startswith("recorded:"):
        return settings.model or "recorded"
    if settings.model is None:
        raise ConfigError(f"no model is named for {provider.name}", "Give --model NAME, or llm.model in retrodoc.toml.")
    return Path(settings.model).name if spec == "local" else settings.model


__all__ = ["Chosen", "choose", "key_variable", "make_asker", "make_budget", "make_provider"]
