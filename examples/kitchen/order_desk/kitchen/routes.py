"""The screens above each station."""

from flask import Blueprint, jsonify, render_template

from ..db import get_db
from ..errors import NotFound
from ..models import Station
from .tickets import advance_ticket, station_queue

bp = Blueprint("kitchen", __name__)


def known_station(name):
    if name not in list(Station):
        raise NotFound(f"There is no station {name}.")
    return Station(name)


@bp.get("/<station>")
def show_station(station):
    return render_template("station.html", station=known_station(station))


@bp.get("/<station>/tickets")
def list_tickets(station):
    return jsonify(tickets=station_queue(get_db(), known_station(station)))


@bp.post("/tickets/<int:ticket_id>/advance")
def move_ticket_on(ticket_id):
    status = advance_ticket(get_db(), ticket_id)
    return jsonify(ticket=ticket_id, status=status)
