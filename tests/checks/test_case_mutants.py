"""A check must be able to fail: each valid case of the shared table is damaged in four ways, and is valid no longer."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from retrodoc_checks import Verdict, check_step
from retrodoc_checks.names import Kind, Promise, read_step
from retrodoc_runs.models import SourceRef
from retrodoc_runs.snapshot import MemorySnapshot


def _cases_module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("verdict_cases", Path(__file__).with_name("test_verdict_cases.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["verdict_cases"] = module
    spec.loader.exec_module(module)
    return module


TABLE = _cases_module()
VALID = [case for case in TABLE.CASES if case["verdict"] == "valid"]

STILL_VALID = {
    ("shifted", "full-path-beside-a-namesake"): "the next line is the body of `fold`, and what encloses a range counts",
    ("in_a_comment", "unknown-language-token"): "without a grammar nothing tells a comment from code: `kind-unknown`",
}
"""Mutant and case: why the verdict stays."""

Bytes = dict[str, bytes]


def files_of(case: dict[str, Any]) -> Bytes:
    snapshot = TABLE.repository_of(case)
    return {path: snapshot.read(path) or b"" for path in snapshot.paths}


def judge(case: dict[str, Any], files: Bytes, refs: list[SourceRef]) -> Verdict:
    return check_step(case["step"], refs, MemorySnapshot(files), case.get("entities", ())).verdict


def refs_of(case: dict[str, Any]) -> list[SourceRef]:
    return [TABLE.ref_of(written) for written in case["refs"]]


def shifted(case: dict[str, Any]) -> Verdict:
    """Every range is moved down by its own length."""
    refs = []
    for ref in refs_of(case):
        length = ref.end_line - ref.start_line + 1
        refs.append(SourceRef(path=ref.path, start_line=ref.start_line + length, end_line=ref.end_line + length))
    return judge(case, files_of(case), refs)


def needles(promise: Promise) -> list[str]:
    """The words of a promise that its code must hold."""
    if promise.kind is Kind.NUMBER:
        return [promise.parts[0]]
    if promise.kind is Kind.ENTITY:
        return list(promise.parts)
    words = re.findall(r"[\w\u0300-\u036f]+", promise.parts[-1])
    return [max(words, key=len)]


def first_promise(case: dict[str, Any]) -> Promise:
    return read_step(case["step"], case.get("entities", ())).promises[-1]


def renamed(case: dict[str, Any]) -> Verdict:
    """What the step promises last has another name everywhere; of a count, a member is added."""
    files = files_of(case)
    for path, content in files.items():
        text = content.decode("latin-1" if b"\xe9" in content else "utf-8")
        for needle in needles(first_promise(case)):
            text = re.sub(rf"(?<![^\W_]){re.escape(_as_written(needle, text))}(?![^\W_])", "zzqx9", text)
        files[path] = _with_one_more(text).encode()
    return judge(case, files, refs_of(case))


def _as_written(needle: str, text: str) -> str:
    from unicodedata import normalize

    return needle if needle in text else normalize("NFD", needle)


def _with_one_more(text: str) -> str:
    """Counts change when a member is added to each list and enum."""
    return re.sub(r'\[("\w+"), ', r"[\1, \1, ", text).replace("{ New, ", "{ New, Old, ")


def in_a_comment(case: dict[str, Any]) -> Verdict:
    """What the step promises last is a comment on the same lines, and nothing else there or around is called so."""
    files = files_of(case)
    for path, content in files.items():
        text = content.decode("latin-1" if b"\xe9" in content else "utf-8")
        mark = "#" if path.endswith((".py", ".rb", ".brw")) else "//"
        lines = []
        for line in _with_one_more(text).split("\n"):
            found = [
                needle
                for needle in needles(first_promise(case))
                if re.search(rf"(?<![^\W_]){re.escape(_as_written(needle, line))}(?![^\W_])", line)
            ]
            for needle in found:
                line = re.sub(rf"(?<![^\W_]){re.escape(_as_written(needle, line))}(?![^\W_])", "zzqx9", line)
            ending = "\r" if line.endswith("\r") else ""
            lines.append(f"{line.rstrip(chr(13))} {mark} {' '.join(found)}{ending}" if found else line)
        files[path] = "\n".join(lines).encode()
    return judge(case, files, refs_of(case))


def emptied(case: dict[str, Any]) -> Verdict:
    """The cited files hold nothing."""
    cited = {ref.path for ref in refs_of(case)}
    files = {path: b"" if path in cited else content for path, content in files_of(case).items()}
    return judge(case, files, refs_of(case))


MUTANTS: tuple[Callable[[dict[str, Any]], Verdict], ...] = (shifted, renamed, in_a_comment, emptied)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
@pytest.mark.parametrize("case", VALID, ids=[case["id"] for case in VALID])
def test_a_damaged_case_is_valid_no_longer(case: dict[str, Any], mutant: Callable[[dict[str, Any]], Verdict]) -> None:
    verdict = mutant(deepcopy(case))

    if (mutant.__name__, case["id"]) in STILL_VALID:
        assert verdict == Verdict.VALID, "the exception is no longer one: take it off the list"
    else:
        assert verdict != Verdict.VALID
