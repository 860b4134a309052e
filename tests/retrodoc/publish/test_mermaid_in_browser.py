"""Mermaid itself accepts our diagrams and shows a repository's names as they are."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from retrodoc.publish.mermaid import sequence_diagram
from retrodoc_checks.findings import Verdict
from retrodoc_runs.models import Actor, SourceRef, Step

NAMES = [
    "send an order",
    "<script>document.title = 'owned'</script>",
    "<img src=x onerror=\"document.title = 'owned'\">",
    "%%{init: {'securityLevel': 'loose'}}%%",
    "end; p1->>p2: forged",
    "wrap: x",
    "as as as",
    "a-->b --x c",
    "[ref]: http://evil.example",
    "{a} | (b) & c # d",
    "#lt;b#gt; &lt;i&gt;",
    "$$\\frac{1}{2}$$",
    "été × 注文 🍲",
    "note over p1: x",
]

DRAW = """async ([source, number]) => {
  const {svg} = await mermaid.render("drawn" + number, source);
  document.body.innerHTML = svg;
  return {
    texts: [...document.querySelectorAll(".messageText")].map(one => one.textContent),
    actors: [...document.querySelectorAll("text.actor")].map(one => one.textContent),
    elements: document.body.querySelectorAll("script, img, iframe, b, i, .katex").length,
    title: document.title,
  };
}"""


@pytest.fixture(scope="module")
def page(corpus: Callable[[str], Path]) -> Iterator[Any]:
    """A page of Chromium in which Mermaid draws with its guards down: ours must be enough."""
    sync_api = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("Chromium is not installed")
    script = (corpus("mermaid") / "mermaid.min.js").read_text(encoding="utf-8")
    with sync_api.sync_playwright() as playwright:
        options = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=chromium, args=options)
        page = browser.new_page()
        page.set_content("<title>drawing</title>")
        page.add_script_tag(content=script)
        page.evaluate("mermaid.initialize({startOnLoad: false, securityLevel: 'loose'})")
        yield page
        browser.close()


@pytest.mark.browser
@pytest.mark.corpora
@pytest.mark.parametrize("name", NAMES)
def test_mermaid_draws_any_name_as_text(page: Any, name: str) -> None:
    steps = [
        Step(
            order=1,
            description="x",
            action=name,
            source_refs=(SourceRef(path="a.py"),),
            actor=Actor(name=name, kind="human"),
        ),
        Step(order=2, description=f"{name}", source_refs=(SourceRef(path=f"b/{name}"),)),
        Step(order=3, description="last"),
    ]
    source = sequence_diagram(steps, [Verdict.VALID, Verdict.DOUBTFUL, Verdict.BROKEN], name)
    assert source is not None

    drawn = page.evaluate(DRAW, [source, NAMES.index(name)])

    shown = [text.replace("\xa0", " ").replace("wrap :", "wrap:") for text in drawn["texts"]]
    assert shown == [name, name, "last"]
    assert name in [actor.replace("wrap :", "wrap:") for actor in drawn["actors"]]
    assert drawn["elements"] == 0
    assert drawn["title"] == "drawing"
