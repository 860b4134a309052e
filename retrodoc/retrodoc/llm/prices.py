"""What a call costs: the settings' own price, else the maintained price list's, else nothing is known.

The list is the one inside the installed `genai-prices` package; it is never updated over the network here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Protocol

from retrodoc.llm.provider import Usage
from retrodoc.llm.settings import PriceSetting

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice

MILLION = Decimal(1_000_000)


class Price(Protocol):
    """US dollars for the tokens of one model, exact."""

    @property
    def source(self) -> str:
        """Where the price comes from, for a person."""
        ...

    def cost(self, usage: Usage) -> Decimal: ...


def worst_cost(price: Price, input_tokens: int, output_tokens: int) -> Decimal:
    """The most that so many tokens can cost, however the server's cache shares out the input."""
    shares = (
        Usage(input_tokens=input_tokens, output_tokens=output_tokens),
        Usage(cache_write_tokens=input_tokens, output_tokens=output_tokens),
        Usage(cache_read_tokens=input_tokens, output_tokens=output_tokens),
    )
    return max(price.cost(share) for share in shares)


@dataclass(frozen=True, slots=True)
class FixedPrice:
    """Dollars per million tokens, the same for any length."""

    input: Decimal
    output: Decimal
    cache_read: Decimal
    cache_write: Decimal
    source: str

    def cost(self, usage: Usage) -> Decimal:
        total = (
            usage.input_tokens * self.input
            + usage.output_tokens * self.output
            + usage.cache_read_tokens * self.cache_read
            + usage.cache_write_tokens * self.cache_write
        )
        return total / MILLION


FREE = FixedPrice(Decimal(0), Decimal(0), Decimal(0), Decimal(0), "runs on this machine or from recordings: free")


@dataclass(frozen=True, slots=True)
class ListedPrice:
    """A price of the list, with its steps by length and its cache prices."""

    prices: ModelPrice
    source: str

    def cost(self, usage: Usage) -> Decimal:
        from genai_prices import Usage as ListUsage

        counted = ListUsage(
            input_tokens=usage.all_input,
            output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cache_read_tokens,
            cache_write_tokens=usage.cache_write_tokens,
        )
        return self.prices.calc_price(counted)["total_price"]


def find_price(
    model: str,
    overrides: Mapping[str, PriceSetting],
    *,
    vendor: str | None = None,
    base_url: str | None = None,
    at: datetime | None = None,
) -> Price | None:
    """The price of `model`, or None when it is unknown.

    The list is asked by the vendor's id or by the server's address, never by the model's name alone: a gateway that
    serves `gpt-4o` has its own price for it. `at` is the moment of the call (default: now), since prices change.
    """
    own = overrides.get(model)
    if own is not None:
        return FixedPrice(
            own.input,
            own.output,
            own.input if own.cache_read is None else own.cache_read,
            own.input if own.cache_write is None else own.cache_write,
            "retrodoc.toml",
        )
    if vendor is None and base_url is None:
        return None
    from genai_prices.data_snapshot import get_snapshot

    try:
        provider, found = get_snapshot().find_provider_model(model, None, vendor, None if vendor else base_url)
    except LookupError:
        return None
    return ListedPrice(found.get_prices(at or datetime.now(UTC)), f"{price_list()}, {provider.id} {found.id}")


@cache
def price_list() -> str:
    """The list's name, version and the newest day on which one of its prices was checked."""
    from importlib.metadata import version
    from pathlib import Path

    import genai_prices.data

    text = Path(genai_prices.data.__file__ or "").read_text(encoding="utf-8")
    checked = re.findall(r"(?i)(?:checked|verified|as of)\b[^'\"\n]{0,60}?(20\d\d-\d\d-\d\d)", text)
    day = f", last checked {max(checked)}" if checked else ""
    return f"genai-prices {version('genai-prices')}{day}"
