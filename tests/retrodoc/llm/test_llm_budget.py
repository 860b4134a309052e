"""No call is sent whose worst case could pass the ceiling, however many are under way."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrodoc.errors import BudgetExceeded
from retrodoc.llm.budget import Budget, Caps, counted_bound, input_bound
from retrodoc.llm.prices import FREE, FixedPrice

PRICE = FixedPrice(Decimal(3), Decimal(15), Decimal("0.3"), Decimal("3.75"), "test")


def test_the_documentation_promises_what_the_code_says_it_checks_in_the_same_words() -> None:
    from retrodoc.llm import budget

    said = " ".join((budget.__doc__ or "").split()).split("What is promised: ")[1]
    page = Path(__file__).parents[3] / "docs" / "model.md"
    assert said in " ".join(page.read_text(encoding="utf-8").split())
    assert said.startswith("no call is sent whose worst case")


def test_the_worst_case_takes_the_dearest_way_to_read_the_input() -> None:
    assert Budget(PRICE, Decimal(1)).worst(1_000_000, 1_000_000) == Decimal("18.75")


def test_a_call_that_could_pass_the_ceiling_is_refused_and_the_figures_are_said() -> None:
    budget = Budget(PRICE, Decimal("0.10"), spent=Decimal("0.09"))
    with pytest.raises(BudgetExceeded) as raised:
        budget.reserve(1000, 1000)
    assert raised.value.message == (
        "the next call could cost $0.0188; $0.09 of the approved $0.10 are spent, $0.00 reserved"
    )


def test_a_call_that_reaches_the_ceiling_exactly_is_sent() -> None:
    assert Budget(PRICE, Decimal("0.01875")).reserve(1000, 1000).cost == Decimal("0.01875")


def test_nothing_paid_is_sent_before_a_cost_is_approved() -> None:
    with pytest.raises(BudgetExceeded, match="no cost was approved"):
        Budget(PRICE, None).reserve(1, 1)


def test_what_is_free_needs_no_approval() -> None:
    assert Budget(FREE, None).reserve(10**9, 10**9).cost == 0


def test_a_call_waits_for_those_under_way_when_they_may_leave_room() -> None:
    """Reserving is far above what a call comes to: to stop at the first refusal would waste most of a ceiling."""
    budget = Budget(PRICE, Decimal("0.02"))
    first = budget.reserve(1000, 1000)
    got = threading.Event()

    def second() -> None:
        budget.reserve(1000, 1000)
        got.set()

    thread = threading.Thread(target=second, daemon=True)
    thread.start()
    assert not got.is_set()
    budget.settle(first, Decimal("0.001"), 100)
    assert got.wait(10)
    thread.join()


def test_a_model_without_a_price_is_capped_by_calls_and_by_tokens() -> None:
    budget = Budget(None, None, caps=Caps(calls=2, tokens=1000))
    budget.settle(budget.reserve(300, 300), Decimal(0), 600)
    with pytest.raises(BudgetExceeded, match="cap of 1000 tokens; 600 are used"):
        budget.reserve(300, 300)
    budget.settle(budget.reserve(100, 100), Decimal(0), 50)
    with pytest.raises(BudgetExceeded, match="cap of 2 calls"):
        budget.reserve(1, 1)


def test_a_budget_without_price_and_without_caps_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="needs caps"):
        Budget(None, Decimal(1))


def test_earlier_processes_of_the_run_count() -> None:
    with pytest.raises(BudgetExceeded):
        Budget(None, None, caps=Caps(5, 1000), calls=5).reserve(1, 1)
    with pytest.raises(BudgetExceeded):
        Budget(PRICE, Decimal(1), spent=Decimal(1)).reserve(1, 1)


CALLS = st.lists(
    st.tuples(st.integers(1, 4000), st.integers(1, 4000), st.floats(0, 1)), min_size=1, max_size=60
)  # input, output, and the share of the worst case that the call comes to


@given(calls=CALLS, ceiling=st.decimals(0, 1, places=4), threads=st.integers(1, 8))
def test_concurrent_calls_never_pass_the_ceiling_together(
    calls: list[tuple[int, int, float]], ceiling: Decimal, threads: int
) -> None:
    budget = Budget(PRICE, ceiling)
    seen: list[Decimal] = []

    def call(each: tuple[int, int, float]) -> None:
        try:
            hold = budget.reserve(each[0], each[1])
        except BudgetExceeded:
            return
        seen.append(budget.committed)
        budget.settle(hold, (hold.cost * Decimal(each[2])).quantize(Decimal("1e-9")), 0)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(call, calls))
    assert all(committed <= ceiling for committed in seen)
    assert budget.committed == budget.spent <= ceiling


@given(text=st.text(max_size=200))
def test_the_bound_is_above_one_token_a_byte(text: str) -> None:
    assert input_bound(len(text.encode()), 1) > len(text.encode())


@pytest.mark.parametrize(("counted", "by_bytes", "bound"), [(1000, 5000, 1114), (1000, 1050, 1050), (0, 300, 64)])
def test_a_count_is_an_estimate_and_gets_a_margin_but_never_more_than_the_bytes(
    counted: int, by_bytes: int, bound: int
) -> None:
    assert counted_bound(counted, by_bytes) == bound
