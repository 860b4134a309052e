"""What a reader sees of a Markdown page: its blocks of prose, in order, with the line where each begins.

Code fences, indented code and what HTML hides are not prose. Links keep their target, code spans keep their
backticks. Nothing is known here about citations.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

PieceKind = Literal["text", "code", "break", "mark"]
BlockKind = Literal["heading", "paragraph", "item", "row", "comment", "code"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of visible text. `link` numbers the links of a block from 1 (0: in no link), `href` is its target.

    A `mark` is the underscores or asterisks of an emphasis: not visible, but `src/__init__.py` has two.
    """

    kind: PieceKind
    text: str
    line: int
    fence: str = ""
    """The backticks around a code span."""
    link: int = 0
    href: str = ""

    @property
    def shown(self) -> str:
        """As the judge gets it: a break is a space, a code span stands in its backticks."""
        if self.kind == "break":
            return " "
        if self.kind == "mark":
            return ""
        if self.kind == "text":
            return self.text
        pad = " " if self.text.startswith("`") or self.text.endswith("`") else ""
        return f"{self.fence}{pad}{self.text}{pad}{self.fence}"


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a paragraph, a list item's own text, a table row, an HTML comment, or code that is not prose."""

    kind: BlockKind
    line: int
    """1-based, in the page."""
    pieces: tuple[Piece, ...] = ()
    level: int = 0
    """Of a heading, 1 to 6."""
    comment: str = ""
    """What stands between `<!--` and `-->`, of a comment."""
    quoted: bool = False
    """It stands in a block quote."""

    @property
    def text(self) -> str:
        """The visible text on one line, white space collapsed."""
        return collapse("".join(piece.shown for piece in self.pieces))


def collapse(text: str) -> str:
    """The text with every run of white space as one space, and none at the ends."""
    return " ".join(text.split())


@cache
def _parser(*, with_html: bool) -> MarkdownIt:
    from markdown_it import MarkdownIt  # costs start-up time, and only Markdown needs it

    parser = MarkdownIt("commonmark", {"html": with_html, "maxNesting": 100}).enable(["table", "strikethrough"])
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # noqa: ARG005 - nothing is followed
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]  # the target as written
    return parser


_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?)^\1[ \t]*$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What stands between the two fences at the very top of a page; its first line is line 2."""

    text: str
    is_yaml: bool
    """Else it is TOML."""


def front_matter(markdown: str) -> FrontMatter | None:
    """The page's own data, which is no prose; None when it has none."""
    if not markdown.startswith(("---", "+++")):
        return None
    found = _FRONT_MATTER.match(_with_line_feeds(markdown))
    return FrontMatter(found[2], found[1] == "---") if found else None


def _with_line_feeds(markdown: str) -> str:
    return markdown.replace("\r\n", "\n").replace("\r", "\n")


MAX_OPEN_BRACKETS = 8
"""Brackets of a paragraph that may stand open at once; a parser tries each against all that follows."""
_PARAGRAPH = re.compile(r"(?:[^\n]*\S[^\n]*\n?)+")


def read_blocks(markdown: str) -> Iterator[Block]:
    """The blocks of a page, in order. Front matter is no prose; line ends may be LF or CRLF."""
    markdown = _with_line_feeds(markdown)
    markdown = _FRONT_MATTER.sub(lambda found: "\n" * found[0].count("\n"), markdown, count=1)
    if markdown.count("[") > MAX_OPEN_BRACKETS:
        markdown = _PARAGRAPH.sub(lambda found: _close_brackets(found[0]), markdown)
    yield from _blocks(_parser(with_html=True).parse(markdown), first_line=1)


def _close_brackets(paragraph: str) -> str:
    """The paragraph with brackets escaped where so many stand open that they are no links."""
    if paragraph.count("[") <= MAX_OPEN_BRACKETS:
        return paragraph
    open_at: list[int] = []
    too_many: set[int] = set()
    for found in re.finditer(r"[\[\]]", paragraph):
        if found[0] == "]":
            if open_at:
                open_at.pop()
        else:
            open_at.append(found.start())
            if len(open_at) > MAX_OPEN_BRACKETS:
                too_many.update(open_at[-MAX_OPEN_BRACKETS - 1 :])
    if len(open_at) > MAX_OPEN_BRACKETS:
        too_many.update(open_at)
    return (
        "".join(f"\\{sign}" if at in too_many else sign for at, sign in enumerate(paragraph)) if too_many else paragraph
    )


@dataclass(slots=True)
class _Walk:
    """Where the walk over the tokens stands."""

    containers: list[str] = field(default_factory=list)
    heading: int = 0
    cells: list[Piece] | None = None
    """Of the table row that is being read."""

    @property
    def quoted(self) -> bool:
        return "blockquote" in self.containers


def _blocks(tokens: Sequence[Token], first_line: int) -> Iterator[Block]:
    walk = _Walk()
    for token in tokens:
        line = first_line + (token.map[0] if token.map else 0)
        if token.type == "tr_open":
            walk.cells = []
        elif token.type == "tr_close":
            if walk.cells and any(piece.shown.strip() for piece in walk.cells):
                yield Block("row", walk.cells[0].line, tuple(walk.cells), quoted=walk.quoted)
            walk.cells = None
        elif token.type in ("list_item_open", "blockquote_open"):
            walk.containers.append(token.type.removesuffix("_open"))
        elif token.type in ("list_item_close", "blockquote_close"):
            walk.containers.pop()
        elif token.type in ("heading_open", "heading_close"):
            walk.heading = int(token.tag[1:]) if token.nesting == 1 else 0
        elif token.type in ("fence", "code_block"):
            yield Block("code", line)
        elif token.type == "html_block":
            yield from _html(token.content, line)
        elif token.type == "inline":
            yield from _prose(token, line, walk)


def _prose(token: Token, line: int, walk: _Walk) -> Iterator[Block]:
    pieces = tuple(_pieces(token.children or (), line, walk.cells))
    if walk.cells is not None:
        walk.cells.extend(pieces)
        walk.cells.append(Piece("break", " ", line))
    elif walk.heading:
        yield Block("heading", line, pieces, level=walk.heading, quoted=walk.quoted)
    elif pieces:
        yield Block("item" if "list_item" in walk.containers else "paragraph", line, pieces, quoted=walk.quoted)


_MARKS = frozenset({"strong_open", "strong_close", "em_open", "em_close"})
_LINK_TAG = re.compile(r"""<a\s[^>]{0,2000}?\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))[^>]*>""", re.IGNORECASE)


def _pieces(tokens: Sequence[Token], line: int, before: Sequence[Piece] | None) -> Iterator[Piece]:
    links = max((piece.link for piece in before or ()), default=0)  # numbers go on in the next cell of a row
    href: str | None = None
    for token in tokens:
        link = links if href is not None else 0
        if token.type == "text" and token.content:
            yield Piece("text", token.content, line, link=link, href=href or "")
        elif token.type == "code_inline":
            yield Piece("code", token.content, line, fence=token.markup, link=link, href=href or "")
        elif token.type in ("softbreak", "hardbreak"):
            yield Piece("break", " ", line, link=link, href=href or "")
            line += 1
        elif token.type in _MARKS:
            yield Piece("mark", token.markup, line, link=link, href=href or "")
        elif token.type == "link_open":
            href, links = str(token.attrs.get("href", "")), links + 1
        elif token.type == "link_close":
            href = None
        elif token.type == "image":
            alt = collapse("".join(child.content for child in token.children or ()))
            yield Piece("text", alt, line, link=link, href=href or "")
        elif token.type == "html_inline":
            opened = _LINK_TAG.match(token.content)
            if opened:
                href, links = html.unescape(opened[1] or opened[2] or opened[3] or ""), links + 1
            elif token.content.lower().startswith("</a"):
                href = None
            elif token.content.lower().startswith("<br"):
                yield Piece("break", " ", line, link=link, href=href or "")


_HIDDEN = re.compile(r"<(script|style|pre|svg|template)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_LINK = re.compile(_LINK_TAG.pattern + r"(.{0,2000}?)</a\s*>", re.DOTALL | re.IGNORECASE)


def _html(source: str, first_line: int) -> Iterator[Block]:
    """Comments as such; what remains without its tags is read as Markdown, since people and tools write so."""
    shown: list[str] = []
    position = 0
    while (start := source.find("<!--", position)) >= 0:
        end = source.find("-->", start + 4)
        end = len(source) if end < 0 else end
        shown.append(source[position:start])
        yield Block("comment", first_line + source.count("\n", 0, start), comment=source[start + 4 : end].strip())
        position = end + 3
        shown.append("\n" * source.count("\n", start, position))
    shown.append(source[position:])
    text = _HIDDEN.sub(lambda found: "\n" * found[0].count("\n"), "".join(shown))
    text = _LINK.sub(lambda found: f"[{_TAG.sub('', found[4])}]({_target(found)})", text)
    text = _TAG.sub(" ", text)
    if not text.strip():
        return
    flat = "\n".join(line.strip() for line in text.split("\n"))
    yield from _blocks(_parser(with_html=False).parse(flat), first_line)


def _target(found: re.Match[str]) -> str:
    """What an `<a>` leads to, as a Markdown link writes it."""
    return quote(html.unescape(found[1] or found[2] or found[3] or ""), safe="%/:?#[]@!$&'*+,;=~")
