"""Decides which tables and enumerations SQL declares, in `.sql` files and in strings of any source file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrodoc_runs.models import Entity, Field

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

_NAME = r"(?:[\w$]+|\"[^\"\n]+\"|`[^`\n]+`|\[[^\]\n]+\])"
_TABLE = re.compile(
    rf"\bCREATE\s+(?:GLOBAL\s+|LOCAL\s+|TEMP(?:ORARY)?\s+|UNLOGGED\s+)*TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?"
    rf"((?:{_NAME}\s*\.\s*)?{_NAME})\s*\(",
    re.IGNORECASE,
)
_ENUM_TYPE = re.compile(rf"\bCREATE\s+TYPE\s+((?:{_NAME}\s*\.\s*)?{_NAME})\s+AS\s+ENUM\s*\(", re.IGNORECASE)
_COLUMN = re.compile(rf"\s*({_NAME})\s+([A-Za-z][\w ]*?(?:\s*\([^()]*\))?(?:\[\])?)(?=\s|,|$)(.*)", re.DOTALL)
_NOT_COLUMNS = frozenset(
    "primary foreign unique constraint check key index exclude like fulltext spatial period".split()
)
_TYPE_ENDS = re.compile(
    r"\s+(?:not|null|default|primary|unique|references|check|collate|constraint|auto_increment|generated|on|as|comment"
    r"|identity|autoincrement|unsigned)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_CHECK_IN = re.compile(r"\bCHECK\s*\(\s*[\"`\[]?(\w+)[\"`\]]?\s+IN\s*\(([^()]*)\)", re.IGNORECASE)
_ENUM = re.compile(r"^(?:ENUM|SET)\s*\((.*)\)$", re.IGNORECASE | re.DOTALL)
_QUOTED = re.compile(r"'((?:[^']|'')*)'")
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_STARTS = tuple(
    word
    for second in (b"TABLE", b"TYPE", b"TEMP", b"UNLOGGED", b"GLOBAL")
    for word in (b"CREATE " + second, b"create " + second.lower())
)
"""Plain bytes that come before anything else is tried: a pattern over every file would cost seconds."""
_PAGES = (".html", ".htm", ".md", ".rst", ".txt")
"""Files that show SQL to a reader rather than run it."""
MAX_TABLE = 40_000
"""Characters of one statement; more is data or an attack."""


def entities(sources: Sources) -> Iterable[Entity]:
    """Each `CREATE TABLE` and `CREATE TYPE ... AS ENUM`, with columns and the values that checks allow."""
    found: list[Entity] = []
    for path in sources.paths:
        data = sources.data(path)
        if path.endswith(_PAGES) or not (b"CREATE " in data or b"create t" in data):
            continue
        if not any(start in data for start in _STARTS):
            continue
        text = data.decode("utf-8", "replace")
        found.extend(_tables(path, text))
        found.extend(_enums(path, text))
    return found


def _tables(path: str, text: str) -> Iterator[Entity]:
    for match in _TABLE.finditer(text):
        body = _body(text, match.end() - 1)
        if body is None:
            continue
        start = text.count("\n", 0, match.start()) + 1
        first = text.count("\n", 0, match.end()) + 1
        fields = tuple(_columns(body, first))
        if fields:
            end = first + body.count("\n")
            yield Entity(name=_plain(match[1]), kind="table", path=path, start_line=start, end_line=end, fields=fields)


def _enums(path: str, text: str) -> Iterator[Entity]:
    for match in _ENUM_TYPE.finditer(text):
        body = _body(text, match.end() - 1)
        if body is not None:
            start = text.count("\n", 0, match.start()) + 1
            end = text.count("\n", 0, match.end() + len(body)) + 1
            values = tuple(_values(body))
            yield Entity(name=_plain(match[1]), kind="enum", path=path, start_line=start, end_line=end, values=values)


def _body(text: str, start: int) -> str | None:
    """What is between the parenthesis at `start` and the one that closes it."""
    depth, at, end = 0, start, min(len(text), start + MAX_TABLE)
    while at < end:
        char = text[at]
        if char == "'":
            at = text.find("'", at + 1, end)
            if at < 0:
                return None
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if depth == 0:
                return text[start + 1 : at]
        at += 1
    return None


def _columns(body: str, line: int) -> Iterator[Field]:
    body = _COMMENT.sub(lambda found: "\n" * found[0].count("\n") or " ", body)
    checks = {name.lower(): tuple(_values(values)) for name, values in _CHECK_IN.findall(body)}
    for offset, part in _parts(body):
        match = _COLUMN.match(part)
        if match is None or _plain(match[1]).lower() in _NOT_COLUMNS:
            continue
        name, kind = _plain(match[1]), " ".join(_TYPE_ENDS.sub("", match[2]).split())
        listed = _ENUM.match(kind)
        values = tuple(_values(listed[1])) if listed else checks.get(name.lower(), ())
        skipped = len(part) - len(part.lstrip())
        yield Field(name=name, type=kind, values=values, line=line + body.count("\n", 0, offset + skipped))


def _parts(body: str) -> Iterator[tuple[int, str]]:
    """The pieces between commas that are in no parenthesis and no string, with where each starts."""
    depth, start, quoted = 0, 0, False
    for at, char in enumerate(body):
        if char == "'":
            quoted = not quoted
        elif quoted:
            continue
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
        elif char == "," and depth == 0:
            yield start, body[start:at]
            start = at + 1
    yield start, body[start:]


def _values(text: str) -> list[str]:
    return [value.replace("''", "'") for value in _QUOTED.findall(text)]


def _plain(name: str) -> str:
    return name.rpartition(".")[2].strip().strip('"`[]')
