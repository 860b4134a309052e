"""Which grammar reads a file: by its name or its first line; loaded when first used, one wheel per language."""

from __future__ import annotations

import importlib
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from retrodoc_chunkers.languages import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Language, Parser, Query, Tree

BY_EXTENSION = {extension: name for name, entry in LANGUAGES.items() for extension in entry.extensions}
BY_FILE_NAME = {file_name: name for name, entry in LANGUAGES.items() for file_name in entry.file_names}
BY_INTERPRETER = {program: name for name, entry in LANGUAGES.items() for program in entry.interpreters}

_SHEBANG = re.compile(rb"#![ \t]*(?:\S*/)?([\w.-]+)(?:[ \t]+(?:-S[ \t]+)?([\w.-]+))?")
_CPP_ONLY = re.compile(rb"^[ \t]*(?:class|namespace|template|using)\b|^(?:public|private|protected):", re.MULTILINE)

STEPS_PER_FILE = 300
STEPS_PER_BYTE = 0.035
"""A parse is given up after this much work (see `parse`). Measured on 14,000 files of eight languages: none needs more
than 0.022 steps a byte, and 120 in a small file. `a<` over and over takes 0.067, and then gigabytes of memory."""
_PIECE = 1 << 16


class ParseAbandoned(Exception):
    """The parser did more work than any ordinary file of that size needs; nothing was read."""


class GrammarMissing(Exception):
    """The wheel of a language is not installed for this Python: `language` and `wheel` say which."""

    def __init__(self, language: str, wheel: str) -> None:
        super().__init__(f"no grammar for {language}: {wheel} is not installed")
        self.language = language
        self.wheel = wheel


def language_of(path: str, source: bytes = b"") -> str | None:
    """The language that a file is written in, by extension, file name or `#!` line; None when no grammar reads it.

    `source` is only looked at when the name does not settle it, so its first bytes are enough.
    """
    name = path[path.rfind("/") + 1 :]
    known = BY_FILE_NAME.get(name)
    if known:
        return known
    dot = name.rfind(".")
    extension = name[dot:].lower() if dot > 0 else ""
    if extension == ".h" and _CPP_ONLY.search(source, 0, 100_000):
        return "cpp" if "cpp" in LANGUAGES else BY_EXTENSION.get(extension)
    known = BY_EXTENSION.get(extension)
    if known or extension or not source.startswith(b"#!"):
        return known
    return _by_shebang(source)


def _by_shebang(source: bytes) -> str | None:
    found = _SHEBANG.match(source.split(b"\n", 1)[0])
    if found is None:
        return None
    program, argument = found.group(1).decode("ascii"), (found.group(2) or b"").decode("ascii")
    if program == "env":
        program = argument
    return BY_INTERPRETER.get(program) or BY_INTERPRETER.get(program.rstrip("0123456789."))


@cache
def grammar(language: str) -> Language:
    """The grammar of a language, loaded on the first call. `GrammarMissing` when its wheel is not installed."""
    from tree_sitter import Language

    entry = LANGUAGES[language]
    try:
        module = importlib.import_module(entry.module)
        return Language(getattr(module, entry.function)())
    except (ImportError, ValueError) as error:
        raise GrammarMissing(language, entry.wheel) from error


def available(language: str) -> bool:
    """Whether the grammar of a language can be loaded here."""
    try:
        grammar(language)
    except GrammarMissing:
        return False
    return True


@cache
def _parser(language: str) -> Parser:
    from tree_sitter import Parser

    return Parser(grammar(language))


def parse(source: bytes, language: str) -> Tree:
    """The syntax tree of UTF-8 source.

    A file that does not end is given up after a number of steps, not of seconds, so that the same file always gives
    the same answer: `ParseAbandoned`. `GrammarMissing` without the wheel.
    """
    parser = _parser(language)
    left = STEPS_PER_FILE + int(STEPS_PER_BYTE * len(source))

    def stop(_offset: int, _has_error: bool) -> bool:
        nonlocal left
        left -= 1
        return left < 0

    try:
        return parser.parse(_reader(source), progress_callback=stop)
    except ValueError as error:
        parser.reset()
        raise ParseAbandoned(language) from error


def _reader(source: bytes) -> Callable[[int, object], bytes]:
    def read(offset: int, _point: object) -> bytes:
        return source[offset : offset + _PIECE]

    return read


@cache
def query(language: str, name: str) -> Query:
    """A query of `queries/`, compiled once: `definitions`, `references`, `counts`, `top`, or several joined by `+`."""
    from tree_sitter import Query

    return Query(grammar(language), "\n".join(_query_text(language, part) for part in name.split("+")))


def _query_text(language: str, name: str) -> str:
    root = Path(__file__).parent / "queries"
    files = (root / folder / f"{name}.scm" for folder in LANGUAGES[language].folders)
    return "\n".join(file.read_text(encoding="utf-8") for file in files if file.is_file())


def grammar_file(language: str | None) -> Path | None:
    """The compiled library of a language's grammar, or (None) of tree-sitter itself; None without its wheel.

    Part of every cache key by its size and time, which another version changes: asking for the version itself takes
    longer than reading a cache.
    """
    module = "tree_sitter" if language is None else LANGUAGES[language].module
    spec = find_spec(module)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for library in sorted(Path(folder).glob("_binding*")):
            if library.suffix in (".so", ".pyd"):
                return library
    return None
