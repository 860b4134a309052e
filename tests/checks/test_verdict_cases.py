"""Every case of the shared table: a small repository, a step, its citations, and the verdict with its reasons."""

from __future__ import annotations

import base64
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from retrodoc_checks.findings import StepFinding
from retrodoc_checks.verdict import check_step
from retrodoc_runs.models import SourceRef
from retrodoc_runs.snapshot import MemorySnapshot

TABLE = Path(__file__).resolve().parents[3] / "shared" / "cases" / "verdicts.toml"


def load_cases() -> list[dict[str, Any]]:
    """The shared cases; none when the folder is not there, which a test of its own reports."""
    return tomllib.loads(TABLE.read_text("utf-8"))["case"] if TABLE.is_file() else []


def repository_of(case: dict[str, Any]) -> MemorySnapshot:
    files = {path: text.encode() for path, text in case.get("files", {}).items()}
    files |= {path: base64.b64decode(text) for path, text in case.get("files_base64", {}).items()}
    return MemorySnapshot(files, case.get("symlinks"))


def ref_of(written: str) -> SourceRef:
    match = re.fullmatch(r"(.+):(\d+)(?:-(\d+))?", written)
    assert match is not None
    path, start, end = match.groups()
    return SourceRef(path=path, start_line=int(start), end_line=int(end or start))


def judge(case: dict[str, Any]) -> StepFinding:
    refs = [ref_of(written) for written in case["refs"]]
    return check_step(case["step"], refs, repository_of(case), case.get("entities", ()))


CASES = load_cases()


def test_the_shared_cases_are_there(shared_dir: Path) -> None:
    assert (shared_dir / "cases" / "verdicts.toml").is_file()
    assert len(CASES) >= 140


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    finding = judge(case)

    assert finding.verdict == case["verdict"], case["why"]
    assert sorted(finding.reasons) == sorted(case["reasons"]), case["why"]
    assert sorted(one.name for one in finding.missing) == sorted(case.get("missing", [])), case["why"]
    if "hint" in case:
        assert str(finding.hint) == case["hint"], case["why"]
