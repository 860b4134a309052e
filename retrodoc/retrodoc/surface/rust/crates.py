"""Decides what a Rust crate makes public: items reachable from `lib.rs` through `pub mod` and `pub use`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .functions import use_paths
from .syntax import attributes, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from retrodoc.ingest.sources import Sources

_ITEMS = frozenset(
    (
        "function_item",
        "struct_item",
        "enum_item",
        "union_item",
        "trait_item",
        "macro_definition",
        "type_item",
        "const_item",
    )
)
_MAX_DEPTH = 12


@dataclass(frozen=True, slots=True)
class Item:
    name: str
    path: str
    node: Node


@dataclass(slots=True)
class Module:
    path: str
    """The file that holds it."""
    items: dict[str, tuple[Item, bool]] = field(default_factory=dict)
    """By name, and whether it is public."""
    modules: dict[str, tuple[Module, bool]] = field(default_factory=dict)
    uses: list[tuple[list[str], str, bool]] = field(default_factory=list)
    """Whole path, name bound, and whether it is public."""
    impls: list[Item] = field(default_factory=list)
    parent: Module | None = None


class Crate:
    """The modules of one library, read from its root file."""

    def __init__(self, sources: Sources, root: str) -> None:
        self._sources = sources
        self.impls: list[Item] = []
        self.root = self._file_module(root, posixpath.dirname(root), None, 0)

    def _file_module(self, path: str, folder: str, parent: Module | None, depth: int) -> Module:
        module = Module(path, parent=parent)
        self._fill(module, self._sources.tree(path).root_node.named_children, folder, depth)
        return module

    def _fill(self, module: Module, nodes: list[Node], folder: str, depth: int) -> None:
        for node in nodes:
            said = attributes(node) if node.type in _ITEMS or node.type == "mod_item" else []
            if any(re.match(r"cfg\(.*\btest\b", text) for text in said):
                continue
            public = any(child.type == "visibility_modifier" and text_of(child) == "pub" for child in node.children)
            name = text_of(node.child_by_field_name("name"))
            if node.type == "mod_item":
                self._add_module(module, node, name, public, folder, depth)
            elif node.type == "macro_definition":
                exported = any(text.startswith("macro_export") for text in said)
                module.items[name] = (Item(name, module.path, node), exported)
            elif node.type in _ITEMS:
                module.items.setdefault(name, (Item(name, module.path, node), public))
            elif node.type == "use_declaration":
                argument = node.child_by_field_name("argument")
                for parts, bound in use_paths(argument) if argument is not None else ():
                    module.uses.append((parts, bound, public))
            elif node.type == "impl_item" and node.child_by_field_name("trait") is None:
                written = re.sub(r"<.*", "", text_of(node.child_by_field_name("type")), flags=re.DOTALL)
                self.impls.append(Item(written.rpartition("::")[2].strip(), module.path, node))

    def _add_module(self, module: Module, node: Node, name: str, public: bool, folder: str, depth: int) -> None:
        body = node.child_by_field_name("body")
        if depth > _MAX_DEPTH:
            return
        if body is not None:
            inner = Module(module.path, parent=module)
            self._fill(inner, body.named_children, posixpath.join(folder, name), depth + 1)
            module.modules[name] = (inner, public)
            return
        for target in (posixpath.join(folder, f"{name}.rs"), posixpath.join(folder, name, "mod.rs")):
            if target in self._sources:
                inner = self._file_module(target, posixpath.join(folder, name), module, depth + 1)
                module.modules[name] = (inner, public)
                return

    def public(self) -> Iterator[tuple[str, Item]]:
        """Each public item by the shortest path that reaches it, crate name left out."""
        shortest: dict[tuple[str, int], tuple[str, Item]] = {}
        for name, item in self._exports(self.root, (), ()):
            key = (item.path, item.node.start_byte)
            known = shortest.get(key)
            if known is None or name.count("::") < known[0].count("::"):
                shortest[key] = (name, item)
        yield from shortest.values()

    def _exports(self, module: Module, prefix: tuple[str, ...], seen: tuple[int, ...]) -> Iterator[tuple[str, Item]]:
        if id(module) in seen or len(seen) > _MAX_DEPTH:
            return
        seen = (*seen, id(module))
        for name, (item, public) in module.items.items():
            if item.node.type == "macro_definition":
                if public:
                    yield name, item
            elif public:
                yield "::".join((*prefix, name)), item
        for name, (inner, public) in module.modules.items():
            if public:
                yield from self._exports(inner, (*prefix, name), seen)
            else:
                yield from (
                    (each, item)
                    for each, item in self._exports(inner, (), seen)
                    if item.node.type == "macro_definition"
                )
        for parts, bound, public in module.uses:
            if public:
                yield from self._reexported(module, parts, bound, prefix, seen)

    def _reexported(
        self, module: Module, parts: list[str], bound: str, prefix: tuple[str, ...], seen: tuple[int, ...]
    ) -> Iterator[tuple[str, Item]]:
        if bound == "*":
            target = self._module_at(module, parts, 0)
            if target is not None:
                yield from self._exports(target, prefix, seen)
            return
        holder = self._module_at(module, parts[:-1], 0)
        if holder is None:
            return
        for found in self._named(holder, parts[-1], 0):
            if isinstance(found, Module):
                yield from self._exports(found, (*prefix, bound), seen)
            else:
                yield "::".join((*prefix, bound)), found

    def _named(self, module: Module, name: str, depth: int) -> Iterator[Item | Module]:
        """An item or module of that name, also one that the module itself imports."""
        if name in module.items:
            yield module.items[name][0]
        elif name in module.modules:
            yield module.modules[name][0]
        elif depth < _MAX_DEPTH:
            for parts, bound, _ in module.uses:
                if bound in (name, "*"):
                    holder = self._module_at(module, parts if bound == "*" else parts[:-1], depth + 1)
                    if holder is not None and holder is not module:
                        found = list(self._named(holder, name if bound == "*" else parts[-1], depth + 1))
                        if found:
                            yield from found
                            return

    def _module_at(self, module: Module, parts: list[str], depth: int) -> Module | None:
        """The module that a path leads to from inside another."""
        current: Module | None = module
        for place, part in enumerate(parts):
            if current is None:
                return None
            if part == "crate":
                current = self.root
            elif part == "super":
                current = current.parent
            elif part != "self" and part:
                inner = current.modules.get(part)
                if inner is None and place == 0:
                    inner = self.root.modules.get(part)
                if inner is None and depth < _MAX_DEPTH:
                    found = [each for each in self._named(current, part, depth + 1) if isinstance(each, Module)]
                    current = found[0] if found else None
                else:
                    current = inner[0] if inner is not None else None
        return current
