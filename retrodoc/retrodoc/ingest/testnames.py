"""What tests are called: a sentence about the software that somebody wrote and a machine keeps true."""

from __future__ import annotations

import re
from collections.abc import Iterator

from retrodoc.ingest.names import extension

_QUOTED = rb"""\s*\(?\s*(?:"(?P<d>[^"\n]{3,200})"|'(?P<s>[^'\n]{3,200})'|`(?P<b>[^`\n]{3,200})`)"""
_PATTERNS: dict[str, re.Pattern[bytes]] = {
    "python": re.compile(rb"^[ \t]*(?:async[ \t]+)?def[ \t]+(?P<n>test_?\w+)", re.MULTILINE),
    "ruby": re.compile(
        rb"^[ \t]*(?:def[ \t]+(?P<n>test_\w+[?!]?)|(?:it|specify|test|should|scenario|example)\b" + _QUOTED + rb")",
        re.MULTILINE,
    ),
    "script": re.compile(
        rb"^[ \t]*(?:it|test|specify|scenario)(?:\.(?:only|skip|each|concurrent)(?:\([^)\n]*\))?)?(?!\w)" + _QUOTED,
        re.MULTILINE,
    ),
    "go": re.compile(rb"^func[ \t]+(?P<n>Test\w+)\(", re.MULTILINE),
    "rust": re.compile(
        rb"#\[(?:\w+::)?(?:\w+_)?test[^\]\n]*\]\s*(?:#\[[^\]\n]*\]\s*)*(?:pub\s+)?(?:async\s+)?fn\s+(?P<n>\w+)"
    ),
    "attributed": re.compile(
        rb"(?:@Test|@ParameterizedTest|\[Fact|\[Theory|\[Test|\[TestMethod)\b[^\n]*\s+(?:[@\[][^\n]*\s+)*"
        rb"(?:public |private |internal |protected |async |static |final |fun |override )*(?:[\w<>\[\],.]+ )?"
        rb"(?:`(?P<b>[^`\n]+)`|(?P<n>\w+))\s*\("
    ),
    "php": re.compile(rb"^[ \t]*(?:public[ \t]+)?function[ \t]+(?P<n>test\w+)", re.MULTILINE),
}
_BY_EXTENSION = {"py": "python", "rb": "ruby", "go": "go", "rs": "rust", "php": "php"}
_BY_EXTENSION |= dict.fromkeys(("java", "kt", "cs", "scala"), "attributed")
_BY_EXTENSION |= dict.fromkeys(("js", "mjs", "cjs", "jsx", "ts", "tsx", "mts", "cts", "coffee"), "script")


def test_names(data: bytes, path: str) -> Iterator[tuple[str, int]]:
    """(name, line) of each test in a file, as it is written, in order; nothing in a language that is not known."""
    pattern = _PATTERNS.get(_BY_EXTENSION.get(extension(path), ""))
    if pattern is None:
        return
    line, at = 1, 0
    for found in pattern.finditer(data):
        kind = found.lastgroup
        if kind is None:
            continue
        start = found.start(kind)
        line, at = line + data.count(b"\n", at, start), start
        yield found.group(kind).decode("utf-8", "replace"), line
