"""The words of the house: stations, statuses, and the things that orders are made of. Money is in cents."""

from dataclasses import dataclass
from enum import StrEnum


class Station(StrEnum):
    GRILL = "grill"
    COLD = "cold"
    BAR = "bar"


class OrderStatus(StrEnum):
    DRAFT = "draft"
    SENT = "sent"
    SERVED = "served"
    ABANDONED = "abandoned"


class TicketStatus(StrEnum):
    WAITING = "waiting"
    COOKING = "cooking"
    READY = "ready"


class PaymentMethod(StrEnum):
    CASH = "cash"
    CARD = "card"
    VOUCHER = "voucher"


@dataclass(frozen=True)
class MenuItem:
    code: str
    name: str
    price: int
    station: Station
    portions_left: int | None

    @classmethod
    def from_row(cls, row):
        return cls(row["code"], row["name"], row["price"], Station(row["station"]), row["portions_left"])


@dataclass(frozen=True)
class OrderLine:
    code: str
    name: str
    quantity: int
    unit_price: int
    seat: int

    @property
    def amount(self):
        return self.quantity * self.unit_price


@dataclass(frozen=True)
class Bill:
    table: int
    lines: tuple[OrderLine, ...]
    service: int
    paid: int

    @property
    def total(self):
        return sum(line.amount for line in self.lines) + self.service

    @property
    def due(self):
        return max(self.total - self.paid, 0)
