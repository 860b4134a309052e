"""`retrodoc check --format junit`: a test suite a use case, a test case a step; what cannot be concluded is skipped."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from retrodoc.checking.result import CheckResult, StepResult, is_failing
from retrodoc.publish.wording import became, explain
from retrodoc_checks.findings import Verdict
from retrodoc_runs.steps import label_of

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, escaped or not."""
MAX_NAME = 120


def check_junit(result: CheckResult, fail_on: Collection[str]) -> Iterator[str]:
    """The document in pieces."""
    failing = sum(is_failing(step, fail_on) for step in result.steps)
    skipped = sum(_is_skipped(step, fail_on) for step in result.steps)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    counts = f'tests="{len(result.steps)}" failures="{failing}" errors="0" skipped="{skipped}"'
    yield f"<testsuites name={_attribute(f'retrodoc check {result.target}')} {counts}>\n"
    for slug, group in groupby(result.steps, key=lambda step: step.use_case):
        yield from _suite(slug, list(group), fail_on)
    yield "</testsuites>"


def error_junit(message: str, mend: str) -> str:
    """A document that says that nothing could be checked."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<testsuites name="retrodoc check" tests="1" failures="0" errors="1" skipped="0">\n'
        ' <testsuite name="retrodoc check" tests="1" failures="0" errors="1" skipped="0">\n'
        f'  <testcase classname="retrodoc" name="check"><error message={_attribute(message)}>{_text(mend)}</error>'
        "</testcase>\n </testsuite>\n</testsuites>"
    )


def _suite(slug: str, steps: list[StepResult], fail_on: Collection[str]) -> Iterator[str]:
    failing = sum(is_failing(step, fail_on) for step in steps)
    skipped = sum(_is_skipped(step, fail_on) for step in steps)
    counts = f'tests="{len(steps)}" failures="{failing}" errors="0" skipped="{skipped}"'
    yield f" <testsuite name={_attribute(slug)} {counts}>\n"
    for step in steps:
        yield from _case(step, fail_on)
    yield " </testsuite>\n"


def _case(step: StepResult, fail_on: Collection[str]) -> Iterator[str]:
    text = " ".join(step.text.split())
    name = f"{step.order}. {text[:MAX_NAME]}{'…' if len(text) > MAX_NAME else ''}"
    place = f" file={_attribute(step.page)}" + (f' line="{step.line}"' if step.line else "") if step.page else ""
    head = f"  <testcase classname={_attribute(step.use_case)} name={_attribute(name)}{place}"
    verdict = step.finding.verdict
    why = "; ".join(_sentences(step))
    if is_failing(step, fail_on):
        kind = verdict.value if verdict.value in fail_on else "drift"
        cited = "\n".join(label_of(citation.ref) for citation in step.citations)
        yield f"{head}>\n   <failure type={_attribute(kind)} message={_attribute(f'{kind}: {why}')}>"
        yield f"{_text(text)}\n{_text(cited)}</failure>\n  </testcase>\n"
    elif _is_skipped(step, fail_on):
        yield f"{head}>\n   <skipped message={_attribute(f'{verdict.value}: {why}')}/>\n  </testcase>\n"
    else:
        yield f"{head}/>\n"


def _sentences(step: StepResult) -> Iterator[str]:
    yield from explain(step.finding, [citation.ref for citation in step.citations])
    for citation in step.citations:
        if citation.status not in (None, "same"):
            yield became(citation)


def _is_skipped(step: StepResult, fail_on: Collection[str]) -> bool:
    """A step that a program cannot judge is neither a success nor a failure."""
    return step.finding.verdict is not Verdict.VALID and not is_failing(step, fail_on)


def _attribute(text: str) -> str:
    return quoteattr(_NO_XML.sub("\N{REPLACEMENT CHARACTER}", text))


def _text(text: str) -> str:
    return escape(_NO_XML.sub("\N{REPLACEMENT CHARACTER}", text))
