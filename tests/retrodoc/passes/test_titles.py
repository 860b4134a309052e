"""Titles that a reader would give, out of handlers and routes."""

from __future__ import annotations

import pytest

from retrodoc.passes.titles import title_of, titles_of
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
        ("http", "DELETE", "/flow/:id", None, "delete", "Delete flow by id"),
        ("http", "POST", "/bills/:id/split", None, "anonymous", "Post bills split"),
        ("http", "GET", "/", None, "anonymous", "Get root"),
        ("http", "GET", "/:id", None, "anonymous", "Get :id"),
        ("http", "GET", "/api/v1/articles", None, "anonymous", "Get articles"),
        ("http", "GET", "/api/v1", None, "anonymous", "Get api v1"),
        ("http", "GET", "/articles/:slug", None, "anonymous", "Get articles by slug"),
        ("http", "PUT", "/users/{userId}/{itemId}/", None, "closure", "Put users by user id and item id"),
        ("http", "GET", "/tasks/<int:pk>", None, "lambda", "Get tasks by pk"),
        ("http", "PUT", "/users/:id/block", None, "UsersController#block", "Block (users)"),
        ("http", "GET", "/v1/docs", None, "swaggerUi.setup(specs, { explorer: true, })", "Get docs"),
        ("http", "GET", "/issues/:id/edit", None, "IssuesController#edit", "Open the form to edit issue"),
        ("http", "GET", "/", None, "homeController.index", "Show home"),
        ("http", "GET", "/news", None, "NewsController#index", "List news"),
        ("http", "GET", "/admin", None, "AdminController#index", "Show admin"),
        ("http", "PUT", "/comments/:id", None, "api.comments.edit", "Edit comment"),
        ("http", "POST", "/comments/new", None, "api.comments.new", "New comment"),
        ("http", "GET", "/replies/page/:page", None, "redirect", "Redirect replies page"),
        ("http", "GET", "/replies", None, "views.redirect", "Redirect"),
        ("cli", None, None, "manage.py oscar_send_alerts", "Command.handle", "Oscar send alerts"),
        ("cli", None, None, "python scripts/old/plot_whisker.py", "scripts.old.plot_whisker", "Plot whisker"),
        ("cli", None, None, "python tidy.py", "tidy", "Tidy"),
        ("cli", None, None, "python -m desk.tidy", "desk.tidy", "Desk tidy"),
        ("job", None, None, "nightly-report", "jobs.nightly", "Nightly report"),
        ("event", None, None, "post_save", "receivers.update_index", "React to post save: update index"),
        ("http", "GET", "/api/orders/:id", None, "GET", "Get orders by id"),
        ("page", None, None, "/dashboard/orders/:id", "Page", "Open dashboard orders by id"),
        ("page", None, None, "/", "HomePage", "Open the first page"),
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


def _http(method: str, path: str, symbol: str, file: str | None = None) -> EntryPoint:
    return EntryPoint(kind="http", method=method, path=path, handler=Handler(symbol=symbol, path=file))


@pytest.mark.parametrize(
    ("doors", "expected"),
    [
        (
            [("GET", "/posts", "api.posts.browse", "Posts"), ("GET", "/tags", "api.tags.browse", "Tags")],
            ["Browse (posts)", "Browse (tags)"],
        ),
        (
            [("GET", "/a", "shop.views.Index", "Orders"), ("GET", "/b", "shop.views.Index", "Hats")],
            ["Index (orders)", "Index (hats)"],
        ),
        (
            [("GET", "/login", "auth.login", "Auth"), ("POST", "/login", "auth.login", "Auth")],
            ["Login (GET)", "Login (POST)"],
        ),
        (
            [("GET", "/a/:x/files", "anonymous", "A"), ("GET", "/a/:x/:y/files", "anonymous", "A")],
            ["Get a files (/a/:x/files)", "Get a files (/a/:x/:y/files)"],
        ),
        (
            [
                ("GET", "/posts", "api.posts.browse", "Posts"),
                ("GET", "/content/posts", "api.posts.browse", "Posts"),
                ("GET", "/tags", "api.tags.browse", "Tags"),
            ],
            ["Browse (posts, /posts)", "Browse (posts, /content/posts)", "Browse (tags)"],
        ),
        ([("GET", "/x", "a.run", "X"), ("GET", "/x", "a.run", "X")], ["Run a", "Run a"]),
        ([("GET", "/x", "a.taste", "X"), ("GET", "/y", "a.stir", "X")], ["Taste", "Stir"]),
    ],
)
def test_equal_titles_are_told_apart_with_the_least_that_does(
    doors: list[tuple[str, str, str, str]], expected: list[str]
) -> None:
    entries = [(_http(method, path, symbol), feature) for method, path, symbol, feature in doors]
    assert titles_of(entries) == expected


def test_what_nothing_of_the_door_tells_apart_is_told_apart_by_its_file() -> None:
    entries = [(_http("GET", "/x", "index", file), "X") for file in ("src/old/pages.js", "src/new/pages.js")]
    assert titles_of(entries) == ["Index x (src/old/pages.js)", "Index x (src/new/pages.js)"]
