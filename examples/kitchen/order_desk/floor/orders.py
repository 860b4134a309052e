"""Orders: take one, change it while it is a draft, send it to the kitchen."""

from ..db import now
from ..errors import Invalid, NotFound, SoldOut, WrongState
from ..kitchen.tickets import open_tickets
from ..models import MenuItem, OrderStatus
from .tables import occupied_table

MAX_QUANTITY = 20


def find_order(db, order_id):
    order = db.execute("SELECT * FROM customer_order WHERE id = ?", (order_id,)).fetchone()
    if order is None:
        raise NotFound(f"There is no order {order_id}.")
    return order


def find_item(db, code):
    row = db.execute("SELECT * FROM menu_item WHERE code = ?", (code,)).fetchone()
    if row is None:
        raise NotFound(f"{code} is not on the menu.")
    return MenuItem.from_row(row)


def require_draft(db, order_id):
    order = find_order(db, order_id)
    if order["status"] != OrderStatus.DRAFT:
        raise WrongState(f"Order {order_id} is {order['status']}.")
    return order


def take_order(db, table_number, lines):
    """Open a draft for an occupied table, with its first lines. All of them are kept, or none."""
    table = occupied_table(db, table_number)
    if not lines:
        raise Invalid("An order needs at least one line.")
    with db:
        cursor = db.execute(
            "INSERT INTO customer_order (table_number, taken_at) VALUES (?, ?)",
            (table_number, now()),
        )
        for line in lines:
            add_line(db, cursor.lastrowid, line, party=table["party"])
    return cursor.lastrowid


def add_line(db, order_id, line, party):
    item = find_item(db, line["code"])
    quantity = check_quantity(line.get("quantity", 1))
    seat = check_seat(line.get("seat", 1), party)
    reserve_portions(db, item, quantity)
    db.execute(
        "INSERT INTO order_line (order_id, code, quantity, unit_price, seat, note) VALUES (?, ?, ?, ?, ?, ?)",
        (order_id, item.code, quantity, item.price, seat, line.get("note", "")),
    )


def extend_order(db, order_id, line):
    order = require_draft(db, order_id)
    table = occupied_table(db, order["table_number"])
    with db:
        add_line(db, order_id, line, party=table["party"])


def void_line(db, order_id, line_id, reason):
    """Strike a line and give its portions back. The line stays on record with the reason."""
    require_draft(db, order_id)
    if not reason.strip():
        raise Invalid("Say why the line is voided.")
    line = find_line(db, order_id, line_id)
    with db:
        db.execute("UPDATE order_line SET voided_because = ? WHERE id = ?", (reason.strip(), line_id))
        release_portions(db, line["code"], line["quantity"])


def find_line(db, order_id, line_id):
    query = "SELECT * FROM order_line WHERE id = ? AND order_id = ? AND voided_because IS NULL"
    line = db.execute(query, (line_id, order_id)).fetchone()
    if line is None:
        raise NotFound(f"Order {order_id} has no line {line_id}.")
    return line


def send_to_kitchen(db, order_id):
    """Fire the order: one ticket a station. An order can be sent once."""
    require_draft(db, order_id)
    with db:
        tickets = open_tickets(db, order_id)
        if not tickets:
            raise Invalid(f"Order {order_id} is empty.")
        set_status(db, order_id, OrderStatus.SENT)
    return tickets


def set_status(db, order_id, status):
    db.execute("UPDATE customer_order SET status = ? WHERE id = ?", (status, order_id))


def check_quantity(quantity):
    if not isinstance(quantity, int) or not 1 <= quantity <= MAX_QUANTITY:
        raise Invalid(f"A line takes 1 to {MAX_QUANTITY} portions.")
    return quantity


def check_seat(seat, party):
    if not isinstance(seat, int) or not 1 <= seat <= party:
        raise Invalid(f"The party has seats 1 to {party}.")
    return seat


def reserve_portions(db, item, quantity):
    """Dishes without a daily count are never sold out."""
    if item.portions_left is None:
        return
    if item.portions_left < quantity:
        raise SoldOut(f"{item.name}: {item.portions_left} left.")
    db.execute(
        "UPDATE menu_item SET portions_left = portions_left - ? WHERE code = ?",
        (quantity, item.code),
    )


def release_portions(db, code, quantity):
    db.execute(
        "UPDATE menu_item SET portions_left = portions_left + ? WHERE code = ? AND portions_left IS NOT NULL",
        (quantity, code),
    )
