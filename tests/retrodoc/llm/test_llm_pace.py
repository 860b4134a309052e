"""When a call may be sent, on a clock that the test turns."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrodoc.llm.pace import Backoff, Pace
from retrodoc.llm.provider import Limits


@dataclass
class Clock:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


class Turned(Pace):
    """A pace whose waiting turns the clock instead of the world's."""

    def rest(self, seconds: float) -> None:
        assert isinstance(self.clock, Clock)
        self.clock.now += seconds


def entered(pace: Pace, tokens: list[int]) -> list[float]:
    """When each of several calls is let through, in seconds from the start."""
    assert isinstance(pace.clock, Clock)
    start, times = pace.clock.now, []
    for each in tokens:
        pace.enter(each)
        times.append(round(pace.clock.now - start, 6))
    return times


def test_without_limits_nobody_waits() -> None:
    assert entered(Turned(clock=Clock()), [10] * 3) == [0, 0, 0]


def test_requests_per_minute_let_a_minutes_worth_through_and_then_one_at_a_time() -> None:
    assert entered(Turned(3, None, Clock()), [1] * 5) == [0, 0, 0, 20, 40]


def test_tokens_per_minute_are_shared_out_likewise() -> None:
    assert entered(Turned(None, 600, Clock()), [300, 300, 300, 60]) == [0, 0, 30, 36]


def test_a_call_above_the_limit_goes_when_a_minutes_worth_is_there_and_the_next_ones_wait_for_it() -> None:
    assert entered(Turned(None, 600, Clock()), [6000, 60]) == [0, 546]


def test_the_servers_headers_tighten_the_settings_and_never_loosen_them() -> None:
    pace = Turned(60, None, Clock())
    pace.observe(Limits(requests_per_minute=1000))
    pace.observe(Limits(requests_per_minute=2))
    assert entered(pace, [1] * 3) == [0, 0, 30]


@pytest.mark.parametrize("left", [Limits(requests_left=0, reset_seconds=7), Limits(tokens_left=0, reset_seconds=7)])
def test_nothing_left_means_waiting_for_the_reset(left: Limits) -> None:
    pace = Turned(clock=Clock())
    pace.observe(left)
    assert entered(pace, [1]) == [7]


def test_retry_after_holds_everybody_off() -> None:
    pace = Turned(clock=Clock())
    pace.hold_off(5)
    pace.hold_off(2)
    assert entered(pace, [1, 1]) == [5, 5]


def test_a_retry_after_of_a_day_is_cut_to_a_quarter_of_an_hour() -> None:
    pace = Turned(clock=Clock())
    pace.hold_off(86_400)
    assert entered(pace, [1]) == [900]


def test_a_stopped_run_waits_for_nothing() -> None:
    pace = Pace(1, None)
    pace.enter(1)
    pace.stop.set()
    pace.enter(1)
    pace.rest(3600)


@given(failures=st.integers(1, 40), seed=st.integers())
def test_backoff_doubles_up_to_its_longest_and_is_shortened_by_at_most_half(failures: int, seed: int) -> None:
    full = min(60.0, 2.0 ** (failures - 1))
    assert full / 2 <= Backoff().seconds(failures, random.Random(seed)) <= full


def test_the_same_seed_waits_the_same() -> None:
    waits = [[Backoff().seconds(n, chance) for n in range(1, 6)] for chance in (random.Random(4), random.Random(4))]
    assert waits[0] == waits[1]
