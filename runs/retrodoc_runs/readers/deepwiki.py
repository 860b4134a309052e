"""What DeepWiki, deepwiki-open, Qoder and their kin write: the Sources lines, and what a page was made from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from retrodoc_runs.readers.blocks import Block, Piece, collapse

_WORDS = (
    "(?:section |diagram |code |page )?sources?|source files?|referenced files in this document|"
    "références?|refs?|references?|citations?|evidence|preuves?|"
    "来源|资料来源|章节来源|图表来源|本文档?引用的文件|源代码|出典|参照|출처|quellen?|fuentes?|fontes?|fonti?|"
    "источники?|nguồn|bronnen"
)
_SOURCES = re.compile(rf"\W*(?:{_WORDS})\s*(?:\W*\Z|\W*[:：])", re.IGNORECASE)
_MADE_FROM = re.compile(
    r"\W*(?:relevant source files|the following files were used as context)\b|\W*相关源文件|\W*関連ソースファイル",
    re.IGNORECASE,
)
_ENDING = re.compile(rf"[\s(\[]*\b(?:{_WORDS})\s*[:：]?\s*[)\].,;]*\s*\Z", re.IGNORECASE)
_FILLER = re.compile(
    rf"\b(?:{_WORDS}|see|also|voir|aussi|cf|in|at|dans|from|and|et|code|file|fichier|lines?)\b", re.IGNORECASE
)


def is_sources_line(text: str) -> bool:
    """`Sources: …`, `**Références :** …`, or the word alone, whose links follow."""
    return _SOURCES.match(text) is not None or lists_what_it_was_made_from(text)


def lists_what_it_was_made_from(text: str) -> bool:
    """The head of DeepWiki's list of files that it gave its model as context."""
    return _MADE_FROM.match(text) is not None


def says_nothing_else(text: str) -> bool:
    """Whether nothing but filler remains of a block once its citations are taken out."""
    return not re.search(r"\w", _FILLER.sub("", text))


def without_ending(text: str) -> str:
    """The text without a `Sources:` that its citations have left alone at its end."""
    return _ENDING.sub("", text)


def split_sources(block: Block) -> Iterator[Block]:
    """A paragraph whose later line begins with `Sources:` is two: what is said, and the Sources line."""
    parts: list[list[Piece]] = [[]]
    for index, piece in enumerate(block.pieces):
        if piece.kind == "break" and piece.link == 0 and parts[-1]:
            following = collapse("".join(later.shown for later in block.pieces[index + 1 : index + 6]))
            if is_sources_line(following):
                parts.append([])
                continue
        parts[-1].append(piece)
    if len(parts) == 1:
        yield block
        return
    for part in parts:
        if part:
            yield Block(block.kind, part[0].line, tuple(part), level=block.level, quoted=block.quoted)
