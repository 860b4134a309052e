"""A small run over a small repository, judged by the judge itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from retrodoc.publish.book import Book, build_book
from retrodoc_checks import FileIndex, StepFinding, check_step
from retrodoc_runs.models import (
    Actor,
    Domain,
    Entity,
    EntryPoint,
    Feature,
    Field,
    Handler,
    Judgement,
    Run,
    SourceRef,
    Step,
    Unread,
    UseCase,
)
from retrodoc_runs.snapshot import MemorySnapshot

ORDERS = """\
from .tickets import open_tickets
from .tables import occupied_table


def take_order(db, table_number, lines):
    table = occupied_table(db, table_number)
    if not lines:
        raise Invalid("An order needs at least one line.")
    return insert_order(db, table, lines)


def send_to_kitchen(db, order_id):
    order = require_draft(db, order_id)
    tickets = open_tickets(db, order)
    set_status(db, order_id, "sent")
    return tickets


def set_status(db, order_id, status):
    db.execute("UPDATE customer_order SET status = ? WHERE id = ?", (status, order_id))
"""
ROUTES = """\
@bp.post("/orders/<int:order_id>/send")
def send(order_id):
    return send_to_kitchen(get_db(), order_id)
"""
FILES = {
    "desk/orders.py": ORDERS,
    "desk/routes.py": ROUTES,
    "desk/tickets.py": "def open_tickets(db, order):\n    ...\n",
}

SEND = EntryPoint(
    kind="http",
    method="POST",
    path="/orders/<int:order_id>/send",
    handler=Handler(symbol="send", path="desk/routes.py", start_line=1, end_line=3),
    framework="flask",
)
FORGOTTEN = EntryPoint(
    kind="cli", name="init-db", handler=Handler(symbol="init_db", path="desk/cli.py", start_line=1, end_line=9)
)
LEFT_OUT = EntryPoint(kind="http", method="GET", path="/static/<path>", handler=Handler(symbol="flask.static"))


def ref(path: str, start: int, end: int | None = None) -> SourceRef:
    return SourceRef(path=path, start_line=start, end_line=end or start)


WAITER = Actor(name="Waiter", kind="human")
SYSTEM = Actor(name="System")

SEND_STEPS = (
    Step(
        order=1,
        actor=WAITER,
        action="send the order",
        description='`send` answers "/orders/<int:order_id>/send".',
        source_refs=(ref("desk/routes.py", 1, 2),),
    ),
    Step(
        order=2,
        actor=SYSTEM,
        description="`send_to_kitchen` calls `require_draft`.",
        source_refs=(ref("desk/orders.py", 12, 13),),
    ),
    Step(
        order=3,
        actor=SYSTEM,
        description="`open_tickets` opens a ticket for each station.",
        source_refs=(ref("desk/orders.py", 15), ref("desk/tickets.py", 1)),
    ),
    Step(
        order=4, actor=SYSTEM, description="`set_status` marks it as sent.", source_refs=(ref("desk/orders.py", 6, 7),)
    ),
    Step(order=5, actor=SYSTEM, description="The ticket is printed.", source_refs=(ref("desk/printer.py", 1, 2),)),
    Step(order=6, actor=WAITER, description="The waiter carries the plates."),
)

RUN = Run(
    id="20260102-0304-a1b2",
    repository="order-desk",
    commit="0123456789abcdef0123456789abcdef01234567",
    created_at="2026-01-02T03:04:05+00:00",
    program="retrodoc 0.1.0",
    domains=(Domain(slug="floor", name="Floor", description="Where guests sit and order."),),
    features=(
        Feature(slug="orders", domain_slug="floor", name="Orders", description="Take orders. And send them."),
        Feature(slug="tables", domain_slug="floor", name="Tables"),
        Feature(slug="lost", domain_slug="nowhere", name="Lost"),
    ),
    use_cases=(
        UseCase(
            slug="send-an-order",
            feature_slug="orders",
            name="Send an order to the kitchen",
            description="A waiter fires a draft.",
            narrative="The waiter fires the order.\n\nEach station gets a ticket.",
            primary_actor="Waiter",
            entry_points=(SEND.label,),
            steps=SEND_STEPS,
        ),
        UseCase(
            slug="take-an-order",
            feature_slug="orders",
            name="Take an order",
            steps=(
                Step(
                    order=1,
                    description="`take_order` calls `occupied_table`.",
                    source_refs=(ref("desk/orders.py", 5, 6),),
                ),
            ),
        ),
        UseCase(slug="find-the-way", feature_slug="nowhere", steps=()),
    ),
    entry_points=(SEND, FORGOTTEN, LEFT_OUT),
    excluded=((LEFT_OUT.label, "served by the framework"),),
    entities=(
        Entity(
            name="Ticket",
            kind="table",
            path="schema.sql",
            start_line=1,
            end_line=6,
            fields=(
                Field(name="id", type="INTEGER"),
                Field(name="status", type="TEXT", values=("waiting", "cooking", "ready")),
            ),
        ),
        Entity(name="Station", kind="enum", path="desk/models.py", start_line=3, end_line=6, values=("grill", "bar")),
    ),
    unread=(Unread(path="static/app.min.js", reason="minified"), Unread(path="logo.png", reason="binary")),
    judgements=(
        Judgement(use_case="send-an-order", order=3, outcome="partial", rationale="No station.", model="m", key="k"),
    ),
    notes=("1 invented entry point was dropped.",),
)


def judge_run(run: Run, files: dict[str, str] | None = None) -> list[list[StepFinding]]:
    index = FileIndex(MemorySnapshot(files or FILES))
    names = [entity.name for entity in run.entities]
    return [
        [check_step(step.text, step.source_refs, index, names) for step in use_case.steps] for use_case in run.use_cases
    ]


@pytest.fixture
def run() -> Run:
    return RUN


@pytest.fixture
def judge() -> Callable[[Run], Sequence[Sequence[StepFinding]]]:
    """Judge a run over the small repository."""
    return judge_run


@pytest.fixture
def book() -> Book:
    return build_book(RUN, judge_run(RUN))
