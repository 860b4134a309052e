"""Which lines look like the start of a definition in any language: the yardstick of a proposed pattern.

It knows words, not grammars: optional modifiers, a definition keyword, a name. It misses what has no keyword (C, Java
methods), so it can say that a pattern is bad and never that it is complete.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_MODIFIERS = (
    "pub|public|private|protected|internal|static|final|abstract|virtual|override|async|export|default|local|global|"
    "inline|const|unsafe|extern|sealed|partial|open|data|case|implicit|lazy|declare|readonly|shared|pure|recursive|"
    "create|or|replace|editionable|noneditionable|force|overriding|member|map|order|constructor|let|rec|noncomputable"
)
_KEYWORDS = (
    "def|defp|defmodule|defmacro|defmacrop|defprotocol|defimpl|defguard|defdelegate|defn|defun|define|"
    "function|func|fun|fn|sub|subroutine|procedure|proc|method|class|module|struct|trait|interface|enum|impl|"
    "namespace|package|object|protocol|extension|trigger|view|table|type|record|theorem|lemma|macro|task|job|"
    "program|entity|architecture|rule|contract|library|actor|"
    "instance|signature|functor|mixin|service|message"
)
_NAME = r"[\"'(]?[A-Za-z_$][\w$.:-]*[?!]?[\"')]?"
# After the name: the end, an opening, a block word or a type; prose goes on with words and ends with a full stop.
_AFTER = (
    r"(?:\s*\(|\s*\[|\s*\{|\s*<|\s*=|\s*:|\s*;|\s*,|\s*\||\s*->|\s*$|"
    r"\s+(?:do|is|as|begin|extends|implements|with|where|returns?|for|of|on|under|when|before|after|body|\"[\w-]+\"\s*\{)\b)"
)
_STARTS = re.compile(
    rf"\s*(?:(?:{_MODIFIERS})\s+)*(?:{_KEYWORDS})\s+(?:body\s+)?{_NAME}{_AFTER}"
    r"|\s*(?:locals|terraform)\s*\{"
    r"|\s*(?:resource|data|module|variable|output|provider)\s+\"[\w-]+\"(?:\s+\"[\w-]+\")?\s*\{"
    r"|\s*(?:local\s+)?[\w.:]+\s*=\s*(?:async\s+)?function\b"
    # COBOL keeps its names before the keyword, and its paragraphs alone in the left margin.
    r"|.{0,7}\s{0,4}[A-Za-z0-9][\w-]*\s+(?:section|division)\b[^.]*\.\s*$"
    r"|.{0,6}\s{1,4}(?:program-id|function-id|class-id|method-id)\."
    r"|(?:\d{6} | {7})[A-Za-z0-9][\w-]*\.\s*$",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"\s*(?:#(?!\[)|//|--|/?\*|;|%|\"\"\"|'|REM\b|.{6}\*)", re.IGNORECASE)
_DECORATOR = re.compile(r"\s*(?:@[A-Za-z]|#\[|\[[A-Z]\w*(?:\(.*\))?\]\s*$)")
MAX_LINE = 1_000
"""Characters of a line that are looked at; definitions start within them."""


class Probe(NamedTuple):
    """The definition-like lines of a file, as indexes from 0."""

    starts: tuple[int, ...]
    decorators: dict[int, tuple[int, ...]]
    """By start, the decorator lines right above it: a pattern may match those instead."""


def probe(lines: list[str]) -> Probe:
    """Find the lines that look like the start of a definition, comments left out."""
    starts = [index for index, line in enumerate(lines) if looks_like_start(line)]
    return Probe(tuple(starts), {start: _decorators_above(lines, start) for start in starts})


def looks_like_start(line: str) -> bool:
    """Whether one line, taken alone, looks like the start of a definition."""
    return bool(_STARTS.match(line[:MAX_LINE])) and not _COMMENT.match(line)


def _decorators_above(lines: list[str], start: int) -> tuple[int, ...]:
    above = []
    index = start - 1
    while index >= 0 and _DECORATOR.match(lines[index]):
        above.append(index)
        index -= 1
    return tuple(above)
