"""What a run would take before any call is paid: low and high, by pass. An estimate is no promise; the ceiling is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from retrodoc.llm.prices import Price
from retrodoc.llm.provider import Usage
from retrodoc.prompts import Prompt
from retrodoc.prompts.base import PromptInput

BYTES_PER_TOKEN = (4.5, 3.0)
"""For the low and the high figure: numbered code in common tokenizers lies between."""
OUTPUT_SHARE = (0.6, 2.0)
"""Of the prompt's usual answer."""
REPAIRS = (1.0, 1.3)
"""Calls for each question: none repaired, and nearly a third repaired, three times the rate that raises an alert."""


@dataclass(frozen=True, slots=True)
class Range:
    """Low and high."""

    low: int
    high: int

    def __add__(self, other: Range) -> Range:
        return Range(self.low + other.low, self.high + other.high)


@dataclass(frozen=True, slots=True)
class PassEstimate:
    """Calls, tokens and dollars of one pass; `cost` is None when the price is not known."""

    task: str
    calls: Range
    input_tokens: Range
    output_tokens: Range
    cost: tuple[Decimal, Decimal] | None


def estimate_pass(prompt: Prompt[Any, Any], inputs: Sequence[PromptInput], price: Price | None) -> PassEstimate:
    """What asking `prompt` for each of `inputs` would take. Nothing is sent."""
    calls = [0, 0]
    tokens_in = [0, 0]
    tokens_out = [0, 0]
    for value in inputs:
        rendered = prompt.render(value)
        size = len(rendered.system.encode()) + len(rendered.user.encode())
        usual = prompt.defaults.typical_tokens * value.items()
        for end in (0, 1):
            tokens_in[end] += int(size / BYTES_PER_TOKEN[end] * REPAIRS[end])
            answer = min(usual * OUTPUT_SHARE[end], prompt.defaults.max_tokens)
            tokens_out[end] += int(answer * REPAIRS[end])
    for end in (0, 1):
        calls[end] = -(-len(inputs) * round(REPAIRS[end] * 10) // 10)
    cost = None
    if price is not None:
        low, high = (price.cost(Usage(input_tokens=tokens_in[end], output_tokens=tokens_out[end])) for end in (0, 1))
        cost = (low, high)
    return PassEstimate(prompt.name, Range(*calls), Range(*tokens_in), Range(*tokens_out), cost)


def total(passes: Iterable[PassEstimate]) -> PassEstimate:
    """All passes together; the cost is known only when each one's is."""
    whole = PassEstimate("total", Range(0, 0), Range(0, 0), Range(0, 0), (Decimal(0), Decimal(0)))
    for each in passes:
        cost = None
        if whole.cost is not None and each.cost is not None:
            cost = (whole.cost[0] + each.cost[0], whole.cost[1] + each.cost[1])
        whole = PassEstimate(
            "total",
            whole.calls + each.calls,
            whole.input_tokens + each.input_tokens,
            whole.output_tokens + each.output_tokens,
            cost,
        )
    return whole
