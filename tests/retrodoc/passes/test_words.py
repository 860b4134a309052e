"""Titles and slugs out of identifiers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrodoc.passes.words import phrase, singular, slug_of, title, words_of


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("add_product", ["add", "product"]),
        ("HTTPServer_v2", ["http", "server", "v2"]),
        ("BasketAddView", ["basket", "add", "view"]),
        ("sha256", ["sha256"]),
        ("__init__", ["init"]),
        ("close-day", ["close", "day"]),
        ("_", ["_"]),
    ],
)
def test_an_identifier_is_split_at_its_humps_and_underscores(name: str, words: list[str]) -> None:
    assert words_of(name) == words


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Add a product to the basket", "add-a-product-to-the-basket"),
        ("Créer une commande", "creer-une-commande"),
        ("BasketView", "basket-view"),
        ("../../etc/passwd", "etc-passwd"),
        ("???", "item"),
        ("", "item"),
    ],
)
def test_a_slug_is_lower_case_ascii_words(text: str, slug: str) -> None:
    assert slug_of(text) == slug


@given(st.text())
def test_a_slug_is_always_a_safe_file_name(text: str) -> None:
    slug = slug_of(text)
    assert slug.isascii()
    assert 0 < len(slug) <= 60
    assert not set(slug) - set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert slug == slug.strip("-")


@given(st.text(min_size=1))
def test_a_phrase_is_never_empty(name: str) -> None:
    assert words_of(name)
    assert phrase(name) == " ".join(words_of(name))
    assert title(name).casefold() == phrase(name).casefold()


@pytest.mark.parametrize(
    ("many", "one"),
    [("issues", "issue"), ("queries", "query"), ("addresses", "address"), ("status", "status"), ("news", "new")],
)
def test_singular_only_has_to_group_names(many: str, one: str) -> None:
    assert singular(many) == one
