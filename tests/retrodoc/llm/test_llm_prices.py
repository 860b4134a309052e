"""What a model costs: settings first, the list by vendor or address, and nothing by its name alone."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from retrodoc.llm.prices import FREE, find_price, price_list, worst_cost
from retrodoc.llm.provider import Usage
from retrodoc.llm.settings import PriceSetting

AT = datetime(2026, 11, 1, tzinfo=UTC)
OPENAI = "https://api.openai.com/v1"


def test_a_listed_price_counts_cached_tokens_at_their_own_price() -> None:
    price = find_price("claude-opus-4-5", {}, vendor="anthropic", at=AT)
    assert price is not None
    usage = Usage(input_tokens=700, output_tokens=10, cache_read_tokens=100, cache_write_tokens=200)
    by_hand = (700 * 5 + 10 * 25 + 100 * Decimal("0.5") + 200 * Decimal("6.25")) / 1_000_000
    assert price.cost(usage) == by_hand


def test_a_price_that_steps_with_length_steps() -> None:
    price = find_price("claude-sonnet-4-5", {}, vendor="anthropic", at=AT)
    assert price is not None
    assert price.cost(Usage(input_tokens=300_000)) > 2 * price.cost(Usage(input_tokens=150_000))


def test_the_lists_name_version_and_day_are_shown() -> None:
    price = find_price("gpt-4o-mini", {}, vendor="openai", at=AT)
    assert price is not None
    assert price.source == f"{price_list()}, openai gpt-4o-mini"
    assert price_list().startswith("genai-prices ")
    assert "last checked 20" in price_list()


def test_settings_are_stronger_than_the_list() -> None:
    own = {"gpt-4o-mini": PriceSetting(input=Decimal(1), output=Decimal(2))}
    price = find_price("gpt-4o-mini", own, vendor="openai", at=AT)
    assert price is not None
    assert price.source == "retrodoc.toml"
    assert price.cost(Usage(1_000_000, 1_000_000, 1_000_000, 1_000_000)) == 5


@pytest.mark.parametrize(
    ("model", "vendor", "base_url", "known"),
    [
        ("gpt-4o-mini", "openai", None, True),
        ("gpt-4o-mini", None, OPENAI, True),
        ("gpt-4o-mini", None, "http://localhost:4000/v1", False),
        ("gpt-4o-mini", None, "https://gateway.example.com/v1", False),
        ("gpt-4o-mini", None, None, False),
        ("qwen2.5-coder", None, "http://localhost:11434/v1", False),
        ("no-such-model-9", "anthropic", None, False),
    ],
)
def test_a_price_is_known_by_vendor_or_address_and_never_by_the_models_name_alone(
    model: str, vendor: str | None, base_url: str | None, known: bool
) -> None:
    assert (find_price(model, {}, vendor=vendor, base_url=base_url, at=AT) is not None) is known


def test_the_worst_case_is_the_dearest_share_of_the_cache() -> None:
    price = find_price("claude-opus-4-5", {}, vendor="anthropic", at=AT)
    assert price is not None
    assert worst_cost(price, 1000, 0) == price.cost(Usage(cache_write_tokens=1000)) > price.cost(Usage(1000))


def test_free_is_nothing() -> None:
    assert FREE.cost(Usage(10**9, 10**9, 10**9, 10**9)) == 0
