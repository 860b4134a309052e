"""What a waiter's handset talks to: tables and orders."""

from flask import Blueprint, current_app, jsonify, request

from ..db import get_db
from . import orders, tables

bp = Blueprint("floor", __name__)


@bp.get("/tables")
def show_table_plan():
    return jsonify(tables=tables.list_tables(get_db()))


@bp.post("/tables/<int:number>/seat")
def seat_guests(number):
    table = tables.seat_party(get_db(), number, request.json["party"])
    return jsonify(dict(table)), 201


@bp.post("/tables/<int:number>/close")
def free_table(number):
    bill = tables.close_table(get_db(), number, current_app.config["SERVICE_RATE"])
    return jsonify(table=number, total=bill.total)


@bp.post("/orders")
def open_order():
    order_id = orders.take_order(get_db(), request.json["table"], request.json["lines"])
    return jsonify(order=order_id), 201


@bp.post("/orders/<int:order_id>/lines")
def add_to_order(order_id):
    orders.extend_order(get_db(), order_id, request.json)
    return "", 204


@bp.delete("/orders/<int:order_id>/lines/<int:line_id>")
def strike_line(order_id, line_id):
    orders.void_line(get_db(), order_id, line_id, request.json["reason"])
    return "", 204


@bp.post("/orders/<int:order_id>/send")
def fire_order(order_id):
    tickets = orders.send_to_kitchen(get_db(), order_id)
    return jsonify(order=order_id, tickets=tickets)
