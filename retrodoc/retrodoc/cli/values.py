"""Which values of the command line mean something: no empty name, no number that is none, no endless sum."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from decimal import Decimal

MAX_USD = 1_000_000_000
"""A ceiling above this is a typing error, and one that is endless is none."""


class _Text(click.ParamType[str]):
    """A name. An empty one is of a variable that is not set, and would mean what was not meant: the latest run."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """As it is."""
        if not str(value).strip():
            self.fail("is empty: leave it out, or name what is meant", param, ctx)
        return str(value)


class _Place(click.ParamType[Path]):
    """A file or a folder, there or not. The current folder is `.`, since an empty name is a mistake here too."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """As it is; who opens it says when it is not there."""
        if value == "":
            self.fail("is empty; the current folder is '.'", param, ctx)
        return Path(value)


class _Money(click.ParamType["Decimal"]):
    """US dollars."""

    name = "usd"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        """Exact."""
        from decimal import Decimal

        try:
            amount = Decimal(value)
        except ArithmeticError:
            self.fail(f"{value!r} is not an amount such as 2.50", param, ctx)
        if not (amount.is_finite() and 0 <= amount <= MAX_USD):
            self.fail(f"{value!r} is not an amount from 0 to {MAX_USD:,}, such as 2.50", param, ctx)
        return amount


class _Share(click.FloatRange):
    """From 0 to 1; what is not a number is in no range, though no comparison says so."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number."""
        share: float = super().convert(value, param, ctx)
        if isnan(share):
            self.fail(f"{value!r} is not a number from 0 to 1.", param, ctx)
        return share


TEXT = _Text()
PLACE = _Place()
MONEY = _Money()
SHARE = _Share(0, 1)
