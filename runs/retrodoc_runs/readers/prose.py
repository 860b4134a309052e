"""What one block of a page cites, what only looks like a citation, and the text that remains for the judge."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from retrodoc_runs.readers.blocks import Block, Piece
from retrodoc_runs.readers.flat import CODE, flat, label_text, without
from retrodoc_runs.readers.grammar import (
    DOCUMENTS,
    EXTENSIONS,
    FILE_NAMES,
    Lines,
    extension,
    files_named,
    names_a_file,
    parse_lines,
    phrases,
    scan,
    urls,
)
from retrodoc_runs.readers.links import (
    Exists,
    Label,
    linked_citation,
    names_another_file,
    only_names,
    other_lines,
    read_address,
    read_label,
    read_link,
    read_own_lines,
    same_file,
    strict_citation,
)
from retrodoc_runs.readers.model import Citation


@dataclass(slots=True)
class BlockReading:
    line: int
    citations: list[Citation] = field(default_factory=list)
    unparsed: list[tuple[str, int]] = field(default_factory=list)
    text: str = ""
    """What is seen, citations left out; a line break of the source is a line feed."""


def read_block(block: Block, *, sources: bool, exists: Exists) -> BlockReading:
    """`sources`: the block is a Sources line, in which a link can be nothing but a citation."""
    if not any(piece.link for piece in block.pieces):
        text = "".join("\n" if piece.kind == "break" else piece.shown for piece in block.pieces)
        if not _MAY_CITE.search(text):
            return BlockReading(block.line, text=text)
    reader = _BlockReader(block, sources=sources, exists=exists)
    for link, pieces in groupby(block.pieces, key=lambda piece: piece.link):
        if link:
            reader.link(tuple(pieces))
        else:
            reader.prose(tuple(pieces))
    return reader.finish()


_MAY_CITE = re.compile(r"[:#]|\bl(?:ines?|ignes?|l?\.|[0-9])", re.IGNORECASE)
"""Whatever is read or listed holds one of these."""
_BARE = re.compile(r":(?=[L0-9])")
_PORT = 1024
"""A bare single number from here on is as likely a port as a line: listed, not read."""


class _BlockReader:
    def __init__(self, block: Block, *, sources: bool, exists: Exists) -> None:
        self.reading = BlockReading(block.line)
        self.sources = sources
        self.exists = exists
        self.shown: list[str] = []
        self.last_file: Citation | None = None
        self.prose_since: list[str] = []
        self.after_link: Citation | None = None
        """The whole file that a link just cited: `[a.py](a.py):10-20` goes on with its lines."""

    def finish(self) -> BlockReading:
        text = "".join(self.shown)
        position, kept = 0, []
        for start, end in phrases(text):
            line = self.reading.line + text.count("\n", 0, start)
            self.reading.unparsed.append((" ".join(text[start:end].split()), line))
            kept.append(text[position:start])
            position = end
        kept.append(text[position:])
        self.reading.text = "".join(kept)
        return self.reading

    # ---- Prose and code spans

    def prose(self, pieces: Sequence[Piece]) -> None:
        text, shown, line_at = flat(pieces)
        codes = iter([piece for piece in pieces if piece.kind == "code"])
        position = self._continued(text, line_at)
        removed = [(0, position)] if position else []
        for start, end in self._in_order(text, position):
            before = text[position:start]
            if text[start] == CODE:
                self.prose_since.append(before)
                whole = self._code(next(codes), text[start + 1 : end])
                if whole:
                    removed.append((start, end))
            elif text.startswith(("http://", "https://"), start):
                self.prose_since.append(before)
                if self._url(text[start:end], line_at(start)):
                    removed.append((start, end))
            else:
                self.prose_since.append(before)
                if self._found(text, start, end, line_at(start)):
                    removed.append((start, end))
            position = end
        self.prose_since.append(text[position:])
        self.shown.append(without(shown, removed))
        if text.strip():
            self.after_link = None

    def _continued(self, text: str, line_at: Callable[[int], int]) -> int:
        """How much of the text belongs to the link before it."""
        if not self.after_link or not _BARE.match(text):
            return 0
        end = _suffix_end(text, 1)
        ranges = parse_lines(text[1:end])
        if ranges is None:
            self.reading.unparsed.append((f"{self.after_link.path}{text[:end]}", line_at(0)))
        else:
            self.reading.citations.pop()  # the link was the last to be cited
            self._cite(self.after_link, ranges)
        return end

    def _in_order(self, text: str, position: int) -> Iterator[tuple[int, int]]:
        """Code spans, with the `:10-20` that may follow one, and what `scan` finds, in order."""
        self.scanned = {found.start: found for found in scan(text) if found.start >= position}
        spots = [(found.start, found.end) for found in self.scanned.values()] + list(urls(text))
        for index, character in enumerate(text):
            if character == CODE and index >= position:
                end = index + 1
                if _BARE.match(text, end):
                    end = _suffix_end(text, end + 1)
                spots.append((index, end))
        last = position
        for start, end in sorted(spots):
            if start >= last:
                yield start, end
                last = end

    def _url(self, url: str, line: int) -> bool:
        """A permalink that stands in the text itself; any other address, ports and all, is prose."""
        target, problem = read_address(url, self.exists)
        if problem:
            self.reading.unparsed.append((problem, line))
        elif target and (target.lines or self._is_evidence(target, "")):
            self._cite(target, [target.lines] if target.lines else ())
        else:
            return False
        return True

    def _found(self, text: str, start: int, end: int, line: int) -> bool:
        found = self.scanned[start]
        if found.path:
            self._cite(Citation(found.path), found.ranges)
        elif found.ranges:
            return self._bare(found.text, found.ranges, line)
        else:
            self.reading.unparsed.append((text[start:end], line))
        return True

    def _code(self, piece: Piece, after: str) -> bool:
        """Reads a code span and the lines right after it; whether they belong to a citation and are not for the judge.

        `after` is empty, or starts with a colon.
        """
        content = piece.text.strip()
        if after:
            ranges = parse_lines(after[1:])
            if ranges and (names_a_file(content) or content in FILE_NAMES):
                self._cite(Citation(content), ranges)
                return True
            if names_a_file(content) and extension(content) in EXTENSIONS:
                self.reading.unparsed.append((f"{content}{after}", piece.line))
                return True
        if content.startswith(":"):
            ranges = parse_lines(content[1:])
            return bool(ranges) and self._bare(content, tuple(ranges or ()), piece.line)
        return self._inside_code(content, piece)

    def _inside_code(self, content: str, piece: Piece) -> bool:
        addresses = list(urls(content))
        if addresses:
            return max([self._url(content[start:end], piece.line) for start, end in addresses])
        delimited = strict_citation(content)
        if delimited and self.exists(delimited[0]):
            self._cite(Citation(delimited[0]), delimited[1])
            return True
        found_any = False
        for found in scan(content):
            found_any = True
            if found.path and self._is_doubtful_path(found.path):
                self.reading.unparsed.append((found.text, piece.line))
            elif found.path:
                self._cite(Citation(found.path), found.ranges)
            elif found.ranges:
                self._bare(found.text, found.ranges, piece.line)
            else:
                self.reading.unparsed.append((found.text, piece.line))
        if not found_any and names_a_file(content) and " " not in content:
            self._name(Citation(content))
        return found_any

    def _bare(self, text: str, ranges: Sequence[Lines], line: int) -> bool:
        single = len(ranges) == 1 and "-" not in text and "–" not in text
        file = self._last_file_named()
        if file is None or (single and ranges[0][0] >= _PORT):
            self.reading.unparsed.append((text, line))
            return True
        self._cite(file, ranges)
        return True

    def _last_file_named(self) -> Citation | None:
        for text in reversed(self.prose_since):
            named = list(files_named(text))
            if named:
                return Citation(named[-1][2])
        return self.last_file

    def _is_doubtful_path(self, path: str) -> bool:
        """`library/redis:7` is an image with its tag unless the repository holds such a file."""
        return extension(path) not in EXTENSIONS and not self.exists(path)

    # ---- Links

    def link(self, pieces: Sequence[Piece]) -> None:
        label = label_text(pieces)
        href = pieces[0].href.strip()
        line = pieces[0].line
        self.after_link = None
        if href in ("", "#"):
            handled = self._empty_target(label, line)
        else:
            handled = self._target(label, href, line)
        if not handled:
            self.prose(pieces)
            return
        if handled == "keep":
            self.shown.append(without(flat(pieces)[1], []))

    def _empty_target(self, text: str, line: int) -> str:
        label = read_label(text, self.exists)
        if label.only_cites or (label.citations and linked_citation(text)):
            for path, ranges in label.citations:
                self._cite(Citation(path), ranges)
            return self._drop(label)
        if not re.search(r"[:#]", text) and (names_a_file(text) or (self.sources and text in FILE_NAMES)):
            whole = Citation(text)
            self._cite(whole, ())
            self.after_link = whole
            return "drop"
        if text and (self.sources or label.citations or label.unread):
            self.reading.unparsed.append((text, line))
            return "drop"
        return ""

    def _target(self, text: str, href: str, line: int) -> str:
        label = read_label(text, self.exists)
        if href.startswith("#") and label.citations:
            target, problem = read_own_lines(label.citations[-1][0], href)
        else:
            target, problem = read_link(href, self.exists)
        if problem:
            self.reading.unparsed.append((problem, line))
            there = problem.partition("#")[0]
            for path, ranges in label.citations:
                short = there and same_file(path, there)
                self._cite(Citation(there, from_page="://" not in href) if short else Citation(path), ranges)
            return self._drop(label) if label.citations else "keep"
        if target is None:
            return ""
        self.reading.unparsed += [(unread, line) for unread in label.unread]
        if label.citations:
            self._labelled(target, label)
            return self._drop(label)
        if target.start_line is None and not self._is_evidence(target, text):
            return ""
        return self._named(target, text, label)

    def _named(self, target: Citation, text: str, label: Label) -> str:
        """A target whose label cites nothing by itself; it may still name another file, or other lines."""
        agrees = same_file(text, target.path)
        if agrees and target.path.startswith("/"):
            target = Citation(text)  # a path of the machine that wrote the page
        other_file = names_another_file(text, target, self.exists)
        if other_file:
            self._cite(Citation(text.strip("` ")), ())
        lines = other_lines(text, target)
        self._cite(target, [one for one in (lines, target.lines) if one])
        self.after_link = target if target.lines is None else None
        return "drop" if agrees or other_file or label.unread or only_names(text, target) else "keep"

    def _labelled(self, target: Citation, label: Label) -> None:
        """A label that cites by itself: one with its target when they agree, else both."""
        agreed = False
        for path, ranges in label.citations:
            if not same_file(path, target.path):
                self._cite(Citation(path), ranges)
                continue
            if target.path.startswith("/"):
                target = Citation(path, target.start_line, target.end_line, target.commit, target.repository)
            self._cite(target, ranges)
            agreed |= target.lines in (None, *ranges, (ranges[0][0], ranges[-1][1]))
        if not agreed:
            self._cite(target, [target.lines] if target.lines else ())

    def _drop(self, label: Label) -> str:
        """Of a label that cites, only the words around its citations are text for the judge."""
        if not label.only_cites:
            self.shown.append(label.rest)
        return "drop"

    def _is_evidence(self, target: Citation, label: str) -> bool:
        """Whether a link to a whole file is evidence; elsewhere than on a Sources line it may be further reading."""
        kind = extension(target.path)
        if self.sources:
            return kind in EXTENSIONS or target.path in FILE_NAMES or same_file(label, target.path)
        return kind in EXTENSIONS and kind not in DOCUMENTS

    # ---- What was found

    def _cite(self, file: Citation, ranges: Sequence[Lines]) -> None:
        base = Citation(file.path, None, None, file.commit, file.repository, file.from_page)
        self._name(base)
        for start, end in ranges:
            cited = Citation(file.path, start, end, file.commit, file.repository, file.from_page)
            self.reading.citations.append(cited)
        if not ranges:
            self.reading.citations.append(base)

    def _name(self, file: Citation) -> None:
        self.last_file = file
        self.prose_since.clear()


def _suffix_end(text: str, start: int) -> int:
    end = start
    while end < len(text) and (text[end].isalnum() or text[end] in "-–,:"):
        if text[end] in ",:" and not text[end + 1 : end + 2].isdigit():
            break
        end += 1
    return end
