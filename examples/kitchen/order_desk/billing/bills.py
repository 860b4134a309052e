"""Bills: what a table owes, how it is shared, and what was paid. Money is in cents."""

from ..db import now
from ..errors import Invalid, NotSettled
from ..models import Bill, OrderLine, PaymentMethod

MAX_SHARES = 12


def read_bill(db, number, service_rate):
    """What the table's open orders come to. Drafts and voided lines are not billed."""
    lines = billed_lines(db, number)
    service = service_charge(lines, service_rate)
    return Bill(number, lines, service, amount_paid(db, number))


def billed_lines(db, number):
    rows = db.execute(
        "SELECT code, name, quantity, unit_price, seat FROM order_line"
        " JOIN customer_order ON customer_order.id = order_id JOIN menu_item USING (code)"
        " WHERE table_number = ? AND settled = 0 AND status IN ('sent', 'served') AND voided_because IS NULL"
        " ORDER BY order_line.id",
        (number,),
    )
    return tuple(OrderLine(*row) for row in rows)


def service_charge(lines, rate):
    """`rate` percent of the lines, rounded down to the cent."""
    return sum(line.amount for line in lines) * rate // 100


def amount_paid(db, number):
    query = "SELECT COALESCE(SUM(amount - tip), 0) FROM payment WHERE table_number = ? AND settled = 0"
    return db.execute(query, (number,)).fetchone()[0]


def split_equally(bill, shares):
    """Equal shares of what is due; the cents that do not divide go to the first ones."""
    if not 2 <= shares <= MAX_SHARES:
        raise Invalid(f"A bill splits into 2 to {MAX_SHARES} shares.")
    share, rest = divmod(bill.due, shares)
    return [share + 1 if position < rest else share for position in range(shares)]


def split_by_seat(bill):
    """Each seat pays its own lines and its part of the service; needs a bill on which nothing was paid."""
    if bill.paid:
        raise NotSettled("Something was paid already: split what is left equally.")
    amounts = seat_amounts(bill)
    return spread_service(amounts, bill.service)


def seat_amounts(bill):
    amounts = {}
    for line in bill.lines:
        amounts[line.seat] = amounts.get(line.seat, 0) + line.amount
    return amounts


def spread_service(amounts, service):
    """In proportion to what each seat ordered; the last seat carries the rounding."""
    total = sum(amounts.values())
    shares = {seat: amount + service * amount // total for seat, amount in sorted(amounts.items()) if total}
    if shares:
        shares[max(shares)] += total + service - sum(shares.values())
    return shares


def record_payment(db, bill, amount, method):
    """Take money for a table. What exceeds the sum due is a tip, and vouchers give no tip."""
    method = known_method(method)
    if not isinstance(amount, int) or amount <= 0:
        raise Invalid("A payment is a positive number of cents.")
    tip = max(amount - bill.due, 0)
    if tip and method is PaymentMethod.VOUCHER:
        raise Invalid("A voucher cannot exceed the sum due.")
    with db:
        insert_payment(db, bill.table, amount, tip, method)
    return tip


def known_method(name):
    if name not in list(PaymentMethod):
        raise Invalid(f"{name} is not a way to pay.")
    return PaymentMethod(name)


def insert_payment(db, number, amount, tip, method):
    db.execute(
        "INSERT INTO payment (table_number, amount, tip, method, paid_at) VALUES (?, ?, ?, ?, ?)",
        (number, amount, tip, method, now()),
    )
