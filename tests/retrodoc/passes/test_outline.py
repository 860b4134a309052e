"""The outline claims only what the syntax shows, in order, two levels deep, and the judge agrees."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from retrodoc.ingest.sources import Sources
from retrodoc.passes.outline import MAX_STEPS, Outline, Outliner
from retrodoc.passes.symbols import SymbolIndex
from retrodoc_checks import FileIndex, check_step
from retrodoc_runs.models import EntryPoint, Handler, SourceRef
from retrodoc_runs.snapshot import MemorySnapshot

DESK = """
from kitchen import send_to_kitchen
from orders import store


@login_required
@app.post("/orders/<int:table>")
def take_order(table):
    logger.info("taking %s", table)
    form = read_form(request)
    order = store.create_order(table, form)
    send_to_kitchen(order)
    return render("orders/taken.html", order)


def read_form(request):
    return request.form
"""
KITCHEN = """
def send_to_kitchen(order):
    queue.publish("kitchen", order)
    order.mark_sent()
"""
STORE = """
def create_order(table, form):
    row = db.insert_row("orders", table)
    return row
"""
CONTROLLER = """
class TablesController < ApplicationController
  before_action :find_table, only: [:close]
  before_action :authorize, except: [:index]

  def index
    @tables = Table.where(open: true)
  end

  def close
    @table.settle!
    Receipt.deliver_later(@table)
  end

  private

  def find_table
    @table = Table.find(params[:id])
  end
end
"""
ROUTER = """
const orders = require("./orders");

router.post("/bills/:id/split", async (req, res) => {
  const bill = await orders.loadBill(req.params.id);
  const parts = splitBill(bill, req.body.parts);
  res.render("bill", parts);
});
"""


def _outline(files: dict[str, str], entry: EntryPoint) -> Outline:
    return Outliner(SymbolIndex(Sources.from_mapping(files))).outline(entry)


def _entry(
    path: str, symbol: str, start: int, end: int, route: str = "/", declared: SourceRef | None = None
) -> EntryPoint:
    handler = Handler(symbol=symbol, path=path, start_line=start, end_line=end)
    return EntryPoint(kind="http", method="POST", path=route, handler=handler, declared=declared)


PYTHON = {"desk.py": DESK, "kitchen.py": KITCHEN, "orders/store.py": STORE}
TAKE_ORDER = _entry("desk.py", "desk.take_order", 6, 13, "/orders/<int:table>")


def test_calls_are_told_in_order_and_followed_one_level() -> None:
    told = [step.description for step in _outline(PYTHON, TAKE_ORDER).steps]
    assert told == [
        '`take_order` answers "/orders/<int:table>".',
        "`login_required` wraps `take_order`.",
        "`take_order` calls `read_form`.",
        "`take_order` calls `create_order` on `store`.",
        '`create_order` calls `insert_row` on `db` with "orders".',
        "`take_order` calls `send_to_kitchen`.",
        '`send_to_kitchen` calls `publish` on `queue` with "kitchen".',
        "`send_to_kitchen` calls `mark_sent` on `order`.",
        '`take_order` returns what `render` gives with "orders/taken.html".',
    ]


def test_logging_is_left_out() -> None:
    assert not any("info" in step.description for step in _outline(PYTHON, TAKE_ORDER).steps)


def test_what_a_rust_attribute_says_to_the_compiler_is_no_call() -> None:
    source = """
fn main() {
    #[cfg(all(windows, not(test)))]
    paint(true);
    let all = [boil(), salt()];
    #[allow(unused)] third();
}
"""
    outline = _outline({"src/main.rs": source}, _entry("src/main.rs", "main", 2, 7))
    told = " ".join(step.description for step in outline.steps)
    assert re.findall(r"calls `(\w+)`", told) == ["paint", "boil", "salt", "third"]


def test_a_rails_action_is_told_with_the_callbacks_that_run_for_it() -> None:
    close = _outline(
        {"app/tables_controller.rb": CONTROLLER}, _entry("app/tables_controller.rb", "TablesController#close", 10, 13)
    )
    index = _outline(
        {"app/tables_controller.rb": CONTROLLER}, _entry("app/tables_controller.rb", "TablesController#index", 6, 8)
    )
    assert [s.description for s in close.steps if "before_action" in s.description] == [
        "`before_action` runs `find_table`.",
        "`before_action` runs `authorize`.",
    ]
    assert not [s.description for s in index.steps if "before_action" in s.description]


@pytest.mark.parametrize(
    ("callback", "told"),
    [
        ("before_action :check_stock,\n    only: [:close]", True),
        ("before_action :check_stock,\n    only: [:index]", False),
        ("before_action :check_stock, only: [\n    :index, # the list, not :close\n    :show\n  ]", False),
        ("before_action :check_stock, only: %i[\n    index\n    close\n  ]", True),
        ("before_action :check_stock,\n    except: [:close]", False),
        ("before_action :check_stock, only: [" + "\n    :index," * 20 + "\n  ]", False),
    ],
)
def test_a_callback_is_read_to_its_end(callback: str, told: bool) -> None:
    """Its `only:` may stand on a later line, and says for which actions it runs."""
    source = f"""
class TablesController < ApplicationController
  {callback}

  def close
    Receipt.deliver_later(@table)
  end
end
"""
    start = source[: source.index("def close")].count("\n") + 1
    outline = _outline({"t.rb": source}, _entry("t.rb", "TablesController#close", start, start + 2))
    assert any(step.description == "`before_action` runs `check_stock`." for step in outline.steps) == told


def test_a_function_that_a_route_registers_is_a_handler_too() -> None:
    declared = SourceRef(path="router.js", start_line=4, end_line=4)
    entry = _entry("router.js", "router.post", 4, 8, "/bills/:id/split", declared)
    told = " ".join(step.description for step in _outline({"router.js": ROUTER}, entry).steps)
    assert '"/bills/:id/split"' in told
    assert re.search(r"`loadBill`.*`splitBill`.*`render`", told)


def test_what_is_left_out_of_a_long_handler_is_counted() -> None:
    body = "\n".join(f"    step_{letter}(x)" for letter in "abcdefghijklmnopqrstuvwxyz")
    outline = _outline({"long.py": f"def long(x):\n{body}\n"}, _entry("long.py", "long.long", 1, 27))
    assert len(outline.steps) <= MAX_STEPS
    assert outline.left_out > 0 or len(outline.steps) >= 10


def test_a_handler_of_another_package_is_told_by_its_registration() -> None:
    urls = 'urlpatterns = [\n    path("login/", LoginView.as_view(), name="login"),\n]\n'
    entry = EntryPoint(
        kind="http",
        path="accounts/login/",
        handler=Handler(symbol="django.contrib.auth.views.LoginView"),
        declared=SourceRef(path="urls.py", start_line=2, end_line=2),
    )
    (step,) = _outline({"urls.py": urls}, entry).steps
    assert step.description == '`LoginView` answers "login/".'
    assert step.source_refs == (SourceRef(path="urls.py", start_line=2, end_line=2),)


@pytest.mark.parametrize(
    ("files", "entry"),
    [
        (PYTHON, TAKE_ORDER),
        ({"t.rb": CONTROLLER}, _entry("t.rb", "TablesController#close", 10, 13)),
        (
            {"r.js": ROUTER},
            _entry("r.js", "router.post", 4, 8, "/bills/:id/split", SourceRef(path="r.js", start_line=4, end_line=4)),
        ),
    ],
)
def test_the_judge_finds_every_step_valid_and_no_longer_valid_elsewhere(
    files: dict[str, str], entry: EntryPoint
) -> None:
    index = FileIndex(MemorySnapshot(files))
    for step in _outline(files, entry).steps:
        assert check_step(step.text, step.source_refs, index).verdict == "valid", step.description
        away = [replace(ref, start_line=1, end_line=1) for ref in step.source_refs]
        assert check_step(step.text, away, index).verdict != "valid", step.description


def test_sentences_avoid_the_words_of_the_entities() -> None:
    outliner = Outliner(SymbolIndex(Sources.from_mapping(PYTHON)), ["Call", "Answer"])
    told = " ".join(step.description for step in outliner.outline(TAKE_ORDER).steps)
    assert " calls " not in told
    assert " answers " not in told
    assert " invokes " in told
