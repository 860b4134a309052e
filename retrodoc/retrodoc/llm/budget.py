"""Whether a call may be sent: the worst case of all that is under way, and of this call, must fit the ceiling.

What is promised: no call is sent whose worst case, added to what is settled and what is reserved, passes the ceiling.
The worst case is the input's bound and `max_tokens` of output, each at the highest price that the server may use.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from decimal import Decimal

from retrodoc.errors import BudgetExceeded
from retrodoc.llm.prices import Price, worst_cost

TEMPLATE_TOKENS = 256
"""Room for what a server adds to a request on its own: chat template, schema instructions."""
TOKENS_PER_MESSAGE = 16


def input_bound(input_bytes: int, messages: int) -> int:
    """Tokens that an input can come to at most.

    A byte-level tokenizer never makes more than one token of a byte; what servers add is allowed for on top.
    """
    return input_bytes + TEMPLATE_TOKENS + TOKENS_PER_MESSAGE * (messages + 1)


def counted_bound(counted: int, by_bytes: int) -> int:
    """The same from a provider's own count, which its documents call an estimate: a twentieth and 64 are added."""
    return min(by_bytes, counted + counted // 20 + 64)


@dataclass(frozen=True, slots=True)
class Hold:
    """Room that is taken for one call."""

    cost: Decimal
    tokens: int


@dataclass(frozen=True, slots=True)
class Caps:
    """For a model without a known price, which the user allowed: calls, and tokens in and out."""

    calls: int
    tokens: int


class Budget:
    """Room for calls, shared by threads.

    `ceiling` is in US dollars; None for what costs nothing. With `caps`, `price` is None and calls and tokens are
    bounded instead. `spent`, `calls` and `tokens` are what earlier processes of this run settled.
    """

    def __init__(
        self,
        price: Price | None,
        ceiling: Decimal | None,
        *,
        caps: Caps | None = None,
        spent: Decimal = Decimal(0),
        calls: int = 0,
        tokens: int = 0,
    ) -> None:
        if price is None and caps is None:
            raise ValueError("a model without a price needs caps")
        self.price = price
        self.ceiling = ceiling
        self.caps = caps
        self._spent = spent
        self._calls = calls
        self._tokens = tokens
        self._held = Decimal(0)
        self._held_tokens = 0
        self._under_way = 0
        self._free = threading.Condition()

    @property
    def spent(self) -> Decimal:
        """Dollars settled so far, in this process and before."""
        with self._free:
            return self._spent

    @property
    def committed(self) -> Decimal:
        """Dollars settled and reserved."""
        with self._free:
            return self._spent + self._held

    def worst(self, input_tokens: int, output_tokens: int) -> Decimal:
        """Dollars that a call can cost at most; 0 when no price is known."""
        return worst_cost(self.price, input_tokens, output_tokens) if self.price is not None else Decimal(0)

    def reserve(self, input_tokens: int, output_tokens: int) -> Hold:
        """Take room for a call. Waits while calls under way may leave room; raises BudgetExceeded when none will."""
        hold = Hold(self.worst(input_tokens, output_tokens), input_tokens + output_tokens)
        with self._free:
            while (reason := self._refusal(hold)) is not None:
                if self._under_way == 0:
                    raise BudgetExceeded(*reason)
                self._free.wait()
            self._held += hold.cost
            self._held_tokens += hold.tokens
            self._under_way += 1
            self._calls += 1
        return hold

    def settle(self, hold: Hold, cost: Decimal, tokens: int) -> None:
        """Give the room back and count what the call came to."""
        with self._free:
            self._held -= hold.cost
            self._held_tokens -= hold.tokens
            self._under_way -= 1
            self._spent += cost
            self._tokens += tokens
            self._free.notify_all()

    def _refusal(self, hold: Hold) -> tuple[str, str] | None:
        if self.price is not None and hold.cost > 0:
            if self.ceiling is None:
                return "no cost was approved", "Approve one with --max-cost AMOUNT."
            if self._spent + self._held + hold.cost > self.ceiling:
                return (
                    f"the next call could cost ${_money(hold.cost)}; ${_money(self._spent)} of the approved "
                    f"${_money(self.ceiling)} are spent, ${_money(self._held)} reserved",
                    "What was done is saved; go on with a higher --max-cost.",
                )
        if self.caps is not None:
            if self._calls >= self.caps.calls:
                return f"the cap of {self.caps.calls} calls is reached", "What was done is saved; raise llm.max_calls."
            if self._tokens + self._held_tokens + hold.tokens > self.caps.tokens:
                return (
                    f"the next call could pass the cap of {self.caps.tokens} tokens; {self._tokens} are used",
                    "What was done is saved; raise llm.max_total_tokens.",
                )
        return None


def _money(amount: Decimal) -> str:
    """Dollars as a person reads them, never rounded down to nothing."""
    text = f"{amount:.4f}"
    return f"{amount:.7f}".rstrip("0") if amount and not Decimal(text) else text.removesuffix("00")
