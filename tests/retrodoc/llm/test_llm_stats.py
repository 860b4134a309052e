"""What the ledger says of a run: rates, alerts, costs; and what an estimate says before it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from drive_units import unit_inputs

from retrodoc.llm.estimate import estimate_pass, total
from retrodoc.llm.ledger import CallRecord
from retrodoc.llm.prices import FREE, FixedPrice
from retrodoc.llm.stats import Alert, cost_rows, pass_stats
from retrodoc.prompts import load_prompt

PRICE = FixedPrice(Decimal(3), Decimal(15), Decimal("0.3"), Decimal("3.75"), "test")


def call(unit: str, outcome: str = "ok", **more: Any) -> CallRecord:
    facts = {"task": "judge", "provider": "p", "model": "m", "key": "k", "call": f"{unit}-{outcome}", **more}
    return CallRecord(unit=unit, outcome=outcome, **facts)


def units(total: int, flawed: int) -> list[CallRecord]:
    calls = [call(f"u{n}") for n in range(total)]
    return calls + [call(f"u{n}", "structure", error_paths=("judgements[].step",)) for n in range(flawed)]


@pytest.mark.parametrize(
    ("now", "before", "alert"),
    [
        ((50, 5), None, None),
        ((50, 6), None, Alert.HIGH),
        ((50, 5), (50, 2), Alert.DOUBLED),
        ((50, 4), (50, 2), None),
        ((50, 5), (50, 0), None),
        ((4, 4), None, None),
        ((50, 5), (4, 1), None),
    ],
)
def test_a_pass_is_alerted_over_a_tenth_or_when_its_rate_more_than_doubles(
    now: tuple[int, int], before: tuple[int, int] | None, alert: Alert | None
) -> None:
    (stats,) = pass_stats(units(*now), units(*before) if before else ())
    assert stats.alert is alert
    assert stats.repair_rate == now[1] / now[0]


def test_tries_and_the_most_frequent_error_paths_are_counted_by_pass() -> None:
    calls = [
        call("a", "structure", error_paths=("x", "y")), call("a", "structure", error_paths=("y",)), call("a"),
        call("b"), call("b", "server-error"), call("c", task="domains", cleaned=("fence",)),
    ]  # fmt: skip
    domains, judge = pass_stats(calls)
    assert (judge.units, judge.answers, judge.tries_per_unit) == (2, 4, 2.0)
    assert judge.error_paths == (("y", 2), ("x", 1))
    assert judge.flaws == (("structure", 2),)
    assert (domains.task, domains.cleaned, domains.repair_rate) == ("domains", (("fence", 1),), 0.0)


def test_costs_add_up_and_what_is_uncertain_is_shown_apart() -> None:
    calls = [
        call("a", cost=Decimal("0.1"), input_tokens=5, cache_read_tokens=2, output_tokens=1, seconds=1.5),
        call("b", "timeout", cost=Decimal("0.4"), uncertain=True, seconds=2.0),
        call("c", "pending"),
    ]
    (row,) = cost_rows(calls)
    assert row.key == ("judge", "m")
    assert (row.calls, row.failed, row.seconds) == (2, 1, 3.5)
    assert (row.cost, row.uncertain) == (Decimal("0.5"), Decimal("0.4"))
    assert (row.usage.all_input, row.usage.output_tokens) == (7, 1)


def test_an_estimate_has_a_low_and_a_high_end_and_a_total() -> None:
    prompt = load_prompt("use_cases")
    one = estimate_pass(prompt, [unit_inputs(n) for n in range(10)], PRICE)
    assert one.calls.low == 10 < one.calls.high == 13
    assert one.input_tokens.low < one.input_tokens.high
    assert one.output_tokens.low < one.output_tokens.high
    assert one.cost is not None
    assert 0 < one.cost[0] < one.cost[1]
    both = total([one, one])
    assert both.cost == (2 * one.cost[0], 2 * one.cost[1])
    assert both.calls.high == 26


def test_the_cost_of_an_unknown_price_is_unknown_and_never_zero() -> None:
    prompt = load_prompt("use_cases")
    unknown = estimate_pass(prompt, [unit_inputs(1)], None)
    assert unknown.cost is None
    assert total([estimate_pass(prompt, [unit_inputs(1)], FREE), unknown]).cost is None
    assert total([]).cost == (0, 0)
