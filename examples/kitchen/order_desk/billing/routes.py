"""The till: read, split and pay a table's bill."""

from dataclasses import asdict

from flask import Blueprint, current_app, jsonify, request

from ..db import get_db
from .bills import read_bill, record_payment, split_by_seat, split_equally

bp = Blueprint("billing", __name__)


def open_bill(number):
    return read_bill(get_db(), number, current_app.config["SERVICE_RATE"])


@bp.get("/<int:number>")
def show_bill(number):
    bill = open_bill(number)
    return jsonify(asdict(bill) | {"total": bill.total, "due": bill.due})


@bp.post("/<int:number>/split")
def split_bill(number):
    bill = open_bill(number)
    if request.json.get("by") == "seat":
        return jsonify(shares=split_by_seat(bill))
    return jsonify(shares=split_equally(bill, request.json["shares"]))


@bp.post("/<int:number>/payments")
def pay_bill(number):
    bill = open_bill(number)
    tip = record_payment(get_db(), bill, request.json["amount"], request.json["method"])
    return jsonify(due=open_bill(number).due, tip=tip), 201
