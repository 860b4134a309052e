"""What the manager types: set the desk up, load a menu, print a day's report."""

import csv
from pathlib import Path

import click
from flask.cli import with_appcontext

from .db import create_tables, get_db
from .models import Station


@click.command("init-db")
@click.option("--tables", default=8, show_default=True, help="How many tables of four to set up.")
@with_appcontext
def init_db(tables):
    """Create the tables of the database and of the dining room."""
    create_tables()
    set_up_room(get_db(), tables)
    click.echo(f"{tables} tables are ready.")


def set_up_room(db, count):
    with db:
        db.executemany(
            "INSERT INTO dining_table (number, seats) VALUES (?, 4)",
            [(number,) for number in range(1, count + 1)],
        )


@click.command("load-menu")
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@with_appcontext
def load_menu(path):
    """Replace the menu by a CSV file: code, name, price in cents, station, portions a day (may be empty)."""
    items = read_menu(path)
    replace_menu(get_db(), items)
    click.echo(f"{len(items)} dishes are on the menu.")


def read_menu(path):
    with path.open(newline="", encoding="utf-8") as file:
        return [parse_item(row) for row in csv.DictReader(file)]


def parse_item(row):
    portions = int(row["portions"]) if row["portions"] else None
    return (row["code"], row["name"], int(row["price"]), Station(row["station"]), portions, portions)


def replace_menu(db, items):
    with db:
        db.executemany(
            "INSERT INTO menu_item (code, name, price, station, daily_portions, portions_left)"
            " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (code) DO UPDATE SET name = excluded.name,"
            " price = excluded.price, station = excluded.station,"
            " daily_portions = excluded.daily_portions, portions_left = excluded.portions_left",
            items,
        )


@click.command("day-report")
@click.argument("day")
@with_appcontext
def day_report(day):
    """Print what the nightly job wrote for DAY (YYYY-MM-DD)."""
    report = get_db().execute("SELECT * FROM day_report WHERE day = ?", (day,)).fetchone()
    if report is None:
        raise click.ClickException(f"There is no report for {day}.")
    for line in format_report(report):
        click.echo(line)


def format_report(report):
    yield f"{report['day']}: {report['covers']} covers, {euros(report['revenue'])}"
    yield f"tips {euros(report['tips'])}, {report['abandoned_orders']} orders abandoned"


def euros(cents):
    return f"{cents // 100}.{cents % 100:02d} EUR"


def init_app(app):
    app.cli.add_command(init_db)
    app.cli.add_command(load_menu)
    app.cli.add_command(day_report)
