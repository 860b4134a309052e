"""Tables: seat a party, see who sits where, and close the table when all is paid."""

from ..billing.bills import read_bill
from ..db import now
from ..errors import Invalid, NotFound, NotSettled, WrongState


def find_table(db, number):
    table = db.execute("SELECT * FROM dining_table WHERE number = ?", (number,)).fetchone()
    if table is None:
        raise NotFound(f"There is no table {number}.")
    return table


def occupied_table(db, number):
    table = find_table(db, number)
    if table["opened_at"] is None:
        raise WrongState(f"Nobody sits at table {number}.")
    return table


def list_tables(db):
    rows = db.execute("SELECT number, seats, party, opened_at FROM dining_table ORDER BY number")
    return [dict(row) for row in rows]


def seat_party(db, number, party):
    """Seat `party` guests; a table takes one guest more than it has seats."""
    table = find_table(db, number)
    if table["opened_at"] is not None:
        raise WrongState(f"Table {number} is taken.")
    if not 1 <= party <= table["seats"] + 1:
        raise Invalid(f"Table {number} has {table['seats']} seats.")
    with db:
        db.execute(
            "UPDATE dining_table SET party = ?, opened_at = ? WHERE number = ?",
            (party, now(), number),
        )
    return find_table(db, number)


def close_table(db, number, service_rate):
    """Free the table for the next party. Refused while a draft is open or money is due."""
    occupied_table(db, number)
    if has_open_draft(db, number):
        raise WrongState(f"Table {number} has an order that was not sent.")
    bill = read_bill(db, number, service_rate)
    if bill.due:
        raise NotSettled(f"Table {number} still owes {bill.due} cents.")
    with db:
        settle(db, number)
        db.execute("UPDATE dining_table SET party = 0, opened_at = NULL WHERE number = ?", (number,))
    return bill


def has_open_draft(db, number):
    query = "SELECT 1 FROM customer_order WHERE table_number = ? AND status = 'draft'"
    return db.execute(query, (number,)).fetchone() is not None


def settle(db, number):
    db.execute("UPDATE customer_order SET settled = 1 WHERE table_number = ? AND settled = 0", (number,))
    db.execute("UPDATE payment SET settled = 1 WHERE table_number = ? AND settled = 0", (number,))
