"""Decides which function a Rust path or method call means, by the names of files, modules and types.

Types are not inferred. `add::exec` is the function `exec` of the nearest module `add`; `args.run()` is the method
`run` of a type that the caller knows. What several places could mean is not resolved.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrodoc.ingest.sources import Sources, once_for_sources
from retrodoc.surface.trees import descendants

from .syntax import enclosing, first_line, in_test_module, is_test_path, text_of

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class RustFunction:
    name: str
    path: str
    node: Node
    type_name: str | None
    """Of the `impl` that holds it."""

    @property
    def start_line(self) -> int:
        return first_line(self.node)

    @property
    def end_line(self) -> int:
        return self.node.end_point[0] + 1

    @property
    def symbol(self) -> str:
        module = module_name(self.path)
        if self.type_name:
            return f"{self.type_name}::{self.name}"
        return f"{module}::{self.name}" if module not in ("main", "lib") else self.name


def module_name(path: str) -> str:
    """The module that a file is: `commands/add.rs` and `commands/add/mod.rs` are `add`."""
    stem = posixpath.splitext(posixpath.basename(path))[0]
    return posixpath.basename(posixpath.dirname(path)) if stem == "mod" else stem


class Functions:
    """Functions of the Rust files among the sources, read on demand."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self._files: dict[str, tuple[RustFunction, ...]] = {}
        self._modules: dict[str, list[str]] = {}
        self._glob_imports: dict[str, list[str]] = {}
        for path in sources.of("rust"):
            self._modules.setdefault(module_name(path), []).append(path)

    def in_file(self, path: str) -> tuple[RustFunction, ...]:
        if path not in self._files:
            found = []
            for node in descendants(self.sources.tree(path).root_node, "function_item"):
                holder = enclosing(node, "impl_item", "function_item", "trait_item")
                type_name = None
                if holder is not None and holder.type == "impl_item":
                    type_name = re.sub(r"<.*", "", text_of(holder.child_by_field_name("type")), flags=re.DOTALL)
                if not in_test_module(node):
                    found.append(RustFunction(text_of(node.child_by_field_name("name")), path, node, type_name))
            self._files[path] = tuple(found)
        return self._files[path]

    def resolve(self, written: str, path: str) -> RustFunction | None:
        """The function that a path written in the file `path` means: `exec`, `add::exec`, `crate::x::add::exec`."""
        parts = [part for part in re.sub(r"::<.*?>", "", written).split("::") if part not in ("crate", "self", "super")]
        if not parts:
            return None
        name = parts[-1]
        if len(parts) == 1:
            return self._bare(name, path)
        owner = parts[-2]
        if owner[:1].isupper():
            return self.method(owner, name, path)
        imported = self.imported(owner, path)
        for target in self._nearest(imported[-1] if imported else owner, path):
            found = self._free(name, target)
            if found is not None:
                return found
        return self._in_inner_module(owner, name, path)

    def _bare(self, name: str, path: str) -> RustFunction | None:
        here = self._free(name, path)
        if here is not None:
            return here
        imported = self.imported(name, path)
        if imported is not None and len(imported) > 1:
            return self.resolve("::".join(imported[-2:]), path)
        for module in self._globs(path):
            for target in self._nearest(module, path)[:2]:
                found = self._free(name, target)
                if found is not None:
                    return found
        return None

    def _globs(self, path: str) -> list[str]:
        """The modules that a file imports whole."""
        if path not in self._glob_imports:
            self._glob_imports[path] = [
                parts[-1]
                for statement in descendants(self.sources.tree(path).root_node, "use_declaration")
                if "*" in text_of(statement) and (argument := statement.child_by_field_name("argument")) is not None
                for parts, bound in use_paths(argument)
                if bound == "*" and parts
            ]
        return self._glob_imports[path]

    def _free(self, name: str, path: str) -> RustFunction | None:
        return next((each for each in self.in_file(path) if each.name == name and each.type_name is None), None)

    def _in_inner_module(self, module: str, name: str, path: str) -> RustFunction | None:
        for each in self.in_file(path):
            around = enclosing(each.node, "mod_item") if each.name == name else None
            if around is not None and text_of(around.child_by_field_name("name")) == module:
                return each
        return None

    def method(self, type_name: str, name: str, path: str) -> RustFunction | None:
        """`Type::name`, from an `impl` in the same file before others; None when two other files have one."""
        pattern = re.compile(rb"impl\b[^{;]*\b" + re.escape(type_name.encode()) + rb"\b[^{;]*\{")
        paths = [each for each in self.sources.containing(pattern, "rust") if not is_test_path(each)]
        found = [
            each
            for target in sorted(paths, key=lambda each: (each != path, each))
            for each in self.in_file(target)
            if each.name == name and each.type_name == type_name
        ]
        return found[0] if found and (found[0].path == path or len({each.path for each in found}) == 1) else None

    def _nearest(self, module: str, path: str) -> list[str]:
        """Files that are this module, those in the folders below and around the given file first."""
        folder = posixpath.dirname(path)
        inner = posixpath.splitext(path)[0]
        paths = [each for each in self._modules.get(module, ()) if not is_test_path(each)]
        return sorted(paths, key=lambda each: (not each.startswith(inner + "/"), -_shared(each, folder), each))

    def imported(self, name: str, path: str) -> list[str] | None:
        """The path that a `use` binds to a name."""
        for statement in descendants(self.sources.tree(path).root_node, "use_declaration"):
            argument = statement.child_by_field_name("argument")
            if argument is not None and name in text_of(argument):
                for parts, bound in use_paths(argument):
                    if bound == name:
                        return parts
        return None


def use_paths(node: Node, before: tuple[str, ...] = ()) -> Iterator[tuple[list[str], str]]:
    """Every name that a `use` brings, as (whole path, name bound); a glob binds `*`."""
    match node.type:
        case "scoped_use_list":
            path = (
                tuple(text_of(node.child_by_field_name("path")).split("::")) if node.child_by_field_name("path") else ()
            )
            listed = node.child_by_field_name("list")
            for child in listed.named_children if listed is not None else ():
                yield from use_paths(child, (*before, *path))
        case "use_list":
            for child in node.named_children:
                yield from use_paths(child, before)
        case "use_as_clause":
            path = tuple(text_of(node.child_by_field_name("path")).split("::"))
            yield [*before, *path], text_of(node.child_by_field_name("alias"))
        case "use_wildcard":
            inner = text_of(node.named_children[0]).split("::") if node.named_children else []
            yield [*before, *inner], "*"
        case "self":
            yield list(before), before[-1] if before else "self"
        case "identifier" | "scoped_identifier" | "crate" | "super":
            path = tuple(text_of(node).split("::"))
            yield [*before, *path], path[-1]


def _shared(path: str, folder: str) -> int:
    """How many folders two places have in common."""
    return len(posixpath.commonprefix([posixpath.dirname(path).split("/"), folder.split("/")]))


@once_for_sources
def functions_of(sources: Sources) -> Functions:
    """One index for all rules that look at the same sources."""
    return Functions(sources)
