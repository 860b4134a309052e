"""commander and yargs: the commands of a JavaScript program, and the function that each runs."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrodoc.surface.javascript.model import External, Object, Result
from retrodoc.surface.javascript.modules import LANGUAGES, is_test_path
from retrodoc.surface.javascript.syntax import arguments, text_of
from retrodoc.surface.javascript.targets import Target, Targets, target_of
from retrodoc.surface.javascript.values import Evaluator, evaluator_of
from retrodoc.surface.trees import descendants
from retrodoc_runs.models import EntryPoint, Handler, SourceRef

if TYPE_CHECKING:
    from tree_sitter import Node

    from retrodoc.ingest.sources import Sources

_COMMANDER = re.compile(
    rb"(?:require\s*\(\s*|from\s+)['\"](?:commander|@commander-js/extra-typings|yargs|yargs/yargs)['\"]"
)
_NEEDLE = re.compile(rb"\.\s*(?:action|command)\s*\(")
_MAX_DEPTH = 8


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    files = sources.containing(_COMMANDER, *LANGUAGES)
    if not any(not is_test_path(path) for path in files):
        return
    reader = _Reader(sources)
    for path in sources.containing(_NEEDLE, *LANGUAGES):
        if not is_test_path(path):
            yield from reader.read(path)


class _Reader:
    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._evaluator: Evaluator = evaluator_of(sources)
        self._targets = Targets(self._evaluator)

    def read(self, path: str) -> Iterator[EntryPoint]:
        for call in descendants(self._evaluator.file(path).root, "call_expression"):
            callee = call.child_by_field_name("function")
            name = text_of(callee.child_by_field_name("property")) if callee is not None else ""
            given = arguments(call)
            if name == "action" and given:
                words = self._words(path, call, 0)
                if words is not None:
                    yield self._entry(path, call, words, self._targets.of(path, given[:1]))
            elif name == "command" and given and self._made_by(path, call, "yargs"):
                yield from self._yargs(path, call, given)

    def _words(self, path: str, call: Node, depth: int) -> list[str] | None:
        """The command that a chain stands for, from the program down; None when no commander made it."""
        own: list[str] = []
        node: Node | None = call
        while node is not None and node.type == "call_expression":
            callee = node.child_by_field_name("function")
            if callee is None or callee.type != "member_expression":
                break
            given = arguments(node)
            if text_of(callee.child_by_field_name("property")) == "command" and given and not own:
                named = self._evaluator.text(path, given[0])
                if named is None:
                    return None
                own = [_word(named)]
            node = callee.child_by_field_name("object")
        if node is None or depth > _MAX_DEPTH:
            return None
        if node.type == "new_expression":
            given = arguments(node)
            named = self._evaluator.text(path, given[0]) if given else None
            made = any(_is_of(value, "commander") for value in self._evaluator.values(path, node))
            return [*([_word(named)] if named and not own else []), *own] if made else None
        declared = self._evaluator.declaring(path, node) if node.type == "identifier" else None
        value = declared.child_by_field_name("value") if declared is not None else None
        if value is not None and value.type in ("call_expression", "new_expression"):
            around = self._words(path, value, depth + 1)
            if around is not None:
                return [*around, *own]
        return own if any(_is_of(each, "commander") for each in self._evaluator.values(path, node)) else None

    def _made_by(self, path: str, call: Node, package: str) -> bool:
        node: Node | None = call
        while node is not None and node.type == "call_expression":
            callee = node.child_by_field_name("function")
            if callee is None or callee.type != "member_expression":
                break
            node = callee.child_by_field_name("object")
        return node is not None and any(_is_of(each, package) for each in self._evaluator.values(path, node))

    def _yargs(self, path: str, call: Node, given: list[Node]) -> Iterator[EntryPoint]:
        """`command('serve [port]', 'text', builder, handler)`, or a module with `command` and `handler`."""
        member = self._evaluator.member
        for value in self._evaluator.values(path, given[0]):
            if isinstance(value, str):
                if len(given) > 3:
                    yield self._entry(path, call, [_word(value)], self._targets.of(path, given[3:4]))
                continue
            for named in member(value, "command"):
                handler = next((found for each in member(value, "handler") if (found := target_of(each))), None)
                if isinstance(named, str):
                    yield self._entry(path, call, [_word(named)], handler or Target("handler"))

    def _entry(self, path: str, call: Node, words: list[str], target: Target) -> EntryPoint:
        line = call.child_by_field_name("arguments")
        start = line.start_point[0] + 1 if line is not None else call.start_point[0] + 1
        handler = Handler(symbol=target.symbol)
        if target.place is not None:
            at = target.place
            handler = Handler(symbol=target.symbol, path=at.path, start_line=at.start_line, end_line=at.end_line)
        return EntryPoint(
            kind="cli",
            name=" ".join([self._program(path), *(word for word in words if word)]),
            handler=handler,
            framework="commander",
            declared=SourceRef(path=path, start_line=start, end_line=start),
        )

    def _program(self, path: str) -> str:
        """The command that the package around a file installs."""
        folder = posixpath.dirname(path)
        while True:
            manifest = posixpath.join(folder, "package.json")
            if manifest in self._sources:
                return _bin_of(self._sources.data(manifest)) or posixpath.basename(folder) or "node"
            if not folder:
                return posixpath.basename(path)
            folder = posixpath.dirname(folder)


def _is_of(value: object, package: str) -> bool:
    name = value.of.name if isinstance(value, Result) else value.name if isinstance(value, External) else ""
    return name.startswith((package, f"@{package}")) and not isinstance(value, Object)


def _word(written: str) -> str:
    """`clone <source> [destination]` is `clone`; yargs' `$0` is the program itself."""
    return " ".join(word for word in written.split() if re.match(r"^[\w:.-]+$", word))


def _bin_of(data: bytes) -> str:
    try:
        described = json.loads(data)
    except ValueError:
        return ""
    if not isinstance(described, dict):
        return ""
    programs, name = described.get("bin"), str(described.get("name") or "").rpartition("/")[2]
    return next(iter(programs), name) if isinstance(programs, dict) else name
