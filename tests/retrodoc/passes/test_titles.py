"""Titles that a reader would give, out of handlers and routes."""

from __future__ import annotations

import pytest

from retrodoc.passes.titles import title_of
from retrodoc_runs.models import EntryPoint, Handler


@pytest.mark.parametrize(
    ("kind", "method", "path", "name", "symbol", "expected"),
    [
        ("http", "GET", "/issues", None, "IssuesController#index", "List issues"),
        ("http", "POST", "/issues", None, "IssuesController#create", "Create issue"),
        ("http", "POST", "/issues/bulk_edit", None, "IssuesController#bulk_edit", "Bulk edit (issues)"),
        ("http", None, "basket/add/", "add", "oscar.apps.basket.views.BasketAddView", "Basket add"),
        ("http", "POST", "/orders", None, "desk.take_order", "Take order"),
        ("http", "DELETE", "/flow/:id", None, "flow.delete", "Delete flow"),
        ("http", "POST", "/bills/:id/split", None, "anonymous", "Post bills split"),
        ("http", "GET", "/", None, "anonymous", "Get root"),
        ("http", "GET", "/:id", None, "anonymous", "Get :id"),
        ("http", "GET", "/replies/page/:page", None, "redirect", "Redirect replies page"),
        ("http", "GET", "/replies", None, "views.redirect", "Redirect"),
        ("cli", None, None, "manage.py oscar_send_alerts", "Command.handle", "Oscar send alerts"),
        ("cli", None, None, "python scripts/old/plot_whisker.py", "scripts.old.plot_whisker", "Plot whisker"),
        ("cli", None, None, "python tidy.py", "tidy", "Tidy"),
        ("cli", None, None, "python -m desk.tidy", "desk.tidy", "Desk tidy"),
        ("job", None, None, "nightly-report", "jobs.nightly", "Nightly report"),
        ("event", None, None, "post_save", "receivers.update_index", "React to post save: update index"),
        ("public-api", None, None, "map", "rxjs.map", "Map"),
    ],
)
def test_a_use_case_is_named_after_what_runs(
    kind: str, method: str | None, path: str | None, name: str | None, symbol: str, expected: str
) -> None:
    entry = EntryPoint.model_validate(
        {"kind": kind, "method": method, "path": path, "name": name, "handler": Handler(symbol=symbol)}
    )
    assert title_of(entry) == expected
