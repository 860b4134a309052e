"""One connection a request, and the clock that the tables are stamped with."""

import sqlite3
from datetime import UTC, datetime

from flask import current_app, g


def get_db():
    if "db" not in g:
        g.db = sqlite3.connect(current_app.config["DATABASE"])
        g.db.row_factory = sqlite3.Row
        g.db.execute("PRAGMA foreign_keys = ON")
    return g.db


def close_db(_error=None):
    connection = g.pop("db", None)
    if connection is not None:
        connection.close()


def create_tables():
    with current_app.open_resource("schema.sql") as schema:
        get_db().executescript(schema.read().decode())


def now():
    return datetime.now(UTC).isoformat(timespec="seconds")


def init_app(app):
    app.teardown_appcontext(close_db)
