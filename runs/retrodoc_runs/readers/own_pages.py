"""How a page that RetroDoc published says where its steps are, so that reading it back gives the run's own verdicts.

A published page carries HTML comments, which no renderer shows. Each stands alone on its line (indented at most as
far as the list item that it is in), with an empty line after it:

    <!-- retrodoc:page format=1 commit=<40 hex digits> subfolder=server -->

anywhere on the page, once: the page is ours, and it is read by its markers alone. `commit` is left out when the
work tree was read, `subfolder` when the root was documented. The run's id is no part of it: the same documentation
gives the same bytes, whichever run wrote it. Then, for each step:

    <!-- retrodoc:step use_case=pay-an-order order=3 -->

    #### 3. Shop                                  anything for the eye: not read

    <!-- retrodoc:text -->

    **check the card.** `authorise` asks the bank.    the step's text: exactly what is seen here, on one line

    <!-- retrodoc:sources -->

    Sources: [src/pay.py:10-20](https://…#L10-L20), [src/bank.py:7](…)       one citation a link, read from its label;
                                                                             a target that disagrees is another

    <!-- retrodoc:end -->

    ✓ valid: the names are at the lines           anything again: not read

The visible text is what is judged, so a person who edits a page is judged by what the page says now. Nothing outside
`text` and `sources` is read, so entry points, diagrams and tables may link to code as they like. A step without
a `sources` part, or with nothing cited in it, cites nothing. On the page that lists the entities, one comment each:

    <!-- retrodoc:entity name=ShoppingBasket -->

The functions below write all of this; what they write, `read_own_page` reads back unchanged (a property test holds
it). A publisher must pass texts through `text_to_markdown`, and may make any part of the result bold.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from retrodoc_runs.readers.blocks import Block, Piece, collapse, read_blocks
from retrodoc_runs.readers.own_links import Documented, Place, follow, unlinked
from retrodoc_runs.steps import SourceRef, Step, label_of

if TYPE_CHECKING:
    from retrodoc_runs.models import Run

PAGE_FORMAT = 1
"""Raised when an older program could not read what a newer one publishes."""

TEXT_MARKER = "<!-- retrodoc:text -->"
SOURCES_MARKER = "<!-- retrodoc:sources -->"
END_MARKER = "<!-- retrodoc:end -->"
SEPARATOR = "·"
"""Ends what a Sources line says before its first link."""

# ---- Writing


def page_marker(run: Run) -> str:
    """The comment that makes a page ours."""
    known = {"commit": "" if run.worktree else run.commit or "", "subfolder": run.subfolder}
    return _marker("page", format=str(PAGE_FORMAT), **{name: value for name, value in known.items() if value})


def step_marker(use_case: str, order: int) -> str:
    return _marker("step", use_case=use_case, order=str(order))


def entity_marker(name: str) -> str:
    return _marker("entity", name=name)


def step_to_markdown(use_case: str, step: Step, link: Callable[[SourceRef], str], heading: str = "") -> str:
    """A whole step, from its marker to its end. `link` gives the target of a citation, `heading` is Markdown."""
    parts = [step_marker(use_case, step.order), heading, TEXT_MARKER]
    if step.action:
        parts.append(f"**{text_to_markdown(step.action)}.** {text_to_markdown(step.description)}")
    else:
        parts.append(text_to_markdown(step.description))
    if step.source_refs:
        parts += [SOURCES_MARKER, f"Sources: {sources_to_markdown(step.source_refs, link)}"]
    return "\n\n".join(part for part in [*parts, END_MARKER] if part)


def text_to_markdown(text: str) -> str:
    """Markdown that shows the text: white space collapsed, code spans kept, everything else escaped."""
    text = collapse(text)
    shown, position = [], 0
    for start, end in _code_spans(text):
        shown += [_escaped(text[position:start]), text[start:end]]
        position = end
    shown.append(_escaped(text[position:]))
    return _FIRST.sub(r"\1\\\2", "".join(shown), count=1)


def sources_to_markdown(refs: Iterable[SourceRef], link: Callable[[SourceRef], str]) -> str:
    """Links with the citation as label, comma-separated."""
    return ", ".join(f"[{_on_one_line(_escaped(label_of(ref)))}](<{_target(link(ref))}>)" for ref in refs)


def _marker(kind: str, /, **values: str) -> str:
    written = "".join(f" {key}={quote(value, safe='/._')}" for key, value in values.items())
    return f"<!-- retrodoc:{kind}{written} -->"


_SPECIAL = re.compile(r"[\\`*_\[\]<>&~|$]")
_FIRST = re.compile(r"\A(\d{0,9})([#+\-=.)])")
"""What would make a heading, a list item or a rule of a line that starts with it."""


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def _on_one_line(markdown: str) -> str:
    """A path may hold line ends, and an empty line would end the paragraph."""
    return markdown.replace("\n", "&#10;").replace("\r", "&#13;")


def _target(url: str) -> str:
    return url.replace("<", "%3C").replace(">", "%3E").replace("\n", "%0A").replace("\\", "%5C")


def _code_spans(text: str) -> list[tuple[int, int]]:
    """Code spans as CommonMark finds them: a run of backticks up to the next run of the same length."""
    runs = [(found.start(), found.end()) for found in re.finditer(r"`+", text)]
    spans, index = [], 0
    by_length: dict[int, list[int]] = {}
    for position in range(len(runs) - 1, -1, -1):
        by_length.setdefault(runs[position][1] - runs[position][0], []).append(position)
    while index < len(runs):
        start, end = runs[index]
        same = by_length[end - start]
        while same and same[-1] <= index:
            same.pop()
        if same:
            spans.append((start, runs[same[-1]][1]))
            index = same[-1]
        index += 1
    return spans


# ---- Reading


@dataclass(frozen=True, slots=True)
class OwnStep:
    use_case: str
    step: Step
    line: int
    """Of its marker, 1-based."""


@dataclass(frozen=True, slots=True)
class OwnPage:
    run: str
    commit: str | None
    subfolder: str
    steps: tuple[OwnStep, ...]
    entities: tuple[str, ...]
    problems: tuple[tuple[str, int], ...]
    """Markers and citations that cannot be read, each with its line."""
    foreign: dict[str, int] = field(default_factory=dict)
    """Citations of other repositories: name to count."""


class NewerPageError(ValueError):
    """The page was published by a newer RetroDoc: `format` is what it says."""

    def __init__(self, written_format: str) -> None:
        super().__init__(f"format {written_format}")
        self.written_format = written_format


_PAGE_LINE = re.compile(r"^[ \t]*<!--\s*retrodoc:page\b", re.MULTILINE)
_MARKER = re.compile(r"retrodoc:([a-z-]+)((?:\s+[a-z_]+=\S*)*)\s*\Z")


def is_own_page(markdown: str) -> bool:
    """Whether RetroDoc published this page."""
    return _PAGE_LINE.search(markdown) is not None


def read_own_page(markdown: str, place: Place | None = None) -> OwnPage:
    """The steps of a page for which `is_own_page` holds; `place` tells its links apart. Raises `NewerPageError`."""
    reader = _Reader(place or Place())
    blocks = list(read_blocks(markdown))
    for block in blocks:
        reader.head(block)  # it may stand below the steps
    for block in blocks:
        reader.take(block)
    return reader.page()


class _Reader:
    def __init__(self, place: Place) -> None:
        self.place = place
        self.run, self.documented = "", Documented()
        self.steps: list[OwnStep] = []
        self.entities: list[str] = []
        self.problems: list[tuple[str, int]] = []
        self.foreign: Counter[str] = Counter()
        self.part = ""
        self.use_case, self.order, self.line = "", 0, 0
        self.text: list[str] = []
        self.refs: list[SourceRef] = []

    def head(self, block: Block) -> None:
        name, values = _marked(block)
        if name == "page":
            if values.get("format") != str(PAGE_FORMAT):
                raise NewerPageError(values.get("format", "unknown"))
            self.run = values.get("run", "")
            self.documented = Documented(values.get("commit") or None, values.get("subfolder", ""))

    def take(self, block: Block) -> None:
        if block.kind == "comment":
            if block.comment.startswith("retrodoc:"):
                self._mark(block)
        elif self.part == "text":
            self.text.append(block.text)
        elif self.part == "sources":
            self._cite(block)

    def page(self) -> OwnPage:
        self._finish()
        return OwnPage(
            run=self.run,
            commit=self.documented.commit,
            subfolder=self.documented.subfolder,
            steps=tuple(self.steps),
            entities=tuple(self.entities),
            problems=tuple(self.problems),
            foreign=dict(self.foreign),
        )

    def _mark(self, block: Block) -> None:
        name, values = _marked(block)
        if name == "page":
            return
        if name == "step" and values.get("use_case") and re.fullmatch(r"-?\d{1,9}", values.get("order", "")):
            self._finish()
            self.part = "step"
            self.use_case, self.order, self.line = values["use_case"], int(values["order"]), block.line
        elif name == "entity" and values.get("name"):
            self.entities.append(values["name"])
        elif name in ("text", "sources") and self.part:
            self.part = name
        elif name == "end":
            self._finish()
        else:
            self.problems.append((f"<!-- {block.comment} -->", block.line))

    def _cite(self, block: Block) -> None:
        for link, group in groupby(_cited(block.pieces), key=lambda piece: piece.link):
            pieces = tuple(group)
            if link:
                self._link("".join(piece.shown for piece in pieces), pieces[0].href, block.line)
            else:
                refs, problems = unlinked(pieces, block.line, self.place)
                self.refs += refs
                self.problems += problems

    def _link(self, label: str, href: str, line: int) -> None:
        ref = ref_of(label)
        if ref is None:
            self.problems.append((label, line))
            return
        self.refs.append(ref)
        led = follow(ref, href, self.place, self.documented)
        if led.problem:
            self.problems.append((led.problem, line))
        if led.foreign:
            self.foreign[led.foreign] += 1
        if led.ref:
            self.refs.append(led.ref)

    def _finish(self) -> None:
        if self.part:
            step = Step(order=self.order, description=collapse(" ".join(self.text)), source_refs=tuple(self.refs))
            self.steps.append(OwnStep(self.use_case, step, self.line))
        self.part, self.text, self.refs = "", [], []


def _marked(block: Block) -> tuple[str, dict[str, str]]:
    """The name and the values of one of our comments; an empty name for any other block."""
    found = _MARKER.match(block.comment) if block.kind == "comment" else None
    if found is None:
        return "", {}
    pairs = (pair.split("=", 1) for pair in found[2].split())
    return found[1], {key: unquote(value) for key, value in pairs}


def _cited(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """A Sources line without what is published before its first link: `Customer · ✓ valid · `."""
    first = next((at for at, piece in enumerate(pieces) if piece.link), len(pieces))
    said = max((at for at, piece in enumerate(pieces[:first]) if SEPARATOR in piece.text), default=-1)
    if said >= 0:
        yield replace(pieces[said], text=pieces[said].text.rpartition(SEPARATOR)[2])
    yield from pieces[said + 1 :]


_LABEL = re.compile(r"(?P<path>.+?)(?::(?P<start>-?\d{1,9})(?:-(?P<end>-?\d{1,9}))?)?", re.DOTALL)


def ref_of(label: str) -> SourceRef | None:
    """The citation that `label_of` wrote; None for an empty label."""
    found = _LABEL.fullmatch(label)
    if not found:
        return None
    if found["start"] is None:
        return SourceRef(path=found["path"])
    start = int(found["start"])
    return SourceRef(path=found["path"], start_line=start, end_line=int(found["end"] or start))
