"""What a finding says in words: the one place where sentences are built, and they never say more than was checked.

Plain text on one line, names in backticks. "Valid" means that the names are there, and no sentence says otherwise.
"""

from __future__ import annotations

import math
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from retrodoc.checking.result import CitationResult, Status
from retrodoc_checks.findings import Missing, Reason, StepFinding, Verdict
from retrodoc_runs.models import SourceRef
from retrodoc_runs.steps import label_of

MEANING = {
    Verdict.VALID: "every name, number and route that the step gives is at the cited lines",
    Verdict.DOUBTFUL: "a program cannot conclude; a person or a model has to read it",
    Verdict.BROKEN: "a citation is false: it leads to nothing that can be read",
    Verdict.UNSUPPORTED: "nothing is cited",
}
"""Of each verdict, for legends."""

RULES = {
    Reason.PATH_MISSING: "The cited file does not exist",
    Reason.PATH_AMBIGUOUS: "The cited path fits several files",
    Reason.PATH_OUTSIDE: "The cited path leads out of the repository",
    Reason.PATH_IS_DIRECTORY: "The cited path is a folder",
    Reason.LINE_BEFORE_FIRST: "A cited line is before line 1",
    Reason.RANGE_REVERSED: "A cited range ends before it starts",
    Reason.LINE_PAST_END: "A cited line is after the end of its file",
    Reason.BINARY_FILE: "The cited file is no text",
    Reason.IN_SUBMODULE: "The cited file belongs to another repository, a submodule of this one",
    Reason.NO_CITATION: "The step cites nothing",
    Reason.NOT_SPECIFIC: "The cited range is too wide to show anything in particular",
    Reason.NEGATION: "The step says that something does not happen, which no line can show",
    Reason.NOTHING_TO_CHECK: "The step gives no name, number or entity that a program could look for",
    Reason.ELSEWHERE_IN_FILE: "A name is elsewhere in the cited file",
    Reason.ELSEWHERE_IN_REPOSITORY: "A name is in another file of the repository",
    Reason.NOWHERE: "A name is nowhere in the repository",
    Reason.ONLY_IN_COMMENT: "A name is at the cited lines in a comment only",
    Reason.ONLY_IN_STRING: "A name is at the cited lines in a string only",
    Reason.ONLY_IMPORTED: "A name is at the cited lines in an import only",
    Reason.MENTIONED_NOT_CALLED: "A function is at the cited lines, and is not called there",
    Reason.NUMBER_NOT_FOUND: "A number is not at the cited lines",
    Reason.ENTITY_NOT_AT_LINES: "An entity is not at the cited lines",
    Reason.COULD_NOT_FAIL: "The names are at the cited lines, and at most other places of the file too",
    Reason.WORDS_ELSEWHERE: "The names are at the cited lines, most other words of the step elsewhere in the file",
    Reason.ALL_FOUND: "Every name, number and entity is at the cited lines, as code",
    Reason.WORDS_AT_LINES: "Words of the step fit the names at the cited lines better than other places of the file",
}
"""One rule a reason, without the facts of a case."""

_MISSING = {
    Reason.ELSEWHERE_IN_FILE: "{name} is not at the cited lines, but elsewhere in the file",
    Reason.ELSEWHERE_IN_REPOSITORY: "{name} is not at the cited lines, but in another file",
    Reason.NOWHERE: "{name} is nowhere in the repository",
    Reason.ONLY_IN_COMMENT: "{name} is at the cited lines in a comment only",
    Reason.ONLY_IN_STRING: "{name} is at the cited lines in a string only",
    Reason.ONLY_IMPORTED: "{name} is at the cited lines in an import only",
    Reason.MENTIONED_NOT_CALLED: "{name} is at the cited lines, and is not called there",
    Reason.NUMBER_NOT_FOUND: "{name} is not at the cited lines",
    Reason.ENTITY_NOT_AT_LINES: "{name} is not at the cited lines",
}
_ABOUT_CITATIONS = frozenset(
    {
        Reason.PATH_MISSING,
        Reason.PATH_AMBIGUOUS,
        Reason.PATH_OUTSIDE,
        Reason.PATH_IS_DIRECTORY,
        Reason.LINE_BEFORE_FIRST,
        Reason.RANGE_REVERSED,
        Reason.LINE_PAST_END,
        Reason.BINARY_FILE,
        Reason.IN_SUBMODULE,
    }
)
STATUSES: dict[Status, str] = {
    "same": "unchanged",
    "moved": "moved",
    "changed": "changed since",
    "gone": "gone since",
    "wrong-from-the-start": "wrong from the start",
}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
MAX_NAME = 80
"""Characters of a name that are shown."""
MAX_FALSE = 5
"""False citations of a step that are shown."""


def explain(finding: StepFinding, refs: Sequence[SourceRef] = ()) -> list[str]:
    """One sentence for each false citation, each missing name, and each other reason; no final full stop."""
    sentences = list(_explain_false(finding)) or [_explain_missing(missing) for missing in finding.missing]
    if not _named_false(finding):
        explained = {missing.reason for missing in finding.missing}
        sentences += [_explain_reason(reason, refs) for reason in finding.reasons if reason not in explained]
        if finding.hint is not None and not any(missing.where == finding.hint for missing in finding.missing):
            sentences[-1] += f" (perhaps {finding.hint})"
    absent = finding.facts.get("commit-not-here")
    if isinstance(absent, list) and absent:
        sentences.append(f"commit {', '.join(absent)} is not in this clone, so the checked commit was read instead")
    unsearched = finding.facts.get("not-searched")
    if isinstance(unsearched, int) and unsearched:
        was = "is not in this clone and was" if unsearched == 1 else "are not in this clone and were"
        sentences.append(f"{counted(unsearched, 'file')} {was} not searched")
    return sentences


def _explain_false(finding: StepFinding) -> Iterator[str]:
    """The hint is for the first false citation."""
    false = _named_false(finding)
    for number, one in enumerate(false[:MAX_FALSE]):
        texts = []
        for reason in one.reasons:
            if reason is Reason.LINE_PAST_END and one.past:
                past = "one" if one.past == 1 else f"{one.past:,}"
                texts.append(f"the file ends at line {one.last}; the citation is {past} past it")
            else:
                texts.append(f"{RULES[reason][0].lower()}{RULES[reason][1:]}")
        hint = f" (perhaps {finding.hint})" if finding.hint is not None and not number else ""
        yield f"{one.label}: {', and '.join(texts)}{hint}"
    more = max(len(false) - MAX_FALSE, 0) + int(finding.facts.get("false-more", 0))  # type: ignore[arg-type]
    if more:
        yield f"{counted(more, 'more citation')} {'is' if more == 1 else 'are'} false"


@dataclass(frozen=True, slots=True)
class _False:
    """A false citation as the facts of a finding name it."""

    label: str
    reasons: tuple[Reason, ...]
    last: int = 0
    past: int = 0
    """How many lines it is past the last of its file."""


def _named_false(finding: StepFinding) -> list[_False]:
    facts = finding.facts.get("false")
    ends = finding.facts.get("file-ends")
    last = dict(_path_and_line(one) for one in ends) if isinstance(ends, list) else {}
    return [_false(one, last) for one in facts] if isinstance(facts, list) else []


def _false(fact: str, ends: Mapping[str, int]) -> _False:
    """From `src/a.py:3-41 line-past-end`."""
    label = fact
    reasons: list[Reason] = []
    while (cut := label.rpartition(" "))[2] in _ABOUT_CITATIONS:
        label = cut[0]
        reasons.insert(0, Reason(cut[2]))
    lines = _LINES.search(label)
    last = ends.get(posixpath.normpath(label[: lines.start()])) if lines else None
    if lines is None or last is None:
        return _False(label, tuple(reasons))
    return _False(label, tuple(reasons), last, max(int(number) for number in lines.groups() if number) - last)


_LINES = re.compile(r":(-?[0-9]+)(?:-(-?[0-9]+))?\Z")


def _path_and_line(place: str) -> tuple[str, int]:
    path, _, line = place.rpartition(":")
    return path, int(line)


def is_false_by_one_line(finding: StepFinding) -> bool:
    """Whether all that is false of a step are citations that end one line past their file."""
    if finding.reasons != (Reason.LINE_PAST_END,) or "false-more" in finding.facts:
        return False
    false = _named_false(finding)
    return bool(false) and all(one.past == 1 for one in false)


def _explain_missing(missing: Missing) -> str:
    sentence = _MISSING.get(missing.reason, f"{{name}}: {missing.reason}").format(name=shown_name(missing.name))
    return f"{sentence} (see {missing.where})" if missing.where is not None else sentence


def _explain_reason(reason: Reason, refs: Sequence[SourceRef]) -> str:
    rule = RULES[reason]
    text = rule[0].lower() + rule[1:]
    if len(refs) == 1 and reason in _ABOUT_CITATIONS:
        return f"{label_of(refs[0])}: {text}"
    return text


def shown_name(name: str) -> str:
    """In backticks, cut when it is long; a name that holds backticks is quoted."""
    name = " ".join(name.split())
    if len(name) > MAX_NAME:
        name = name[: MAX_NAME - 1] + "…"
    return f'"{name}"' if "`" in name else f"`{name}`"


def became(citation: CitationResult) -> str:
    """`src/a.py:3-9 moved to src/b.py:13-19`."""
    ref, status = citation.ref, citation.status or "same"
    if citation.new_lines is None:
        return f"{label_of(ref)} {STATUSES[status]}"
    start, end = citation.new_lines
    place = SourceRef(path=citation.new_path or ref.path, start_line=start, end_line=end)
    return f"{label_of(ref)} {STATUSES[status]} to {label_of(place)}"


def counted(number: int, noun: str) -> str:
    """`1 step`, `3 steps`, `2 entries`."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def plain(text: str) -> str:
    """On one line, and with nothing that could move the cursor, colour the screen or turn the text around."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", " ".join(text.split()))


def interval_text(low: float, high: float) -> str:
    """A score as it is shown everywhere: rounded down, so that only 1 is 1.00."""
    lower, upper = (f"{math.floor(value * 100 + 1e-9) / 100:.2f}" for value in (low, high))
    return lower if lower == upper else f"{lower} to {upper}"
