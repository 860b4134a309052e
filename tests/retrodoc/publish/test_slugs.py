"""A page's path is built from slugs of ours only, whatever the run holds."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrodoc.publish.slugs import MAX_LENGTH, safe_slug, unique_slugs


@pytest.mark.parametrize(
    ("slug", "safe"),
    [
        ("send-order", "send-order"),
        ("Send Order", "send-order"),
        ("../../etc/passwd", "etc-passwd"),
        ("facturer-la-commande-réglée", "facturer-la-commande-reglee"),
        ("注文", "item"),
        ("", "item"),
        ("README", "readme-page"),
        ("con", "con-page"),
        ("a" * 80, "a" * 60),
    ],
)
def test_a_slug_is_safe_as_a_file_name(slug: str, safe: str) -> None:
    assert safe_slug(slug) == safe


@given(st.lists(st.text(max_size=90) | st.sampled_from(["a", "A", "a-2", "a" * 60, "a" * 61, "con"]), max_size=30))
def test_the_slugs_of_a_folder_are_safe_short_and_unique(slugs: list[str]) -> None:
    given_out = unique_slugs(slugs)
    assert len(set(given_out)) == len(slugs)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug) and len(slug) <= MAX_LENGTH + 5 for slug in given_out)


def test_safe_slugs_stay_as_they_are() -> None:
    assert unique_slugs(["send", "send", "close"]) == ["send", "send-2", "close"]
