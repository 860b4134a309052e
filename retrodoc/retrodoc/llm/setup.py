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
from retrodoc.llm.named import Named, key_variable, missing_key, model_file, name_model, provider_of, spec_of
from retrodoc.llm.pace import Pace
from retrodoc.llm.prices import Price
from retrodoc.llm.provider import Provider
from retrodoc.llm.settings import LlmSettings


@dataclass(frozen=True)
class Chosen:
    """What settings come to: who is asked, by which model's id, and at what price (None: unknown)."""

    provider: Provider
    named: Named

    @property
    def model(self) -> str:
        return self.named.model

    @property
    def price(self) -> Price | None:
        return self.named.price

    @property
    def drafter(self) -> str:
        """As a run names it."""
        return self.named.drafter


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
    named, spec = name_model(settings), spec_of(settings)
    return None if named is None or spec is None else Chosen(make_provider(spec, settings), named)


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


def _provider(spec: str, settings: LlmSettings) -> Provider:
    name = provider_of(spec)
    if name == "recorded":
        from retrodoc.llm.recorded import RecordedProvider

        return RecordedProvider(Path(spec.removeprefix("recorded:")))
    if name == "local":
        from retrodoc.llm.embedded import EmbeddedProvider

        return EmbeddedProvider(model_file(settings), context=settings.context_size, threads=settings.threads)
    if name == "anthropic":
        from retrodoc.llm.anthropic import ANTHROPIC_URL, AnthropicProvider

        return AnthropicProvider(
            _key(spec, settings),
            settings.base_url or ANTHROPIC_URL,
            timeout=settings.timeout_seconds,
            context=settings.context_size,
        )
    from retrodoc.llm.openai import OPENAI_URL, OpenAiProvider

    return OpenAiProvider(
        settings.base_url or OPENAI_URL,
        _key(spec, settings),
        timeout=settings.timeout_seconds,
        context=settings.context_size,
    )


def _key(spec: str, settings: LlmSettings) -> Key | None:
    """The key; None for a server that may do without. ConfigError when one is needed."""
    missing = missing_key(spec, settings)
    if missing is not None:
        raise ConfigError(f"the environment variable {missing} is not set", f"Export {missing}=... with your key.")
    variable = key_variable(spec, settings)
    return read_key(variable) if variable else None


__all__ = ["Chosen", "choose", "key_variable", "make_asker", "make_budget", "make_provider", "name_model"]
