"""The labelled runs: what a model wrote of a real application, and what a reader says of each step."""

from __future__ import annotations

import csv
import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import yaml

from retrodoc_checks import FileIndex, StepFinding, Verdict
from retrodoc_checks.names import read_step
from retrodoc_checks.run import check_steps
from retrodoc_runs.models import SourceRef
from retrodoc_runs.snapshot import Snapshot, open_snapshot

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Labelled:
    """One step, its label and what the judge says of it."""

    use_case: str
    text: str
    refs: tuple[SourceRef, ...]
    supported: bool
    language: str
    finding: StepFinding


@dataclass(frozen=True)
class LabelledSet:
    name: str
    steps: tuple[Labelled, ...]
    snapshot: Snapshot


def load_set(name: str, runs: Path, repository: Path) -> LabelledSet:
    """Read `<name>-use-cases.yaml` and `<name>-labels.csv`, and judge every step at HEAD of the repository."""
    with (runs / f"{name}-labels.csv").open(encoding="utf-8", newline="") as lines:
        labels = {(row["use_case"], int(row["order"])): row["label"] for row in csv.DictReader(lines)}
    written = yaml.safe_load((runs / f"{name}-use-cases.yaml").read_text("utf-8"))
    steps = [(use_case["slug"], step) for use_case in written for step in use_case["steps"]]
    texts = [_text(step) for _, step in steps]
    refs = [tuple(SourceRef(**ref) for ref in step["source_refs"]) for _, step in steps]
    snapshot = open_snapshot(repository)
    findings = check_steps(list(zip(texts, refs, strict=True)), FileIndex(snapshot))
    return LabelledSet(
        name,
        tuple(
            Labelled(slug, text, cited, labels[slug, step["order"]] == "supported", read_step(text).language, finding)
            for (slug, step), text, cited, finding in zip(steps, texts, refs, findings, strict=True)
        ),
        snapshot,
    )


def _text(step: dict[str, str]) -> str:
    return f"{step['action']}. {step['description']}" if step.get("action") else step["description"]


def settles(finding: StepFinding) -> bool:
    return finding.verdict is not Verdict.DOUBTFUL


def find_repository(name: str, folder: Path) -> Path:
    """`folder/name`, fetched from its registry when it is not there: nothing of it is installed or run."""
    if not (folder / name / ".git").exists():
        folder.mkdir(parents=True, exist_ok=True)
        _fetcher().fetch(name, folder.resolve())
    return folder / name


def _fetcher() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fetch_corpora", ROOT / "tests" / "fetch_corpora.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fetch_corpora"] = module
    spec.loader.exec_module(module)
    return module
