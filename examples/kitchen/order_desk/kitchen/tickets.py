"""Tickets: what each station has to make, oldest first, and what is ready to carry."""

from ..db import now
from ..errors import NotFound, WrongState
from ..models import OrderStatus, Station, TicketStatus

NEXT_STATUS = {
    TicketStatus.WAITING: TicketStatus.COOKING,
    TicketStatus.COOKING: TicketStatus.READY,
}


def open_tickets(db, order_id):
    """One ticket for each station that the order needs; returns their ids."""
    stations = stations_of(db, order_id)
    return [open_ticket(db, order_id, station) for station in stations]


def stations_of(db, order_id):
    rows = db.execute(
        "SELECT DISTINCT station FROM order_line JOIN menu_item USING (code)"
        " WHERE order_id = ? AND voided_because IS NULL ORDER BY station",
        (order_id,),
    )
    return [Station(row["station"]) for row in rows]


def open_ticket(db, order_id, station):
    cursor = db.execute(
        "INSERT INTO ticket (order_id, station, sent_at) VALUES (?, ?, ?)",
        (order_id, station, now()),
    )
    return cursor.lastrowid


def find_ticket(db, ticket_id):
    ticket = db.execute("SELECT * FROM ticket WHERE id = ?", (ticket_id,)).fetchone()
    if ticket is None:
        raise NotFound(f"There is no ticket {ticket_id}.")
    return ticket


def advance_ticket(db, ticket_id):
    """From waiting to cooking, from cooking to ready; the last ready ticket serves the order."""
    ticket = find_ticket(db, ticket_id)
    status = TicketStatus(ticket["status"])
    if status not in NEXT_STATUS:
        raise WrongState(f"Ticket {ticket_id} is ready already.")
    with db:
        db.execute("UPDATE ticket SET status = ? WHERE id = ?", (NEXT_STATUS[status], ticket_id))
        if all_ready(db, ticket["order_id"]):
            mark_served(db, ticket["order_id"])
    return NEXT_STATUS[status]


def all_ready(db, order_id):
    query = "SELECT COUNT(*) FROM ticket WHERE order_id = ? AND status != 'ready'"
    return db.execute(query, (order_id,)).fetchone()[0] == 0


def mark_served(db, order_id):
    db.execute("UPDATE customer_order SET status = ? WHERE id = ?", (OrderStatus.SERVED, order_id))


def station_queue(db, station):
    """Open tickets of one station, oldest first, each with the dishes it is for."""
    rows = db.execute(
        "SELECT id, order_id, status, sent_at FROM ticket WHERE station = ? AND status != 'ready' ORDER BY sent_at, id",
        (station,),
    )
    return [dict(row) | {"dishes": dishes(db, row["order_id"], station)} for row in rows]


def dishes(db, order_id, station):
    rows = db.execute(
        "SELECT name, quantity, note FROM order_line JOIN menu_item USING (code)"
        " WHERE order_id = ? AND station = ? AND voided_because IS NULL ORDER BY order_line.id",
        (order_id, station),
    )
    return [dict(row) for row in rows]
