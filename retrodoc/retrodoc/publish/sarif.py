"""`retrodoc check --format sarif`: SARIF 2.1.0, one rule a reason code, one result a step and reason."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator
from typing import Any
from urllib.parse import quote

from retrodoc import __version__
from retrodoc.checking.result import DRIFTED, CheckResult, StepResult, is_failing
from retrodoc.publish.places import Shown, place_of, place_of_ref
from retrodoc.publish.wording import MEANING, RULES, STATUSES, explain
from retrodoc_checks.findings import Reason, Verdict
from retrodoc_runs.steps import label_of

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
DRIFT_RULE = "cited-text-changed"
_LEVELS = {Verdict.BROKEN: "error", Verdict.UNSUPPORTED: "error", Verdict.DOUBTFUL: "warning", Verdict.VALID: "none"}
_ROOT = "SRCROOT"


def check_sarif(result: CheckResult, fail_on: Collection[str]) -> str:
    """The whole document. Valid steps are counted, and no results."""
    run: dict[str, Any] = {
        "tool": {"driver": _driver()},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the repository."}}},
        "invocations": [{"executionSuccessful": True, "exitCode": int(result.failing(fail_on))}],
        "results": [one for step in result.steps for one in _results(step, result, fail_on)],
        "properties": {"verdicts": {verdict.value: result.count()[verdict] for verdict in Verdict}},
    }
    if result.checked_at_commit and "/" in result.repository:
        run["versionControlProvenance"] = [
            {"repositoryUri": f"https://{quote(result.repository)}", "revisionId": result.checked_at_commit}
        ]
    return _document(run)


def error_sarif(message: str, mend: str) -> str:
    """A document that says that nothing could be checked."""
    text = f"{message}. {mend}" if mend else message
    notification = {"level": "error", "message": {"text": text}}
    invocation = {"executionSuccessful": False, "exitCode": 2, "toolConfigurationNotifications": [notification]}
    return _document({"tool": {"driver": _driver()}, "invocations": [invocation], "results": []})


def _document(run: dict[str, Any]) -> str:
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, ensure_ascii=False)


def _driver() -> dict[str, Any]:
    rules = [
        {
            "id": reason.value,
            "name": "".join(part.capitalize() for part in reason.value.split("-")),
            "shortDescription": {"text": f"{RULES[reason]}."},
            "fullDescription": {"text": _description(reason)},
            "defaultConfiguration": {"level": _LEVELS[_verdict_of(reason)]},
        }
        for reason in Reason
    ]
    drift = {
        "id": DRIFT_RULE,
        "name": "CitedTextChanged",
        "shortDescription": {"text": "The cited text changed or went since the step was written."},
        "defaultConfiguration": {"level": "note"},
    }
    return {"name": "RetroDoc", "semanticVersion": __version__, "version": __version__, "rules": [*rules, drift]}


def _description(reason: Reason) -> str:
    verdict = _verdict_of(reason)
    return f"{RULES[reason]}. {verdict.value}: {MEANING[verdict]}."


_ORDER = list(Reason)


def _verdict_of(reason: Reason) -> Verdict:
    place = _ORDER.index(reason)
    if place <= _ORDER.index(Reason.IN_SUBMODULE):
        return Verdict.BROKEN
    if reason is Reason.NO_CITATION:
        return Verdict.UNSUPPORTED
    return Verdict.VALID if reason in (Reason.ALL_FOUND, Reason.WORDS_AT_LINES) else Verdict.DOUBTFUL


def _results(step: StepResult, result: CheckResult, fail_on: Collection[str]) -> Iterator[dict[str, Any]]:
    verdict = step.finding.verdict
    if verdict is not Verdict.VALID:
        message = f"{verdict.value}: {'; '.join(explain(step.finding, [one.ref for one in step.citations]))}."
        level = "error" if verdict.value in fail_on else _LEVELS[verdict]
        for reason in step.finding.reasons:
            yield _result(step, result, reason.value, _ORDER.index(reason), level, message)
    changed = [one for one in step.citations if one.status in DRIFTED]
    if changed:
        parts = [f"{label_of(one.ref)} {STATUSES[one.status or 'changed']}" for one in changed]
        level = "error" if "drift" in fail_on and is_failing(step, ("drift",)) else "note"
        yield _result(step, result, DRIFT_RULE, len(_ORDER), level, f"{'; '.join(parts)}.")


def _result(
    step: StepResult, result: CheckResult, rule: str, rule_index: int, level: str, message: str
) -> dict[str, Any]:
    place = place_of(step, result)
    one: dict[str, Any] = {
        "ruleId": rule,
        "ruleIndex": rule_index,
        "level": level,
        "message": {"text": f"{step.use_case}, step {step.order}: {message}"},
        "locations": [_location(place)] if place else [],
        "partialFingerprints": {"retrodoc/v1": _fingerprint(step, rule)},
        "properties": {"useCase": step.use_case, "order": step.order, "verdict": step.finding.verdict.value},
    }
    related = [place for citation in step.citations if (place := place_of_ref(citation.ref, result))]
    if related:
        one["relatedLocations"] = [
            {**_location(place), "id": number, "message": {"text": "cited"}} for number, place in enumerate(related)
        ]
    return one


def _location(place: Shown) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(place.path), "uriBaseId": _ROOT}}
    if place.start_line is not None:
        physical["region"] = {"startLine": place.start_line, "endLine": place.end_line}
    return {"physicalLocation": physical}


def _fingerprint(step: StepResult, rule: str) -> str:
    """The same while use case, text and rule are: lines may move, and an alert that was dismissed stays dismissed."""
    return hashlib.sha256(f"{step.use_case}\0{step.text}\0{rule}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
