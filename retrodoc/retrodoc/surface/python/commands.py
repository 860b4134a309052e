"""Decides which commands a Click or Typer program has, and how they nest.

The hooks note each command, group and Typer application as the evaluator meets its decorator or constructor, and
what is added to what. A command's name is its whole command line: program, groups, command.
"""

# ruff: noqa: ARG002 - hooks take what the evaluator gives all of them

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from retrodoc_runs.models import EntryPoint

from .evaluate import NOT_HANDLED, Evaluator, Frame, Hooks
from .modules import Module, Project, is_example_path, is_test_path
from .places import handler_of, keyword, reference
from .scan import enter
from .scripts import Scripts
from .values import UNKNOWN, ClassRef, Env, ExternalObject, ExternalRef, FunctionRef, Member, Unknown, Value

_TRIGGERS = frozenset({"command", "group", "callback", "add_command", "add_typer", "Typer", "Group", "AppGroup"})
NEEDLE = re.compile(rb"^\s*(?:from|import)\s+(?:click|typer|rich_click|asyncclick|flask|quart|cloup)\b", re.MULTILINE)
_DECORATED = re.compile(rb"@[\w.]+\.(?:command|group)\s*\(")
_MARKS = re.compile(rb"\bclick\b|\btyper\b|\bcli\b|AppGroup")


@dataclass(eq=False)
class Command:
    """A command or a group; a group that runs by itself is a command too."""

    name: str | None
    framework: str
    is_group: bool
    handler: FunctionRef | None = None
    module: Module | None = None
    node: ast.AST | None = None
    runs_alone: bool = False
    parents: list[tuple[Command, str | None]] = field(default_factory=list)
    children: int = 0
    waits_for: str = ""
    """Name of the group that a function receives as a parameter: `def add(publish): @publish.command() ...`."""


class CommandHooks(Hooks):
    """Notes commands, groups and what they are added to."""

    def __init__(self, project: Project, scripts: Scripts) -> None:
        self.project = project
        self.scripts = scripts
        self.commands: list[Command] = []
        self.flask = Command("flask", "click", is_group=True)
        """The group that `app.cli` is, whichever application it belongs to."""

    def attribute(self, evaluator: Evaluator, owner: Value, name: str) -> Value:
        if isinstance(owner, Command):
            return Member(owner, name)
        if name == "cli" and isinstance(owner, ExternalObject | Unknown | Member):
            return self.flask
        return NOT_HANDLED

    def call(self, evaluator: Evaluator, callee: Value, args: list[Value], kwargs: Env, frame: Frame) -> Value:
        if isinstance(callee, ExternalRef):
            return self._construct(callee.dotted, args, kwargs, frame)
        if isinstance(callee, Member) and isinstance(callee.owner, Command):
            return self._method(callee.owner, callee.name, args, kwargs, frame)
        if isinstance(callee, ClassRef) and any(_is_group_class(base) for base in evaluator.linear(callee)[1]):
            return self._construct("click.Group", args, kwargs, frame)
        return NOT_HANDLED

    def result(self, callee: Value, args: list[Value], kwargs: Env, result: Value) -> Value:
        for arg in args:
            if isinstance(arg, Command) and not isinstance(result, Command):
                return arg
        return result

    def defined(self, evaluator: Evaluator, found: FunctionRef | ClassRef, frame: Frame) -> Value:
        """A function under `@click.command()`, `@group.command()` or `@app.command()` is a command."""
        if not isinstance(found, FunctionRef):
            return found
        for decorator in found.node.decorator_list if not isinstance(found.node, ast.Lambda) else ():
            call = decorator if isinstance(decorator, ast.Call) else None
            target = call.func if call else decorator
            name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
            if not _is_maker(name):
                continue
            command = self._made(evaluator, evaluator.evaluate(target, frame), name, call, found, frame)
            if command is not None:
                return command
        return found

    def _made(
        self, ev: Evaluator, maker: Value, name: str, call: ast.Call | None, found: FunctionRef, frame: Frame
    ) -> Command | None:
        parent: Command | None = None
        waits_for = ""
        if isinstance(maker, Member) and isinstance(maker.owner, Command):
            parent, name = maker.owner, maker.name
        elif isinstance(maker, ExternalRef) and _is_cli(maker.dotted):
            name = maker.dotted.rpartition(".")[2]
        elif isinstance(maker, Unknown) and maker.text.count(".") == 1 and name in ("command", "group"):
            waits_for = maker.text.partition(".")[0]
        elif not (isinstance(maker, FunctionRef) and maker.module.path and name in ("command", "group")):
            return None
        if name == "callback":
            if parent is not None:
                parent.handler, parent.node, parent.module = found, found.node, found.module
                parent.runs_alone = _says(call, "invoke_without_command")
                return parent
            return None
        if not _is_maker(name):
            return None
        given = keyword(call, "name", 0) if call else None
        label = ev.evaluate(given, frame) if given is not None else None
        framework = parent.framework if parent else "click"
        command = Command(
            name=label if isinstance(label, str) else _dashed(found.node),
            framework=framework,
            is_group=name.endswith("group"),
            handler=found,
            module=found.module,
            node=found.node,
            runs_alone=_says(call, "invoke_without_command"),
            waits_for=waits_for,
        )
        self._add(command)
        if parent is not None:
            self._link(command, parent, None)
        return command

    def _construct(self, dotted: str, args: list[Value], kwargs: Env, frame: Frame) -> Value:
        last = dotted.rpartition(".")[2]
        if not (_is_cli(dotted) or last == "AppGroup"):
            return NOT_HANDLED
        if last == "Typer":
            name = kwargs.get("name")
            return self._add(
                Command(name if isinstance(name, str) else None, "typer", True, module=frame.module, node=frame.node)
            )
        if last in ("Group", "AppGroup", "MultiCommand", "CommandCollection", "FlaskGroup"):
            name = kwargs.get("name", args[0] if args else None)
            return self._add(
                Command(name if isinstance(name, str) else None, "click", True, module=frame.module, node=frame.node)
            )
        if last == "run" and args and isinstance(args[0], FunctionRef):
            handler = args[0]
            self._add(Command(None, "typer", False, handler, handler.module, handler.node))
            return None
        return NOT_HANDLED

    def _method(self, group: Command, name: str, args: list[Value], kwargs: Env, frame: Frame) -> Value:
        first = args[0] if args else kwargs.get("cmd", kwargs.get("typer_instance"))
        if name in ("add_command", "add_typer") and isinstance(first, Command):
            given = kwargs.get("name", args[1] if len(args) > 1 else None)
            self._link(first, group, given if isinstance(given, str) else None)
            return None
        if name in ("command", "group") and isinstance(first, FunctionRef):
            command = Command(_dashed(first.node), group.framework, name == "group", first, first.module, first.node)
            self._add(command)
            self._link(command, group, None)
            return command
        return UNKNOWN

    def settle(self) -> None:
        """Give each command that hangs on a parameter its group, when exactly one group has that name."""
        for command in [command for command in self.commands if command.waits_for]:
            groups = [one for one in self.commands if one.is_group and _function_name(one) == command.waits_for]
            if len(groups) == 1:
                self._link(command, groups[0], None)

    def _add(self, command: Command) -> Command:
        self.commands.append(command)
        return command

    def _link(self, command: Command, parent: Command, name: str | None) -> None:
        if not any(known is parent and given == name for known, given in command.parents) and command is not parent:
            command.parents.append((parent, name))
            parent.children += 1


def collect(project: Project, scripts: Scripts, framework: str) -> Iterator[EntryPoint]:
    """The commands of one framework; those of tests are not looked at, of examples only when there is nothing else."""
    hooks = CommandHooks(project, scripts)
    paths = [path for path in project.containing(NEEDLE) if not is_test_path(path)]
    paths = [path for path in paths if _MARKS.search(project.data(path))]
    if paths:  # a module may decorate with a group that it imports from another module of the project
        known = frozenset(paths)
        paths += [path for path in project.containing(_DECORATED) if path not in known and not is_test_path(path)]
    usual = [path for path in paths if not is_example_path(path)]
    evaluator = Evaluator(project, hooks, as_program=True)
    for path in usual or paths:
        module = evaluator.module(path)
        if module:
            enter(evaluator, module, _TRIGGERS)
    hooks.settle()
    for command in hooks.commands:
        if command.framework != framework or command.handler is None:
            continue
        if command.is_group and not command.runs_alone:
            continue
        for line in _lines(command, scripts, ()):
            yield EntryPoint(
                kind="cli",
                name=line,
                handler=handler_of(command.handler),
                framework=framework,
                declared=reference(command.module, command.node) if command.module and command.node else None,
            )


def _lines(command: Command, scripts: Scripts, seen: tuple[Command, ...], name: str | None = None) -> list[str]:
    """Every command line that reaches a command."""
    own = name or command.name or ""
    if command in seen or not command.parents:
        program = scripts.program_of(command.handler.symbol if command.handler else "", command.module)
        if program and (command.is_group or command.children or not own or scripts.starts(command.handler)):
            return [program]
        started = f"python {command.module.path}" if command.module and not command.is_group else ""
        return [own or program or started]
    found: list[str] = []
    for parent, given in command.parents:
        last = given or own
        if parent.framework == "typer" and parent.handler is None and parent.children == 1 and not parent.parents:
            last = ""  # Typer runs an only command without its name
        for above in _lines(parent, scripts, (*seen, command)):
            line = f"{above} {last}".strip()
            if line and line not in found:
                found.append(line)
    return found


def _is_cli(dotted: str) -> bool:
    return dotted.partition(".")[0] in ("click", "typer", "rich_click", "asyncclick", "cloup", "flask", "quart")


def _is_maker(name: str) -> bool:
    return name in ("command", "group", "callback") or name.endswith(("_command", "_group"))


def _is_group_class(dotted: str) -> bool:
    return _is_cli(dotted) and dotted.rpartition(".")[2] in ("Group", "MultiCommand", "AppGroup", "FlaskGroup")


def _says(call: ast.Call | None, word: str) -> bool:
    value = keyword(call, word) if call else None
    return isinstance(value, ast.Constant) and value.value is True


def _dashed(node: ast.AST) -> str:
    return str(getattr(node, "name", "")).lower().replace("_", "-")


def _function_name(command: Command) -> str:
    return str(getattr(command.handler.node, "name", "")) if command.handler else ""
