"""Thor: the commands of a class, those of its registered subcommands below them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrodoc.surface.ruby.classes import Method, RubyClass, RubyIndex, index_of, is_test_path
from retrodoc.surface.ruby.values import Constant
from retrodoc_runs.models import EntryPoint, Handler

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

_NEEDLE = re.compile(rb"<\s*(?:::)?Thor\b")
_BASES = ("Thor", "Thor::Group")


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    if not sources.containing(_NEEDLE, "ruby"):
        return
    index = index_of(sources)
    classes = [
        statement
        for path in sources.containing(re.compile(rb"^\s*desc[\s(]", re.MULTILINE), "ruby")
        if not is_test_path(path)
        for statement in index.in_file(path)
        if any(name in _BASES for name in index.superclass_names((statement,)))
    ]
    placed = dict(_subcommands(index, classes))
    for statement in classes:
        root, words = _place(statement.name, placed)
        program = _program(sources, root)
        for method in _commands(statement):
            yield _entry(" ".join([*program, *words, method.name]), statement, method)


def _subcommands(index: RubyIndex, classes: list[RubyClass]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Each class that another registers: the other's name, and the word that it is reached by."""
    for statement in classes:
        for macro in statement.macros:
            given = macro.args.positional
            if macro.name == "subcommand" and len(given) == 2:
                word, target = given
            elif macro.name == "register" and len(given) >= 2:
                target, word = given[0], given[1]
            else:
                continue
            if isinstance(target, Constant) and isinstance(word, str):
                found = index.resolve(target.name, statement.nesting)
                if found:
                    yield found[0].name, (statement.name, str(word))


def _place(name: str, placed: dict[str, tuple[str, str]]) -> tuple[str, list[str]]:
    """The class that a program starts, and the words that lead from it to another."""
    words: list[str] = []
    seen: set[str] = set()
    while name in placed and name not in seen:
        seen.add(name)
        name, word = placed[name]
        words.insert(0, word)
    return name, words


def _program(sources: Sources, name: str) -> list[str]:
    """The script that starts the class: `Cli.start(ARGV)` in `bin/shop` makes it `shop`."""
    last = name.rpartition("::")[2].encode()
    for path in sources.containing(re.compile(rb"\b" + re.escape(last) + rb"\.start\b"), "ruby"):
        if not is_test_path(path) and re.search(r"(^|/)(bin|exe)/[^/]+$", path):
            return [posixpath.basename(path)]
    return []


def _commands(statement: RubyClass) -> Iterator[Method]:
    """The public methods that a `desc` stands before."""
    methods = sorted(statement.methods.values(), key=lambda method: method.start_line)
    described = [macro.end_line for macro in statement.macros if macro.name == "desc"]
    before = statement.start_line - 1
    for method in methods:
        if method.visibility == "public" and any(before < line <= method.start_line for line in described):
            yield method
        before = method.end_line


def _entry(name: str, statement: RubyClass, method: Method) -> EntryPoint:
    return EntryPoint(
        kind="cli",
        name=name,
        handler=Handler(
            symbol=f"{statement.name}#{method.name}",
            path=method.path,
            start_line=method.start_line,
            end_line=method.end_line,
        ),
        framework="thor",
    )
