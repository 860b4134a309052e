"""How a plan reads: calls, tokens and money by pass, and what the figures rest on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from retrodoc.publish.wording import counted, plain

if TYPE_CHECKING:
    from retrodoc.llm.estimate import PassEstimate
    from retrodoc.planning import Foreseen


def plan_text(foreseen: Foreseen) -> str:
    """For the terminal."""
    return "".join(f"{line}\n" for line in _lines(foreseen))


def plan_dict(foreseen: Foreseen) -> dict[str, Any]:
    """The JSON of `plan --format json`. Money is text, so that no digit is lost; None when no price is known."""
    plan = foreseen.plan
    rows = [*plan.passes, plan.whole] if plan else []
    return {
        "drafter": foreseen.drafter,
        "entry_points": foreseen.entry_points,
        "features": plan.features if plan else None,
        "features_kept": plan.kept if plan else None,
        "key_missing": foreseen.key_missing,
        "passes": [_as_dict(row) for row in rows],
    }


def _as_dict(row: PassEstimate) -> dict[str, Any]:
    return {
        "pass": row.task,
        "calls": [row.calls.low, row.calls.high],
        "input_tokens": [row.input_tokens.low, row.input_tokens.high],
        "output_tokens": [row.output_tokens.low, row.output_tokens.high],
        "usd": None if row.cost is None else [str(row.cost[0]), str(row.cost[1])],
    }


def _lines(foreseen: Foreseen) -> Iterator[str]:
    plan = foreseen.plan
    if plan is None:
        yield "No model is set: the outline is drawn from the code itself, with 0 calls, 0 tokens and $0."
        yield f"{counted(foreseen.entry_points, 'entry point')} would be documented."
        yield "Name a model with --provider, --model and --base-url, or in your settings."
        return
    yield f"{plain(foreseen.drafter)}, {counted(plan.features, 'feature')} ({plan.kept} kept from an earlier run)"
    yield f"{'pass':<10} {'calls':>13} {'tokens in':>23} {'tokens out':>21}  USD"
    for row in (*plan.passes, plan.whole):
        if row.cost is None:
            money = "not known"
        elif foreseen.free:
            money = "free"
        else:
            money = f"{row.cost[0]:.2f} to {row.cost[1]:.2f}"
        yield (
            f"{row.task:<10} {_range(row.calls.low, row.calls.high):>13} "
            f"{_range(row.input_tokens.low, row.input_tokens.high):>23} "
            f"{_range(row.output_tokens.low, row.output_tokens.high):>21}  {money}"
        )
    yield "An estimate is no promise; the ceiling that you approve is. Features are grouped by folder here, and half of"
    yield "the steps are taken to be doubtful."
    if not foreseen.priced:
        yield "The price of this model is not known: set llm.prices, or pass --allow-unpriced to generate."
    if foreseen.key_missing:
        yield f"generate needs a key, and {plain(foreseen.key_missing)} is not set."


def _range(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
