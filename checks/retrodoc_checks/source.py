"""Where a name, a text or a number stands in one file, as which kind of token, and which ranges of lines hold it.

Sets of lines are integers: bit `n - 1` stands for line `n`. Sets of windows too: bit `n - 1` stands for the window
that starts at line `n`. So "how many ranges of this length would have passed" is a shift and a count.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import accumulate
from unicodedata import is_normalized, normalize

from retrodoc_checks.names import number_value, split_words
from retrodoc_checks.stems import stem_of, without_accents
from retrodoc_chunkers.model import Definition, TokenKind
from retrodoc_chunkers.syntax import Syntax, syntax_of

UNKNOWN = "unknown"
"""The kind of a token in a file without a grammar."""

_WORD_BYTES = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_" + bytes(range(128, 256)))
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_WORD_RUN = re.compile(r"[\w\u0300-\u036f]+")
_DOLLAR_LANGUAGES = frozenset({"javascript", "typescript", "tsx", "java"})
_NOT_AROUND = frozenset({"function", "method", "constant", "block"})
_FUNCTIONS = frozenset({"function", "method"})

_PATH_IMPORTS = frozenset({"ruby", "javascript", "typescript", "tsx", "php"})
"""Languages whose imports name a file in a string: that is a path, not a name that is bound."""

Bits = int


class SourceFile:
    """One text file, indexed as far as it was asked about. Not thread-safe; its answers never change."""

    def __init__(self, path: str, content: bytes, syntax: Callable[[bytes, str], Syntax] = syntax_of) -> None:
        self.path = path
        self.data = plain_utf8(content)
        self._syntax_of = syntax
        self._kinds: dict[tuple[str, bool], dict[str, list[int]]] = {}
        self._words: dict[tuple[str, ...], Bits] = {}
        self.windows_seen: dict[Hashable, Bits] = {}
        """What `evidence.windows_holding` found before."""

    def forget(self) -> None:
        """Let go of all that was computed; it is computed again if it is asked for."""
        for name in ("starts", "syntax", "numbers", "routes", "_stem_lines", "classes", "functions"):
            self.__dict__.pop(name, None)
        self._kinds.clear()
        self._words.clear()
        self.windows_seen.clear()

    @cached_property
    def starts(self) -> array[int]:
        """Offset of each line, and the length of the file last."""
        return array("I", accumulate(map(len, _LINE.findall(self.data)), initial=0))

    @property
    def lines(self) -> int:
        """How many lines the file has."""
        return len(self.starts) - 1

    @cached_property
    def syntax(self) -> Syntax:
        """What the file is made of. The tree is given back at once: it takes seventy times the source."""
        syntax = self._syntax_of(self.data, self.path)
        if syntax.language is not None:
            syntax.tables()
        return syntax

    def counts(self, start: int, end: int) -> frozenset[int]:
        """Structural counts within the lines, from the syntax."""
        return self.syntax.counts(start, end)

    def may_count(self, number: int) -> bool:
        """False when no lines of the file hold this structural count."""
        return self.syntax.may_count(number)

    @property
    def language(self) -> str | None:
        return self.syntax.language

    def line_of(self, offset: int) -> int:
        return bisect_right(self.starts, offset)

    def kind_of(self, offset: int) -> str:
        """The kind of the token that starts at `offset`; UNKNOWN in a file without a grammar."""
        if self.syntax.language is None:
            return UNKNOWN
        kind = self.syntax.kind_at(offset)
        if kind is TokenKind.IMPORT and self.language in _PATH_IMPORTS and self._in_string(offset):
            return TokenKind.STRING
        return kind

    def _in_string(self, offset: int) -> bool:
        at = bisect_right(self.syntax.strings, (offset, len(self.data))) - 1
        return at >= 0 and offset < self.syntax.strings[at][1]

    def longest_line(self, start: int, end: int) -> int:
        """Bytes of the longest of the lines, its end left out."""
        starts = self.starts
        return max((starts[line] - starts[line - 1] for line in range(start, end + 1)), default=1) - 1

    # ---- lines by kind

    def name_lines(self, name: str) -> dict[str, list[int]]:
        """The lines on which a name stands as a whole token, by the kind of the token."""
        key = (name, True)
        found = self._kinds.get(key)
        if found is None:
            found = self._kinds[key] = self._by_kind(self._names(name))
        return found

    def has_name(self, name: str) -> bool:
        """Whether a name stands anywhere as a whole token, of whatever kind."""
        return any(True for _ in self._names(name))

    def has_text(self, literal: str) -> bool:
        """Whether a literal text stands anywhere, bounded on both sides."""
        return any(True for _ in self._texts(literal))

    def text_lines(self, literal: str) -> dict[str, list[int]]:
        """The lines on which a literal text starts, bounded on both sides, by the kind of what it starts in."""
        key = (literal, False)
        found = self._kinds.get(key)
        if found is None:
            found = self._kinds[key] = self._by_kind(self._texts(literal))
        return found

    def _by_kind(self, offsets: Iterable[int]) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for offset in offsets:
            found.setdefault(self.kind_of(offset), []).append(self.line_of(offset))
        return found

    def _names(self, name: str) -> Iterator[int]:
        """Offsets of the tokens that are this name, a leading `_` or `@` of theirs set aside."""
        bare = name.lstrip("_") or name
        if bare.startswith("$") and self.language not in _DOLLAR_LANGUAGES:
            bare = bare[1:] or bare
        needle = bare.encode()
        data = self.data
        at = data.find(needle)
        while at >= 0:
            end = at + len(needle)
            start = self._token_start(at)
            if start >= 0 and self._ends(end, bare) and not self._hyphenated(start, end):
                yield start
            at = data.find(needle, at + 1)

    def _token_start(self, at: int) -> int:
        """Where the token starts whose name, without its leading `_`, starts at `at`; -1 when none does."""
        data = self.data
        start = at
        while start > 0 and data[start - 1] == 0x5F:
            start -= 1
        if start > 0:
            before = data[start - 1]
            if before in _WORD_BYTES and (before < 128 or self._letter_before(start)):
                return -1
            if before == 0x24 and self.language in _DOLLAR_LANGUAGES and data[at] != 0x24:
                return -1
        return start

    def _ends(self, end: int, name: str) -> bool:
        data = self.data
        if end >= len(data) or name[-1] in "?!":
            return True
        after = data[end]
        if after in _WORD_BYTES:
            return after >= 128 and not self._letter_after(end)
        if after == 0x24:
            return self.language not in _DOLLAR_LANGUAGES
        if after == 0x21:
            return data[end + 1 : end + 2] == b"=" or self.language not in ("ruby", "rust")
        return after != 0x3F or self.language != "ruby"

    def _letter_before(self, at: int) -> bool:
        text = self.data[max(at - 4, 0) : at].decode("utf-8", "ignore")
        return bool(text) and (text[-1].isalnum() or "\u0300" <= text[-1] <= "\u036f")

    def _letter_after(self, at: int) -> bool:
        text = self.data[at : at + 4].decode("utf-8", "ignore")
        return bool(text) and (text[0].isalnum() or "\u0300" <= text[0] <= "\u036f")

    def _hyphenated(self, start: int, end: int) -> bool:
        """A hyphen continues a name, but in code it subtracts: so only where no grammar says that this is code."""
        data = self.data
        before = start > 1 and data[start - 1] == 0x2D and data[start - 2] in _WORD_BYTES
        after = end + 1 < len(data) and data[end] == 0x2D and data[end + 1] in _WORD_BYTES
        if not (before or after):
            return False
        return self.kind_of(start) in (TokenKind.STRING, TokenKind.COMMENT, UNKNOWN)

    def _texts(self, literal: str) -> Iterator[int]:
        words = literal.split()
        if len(words) == 1 and "'" not in literal and '"' not in literal:
            yield from self._bounded(literal.encode())
            return
        needle = max(re.findall(r"\w+", literal), key=len, default="").encode()
        if needle and needle not in self.data:
            return
        pattern = rb"\s+".join(_quote_blind(word) for word in words)
        for match in re.finditer(pattern, self.data):
            if self._is_bounded(match.start(), match.end()):
                yield match.start()

    def _bounded(self, needle: bytes) -> Iterator[int]:
        at = self.data.find(needle)
        while at >= 0:
            if self._is_bounded(at, at + len(needle)):
                yield at
            at = self.data.find(needle, at + 1)

    def _is_bounded(self, start: int, end: int) -> bool:
        """Neither a letter nor a hyphen continues it, on the sides where it ends in one itself."""
        data = self.data
        if start > 0 and (data[start] in _WORD_BYTES or data[start] == 0x2D):
            before = data[start - 1]
            if before == 0x2D or (before in _WORD_BYTES and (before < 128 or self._letter_before(start))):
                return False
        if end < len(data) and (data[end - 1] in _WORD_BYTES or data[end - 1] == 0x2D):
            after = data[end]
            if after in _WORD_BYTES:
                return after >= 128 and not self._letter_after(end)
            return after != 0x2D or data[end + 1 : end + 2] in (b">", b"-")
        return True

    @cached_property
    def numbers(self) -> dict[str, list[int]]:
        """Value of each number outside comments -> its lines. `render_404` holds 404; `item1` holds no 1."""
        found: dict[str, list[int]] = {}
        for match in _numbers_in(self.data):
            kind = self.kind_of(match.start())
            if kind == TokenKind.COMMENT:
                continue
            written = match.group().decode()
            line = self.line_of(match.start())
            if "," in written and kind not in (TokenKind.STRING, UNKNOWN):
                for part in written.split(","):
                    found.setdefault(number_value(part), []).append(line)
            else:
                found.setdefault(number_value(written), []).append(line)
        return found

    @cached_property
    def routes(self) -> dict[str, list[int]]:
        """Path of each string that is one, as `route_key` writes it -> its lines."""
        found: dict[str, list[int]] = {}
        for start, text in self._strings():
            words = text.split()
            if words and len(words) <= 2 and (len(words) == 1 or words[0].isalpha()) and "/" in words[-1]:
                found.setdefault(route_key(words[-1]), []).append(self.line_of(start))
        return found

    def _strings(self) -> Iterator[tuple[int, str]]:
        if self.language is None:
            for match in _LOOSE_STRING.finditer(self.data):
                yield match.start(), match.group().decode("utf-8", "replace").strip("\"'`")
            return
        for start, end in self.syntax.strings:
            if end - start <= 400:
                text = self.data[start:end].decode("utf-8", "replace")
                yield start, _STRING_EDGE.sub("", text).rstrip("\"'`")

    def verb_lines(self, verb: str) -> list[int]:
        """Lines on which an HTTP verb stands as a token in any case, comments left out."""
        pattern = re.compile(rb"(?<![A-Za-z0-9_])" + verb.encode() + rb"(?![A-Za-z0-9_])", re.IGNORECASE)
        offsets = [match.start() for match in pattern.finditer(self.data)]
        return [self.line_of(at) for at in offsets if self.kind_of(at) != TokenKind.COMMENT]

    # ---- ordinary words

    @cached_property
    def _stem_lines(self) -> dict[str, list[tuple[str, list[int]]]]:
        """First four letters -> each stem of the file's words and sub-words that begins so, and the lines of it."""
        text = without_accents(self.data.decode("utf-8", "replace"))
        lines_of: defaultdict[str, list[int]] = defaultdict(list)
        line = 1
        for word in (_ASCII_LETTERS if text.isascii() else _LETTERS).findall(text):
            if word == "\n":
                line += 1
            else:
                lines_of[word].append(line)
        stems: defaultdict[str, list[int]] = defaultdict(list)
        for word, lines in lines_of.items():
            for stem in _stems_of(word):
                stems[stem] += lines
        heads: defaultdict[str, list[tuple[str, list[int]]]] = defaultdict(list)
        for stem, lines in stems.items():
            heads[stem[:4]].append((stem, lines))
        return heads

    @staticmethod
    def stems_of(token: str) -> tuple[str, ...]:
        """Stems of the sub-words of an identifier."""
        return _stems_of(token)

    def lines_of_words(self, stems: tuple[str, ...]) -> Bits:
        """Lines that hold a word or a sub-word alike one of these stems: equal, or one begins the other by four
        letters."""
        found = self._words.get(stems)
        if found is None:
            found = 0
            for stem in stems:
                found |= self._lines_of_word(stem)
            self._words[stems] = found
        return found

    def _lines_of_word(self, stem: str) -> Bits:
        key = (stem,)
        found = self._words.get(key)
        if found is None:
            lines: list[int] = []
            for other, others in self._stem_lines.get(stem[:4], ()):
                if stem == other or (len(stem) > 3 and (stem.startswith(other) or other.startswith(stem))):
                    lines += others
            found = self._words[key] = bits_of(lines) if lines else 0
        return found

    # ---- definitions

    @cached_property
    def classes(self) -> dict[str, list[Definition]]:
        """Classes, modules and what is like them, by bare name."""
        return self._named(lambda kind: kind not in _NOT_AROUND)

    @cached_property
    def functions(self) -> dict[str, list[Definition]]:
        return self._named(lambda kind: kind in _FUNCTIONS)

    def _named(self, wanted: Callable[[str], bool]) -> dict[str, list[Definition]]:
        found: dict[str, list[Definition]] = {}
        for definition in self.syntax.definitions:
            if wanted(definition.kind):
                found.setdefault(definition.name.lstrip("_"), []).append(definition)
        return found

    def enclosing_windows(self, name: str, length: int) -> Bits:
        """Windows that the definition of that name encloses: as their innermost function, or a class around."""
        bare = name.lstrip("_")
        windows = 0
        for definition in self.classes.get(bare, ()):
            windows |= _span(definition.start_line, definition.end_line, length)
        for definition in self.functions.get(bare, ()):
            inside = _span(definition.start_line, definition.end_line, length)
            for other in self.syntax.definitions:
                if (
                    other.kind in _FUNCTIONS
                    and other is not definition
                    and definition.start_byte <= other.start_byte
                    and other.end_byte <= definition.end_byte
                ):
                    inside &= ~_span(other.start_line, other.end_line, length)
            windows |= inside
        return windows

    def class_windows(self, name: str, length: int) -> Bits:
        windows = 0
        for definition in self.classes.get(name.lstrip("_"), ()):
            windows |= _span(definition.start_line, definition.end_line, length)
        return windows

    def window_count(self, length: int) -> int:
        return self.lines - length + 1


_LETTERS = re.compile(r"[^\W\d_]{2,}|\n")
_ASCII_LETTERS = re.compile(r"[A-Za-z]{2,}|\n")
"""The same, in half the time."""
_NUMBER = re.compile(
    rb"(?<![\w.,])(\d{1,3}(?:,\d{3})+)(?![\w,])"
    rb"|(?<![\w.])\d+(?:_\d+)*(?:\.\d+)?(?=(?:[smhdwyLlfFun]|ms|px|em|[kKmMgG][bB]|[iuf]\d{1,3}|usize)?(?![\w]))"
    rb"|(?<=[A-Za-z_])\d{2,}(?![A-Za-z0-9])"
)
"""A number with commas is one in a string alone: in code, commas separate."""
_DIGITS = re.compile(rb"[0-9]+")
_LOOSE_STRING = re.compile(rb"\"[^\"\n]{1,300}\"|'[^'\n]{1,300}'|(?<=[\s=(,>])/[^\s\"'`,;)<]{1,300}")
_STRING_EDGE = re.compile(r"^[A-Za-z]{0,3}[\"'`]+")
_CONVERTED = re.compile(r"<(?:[\w.]+:)?(\w+)>|\{(?:[\w.]+:)?\*{0,2}(\w+)(?::[^{}]*)?\}|(?<=/):(\w+)|^:(\w+)")


def _numbers_in(data: bytes) -> Iterator[re.Match[bytes]]:
    """What `_NUMBER` finds: it can only start where digits do, and they are quicker to find."""
    end = 0
    for digits in _DIGITS.finditer(data):
        if digits.start() >= end:
            match = _NUMBER.match(data, digits.start())
            if match is not None:
                end = match.end()
                yield match


@lru_cache(maxsize=16384)
def _stems_of(token: str) -> tuple[str, ...]:
    return tuple(stem_of(word) for word in split_words(token) if len(word) > 1 and not word.isdigit())


def route_key(path: str) -> str:
    """`/a/<int:id>/`, `/a/:id` and `a/{id}` are one path: parameters written alike, outer slashes dropped."""
    return _CONVERTED.sub(lambda match: "{" + next(filter(None, match.groups())) + "}", path).strip("/^$")


def plain_utf8(content: bytes) -> bytes:
    """A file as the judge compares it: UTF-8 (latin-1 read as that), no byte order mark, LF, names in NFKC."""
    if b"\r\n" in content:
        content = content.replace(b"\r\n", b"\n")
    if content.isascii():
        return content
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    if not is_normalized("NFKC", text):
        text = _WORD_RUN.sub(_normalized, text)
    return text.encode("utf-8", "replace")


def _normalized(match: re.Match[str]) -> str:
    word = match.group()
    return word if word.isascii() else normalize("NFKC", word)


def bits_of(lines: Iterable[int]) -> Bits:
    """The set of these lines."""
    lines = list(lines)
    if not lines:
        return 0
    if len(lines) < 8:
        bits = 0
        for line in lines:
            bits |= 1 << (line - 1)
        return bits
    packed = bytearray((max(lines) + 7) // 8)
    for line in lines:
        packed[(line - 1) >> 3] |= 1 << ((line - 1) & 7)
    return int.from_bytes(packed, "little")


def windows_of(lines: Bits, length: int, count: int) -> Bits:
    """The windows of `length` lines that hold one of these lines, of the `count` that the file has."""
    if not lines or count <= 0:
        return 0
    reach = 1
    while reach < length:
        step = min(reach, length - reach)
        lines |= lines >> step
        reach += step
    return lines & ((1 << count) - 1)


def _span(start: int, end: int, length: int) -> Bits:
    """The windows of `length` lines that lie within `start` to `end`."""
    count = end - start + 2 - length
    return 0 if count <= 0 else ((1 << count) - 1) << (start - 1)


def _quote_blind(word: str) -> bytes:
    return re.sub(rb"[\"']", rb"[\"']", re.escape(word.encode()).replace(rb"\'", b"'").replace(rb"\"", b'"'))
