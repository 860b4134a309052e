"""Rake: the tasks of a Rakefile and of `*.rake` files, namespaces joined."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from retrodoc.surface.ruby.classes import is_test_path
from retrodoc.surface.ruby.values import Arguments, Code, Scope, arguments, bind, children, evaluate, text_of
from retrodoc_runs.models import EntryPoint, Handler

if TYPE_CHECKING:
    from tree_sitter import Node

    from retrodoc.ingest.sources import Sources

_FILE = re.compile(r"(^|/)(Rakefile|[^/]+\.rake|Rakefile\.rb)$")
_READ_THROUGH = ("if", "unless", "begin", "then", "else", "if_modifier", "unless_modifier", "body_statement")
_NEEDLE = re.compile(rb"^\s*(?:multi)?task\b", re.MULTILINE)


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    for path in sources.containing(_NEEDLE, "ruby"):
        if _FILE.search(path) and not is_test_path(path):
            yield from _Reader(path).statements(sources.tree(path).root_node.named_children, Scope(), ())


class _Reader:
    def __init__(self, path: str) -> None:
        self._path = path

    def statements(self, nodes: Iterable[Node], scope: Scope, around: tuple[str, ...]) -> Iterator[EntryPoint]:
        for node in nodes:
            if node.type == "call":
                yield from self._call(node, scope, around)
            elif node.type == "assignment":
                left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
                if left is not None and right is not None:
                    scope.set(text_of(left), evaluate(right, scope))
            elif node.type in (
                "if",
                "unless",
                "begin",
                "then",
                "else",
                "if_modifier",
                "unless_modifier",
                "body_statement",
            ):
                yield from self.statements(node.named_children, scope, around)

    def _call(self, node: Node, scope: Scope, around: tuple[str, ...]) -> Iterator[EntryPoint]:
        name_node, receiver = node.child_by_field_name("method"), node.child_by_field_name("receiver")
        name, block = text_of(name_node) if name_node is not None else "", node.child_by_field_name("block")
        if receiver is not None:
            if name != "each" or block is None:
                return
            items = evaluate(receiver, scope)
            for item in items if isinstance(items, list) else ():
                inner = scope.inner(bind(block.child_by_field_name("parameters"), (item,)))
                yield from self.statements(_body(block), inner, around)
            return
        given = arguments(node, scope)
        if name == "namespace" and block is not None:
            named = given.positional[0] if given.positional else None
            if isinstance(named, str):
                yield from self.statements(_body(block), scope.inner(), (*around, str(named)))
        elif name in ("task", "multitask"):
            task = _task_name(given)
            if task is not None:
                yield self._entry(":".join((*around, task)), node)
        elif block is not None and name not in ("file", "directory", "rule", "desc"):
            yield from self.statements(_body(block), scope.inner(), around)
        elif isinstance(given.block, Code):
            yield from self.statements(_body(given.block.node), given.block.scope.inner(), around)

    def _entry(self, task: str, node: Node) -> EntryPoint:
        return EntryPoint(
            kind="cli",
            name=f"rake {task}",
            handler=Handler(
                symbol=task, path=self._path, start_line=node.start_point[0] + 1, end_line=node.end_point[0] + 1
            ),
            framework="rake",
        )


def _body(block: Node) -> Sequence[Node]:
    return list(children(block.child_by_field_name("body")))


def _task_name(given: Arguments) -> str | None:
    """`task :a`, `task a: :b`, `task :a, [:x] => [:b]`, `task "a" => "b"`."""
    if given.positional:
        first = given.positional[0]
        return str(first) if isinstance(first, str) else None
    first = next(iter(given.options), None)
    return str(first) if isinstance(first, str) else None
