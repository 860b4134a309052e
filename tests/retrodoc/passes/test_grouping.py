"""Features and domains from where code lives: every entry point exactly once, names that a reader would choose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrodoc.passes.grouping import group
from retrodoc_runs.models import EntryPoint, Handler


def _entry(path: str | None, kind: str = "http", route: str | None = "/", name: str | None = None) -> EntryPoint:
    handler = Handler(symbol=name or "run", path=path, start_line=path and 1, end_line=path and 2)
    return EntryPoint.model_validate({"kind": kind, "path": route, "name": name, "handler": handler})


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (
            ["shop/apps/basket/views.py", "shop/apps/checkout/views.py", "shop/apps/dashboard/orders/views.py"],
            [("basket", "basket"), ("checkout", "checkout"), ("dashboard", "orders")],
        ),
        (
            ["app/controllers/issues_controller.rb", "app/controllers/admin/users_controller.rb"],
            [("issues", "issues"), ("admin", "users")],
        ),
        (
            ["src/routes/orders.js", "src/routes/tables.js"],
            [("orders", "orders"), ("tables", "tables")],
        ),
    ],
)
def test_features_follow_the_telling_folders(paths: list[str], expected: list[tuple[str, str]]) -> None:
    groups = group([_entry(path) for path in paths], "app")
    assert [(g.domain.slug, g.feature.slug) for g in groups] == expected


def test_where_all_is_in_one_file_the_resource_of_the_route_decides() -> None:
    groups = group([_entry("app.py", route="/api/v1/orders/<id>"), _entry("app.py", route="/tables")], "desk")
    assert [g.feature.slug for g in groups] == ["orders", "tables"]


@pytest.mark.parametrize(
    ("route", "feature"),
    [
        ("/api/tasks/:id/assign", "tasks"),
        ("/api/v2/jobs", "jobs"),
        ("/rest/services/:id", "services"),
        ("/models", "models"),
        ("/api/v1/", "desk"),
    ],
)
def test_a_word_that_says_how_files_are_arranged_is_a_resource_in_a_route(route: str, feature: str) -> None:
    (found,) = group([_entry("src/routes/index.ts", route=route)], "desk")
    assert found.feature.slug == feature


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("app/(shop)/hats/page.tsx", ("hats", "hats-pages")),
        ("app/hats/[size]/page.tsx", ("hats", "hats-pages")),
        ("src/app/page.tsx", ("desk", "pages")),
        ("app/@side/hats/racks/page.jsx", ("hats", "hats-pages")),
    ],
)
def test_a_page_is_grouped_by_its_folders_without_marks_of_the_framework(path: str, expected: tuple[str, str]) -> None:
    (found,) = group([_entry(path, "page", None, "/x")], "desk")
    assert (found.domain.slug, found.feature.slug) == expected


def test_commands_and_jobs_are_features_of_their_own() -> None:
    groups = group([_entry("app.py", route="/orders"), _entry("cli.py", "cli", None, "close-day")], "desk")
    assert [g.feature.slug for g in groups] == ["orders", "commands"]


def test_many_domains_of_one_feature_are_gathered_by_their_first_word() -> None:
    names = ["issue", "issue_relations", "issue_statuses", "wiki", "wiki_pages", "roles", *"abcdefghijklm"]
    groups = group([_entry(f"app/controllers/{name}_controller.rb") for name in names], "tracker")
    domains = {g.feature.slug: g.domain.slug for g in groups}
    assert domains["issue-relations"] == domains["issue-statuses"] == domains["issue"] == "issue"
    assert domains["wiki"] == domains["wiki-pages"] == "wiki"
    assert domains["roles"] == "general"


_PATHS = st.one_of(
    st.none(),
    st.lists(st.sampled_from(["app", "views", "orders", "Orders", "é", "..."]), min_size=1, max_size=4).map("/".join),
)


@given(st.lists(st.tuples(_PATHS, st.sampled_from(["http", "cli", "job", "event"]), st.none() | st.text())))
def test_every_entry_point_is_in_exactly_one_feature(found: list[tuple[str | None, str, str | None]]) -> None:
    entries = [_entry(path, kind, route) for path, kind, route in found]
    groups = group(entries, "app")
    assert sorted(id(e) for g in groups for e in g.entry_points) == sorted(map(id, entries))
    assert len({g.feature.slug for g in groups}) == len(groups)
