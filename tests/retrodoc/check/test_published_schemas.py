"""What `check` really prints, for each kind of target, against the published schema and against SARIF's essentials.

A validator that knows nothing of our models reads both, as a user's would.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

import retrodoc
from retrodoc.publish.links import Linker
from retrodoc_runs.models import Run, SourceRef, Step, UseCase
from retrodoc_runs.readers.own_pages import page_marker, step_to_markdown
from retrodoc_runs.store import RunStore

PUBLISHED = json.loads((Path(retrodoc.__file__).parent / "schemas/check.schema.json").read_text("utf-8"))
TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
LOCATION = {
    "type": "object",
    "required": ["physicalLocation"],
    "properties": {
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation"],
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "required": ["uri"],
                    "properties": {
                        "uri": {"type": "string", "pattern": r"^(?!/)(?!.*(^|/)\.\.(/|$))[!-~]+$"},
                        "uriBaseId": {"const": "SRCROOT"},
                    },
                },
                "region": {
                    "type": "object",
                    "required": ["startLine", "endLine"],
                    "properties": {
                        "startLine": {"type": "integer", "minimum": 1},
                        "endLine": {"type": "integer", "minimum": 1},
                    },
                },
            },
        }
    },
}
LEVELS = {"enum": ["none", "note", "warning", "error"]}
SARIF = {
    "type": "object",
    "required": ["$schema", "version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["tool", "results", "invocations"],
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name", "rules"],
                                "properties": {
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "required": ["id", "shortDescription"],
                                            "properties": {"shortDescription": TEXT},
                                        },
                                    }
                                },
                            }
                        },
                    },
                    "invocations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["executionSuccessful"],
                            "properties": {"executionSuccessful": {"type": "boolean"}},
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["ruleId", "ruleIndex", "level", "message", "locations"],
                            "properties": {
                                "level": LEVELS,
                                "message": TEXT,
                                "locations": {"type": "array", "items": LOCATION},
                                "relatedLocations": {"type": "array", "items": LOCATION},
                                "partialFingerprints": {
                                    "type": "object",
                                    "additionalProperties": {"type": "string"},
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}
"""What SARIF 2.1.0 requires of the parts that we write, and what code hosts require on top: paths from the root."""

CODE = (
    "import bank\n\n\ndef pay(cart):\n    bank.charge(cart)\n\n\ndef leave(cart):\n    cart.close()\n" + "x = 1\n" * 40
)
STEPS = (
    Step(order=1, description="`pay`: `charge`.", source_refs=(SourceRef(path="pay.py", start_line=4, end_line=5),)),
    Step(order=2, description="`gone` runs.", source_refs=(SourceRef(path="pay.py", start_line=4, end_line=5),)),
    Step(order=3, description="`pay` runs.", source_refs=(SourceRef(path="pay.py", start_line=90, end_line=91),)),
    Step(order=4, description="`leave` closes.", source_refs=(SourceRef(path="pay.py"),)),
    Step(order=5, description="Nothing is cited."),
    Step(order=6, description="`kept` stays.", source_refs=(SourceRef(path="kept.py", start_line=1, end_line=1),)),
)  # fmt: skip


def repository(git_repo: Callable[..., Path], git: Callable[..., str]) -> Path:
    """One of each kind of target, written at the first of two commits."""
    shop = git_repo({"pay.py": CODE, "kept.py": "kept = 1\n"})
    commit = git(shop, "rev-parse", "HEAD").strip()
    run = Run(
        id="20260102T030405Z",
        repository="shop",
        commit=commit,
        created_at="2026-01-02T03:04:05Z",
        use_cases=(UseCase(slug="pay", name="Pay", steps=STEPS), UseCase(slug="empty", steps=())),
        complete=True,
    )
    RunStore(shop / ".retrodoc/runs").save(run)
    own = [step_to_markdown("pay", step, lambda ref: Linker().lines("own/pay.md", ref)) for step in STEPS]
    cases = [{"slug": "pay", "steps": [_written(step) for step in STEPS]}]
    claims = [
        {"statement": "`pay` charges.", "evidence": [{"resource": "repo://pay.py#L4-L5"}, {"resource": "repo://x#Ly"}]},
        {"statement": "`gone`.", "evidence": [{"resource": "repo://../pay.py#L4"}]},
    ]
    files = {
        "own/pay.md": "\n\n".join(["# Pay", page_marker(run), *own]) + "\n",
        "cases/use-cases.yaml": json.dumps(cases),
        "openwiki/.claims/pay.json": json.dumps({"claims": claims}),
        "wiki/deep.md": "---\nsources: [pay.py]\n---\n\n# Pay\n\n`pay` charges.\n\nSources: [pay.py:4-5](), "
        "[gone.py:1](), [pay.py:x-y]()\n\nSee [it](https://github.com/acme/other/blob/main/a.py#L1).\n",
        "wiki/prose.md": "`pay` charges (pay.py:4-50), "
        f"[pinned](https://github.com/acme/shop/blob/{commit}/pay.py#L4).\n",
        "wiki/adr/1.md": "No more (pay.py:1).\n",
        "no/page.md": "Nothing.\n",
        "pay.py": "import os\n" + CODE.replace("cart.close()", "cart.leave()"),
    }
    git(shop, "remote", "add", "origin", "https://github.com/acme/shop.git")
    return git_repo(files)


def _written(step: Step) -> dict[str, Any]:
    refs = [{"path": ref.path, "start_line": ref.start_line, "end_line": ref.end_line} for ref in step.source_refs]
    return {"order": step.order, "description": step.description, "source_refs": refs}


TARGETS = ["20260102T030405Z", ".retrodoc/runs/20260102T030405Z", "own", "own/pay.md", "cases/use-cases.yaml"]
TARGETS += ["openwiki", "openwiki/.claims/pay.json", "wiki", "wiki/deep.md", "wiki/prose.md", "."]
OPTIONS = [[], ["--at", "HEAD"], ["--base", "HEAD~1"], ["--worktree"]]
ERRORS = [["no"], ["no/page.md"], ["absent.md"], ["absent"], ["wiki", "--at", "v9"], ["wiki", "--base", "v9"]]


@pytest.fixture
def printed(git_repo: Any, git: Any, check: Any) -> Callable[[str], list[dict[str, Any]]]:
    """What every target and every error prints, in one format."""
    shop = repository(git_repo, git)

    def of(output: str) -> list[dict[str, Any]]:
        documents = []
        for target in TARGETS:
            named = shop / target if (shop / target).exists() else target
            for options in OPTIONS:
                outcome = check(named, "--repo", shop, *options, "--format", output)
                assert outcome.code in (0, 1), (target, options, outcome.message)
                documents.append(outcome.json)
        for first, *options in ERRORS:
            outcome = check(shop / first if first != "absent" else first, "--repo", shop, *options, "--format", output)
            assert outcome.code == 2, (first, options)
            documents.append(outcome.json)
        return documents

    return of


def test_the_published_schema_is_one() -> None:
    Draft202012Validator.check_schema(PUBLISHED)
    Draft202012Validator.check_schema(SARIF)


def test_every_kind_of_target_prints_what_the_published_schema_says(printed: Any) -> None:
    documents = printed("json")
    for document in documents:
        Draft202012Validator(PUBLISHED).validate(document)
    checked = [document for document in documents if "steps" in document]
    kinds = {"run", "own-pages", "use-cases", "openwiki", "markdown", "mixed"}
    assert {document["kind"] for document in checked} == kinds
    said = [step for document in checked for step in document["steps"]]
    assert {step["verdict"] for step in said} == {"valid", "doubtful", "broken", "unsupported"}
    statuses = {cited["status"] for step in said for cited in step["citations"]}
    assert statuses >= {None, "same", "moved", "changed", "wrong-from-the-start"}
    assert any(document["unparsed"] for document in checked)
    assert any(document["pinned_commits"] for document in checked)
    assert any(document["left_out"] for document in checked)
    assert any(document["summary"]["foreign_citations"] for document in checked)


BREAKS: dict[str, Callable[[dict[str, Any]], object]] = {
    "a key is missing": lambda data: data["summary"].pop("valid"),
    "a key is new": lambda data: data.update(more=1),
    "a verdict is unknown": lambda data: data["steps"][0].update(verdict="right"),
    "a reason is none": lambda data: data["steps"][0].update(reasons=[]),
    "lines are a text": lambda data: data["steps"][0]["citations"][0].update(start_line="4"),
    "a strength is over one": lambda data: data["steps"][0].update(strength=1.5),
    "new lines are one": lambda data: data["steps"][0]["citations"][0].update(new_lines=[4]),
    "a count is negative": lambda data: data["summary"].update(broken=-1),
    "an error beside steps": lambda data: data.update(error={"message": "a", "mend": "b"}),
}


@pytest.mark.parametrize("break_it", BREAKS.values(), ids=BREAKS.keys())
def test_the_published_schema_refuses_what_is_not_so(break_it: Any, git_repo: Any, git: Any, check: Any) -> None:
    shop = repository(git_repo, git)
    document = check(shop / "own", "--format", "json").json
    broken = copy.deepcopy(document)
    break_it(broken)
    with pytest.raises(ValidationError):
        Draft202012Validator(PUBLISHED).validate(broken)


def test_every_kind_of_target_prints_sarif(printed: Any) -> None:
    results = 0
    for document in printed("sarif"):
        Draft202012Validator(SARIF).validate(document)
        (run,) = document["runs"]
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        assert len(set(rules)) == len(rules)
        for one in run["results"]:
            assert rules[one["ruleIndex"]] == one["ruleId"]
            for place in [*one["locations"], *one.get("relatedLocations", [])]:
                region = place["physicalLocation"].get("region", {"startLine": 1, "endLine": 1})
                assert region["startLine"] <= region["endLine"]
            results += 1
    assert results > 100


def test_the_essentials_of_sarif_refuse_what_is_not_so(git_repo: Any, git: Any, check: Any) -> None:
    document = check(repository(git_repo, git) / "own", "--format", "sarif").json
    for place, value in (("uri", "/etc/passwd"), ("uri", "../x"), ("uri", "a b"), ("uriBaseId", "HOME")):
        broken = copy.deepcopy(document)
        location = broken["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        location[place] = value
        with pytest.raises(ValidationError):
            Draft202012Validator(SARIF).validate(broken)
    for key in ("ruleId", "message", "level"):
        broken = copy.deepcopy(document)
        del broken["runs"][0]["results"][0][key]
        with pytest.raises(ValidationError):
            Draft202012Validator(SARIF).validate(broken)
