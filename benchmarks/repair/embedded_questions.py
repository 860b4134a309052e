"""Twelve questions to a small model, made of a restaurant's order desk: what a first draft would ask."""

from __future__ import annotations

from typing import Any

from retrodoc.prompts import Prompt, load_prompt
from retrodoc.prompts.base import PromptInput
from retrodoc.prompts.models import DomainsIn, Door, JudgedStep, JudgeIn, Slice, UseCasesIn

CODE = {
    "take_order": """def take_order(table, guest_count):
    if table.taken:
        raise TableTaken(table.number)
    order = Order(table=table, guests=guest_count)
    session.add(order)
    return order
""",
    "add_dish": """def add_dish(order, dish, quantity=1):
    if order.closed:
        raise OrderClosed(order.id)
    line = OrderLine(order=order, dish=dish, quantity=quantity)
    order.lines.append(line)
    return line
""",
    "send_to_kitchen": """def send_to_kitchen(order):
    tickets = [Ticket(line) for line in order.lines if not line.sent]
    for ticket in tickets:
        printer.print_ticket(ticket)
        ticket.line.sent = True
    return tickets
""",
    "split_bill": """def split_bill(order, parts):
    if parts < 1 or parts > 12:
        raise BadSplit(parts)
    share, rest = divmod(order.total_cents, parts)
    return [share + (1 if i < rest else 0) for i in range(parts)]
""",
}
STEPS = (
    "`take_order` raises `TableTaken` when the table is taken.",
    "`add_dish` sends an e-mail to the guest.",
    "`send_to_kitchen` prints one ticket for each line that was not sent.",
    "`split_bill` allows at most 20 parts.",
)


def _piece(name: str, number: int) -> Slice:
    return Slice(path="desk/orders.py", start_line=10 + 10 * number, text=CODE[name], note=name)


def _questions() -> list[tuple[str, Prompt[Any, Any], PromptInput]]:
    found: list[tuple[str, Prompt[Any, Any], PromptInput]] = []
    doors = tuple(
        Door(number=n, label=f"POST /{name.replace('_', '-')}", where=f"{name} (desk/orders.py)")
        for n, name in enumerate(CODE, 1)
    )
    for number, name in enumerate(CODE):
        inputs = UseCasesIn(
            language="en",
            domain="Service",
            feature=name.replace("_", " "),
            entry_points=(doors[number],),
            slices=(_piece(name, number),),
            vocabulary=("Order", "OrderLine", "Table", "Ticket"),
        )
        found.append((f"draft-{name}", load_prompt("use_cases"), inputs))
        step = JudgedStep(number=1, text=STEPS[number], doubts=("nothing to check",), code=(_piece(name, number),))
        found.append((f"judge-{name}", load_prompt("judge"), JudgeIn(language="en", steps=(step,))))
    for size in (1, 2, 3, 4):
        found.append((f"domains-{size}", load_prompt("domains"), DomainsIn(language="en", entry_points=doors[:size])))
    return found


QUESTIONS = _questions()
