"""What a Rust library offers: its public functions, methods, traits and macros. Asked when there is no other door."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrodoc.surface.rust.crates import Crate, Item
from retrodoc.surface.rust.syntax import first_line, is_test_path, text_of
from retrodoc_runs.models import EntryPoint, Handler

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

FALLBACK = True

_TYPES = ("struct_item", "enum_item", "union_item")
_NAME = re.compile(rb'^\[package\](?:(?!^\[).)*?^\s*name\s*=\s*"([^"]+)"', re.MULTILINE | re.DOTALL)


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    for path in sources.of("rust"):
        if (path == "src/lib.rs" or path.endswith("/src/lib.rs")) and not is_test_path(path):
            yield from _of_crate(Crate(sources, path), _crate_name(sources, path))


def _of_crate(crate: Crate, name: str) -> Iterator[EntryPoint]:
    methods: dict[str, list[Item]] = {}
    for each in crate.impls:
        methods.setdefault(each.name, []).append(each)
    for path, item in crate.public():
        whole = f"{name}::{path}"
        if item.node.type in _TYPES:  # what it holds is an entity; what it does are its methods
            yield from _methods(whole, methods.get(item.name, []))
        elif item.node.type in ("function_item", "trait_item", "macro_definition"):
            yield _entry(f"{whole}!" if item.node.type == "macro_definition" else whole, item)


def _methods(type_path: str, impls: list[Item]) -> Iterator[EntryPoint]:
    for each in impls:
        body = each.node.child_by_field_name("body")
        for node in body.named_children if body is not None else ():
            public = any(child.type == "visibility_modifier" and text_of(child) == "pub" for child in node.children)
            if node.type == "function_item" and public:
                name = text_of(node.child_by_field_name("name"))
                yield _entry(f"{type_path}::{name}", Item(name, each.path, node))


def _entry(name: str, item: Item) -> EntryPoint:
    return EntryPoint(
        kind="public-api",
        name=name,
        handler=Handler(
            symbol=name.partition("::")[2] or name,
            path=item.path,
            start_line=first_line(item.node),
            end_line=item.node.end_point[0] + 1,
        ),
        framework="rust",
    )


def _crate_name(sources: Sources, path: str) -> str:
    folder = posixpath.dirname(posixpath.dirname(path))
    manifest = posixpath.join(folder, "Cargo.toml")
    named = _NAME.search(sources.data(manifest)) if manifest in sources else None
    return named[1].decode("utf-8", "replace").replace("-", "_") if named else posixpath.basename(folder) or "crate"
