"""`retrodoc check --format github`: workflow commands, which GitHub shows at the line in a pull request."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from retrodoc.checking.result import CheckResult, StepResult, is_failing
from retrodoc.publish.check_text import check_text
from retrodoc.publish.places import place_of
from retrodoc.publish.wording import became, explain, plain
from retrodoc_checks.findings import Verdict

MAX_TEXT = 200


def check_github(result: CheckResult, fail_on: Collection[str]) -> Iterator[str]:
    """Lines: errors for what fails, warnings for what else is not valid, then the totals as they are printed."""
    failing = [step for step in result.steps if is_failing(step, fail_on)]
    doubted = [step for step in result.steps if _is_doubted(step) and not is_failing(step, fail_on)]
    for kind, steps in (("error", failing), ("warning", doubted)):  # GitHub shows ten of each kind: errors first
        for step in steps:
            yield _command(kind, step, result)
    for line in check_text(result, quiet=True):
        yield line.replace("::", ": :")


def error_github(message: str, mend: str) -> str:
    """A command that says that nothing could be checked."""
    return f"::error title=retrodoc::{_data(f'{message}. {mend}' if mend else message)}"


def _is_doubted(step: StepResult) -> bool:
    return step.finding.verdict is not Verdict.VALID or step.drifted


def _command(kind: str, step: StepResult, result: CheckResult) -> str:
    place = place_of(step, result)
    properties = {}
    if place is not None:
        properties["file"] = place.path
        if place.start_line is not None:
            properties["line"] = str(place.start_line)
            properties["endLine"] = str(place.end_line)
    verdict = step.finding.verdict
    what = "drift" if verdict is Verdict.VALID else verdict.value
    properties["title"] = f"{what}: {step.use_case}, step {step.order}"
    written = ",".join(f"{name}={_property(plain(value))}" for name, value in properties.items())
    return f"::{kind} {written}::{_data(_message(step))}"


def _message(step: StepResult) -> str:
    text = plain(step.text)
    lines = [text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"]
    if step.finding.verdict is not Verdict.VALID:
        lines += [plain(sentence) for sentence in explain(step.finding, [one.ref for one in step.citations])]
    lines += [plain(became(one)) for one in step.citations if one.status not in (None, "same")]
    return "\n".join(lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
