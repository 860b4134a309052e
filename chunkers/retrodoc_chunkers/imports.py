"""Which names an import binds: one small reader per language over the nodes that `references.scm` captures."""

from __future__ import annotations

import re
from operator import attrgetter
from typing import TYPE_CHECKING

from retrodoc_chunkers.model import Import

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tree_sitter import Node

MAX_NAMES = 10_000
"""Names read from one import statement: generated files import a few hundred at most."""

MAX_PLAIN = 4_000
"""Characters of a statement that is read from its text: far fewer than `MAX_NAMES` names."""

MAX_PARTS = 8
"""Nodes between a `require` and the string that it ends with."""


class _Reader:
    """A file's text, and small questions about nodes."""

    def __init__(self, source: bytes, encoding: str) -> None:
        self._source = source
        self._encoding = encoding

    def text(self, node: Node | None) -> str:
        if node is None:
            return ""
        start, end = node.byte_range
        return self._source[start:end].decode(self._encoding, "replace")

    def unquoted(self, node: Node | None) -> str:
        return self.text(node).strip("\"'`<>")


def read_imports(nodes: Sequence[Node], language: str, source: bytes, encoding: str) -> Iterator[Import]:
    """The names that import statements bind, in order; a language without a reader gives none."""
    read = READERS.get(language)
    if read is None:
        return
    plain = _PLAIN.get(language, _not_plain)
    reader = _Reader(source, encoding)
    for node in sorted(nodes, key=attrgetter("start_byte")):
        line = node.start_point.row + 1
        statement = reader.text(node)
        settled = plain(statement) if len(statement) <= MAX_PLAIN else None
        for name, module, imported in settled or read(node, reader):
            yield _new(Import, (name, module, imported, line))


_new = tuple.__new__
"""`Import(*fields)` without its checks: twice as fast."""
Bound = tuple[str, str, str | None]


def _not_plain(_statement: str) -> list[Bound] | None:
    return None


_PYTHON_FROM = re.compile(r"from\s+([\w.]+)\s+import\s+(\w+(?:\s*,\s*\w+)*)")
_PYTHON_MODULE = re.compile(r"import\s+(\w+(?:\.\w+)*)")


def _plain_python(statement: str) -> list[Bound] | None:
    """What the text settles, here and below: None when the tree must be asked."""
    found = _PYTHON_FROM.fullmatch(statement)
    if found is not None:
        module, names = found.groups()
        if "," not in names:
            return [(names, module, names)]
        return [(name, module, name) for name in map(str.strip, names.split(","))]
    found = _PYTHON_MODULE.fullmatch(statement)
    if found is None:
        return None
    path = found.group(1)
    return [(path.partition(".")[0], path, None)]


_ECMA = re.compile(
    r"import\s+(?:type\s+)?(?:(\w+)|\{\s*(\w+(?:\s*,\s*\w+)*)\s*,?\s*\}|\*\s*as\s+(\w+))\s*from\s*(['\"])([^'\"\\\n]+)\4;?"
)


def _plain_ecma(statement: str) -> list[Bound] | None:
    found = _ECMA.fullmatch(statement)
    if found is None:
        return None
    own, names, whole, _, module = found.groups()
    if own is not None:
        return [(own, module, "default")]
    if whole is not None:
        return [(whole, module, None)]
    return [(name, module, name) for name in map(str.strip, names.split(","))]


_JAVA = re.compile(r"import\s+(?:static\s+)?(\w+(?:\.\w+)*)\.(\w+|\*);")


def _plain_java(statement: str) -> list[Bound] | None:
    found = _JAVA.fullmatch(statement)
    if found is None:
        return None
    module, name = found.groups()
    return [(name, module, name)]


_PLAIN: dict[str, Callable[[str], list[Bound] | None]] = {
    "python": _plain_python,
    "javascript": _plain_ecma,
    "typescript": _plain_ecma,
    "tsx": _plain_ecma,
    "java": _plain_java,
}


def _python(node: Node, reader: _Reader) -> Iterator[Bound]:
    module = reader.text(node.child_by_field_name("module_name"))
    if node.type == "future_import_statement":
        module = "__future__"
    for child in node.children_by_field_name("name"):
        target = child.child_by_field_name("name") or child
        alias = reader.text(child.child_by_field_name("alias"))
        name = reader.text(target)
        if module:
            yield alias or name, module, name
        else:
            yield alias or name.split(".", 1)[0], name, None
    for child in node.named_children:
        if child.type == "wildcard_import":
            yield "*", module, "*"


def _ruby(node: Node, reader: _Reader) -> Iterator[Bound]:
    arguments = node.child_by_field_name("arguments")
    given = arguments.named_children if arguments is not None else []
    if given and given[0].type == "simple_symbol":  # `autoload :Row, "shop/row"`
        name = reader.text(given[0]).lstrip(":")
        yield name, reader.unquoted(given[1]), name
    elif given:
        module = reader.unquoted(given[0])
        yield module.rsplit("/", 1)[-1], module, None


def _ecma(node: Node, reader: _Reader) -> Iterator[Bound]:
    if node.type == "variable_declarator":
        yield from _required(node, reader)
        return
    module = reader.unquoted(node.child_by_field_name("source"))
    for child in _descend(node, {"import_clause", "named_imports", "export_clause"}):
        if child.type in ("import_specifier", "export_specifier"):
            imported = reader.text(child.child_by_field_name("name"))
            yield reader.text(child.child_by_field_name("alias")) or imported, module, imported
        elif child.type == "namespace_import":
            yield reader.text(child.named_child(0)), module, None
        elif child.type == "identifier":
            yield reader.text(child), module, "default"
        elif child.type == "import_require_clause":
            yield reader.text(child.named_child(0)), reader.unquoted(child.child_by_field_name("source")), None


def _required(node: Node, reader: _Reader) -> Iterator[Bound]:
    pattern = node.child_by_field_name("name")
    call = node.child_by_field_name("value")
    arguments = call.child_by_field_name("arguments") if call is not None else None
    if pattern is None or arguments is None or not arguments.named_child_count:
        return
    module = reader.unquoted(arguments.named_child(0))
    if pattern.type == "identifier":
        yield reader.text(pattern), module, None
        return
    for child in pattern.named_children[:MAX_NAMES]:
        if child.type == "pair_pattern":
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            yield reader.text(value), module, reader.text(key)
        elif child.type == "shorthand_property_identifier_pattern":
            yield reader.text(child), module, reader.text(child)


def _rust(node: Node, reader: _Reader) -> Iterator[Bound]:
    if node.type == "extern_crate_declaration":
        name = reader.text(node.child_by_field_name("name"))
        yield reader.text(node.child_by_field_name("alias")) or name, name, None
        return
    argument = node.child_by_field_name("argument")
    waiting: list[tuple[Node | None, str]] = [(argument, "")]
    count = 0
    while waiting and count < MAX_NAMES:
        one, prefix = waiting.pop()
        if one is None:
            continue
        count += 1
        if one.type == "scoped_use_list":
            path = _joined(prefix, reader.text(one.child_by_field_name("path")))
            waiting.append((one.child_by_field_name("list"), path))
        elif one.type == "use_list":
            waiting.extend((child, prefix) for child in reversed(one.named_children))
        elif one.type == "use_wildcard":
            yield "*", _joined(prefix, reader.text(one.named_child(0)) if one.named_child_count else ""), "*"
        elif one.type == "use_as_clause":
            module, imported = _split_path(_joined(prefix, reader.text(one.child_by_field_name("path"))))
            yield reader.text(one.child_by_field_name("alias")), module, None if imported == "self" else imported
        elif one.type == "self":
            yield prefix.rsplit("::", 1)[-1], prefix, None
        elif one.type.endswith("identifier") or one.type == "crate":
            module, imported = _split_path(_joined(prefix, reader.text(one)))
            yield imported, module, imported


def _joined(prefix: str, path: str) -> str:
    return f"{prefix}::{path}" if prefix and path else prefix or path


def _split_path(path: str) -> tuple[str, str]:
    module, _, name = path.rpartition("::")
    return module, name


def _go(node: Node, reader: _Reader) -> Iterator[Bound]:
    for child in _descend(node, {"import_spec_list"}):
        if child.type == "import_spec":
            module = reader.unquoted(child.child_by_field_name("path"))
            name = reader.text(child.child_by_field_name("name"))
            if name == ".":
                yield "*", module, "*"
            else:
                yield name or module.rsplit("/", 1)[-1], module, None


def _java(node: Node, reader: _Reader) -> Iterator[Bound]:
    if node.type == "package_declaration":
        return
    path = reader.text(next((child for child in node.named_children if child.type.endswith("identifier")), None))
    if any(child.type == "asterisk" for child in node.named_children):
        yield "*", path, "*"
        return
    module, _, name = path.rpartition(".")
    yield name, module, name


def _csharp(node: Node, reader: _Reader) -> Iterator[Bound]:
    alias = node.child_by_field_name("name")
    paths = [child for child in node.named_children if child != alias]
    module = reader.text(paths[-1]) if paths else ""
    yield reader.text(alias) or module.rsplit(".", 1)[-1], module, None


def _php(node: Node, reader: _Reader) -> Iterator[Bound]:
    if node.type == "expression_statement":
        part = _last_part(node.named_child(0))
        if part is not None and part.type.endswith("string"):
            module = reader.unquoted(part)
            yield module.rsplit("/", 1)[-1], module, None
        return
    if node.type != "namespace_use_declaration":
        return
    prefix = reader.text(next((child for child in node.named_children if child.type == "namespace_name"), None))
    for child in _descend(node, {"namespace_use_group"}):
        if child.type == "namespace_use_clause" and child.named_child_count:
            path = reader.text(child.named_child(0)).lstrip("\\")
            path = f"{prefix}\\{path}" if prefix else path
            module, _, name = path.rpartition("\\")
            yield reader.text(child.child_by_field_name("alias")) or name, module, name


def _last_part(node: Node | None) -> Node | None:
    """What a `require` ends with: the text of `__DIR__ . "/rows.php"`, of `("rows.php")`."""
    for _ in range(MAX_PARTS):
        if node is None or not node.named_child_count or node.type.endswith("string"):
            break
        node = node.named_child(node.named_child_count - 1)
    return node


def _c(node: Node, reader: _Reader) -> Iterator[Bound]:
    if node.type == "using_declaration":
        path = reader.text(node.named_child(0)) if node.named_child_count else ""
        module, _, name = path.rpartition("::")
        whole = any(child.type == "namespace" for child in node.children)
        yield ("*", path, "*") if whole else (name, module, name)
        return
    module = reader.unquoted(node.child_by_field_name("path"))
    yield module.rsplit("/", 1)[-1], module, None


def _descend(node: Node, lists: set[str]) -> Iterator[Node]:
    """The named children, those of the given kinds of lists replaced by what they hold."""
    waiting = list(reversed(node.named_children))
    count = 0
    while waiting and count < MAX_NAMES:
        child = waiting.pop()
        count += 1
        if child.type in lists:
            waiting.extend(reversed(child.named_children))
        else:
            yield child


READERS: dict[str, Callable[[Node, _Reader], Iterable[Bound]]] = {
    "python": _python,
    "ruby": _ruby,
    "javascript": _ecma,
    "typescript": _ecma,
    "tsx": _ecma,
    "rust": _rust,
    "go": _go,
    "java": _java,
    "csharp": _csharp,
    "php": _php,
    "c": _c,
    "cpp": _c,
}
