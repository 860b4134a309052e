"""Citations in a page's front matter: what the page was made from, as some generators write it."""

from __future__ import annotations

import pytest

from retrodoc_runs.readers.markdown import Surroundings, read_markdown
from retrodoc_runs.readers.model import Reading
from retrodoc_runs.steps import label_of

FILES = frozenset({"src/cart.py", "src/pay.py", "docs/local.py", "bin/serve"})
SHA = "fa91c5c258808c103a4e110c6291eaf9ef1dacf8"
FORGE = f"https://github.com/acme/shop/blob/{SHA}"


def read(front: str, fence: str = "---") -> Reading:
    around = Surroundings(exists=FILES.__contains__, repository="github.com/acme/shop", folder="docs")
    return read_markdown(f"{fence}\n{front}\n{fence}\n\n# Cart\n\nIt has lines.\n", "docs/cart.md", around)


def cited(reading: Reading) -> list[str]:
    return [label_of(ref) for one in reading.steps for ref in one.step.source_refs]


READ = {
    "a list of citations": ("sources:\n  - src/pay.py:10-20\n  - src/cart.py:3", ["src/pay.py:10-20", "src/cart.py:3"]),
    "a list on one line": ('sources: ["src/pay.py:10-20", src/cart.py:3]', ["src/pay.py:10-20", "src/cart.py:3"]),
    "one citation": ("source: src/pay.py:1", ["src/pay.py:1"]),
    "anchors": ("sources: ['src/pay.py#L3-L9', 'local.py#L2']", ["src/pay.py:3-9", "docs/local.py:2"]),
    "lines of one file": ("sources: ['src/pay.py:3,9,14-15']", ["src/pay.py:3", "src/pay.py:9", "src/pay.py:14-15"]),
    "a permalink": (f"sources: [{FORGE}/src/pay.py#L3-L9]", ["src/pay.py:3-9"]),
    "whole files": ("source_files:\n- src/pay.py\n- bin/serve\n- lib/a.rb", ["src/pay.py", "bin/serve", "lib/a.rb"]),
    "a resource, from the root, as OpenWiki writes it": ("resource: /src/pay.py", ["src/pay.py"]),
    "OpenWiki's own keys": (
        "openwiki:\n  source_paths: [src/pay.py]\n  symbols: [pay.total]\n  test_paths:\n  - src/cart.py",
        ["src/pay.py", "src/cart.py"],
    ),
    "a file beside the page": ("sources: [local.py]", ["docs/local.py"]),
    "a file with its ranges": (
        "provenance:\n- file: src/pay.py\n  ranges:\n  - '16'\n  - 19-22\n- file: src/cart.py",
        ["src/pay.py:16", "src/pay.py:19-22", "src/cart.py"],
    ),
    "a file with its lines": ("sources:\n- {path: src/pay.py, lines: 3-9}\n", ["src/pay.py:3-9"]),
    "a first and a last line": (
        "evidence:\n- {path: src/pay.py, start_line: 3, end_line: 9}\n- {file: src/cart.py, line: 4}\n",
        ["src/pay.py:3-9", "src/cart.py:4"],
    ),
    "a link inside an entry": (f"references:\n- title: Pay\n  url: {FORGE}/src/pay.py#L3\n", ["src/pay.py:3"]),
    "lines under any other key": ("title: Pay\nanchor: src/pay.py:7\n", ["src/pay.py:7"]),
}  # fmt: skip


@pytest.mark.parametrize(("front", "citations"), READ.values(), ids=READ.keys())
def test_front_matter_cites(front: str, citations: list[str]) -> None:
    reading = read(front)
    assert sorted(cited(reading)) == sorted(citations)
    assert reading.unparsed == ()
    assert {(one.step.text, one.line) for one in reading.steps} == {("", 1)}


def test_a_permalink_pins_its_commit() -> None:
    (step,) = read(f"sources: [{FORGE}/src/pay.py#L3-L9]").steps
    assert step.commits == (SHA,)


LISTED = {
    "letters among the digits": ("sources: ['src/pay.py:1O-20']", [("src/pay.py:1O-20", 2)]),
    "an anchor never filled in": ("sources:\n- src/pay.py#LSTART-LEND", [("src/pay.py#LSTART-LEND", 3)]),
    "ranges that are none": ("provenance:\n- file: src/pay.py\n  ranges: [a-b, 3]", [("src/pay.py:a-b", 3)]),
    "an image with its tag": ("image: library/redis:7", [("library/redis:7", 2)]),
    "YAML that is none": ("title: [a\nsources: src/pay.py:10", [("src/pay.py:10", 3)]),
    "an alias": ("a: &x src/pay.py:3\nsources: [*x]", [("src/pay.py:3", 2)]),
}


@pytest.mark.parametrize(("front", "texts"), LISTED.values(), ids=LISTED.keys())
def test_what_cannot_be_read_in_front_matter_is_listed(front: str, texts: list[tuple[str, int]]) -> None:
    assert [(one.text, one.line) for one in read(front).unparsed] == texts


def test_what_can_be_read_beside_it_is_read() -> None:
    assert cited(read("provenance:\n- file: src/pay.py\n  ranges: [a-b, 3]")) == ["src/pay.py:3"]


def test_toml_is_listed_and_not_read() -> None:
    reading = read('title = "Pay"\nsources = ["src/pay.py:10-20"]', "+++")
    assert ([(one.text, one.line) for one in reading.unparsed], reading.steps) == ([("src/pay.py:10-20", 3)], ())


NOTHING = {
    "titles, dates and versions": "title: Pay at 10:45\ndate: 2026-01-02 10:11:12\nversion: 1.2\ntags: [a, b]",
    "web pages": "source: https://example.com/src/pay.py:10\nsources: [deepwiki.com, https://deepwiki.com/a/b#L10]",
    "words": "sources: [the code, and/or, Node.js]\nreferences: 3",
    "a file under a key that is no source": "layout: page.html\nimage: img/a.png",
    "nothing": "",
}


@pytest.mark.parametrize("front", NOTHING.values(), ids=NOTHING.keys())
def test_what_is_no_citation_in_front_matter_is_neither_read_nor_listed(front: str) -> None:
    reading = read(front)
    assert (reading.steps, reading.unparsed) == ((), ())
