"""Decides which commands a program reads with argparse: each subparser, or the program itself when it has none."""

# ruff: noqa: ARG002 - hooks take what the evaluator gives all of them

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retrodoc.surface.python.evaluate import NOT_HANDLED, Evaluator, Frame, Hooks
from retrodoc.surface.python.modules import Module, is_example_path, is_test_path, project_of
from retrodoc.surface.python.places import handler_of, reference
from retrodoc.surface.python.scan import enter
from retrodoc.surface.python.scripts import Scripts
from retrodoc.surface.python.values import (
    UNKNOWN,
    ClassRef,
    Env,
    ExternalRef,
    FunctionRef,
    Member,
    Value,
)
from retrodoc_runs.models import EntryPoint, Handler

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

_IMPORTS = re.compile(rb"^\s*(?:from|import)\s+argparse\b", re.MULTILINE)
_TRIGGERS = frozenset({"ArgumentParser", "add_subparsers", "add_parser"})


@dataclass(eq=False)
class Parser:
    """One parser: of the program, or of a subcommand of `parent`."""

    name: str | None
    module: Module
    node: ast.AST
    function: FunctionRef | None
    parent: Parser | None = None
    handler: Value = None
    children: list[Parser] = field(default_factory=list)
    subcommands: bool = False


@dataclass(eq=False)
class SubParsers:
    """What `add_subparsers` returns."""

    parser: Parser


class ParserHooks(Hooks):
    """Notes parsers, their subparsers and the functions that `set_defaults` gives them."""

    def __init__(self) -> None:
        self.parsers: list[Parser] = []

    def attribute(self, evaluator: Evaluator, owner: Value, name: str) -> Value:
        return Member(owner, name) if isinstance(owner, Parser | SubParsers) else NOT_HANDLED

    def call(self, evaluator: Evaluator, callee: Value, args: list[Value], kwargs: Env, frame: Frame) -> Value:
        if isinstance(callee, ExternalRef) and callee.dotted == "argparse.ArgumentParser":
            return self._new(kwargs.get("prog"), None, frame)
        if isinstance(callee, ClassRef) and "argparse.ArgumentParser" in evaluator.linear(callee)[1]:
            return self._new(kwargs.get("prog"), None, frame)
        if isinstance(callee, Member) and isinstance(callee.owner, Parser):
            return self._parser_method(callee.owner, callee.name, kwargs)
        if isinstance(callee, Member) and isinstance(callee.owner, SubParsers):
            name = args[0] if args else kwargs.get("name")
            return self._new(name, callee.owner.parser, frame) if callee.name == "add_parser" else UNKNOWN
        return NOT_HANDLED

    def _new(self, name: Value, parent: Parser | None, frame: Frame) -> Parser:
        assert frame.node is not None
        parser = Parser(name if isinstance(name, str) else None, frame.module, frame.node, frame.function, parent)
        if parent is not None:
            parent.children.append(parser)
        self.parsers.append(parser)
        return parser

    def _parser_method(self, parser: Parser, name: str, kwargs: Env) -> Value:
        if name == "add_subparsers":
            parser.subcommands = True
            return SubParsers(parser)
        if name == "set_defaults":
            for value in kwargs.values():
                if isinstance(value, FunctionRef | ClassRef):
                    parser.handler = value
        return UNKNOWN


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    """The leaf commands of every parser that is made outside of tests."""
    project = project_of(sources)
    paths = [path for path in project.containing(_IMPORTS) if not is_test_path(path)]
    paths = [path for path in paths if b"ArgumentParser" in project.data(path)]
    usual = [path for path in paths if not is_example_path(path)]
    hooks = ParserHooks()
    evaluator = Evaluator(project, hooks, as_program=True)
    for path in usual or paths:
        module = evaluator.module(path)
        if module:
            enter(evaluator, module, _TRIGGERS)
    scripts = Scripts(sources, project)
    made: dict[tuple[str, int, str], EntryPoint] = {}
    for parser in hooks.parsers:
        if not parser.children:
            for entry in _entries(parser, scripts):
                made.setdefault((parser.module.path, getattr(parser.node, "lineno", 0), entry.name or ""), entry)
    return list(made.values())


def _entries(parser: Parser, scripts: Scripts) -> Iterator[EntryPoint]:
    names: list[str] = []
    root = parser
    while root.parent is not None:
        if root.name is None:
            return  # a subcommand whose name is not known is not guessed
        names.insert(0, root.name)
        root = root.parent
    handler = _handler(parser, root, scripts)
    yield EntryPoint(
        kind="cli",
        name=" ".join([_program(root, scripts), *names]),
        handler=handler,
        framework="argparse",
        declared=reference(parser.module, parser.node),
    )


def _handler(parser: Parser, root: Parser, scripts: Scripts) -> Handler:
    if isinstance(parser.handler, FunctionRef | ClassRef):
        return handler_of(parser.handler)
    for script in scripts.all:
        if script.module == root.module.name:
            for node in root.module.tree.body:
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == script.function:
                    return handler_of(FunctionRef(root.module, node, node.name))
    if parser.function is not None:
        return handler_of(parser.function)
    last = max((getattr(node, "end_lineno", 1) for node in root.module.tree.body), default=1)
    return Handler(
        symbol=root.module.name, path=root.module.path, start_line=getattr(parser.node, "lineno", 1), end_line=last
    )


def _program(root: Parser, scripts: Scripts) -> str:
    symbol = root.function.symbol if root.function else ""
    installed = next((script.name for script in scripts.all if script.module == root.module.name), None)
    if installed or root.name:
        return installed or root.name or ""
    if root.module.path.endswith("__main__.py"):
        return scripts.program_of(symbol, root.module) or f"python -m {root.module.package}"
    return f"python {root.module.path}"
