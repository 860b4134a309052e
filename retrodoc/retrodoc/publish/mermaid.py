"""How a use case's steps are drawn: who speaks to which file, in order, as a Mermaid sequence diagram.

The diagram is built from the steps alone. A step's line goes to the file that it cites first. A file that comes up
again while it is still waiting for what it called gets its turn back, as a caller does when a call returns.
Every name is written so that it can only be text: repositories are hostile until shown otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from retrodoc_checks.findings import Verdict
from retrodoc_runs.models import Step

MAX_STEPS = 60
"""More arrows than this are no picture any more; what is left out is said in it."""
MAX_LABEL = 72
"""Characters of an arrow's text."""

_UNSAFE = re.compile(r"[^A-Za-z0-9_ \-.,/()!?'=+*\[\]\u00a1-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\uffef]")
"""ASCII punctuation that Mermaid or HTML may read, and rare characters."""
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff]")
"""Control characters and what turns the writing direction: shown as a space."""
_ARROWS = {
    Verdict.VALID: "->>",
    Verdict.DOUBTFUL: "-->>",
    Verdict.UNSUPPORTED: "-->>",
    Verdict.BROKEN: "--x",
}
_SENTENCE_END = re.compile(r"(?<=[.!?])\s")


@dataclass(slots=True)
class _Cast:
    """Who takes part, in order of appearance, each under an id of ours."""

    ids: dict[tuple[str, str], str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    def person(self, name: str) -> str:
        return self._id("actor", name, name)

    def system(self, name: str) -> str:
        return self._id("participant", name, name)

    def file(self, path: str, label: str) -> str:
        return self._id("participant", path, label)

    def _id(self, keyword: str, key: str, label: str) -> str:
        known = self.ids.get((keyword, key))
        if known is None:
            known = self.ids[keyword, key] = f"p{len(self.ids) + 1}"
            self.lines.append(f"    {keyword} {known} as {escaped(label)}")
        return known


def sequence_diagram(steps: Sequence[Step], verdicts: Sequence[Verdict], primary_actor: str = "") -> str | None:
    """The diagram's source, without a fence; None when there is nothing to draw.

    `verdicts` go with `steps`: a solid arrow is valid, a dashed one doubtful or unsupported, a crossed one broken.
    """
    if not steps:
        return None
    labels = _file_labels(steps)
    cast = _Cast()
    first = steps[0].actor
    starter = primary_actor or (first.name if first else "") or "User"
    starter_is_human = first is None or first.kind == "human" or first.name != starter
    start = cast.person(starter) if starter_is_human else cast.system(starter)
    stack, arrows = [start], []
    for step, verdict in list(zip(steps, verdicts, strict=True))[:MAX_STEPS]:
        arrows += _arrow(step, verdict, cast, labels, stack)
    if len(steps) > MAX_STEPS:
        arrows.append(f"    Note over {start}: and {len(steps) - MAX_STEPS} more steps")
    numbered = [step.order for step in steps] == list(range(1, len(steps) + 1))
    return "\n".join(["sequenceDiagram", *(["    autonumber"] if numbered else []), *cast.lines, *arrows])


def _arrow(step: Step, verdict: Verdict, cast: _Cast, labels: dict[str, str], stack: list[str]) -> list[str]:
    """One arrow for one step; `stack` holds who waits for whom, the last one speaks."""
    said = escaped(shortened(step.action or _SENTENCE_END.split(step.description, maxsplit=1)[0]))
    if step.actor is not None and step.actor.kind == "human":
        del stack[:]
        stack.append(cast.person(step.actor.name or "User"))
    path = step.source_refs[0].path if step.source_refs else None
    place = cast.file(path, labels[path]) if path else stack[-1]
    speaker = stack[-1]
    if place in stack:
        del stack[stack.index(place) + 1 :]
        speaker = place
    else:
        stack.append(place)
    return [f"    {speaker}{_ARROWS[verdict]}{place}: {said or 'step'}"]


def _file_labels(steps: Sequence[Step]) -> dict[str, str]:
    """Each cited file by its name, with as many folders before it as it takes to tell it from the others."""
    paths = sorted({step.source_refs[0].path for step in steps if step.source_refs})
    labels: dict[str, str] = {}
    for path in paths:
        parts = PurePosixPath(path).parts
        others = [PurePosixPath(other).parts for other in paths if other != path]
        depth = 1
        while depth < len(parts) and any(other[-depth:] == parts[-depth:] for other in others):
            depth += 1
        labels[path] = "/".join(parts[-depth:]) or path
    return labels


def shortened(text: str) -> str:
    """One line without backticks, cut at a word when it is long; a full stop at the end is dropped."""
    text = " ".join(text.replace("`", "").split()).rstrip(".")
    if len(text) <= MAX_LABEL:
        return text
    return text[: MAX_LABEL - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"


def escaped(text: str) -> str:
    """Text that Mermaid can only show: what is no letter, digit or harmless sign becomes a numeric entity.

    That leaves no semicolon, colon, arrow, percent sign or tag with which a name could end its line, start
    a directive or become HTML.
    """
    text = " ".join(_INVISIBLE.sub(" ", text).split())
    text = re.sub(r"^(no)?wrap(?=:)", lambda found: f"{found[0]} ", text)
    text = _UNSAFE.sub(lambda found: f"#{ord(found[0])};", text)
    return text.replace("--", "-#45;") or "#32;"
