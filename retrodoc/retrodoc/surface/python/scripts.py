"""Decides which commands a Python distribution installs, from its metadata files."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from configparser import ConfigParser, Error
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .modules import Module, Project, is_example_path, is_test_path
from .places import last_name
from .values import FunctionRef

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

_METADATA = re.compile(r"(?:^|/)(?:pyproject\.toml|setup\.cfg|setup\.py|entry_points\.txt)$")
_ENTRY = re.compile(r"^\s*([\w.-]+)\s*=\s*([\w.]+)\s*:\s*([\w.]+)")


@dataclass(frozen=True, slots=True)
class Script:
    """One installed command: its name, its target as `module:function`, and where it is declared."""

    name: str
    module: str
    function: str
    path: str
    line: int

    @property
    def symbol(self) -> str:
        return f"{self.module}.{self.function}"


class Scripts:
    """The installed commands of a repository."""

    def __init__(self, sources: Sources, project: Project) -> None:
        self.project = project
        found: dict[tuple[str, str], Script] = {}
        for path in sources.paths:
            if _METADATA.search(path) and not is_test_path(path) and not is_example_path(path):
                for script in _scripts_in(path, sources.data(path)):
                    found.setdefault((script.name, script.symbol), script)
        self.all: tuple[Script, ...] = tuple(found.values())

    def program_of(self, symbol: str, module: Module | None) -> str | None:
        """The program that starts at this symbol, else the only program of its module, else of its package."""
        for script in self.all:
            if script.symbol == symbol:
                return script.name
        if module is not None:
            for same in (
                [script for script in self.all if script.module == module.name],
                [script for script in self.all if script.module.partition(".")[0] == module.name.partition(".")[0]],
            ):
                if len({script.symbol for script in same}) == 1:
                    return same[0].name
        return None

    def starts(self, function: FunctionRef | None) -> bool:
        """Whether an installed command starts at this function."""
        return function is not None and any(script.symbol == function.symbol for script in self.all)


def _scripts_in(path: str, data: bytes) -> Iterator[Script]:
    text = data.decode("utf-8", "replace")
    lines = text.split("\n")
    for name, target in _targets(path, text):
        match = _ENTRY.match(f"{name} = {target}")
        if match:
            needle = re.compile(rf"[\"']?{re.escape(name)}[\"']?\s*=")
            line = next((number for number, row in enumerate(lines, 1) if needle.search(row)), 1)
            yield Script(match[1], match[2], match[3], path, line)


def _targets(path: str, text: str) -> Iterator[tuple[str, str]]:
    if path.endswith(".toml"):
        yield from _from_toml(text)
    elif path.endswith("setup.py"):
        yield from _from_setup(text)
    else:
        section = "options.entry_points" if path.endswith(".cfg") else "console_scripts"
        parser = ConfigParser(interpolation=None, delimiters=("=",), strict=False)
        parser.optionxform = str  # type: ignore[assignment,method-assign]
        try:
            parser.read_string(text)
        except Error:
            return
        if parser.has_section(section):
            for name, value in parser.items(section):
                if path.endswith(".cfg"):
                    if name == "console_scripts":
                        yield from _pairs(value.splitlines())
                else:
                    yield name, value


def _from_toml(text: str) -> Iterator[tuple[str, str]]:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    tool = data.get("tool")
    poetry = tool.get("poetry", {}) if isinstance(tool, dict) else {}
    project = data.get("project")
    for table in (project, poetry):
        scripts = table.get("scripts") if isinstance(table, dict) else None
        for name, target in scripts.items() if isinstance(scripts, dict) else ():
            if isinstance(target, dict):
                target = target.get("callable", target.get("reference"))
            if isinstance(target, str):
                yield str(name), target


def _from_setup(text: str) -> Iterator[tuple[str, str]]:
    from .source import parse_python

    tree = parse_python(text.encode())
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Call) and last_name(node.func) == "setup":
            for word in node.keywords:
                if word.arg == "entry_points":
                    yield from _pairs(_console_scripts(word.value))


def _console_scripts(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        section, found = "", []
        for line in node.value.splitlines():
            stripped = line.strip()
            if stripped.startswith("["):
                section = stripped.strip("[]")
            elif section == "console_scripts":
                found.append(stripped)
        return found
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == "console_scripts":
                return [
                    inner.value
                    for inner in ast.walk(value)
                    if isinstance(inner, ast.Constant) and isinstance(inner.value, str)
                ]
    return []


def _pairs(lines: list[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        name, equals, target = line.partition("=")
        if equals:
            yield name.strip(), target.strip()
