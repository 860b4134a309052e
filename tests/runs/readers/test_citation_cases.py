"""The table of shared cases: a document, and what is read in it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from retrodoc_runs.readers.markdown import Surroundings, read_markdown

TABLE = Path(__file__).resolve().parents[4] / "shared" / "cases" / "citations.toml"
CASES: list[dict[str, Any]] = tomllib.loads(TABLE.read_text("utf-8"))["case"] if TABLE.is_file() else []


def test_the_table_is_there(shared_dir: Path) -> None:
    """Skips where the shared folder is missing, and fails for it in CI, as no case may be lost in silence."""
    assert len(CASES) >= 55
    assert (shared_dir / "cases" / "citations.toml") == TABLE


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_document_is_read_as_its_case_says(case: dict[str, Any]) -> None:
    reading = read_markdown(case["markdown"], "page.md", Surroundings(repository="acme/shop"))
    refs = [ref for read in reading.steps for ref in read.step.source_refs]
    read = [{"path": ref.path, "start_line": ref.start_line, "end_line": ref.end_line} for ref in refs]
    assert read == case["citations"], case["why"]
    assert [text.text for text in reading.unparsed] == case["unparsed"], case["why"]
