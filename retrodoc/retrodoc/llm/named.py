"""Which model the settings name, at what price and with whose key: known without a key, an SDK or a connection."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from retrodoc.errors import ConfigError
from retrodoc.llm.http import checked_url, read_key
from retrodoc.llm.prices import FREE, Price, find_price
from retrodoc.llm.settings import LlmSettings

PROVIDERS = ("anthropic", "openai", "local", "recorded:DIR")
FREE_PROVIDERS = frozenset({"local", "recorded"})
OTHER_KEY = "RETRODOC_API_KEY"
VENDOR_KEYS = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}


@dataclass(frozen=True, slots=True)
class Named:
    """Who would be asked: the provider's own name, the model's id, and its price (None: unknown)."""

    provider: str
    model: str
    price: Price | None
    missing_key: str | None
    """The environment variable that a run needs and that is not set; None when it needs none."""

    @property
    def free(self) -> bool:
        """True when no call costs money."""
        return self.provider in FREE_PROVIDERS

    @property
    def drafter(self) -> str:
        """As a run names it."""
        return f"{self.provider} {self.model}"


def name_model(settings: LlmSettings) -> Named | None:
    """What the settings name; None when they name no provider.

    Raises ConfigError for what no run could use, a missing key aside.
    """
    spec = spec_of(settings)
    if spec is None:
        return None
    provider = provider_of(spec)
    if provider == "local":
        from retrodoc.llm.gguf import read_model_file

        read_model_file(model_file(settings))
    elif settings.base_url is not None:
        checked_url(settings.base_url)
    model = _model(provider, settings)
    vendor, base_url = (spec, None) if settings.base_url is None else (None, settings.base_url)
    price = FREE if provider in FREE_PROVIDERS else find_price(model, settings.prices, vendor=vendor, base_url=base_url)
    return Named(provider, model, price, missing_key(provider, settings))


def spec_of(settings: LlmSettings) -> str | None:
    """The provider as settings spell it. A base URL implies the OpenAI-compatible one."""
    return settings.provider or ("openai" if settings.base_url else None)


def provider_of(spec: str) -> str:
    """The provider's own name, of a spelling that names one. ConfigError when there is none of that name."""
    provider, colon, rest = spec.partition(":")
    if provider not in (*VENDOR_KEYS, *FREE_PROVIDERS) or bool(colon) != (provider == "recorded"):
        raise ConfigError(f"there is no provider {spec!r}", f"There are: {', '.join(PROVIDERS)}.")
    if provider == "recorded" and not rest:
        raise ConfigError("recorded: needs a folder", "Such as --provider recorded:answers.")
    return provider


def key_variable(spec: str, settings: LlmSettings) -> str | None:
    """The environment variable that holds the key; None for providers that have none."""
    if spec not in VENDOR_KEYS:
        return None
    return settings.key_env or (VENDOR_KEYS[spec] if settings.base_url is None else OTHER_KEY)


def missing_key(spec: str, settings: LlmSettings) -> str | None:
    """The variable that has to be set and is not.

    A vendor's own address and a variable named in settings need a key; another server may do without.
    """
    variable = key_variable(spec, settings)
    if variable is None or read_key(variable) is not None:
        return None
    return variable if settings.base_url is None or settings.key_env is not None else None


def model_file(settings: LlmSettings) -> Path:
    """The file of the embedded model."""
    if settings.model is None:
        raise ConfigError("the embedded model needs a model file", "Give --model FILE.gguf.")
    return Path(settings.model)


def _model(provider: str, settings: LlmSettings) -> str:
    if provider == "recorded":
        return settings.model or "recorded"
    if settings.model is None:
        raise ConfigError(f"no model is named for {provider}", "Give --model NAME, or llm.model in retrodoc.toml.")
    return Path(settings.model).name if provider == "local" else settings.model
