"""What a Markdown page that others wrote says, step by step: a step is a text with what it cites.

A Sources line makes one step with the text since the previous Sources line or heading. Where there is none, each
paragraph, list item or table row that cites something is a step, and one that does nothing but cite makes a step
with the uncited text right before it. Each citation is in exactly one step. A link to a whole file is judged apart
from the lines that the same text cites, since one range that is too wide spoils the others.

The text of a step is what is seen of it, with code spans in their backticks, without the citations themselves and
without the names of the files that it cites: the citation already promises those. Front matter that cites is a step
without a text: it is what the whole page was made from.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from retrodoc_runs.readers.blocks import collapse, front_matter, read_blocks
from retrodoc_runs.readers.deepwiki import is_sources_line, says_nothing_else, split_sources, without_ending
from retrodoc_runs.readers.forges import same_repository
from retrodoc_runs.readers.links import Exists
from retrodoc_runs.readers.model import Citation, Reading, ReadStep, Unparsed
from retrodoc_runs.readers.prose import BlockReading, read_block
from retrodoc_runs.steps import SourceRef, Step


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a page's citations are read against. Nothing is opened: `exists` answers for the repository's files."""

    exists: Exists = lambda _path: False
    repository: str = ""
    """The repository that is documented: `github.com/acme/shop`, `acme/shop` or `shop`; empty: whichever is named."""
    folder: str = ""
    """The page's folder relative to the root of what is documented; it may begin with `..`."""


def read_markdown(markdown: str, page: str, surroundings: Surroundings | None = None) -> Reading:
    """The steps of a page. `page` is its name in the reading, and without its extension the slug of its use case."""
    around = surroundings or Surroundings()
    reader = _PageReader(page, around)
    front = front_matter(markdown)
    if front is not None:
        from retrodoc_runs.readers.front_matter import read_front_matter  # few pages have any

        reader.front_matter(read_front_matter(front, around.exists))
    for whole in read_blocks(markdown):
        for block in split_sources(whole):
            if block.kind == "heading":
                reader.heading(collapse(block.text), read_block(block, sources=False, exists=around.exists))
            elif block.kind == "code":
                reader.interrupt()
            elif block.kind != "comment":
                sources = is_sources_line(block.text)
                reading = read_block(block, sources=sources or reader.listing, exists=around.exists)
                reader.block(reading, sources=sources)
    return reader.finish()


@dataclass(slots=True)
class _Draft:
    """A step before its paths are resolved."""

    line: int
    heading: str
    texts: list[str] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)

    def take(self, block: BlockReading, *, text: bool = True) -> None:
        self.citations += block.citations
        if text:
            self.texts.append(block.text)


class _PageReader:
    def __init__(self, page: str, around: Surroundings) -> None:
        self.page = page
        self.around = around
        self.slug = posixpath.splitext(page)[0] or page
        self.name = ""
        self.title = ""
        self.section: list[BlockReading] = []
        """Blocks since the last heading or Sources line."""
        self.open: _Draft | None = None
        """The step of the Sources line that is being read."""
        self.steps: list[ReadStep] = []
        self.unparsed: list[Unparsed] = []
        self.foreign: Counter[str] = Counter()

    @property
    def listing(self) -> bool:
        """Whether a Sources line is open, so that links below it belong to it."""
        return self.open is not None

    def front_matter(self, reading: BlockReading) -> None:
        """A step without a text: what the whole page was made from."""
        self._note(reading)
        if reading.citations:
            self._add(_Draft(reading.line, "", citations=reading.citations))

    def heading(self, title: str, reading: BlockReading) -> None:
        if is_sources_line(title) and not reading.citations:
            self._open_sources(reading)
            return
        self._end_section()
        self.title = title
        self.name = self.name or title
        self._note(reading)
        if reading.citations:
            self.section.append(reading)

    def interrupt(self) -> None:
        """Code ends a list of sources, and is otherwise not there."""
        if self.open:
            self._close_sources()

    def block(self, reading: BlockReading, *, sources: bool) -> None:
        self._note(reading)
        if sources:
            self._open_sources(reading)
        elif self.open and (reading.citations or reading.unparsed) and says_nothing_else(reading.text):
            self.open.take(reading, text=False)
        else:
            self._close_sources()
            self.section.append(reading)

    def finish(self) -> Reading:
        self._end_section()
        return Reading(
            kind="markdown",
            steps=tuple(self.steps),
            names={self.slug: self.name} if self.name and self.steps else {},
            unparsed=tuple(self.unparsed),
            foreign=dict(self.foreign),
            pages=(self.page,),
        )

    def _note(self, reading: BlockReading) -> None:
        self.unparsed += [Unparsed(text, line, self.page) for text, line in reading.unparsed]

    def _open_sources(self, reading: BlockReading) -> None:
        if self.open and not self.section:
            self.open.take(reading, text=False)  # `Sources:` and then `References:` speak of the same text
            return
        self._close_sources()
        draft = _Draft(self.section[0].line if self.section else reading.line, self.title)
        for block in self.section:
            draft.take(block)
        draft.take(reading, text=False)
        self.section = []
        self.open = draft

    def _close_sources(self) -> None:
        if self.open:
            self._add(self.open)
        self.open = None

    def _end_section(self) -> None:
        self._close_sources()
        uncited: list[BlockReading] = []
        for block in self.section:
            if not block.citations:
                uncited.append(block)
                continue
            draft = _Draft(block.line, self.title)
            if says_nothing_else(block.text):
                for before in uncited:
                    draft.take(before)
                draft.line = uncited[0].line if uncited else block.line
                draft.take(block, text=False)
            else:
                draft.take(block)
            self._add(draft)
            uncited = []
        self.section = []

    def _add(self, draft: _Draft) -> None:
        own: list[Citation] = []
        for citation in draft.citations:
            if citation.repository and not same_repository(citation.repository, self.around.repository):
                self.foreign[citation.repository] += 1
            else:
                own.append(_resolved(citation, self.around))
        own = list(dict.fromkeys(own))
        text = _step_text(draft.texts, own) or self.title
        for part in (
            [citation for citation in own if citation.lines],
            [citation for citation in own if not citation.lines],
        ):
            if part:
                self.steps.append(self._step(draft, text, part))

    def _step(self, draft: _Draft, text: str, citations: Iterable[Citation]) -> ReadStep:
        citations = tuple(citations)
        refs = tuple(SourceRef(path=one.path, start_line=one.start_line, end_line=one.end_line) for one in citations)
        commits = tuple(one.commit for one in citations)
        return ReadStep(
            use_case=self.slug,
            step=Step(order=len(self.steps) + 1, description=text, source_refs=refs),
            page=self.page,
            line=draft.line,
            commits=commits if any(commits) else (),
            heading=draft.heading,
        )


def _resolved(citation: Citation, around: Surroundings) -> Citation:
    """With its path from the root: a relative target starts from the page's folder, else from the root."""
    path = citation.path
    if citation.from_page:
        path = resolve_target(path, around.folder, around.exists)
    return Citation(path, citation.start_line, citation.end_line, citation.commit)


def resolve_target(target: str, folder: str, exists: Callable[[str], bool]) -> str:
    """The path that a link's target names; where neither place holds such a file, the one that its form suggests."""
    from_page = posixpath.normpath(posixpath.join(folder, target))
    from_root = posixpath.normpath(target.lstrip("/")) if target.strip("/") else target
    if not target.startswith("/") and exists(from_page):
        return from_page
    if exists(from_root):
        return from_root
    if target.startswith(("./", "../")) and not from_page.startswith(".."):
        return from_page
    return target


_LEFT_OVER = re.compile(
    r"[(\[«“]\s*(?:(?:see|cf\.?|voir|in|at|dans|from|and|et|,|;|–|-|&|/)\s*)*[)\]»”]", re.IGNORECASE
)
_HANGING = re.compile(r"\s+([,.;:!?])(?=\s|\Z)|\*\*|[ \t]+(?=\n|\Z)")
_DOUBLED = re.compile(r"([,;:])(?:\s*[,;:])+")


def _step_text(texts: Iterable[str], citations: Iterable[Citation]) -> str:
    """What remains of the blocks for the judge, one a line."""
    paths = {citation.path for citation in citations}
    names = paths | {posixpath.basename(path) for path in paths}
    lines = []
    for text in texts:
        text = _without_names(without_ending(collapse(text)), names)
        text = _HANGING.sub(r"\1", _DOUBLED.sub(r"\1", _LEFT_OVER.sub("", text)))
        text = collapse(text).strip(" ,;:-–|")
        if re.search(r"\w", text):
            lines.append(text)
    return "\n".join(lines)


def _without_names(text: str, names: Iterable[str]) -> str:
    for name in sorted(names, key=len, reverse=True):
        if name and name in text:
            text = re.sub(rf"(?<![\w/.`])(`?){re.escape(name)}\1(?![\w/`])", "", text)
    return text
