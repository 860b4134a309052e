"""Which definition a call means: followed by name, and only where one answer is left.

No type is inferred. A call is resolved through its receiver (`self`, an imported module, a class), through the file's
imports, through a receiver that is named like one class, or, for a plain function, because one definition in the
whole repository has that name and the name is not a common one. Where two answers are left, there is none.
JavaScript and TypeScript are followed as their scopes, imports and declared types say, and by name only where those
say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from retrodoc.ingest.sources import Sources
from retrodoc.passes.words import singular, words_of
from retrodoc.surface.javascript.callees import Callees, callees_of
from retrodoc.surface.javascript.model import Place
from retrodoc.surface.javascript.modules import LANGUAGES
from retrodoc_chunkers import Call, Definition, Import

CALLABLE = frozenset({"function", "method"})
TYPES = frozenset({"class", "module", "struct", "trait", "interface", "enum", "impl"})
MAX_BASES = 6
"""How far a chain of base classes is followed: a guard against cycles."""

# A bare name that half of all libraries define says nothing about which definition is meant.
COMMON_NAMES = frozenset(
    """
    add all append apply build call check clean clear close connect copy count create delete destroy dispatch each
    emit exec execute exists extend filter find first flush format get handle has index init insert items join key
    keys last length list load log main map match merge name next new open parse pop post process push put query read
    reduce reload remove render replace reset resolve run save search select send set setup show size sort split start
    stop submit then to_dict to_s to_string update upload validate value values write
    """.split()
)
SELF_RECEIVERS = frozenset({"self", "this", "cls", "super()", "super", "Self", "@"})

_BASES = re.compile(
    rb"(?:class|struct|interface)\s+[\w:.]+\s*"
    rb"(?:\(([^)]*)\)|<\s*([\w:.]+)|(?:<[^{>]*>)?\s*extends\s+([\w.]+))"
)
_DOTTED = re.compile(r"[\w.:]+")


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition in its file."""

    path: str
    definition: Definition

    @property
    def name(self) -> str:
        return self.definition.name


class SymbolIndex:
    """Definitions of all sources by name, and what calls mean."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self._bases: dict[tuple[str, int], tuple[str, ...]] = {}
        self._starts: dict[str, list[int]] = {}
        """Where each line of a file begins, and after the last where one more would."""
        self._bound: dict[str, dict[str, Import]] = {}

    @cached_property
    def _callees(self) -> Callees:
        return callees_of(self.sources)

    @cached_property
    def _by_name(self) -> dict[str, list[Symbol]]:
        index: dict[str, list[Symbol]] = {}
        for path in self.sources.paths:
            if self.sources.language(path) is None:
                continue
            for definition in self.sources.syntax(path).definitions:
                if definition.kind != "block":
                    index.setdefault(definition.name, []).append(Symbol(path, definition))
        return index

    def named(self, name: str) -> list[Symbol]:
        """All definitions of that name, in order of path."""
        return self._by_name.get(name, [])

    def at(self, path: str, start_line: int, end_line: int, name: str = "") -> Symbol | None:
        """The definition that ends with these lines of a file; else the lines themselves, as code without a name.

        A handler may be an object member or a block, which no grammar calls a definition; the definition around it
        holds other handlers too, and would tell their calls as this one's.
        """
        if path not in self.sources or self.sources.language(path) is None:
            return None
        best: Symbol | None = None
        around: int | None = None
        for number, definition in enumerate(self.sources.syntax(path).definitions):
            if definition.start_line <= start_line and end_line <= definition.end_line:
                around = number
                if definition.end_line == end_line and (
                    best is None or definition.start_line > best.definition.start_line
                ):
                    best = Symbol(path, definition)
        return best or self._unnamed(path, start_line, end_line, name, around)

    def _unnamed(self, path: str, start_line: int, end_line: int, name: str, parent: int | None) -> Symbol | None:
        if path not in self._starts:
            data = self.sources.data(path)
            self._starts[path] = [0, *accumulate(len(line) + 1 for line in data.split(b"\n"))]
        starts = self._starts[path]
        if not 1 <= start_line <= end_line < len(starts):
            return None
        start, end = starts[start_line - 1], starts[end_line] - 1
        block = Definition(name, "block", name, start, end, start_line, end_line, start_line, (), parent)
        return Symbol(path, block)

    def members(self, owner: Symbol) -> Iterator[Symbol]:
        """Definitions directly inside `owner`, in order."""
        definitions = self.sources.syntax(owner.path).definitions
        for definition in definitions:
            if definition.parent is not None and definitions[definition.parent] == owner.definition:
                yield Symbol(owner.path, definition)

    def owner(self, symbol: Symbol) -> Symbol | None:
        """The class or module that `symbol` is a member of."""
        definitions = self.sources.syntax(symbol.path).definitions
        parent = symbol.definition.parent
        while parent is not None:
            if definitions[parent].kind in TYPES:
                return Symbol(symbol.path, definitions[parent])
            parent = definitions[parent].parent
        return None

    def bases(self, owner: Symbol) -> tuple[str, ...]:
        """Names of the base classes as written: `generic.DetailView`, `ActiveRecord::Base`."""
        key = (owner.path, owner.definition.start_byte)
        if key not in self._bases:
            head = self.sources.data(owner.path)[owner.definition.start_byte : owner.definition.end_byte][:2000]
            found = _BASES.search(head)
            written = next((group for group in found.groups() if group), b"") if found else b""
            parts = [part for part in written.decode("latin-1").split(",") if "=" not in part]
            self._bases[key] = tuple(match[0].strip(".:") for part in parts if (match := _DOTTED.search(part)))
        return self._bases[key]

    def base_types(self, owner: Symbol) -> Iterator[Symbol]:
        """The base classes that are in the repository, in the order in which they are written."""
        for base in self.bases(owner):
            parent = self.type_named(base, owner.path)
            if parent is not None and parent != owner:
                yield parent

    def method_of(self, owner: Symbol, name: str, depth: int = 0) -> Symbol | None:
        """The method `name` of a class: its own, else the first base's in the repository."""
        for member in self.members(owner):
            if member.name == name and member.definition.kind in CALLABLE:
                return member
        if depth >= MAX_BASES:
            return None
        for parent in self.base_types(owner):
            if found := self.method_of(parent, name, depth + 1):
                return found
        return None

    def type_named(self, written: str, near: str) -> Symbol | None:
        """The class that a name, written in the file `near`, means: one there, an imported one, the only one."""
        if self.sources.language(near) in LANGUAGES and "." not in written:
            callee = self._callees.named(near, written)
            if callee.settled:
                kind = self._at_place(callee.at, written)
                return kind if kind is not None and kind.definition.kind in TYPES else None
        qualifier, _, name = written.replace("::", ".").rpartition(".")
        candidates = [symbol for symbol in self.named(name) if symbol.definition.kind in TYPES]
        if qualifier and candidates:
            module = self._imported_module(qualifier.split(".")[0], near)
            if module is not None:
                rest = qualifier.split(".")[1:]
                inside = [
                    s for s in candidates if _file_is(s.path, ".".join([module, *rest])) or _file_is(s.path, module)
                ]
                return inside[0] if len(inside) == 1 else None
        return self._pick(candidates, name, near)

    def resolve(self, call: Call, path: str, caller: Symbol) -> Symbol | None:
        """The definition that `call`, made in `caller` in the file `path`, means; None when more than one is left."""
        if self.sources.language(path) in LANGUAGES:
            callee = self._callees.of(path, call)
            if callee.settled:
                return self._at_place(callee.at, call.name)
        receiver = call.receiver.strip()
        name = call.name.rstrip("!") if self.sources.language(path) == "rust" else call.name
        if receiver in SELF_RECEIVERS:
            owner = self.owner(caller)
            return self.method_of(owner, name) if owner else None
        if not receiver:
            owner = self.owner(caller)
            if owner and self.sources.language(path) in ("ruby", "java", "csharp", "cpp"):
                found = self.method_of(owner, name)
                if found:
                    return found
            return self._function(name, path)
        head = re.split(r"\.|::|->", receiver)[-1]
        if head[:1].isupper() and (kind := self.type_named(receiver, path)) and (found := self.method_of(kind, name)):
            return found
        module = self._imported_module(head, path)
        if module is not None:
            inside = [symbol for symbol in self.named(name) if _file_is(symbol.path, module)]
            return inside[0] if len(inside) == 1 else None
        return self._of_receiver(name, head)

    def _at_place(self, place: Place | None, name: str) -> Symbol | None:
        """The definition at a place of JavaScript; code of another file that has none is taken as it is."""
        return self.at(place.path, place.start_line, place.end_line, name) if place is not None else None

    def _function(self, name: str, path: str) -> Symbol | None:
        candidates = [symbol for symbol in self.named(name) if symbol.definition.kind in CALLABLE | TYPES]
        plain = [symbol for symbol in candidates if self.owner(symbol) is None or symbol.definition.kind in TYPES]
        found = self._pick(plain, name, path)
        return found if found or self.imported_from(name, path) else self._only_one(name)

    def _pick(self, candidates: list[Symbol], name: str, near: str) -> Symbol | None:
        """One in the same file; else the imported one, and none when the import leads out of the repository."""
        if not candidates:
            return None
        here = [symbol for symbol in candidates if symbol.path == near]
        if here:
            return here[0]
        module = self.imported_from(name, near)
        if module is not None:
            imported = [symbol for symbol in candidates if _file_is(symbol.path, module)]
            return imported[0] if len(imported) == 1 else None
        return candidates[0] if len(candidates) == 1 and name not in COMMON_NAMES else None

    def _only_one(self, name: str) -> Symbol | None:
        if name in COMMON_NAMES or len(name) < 4:
            return None
        candidates = [symbol for symbol in self.named(name) if symbol.definition.kind in CALLABLE]
        return candidates[0] if len(candidates) == 1 else None

    def _of_receiver(self, name: str, receiver: str) -> Symbol | None:
        """The method of the one class whose name shares a word with the receiver: `basket.add` of `AbstractBasket`.

        Without a shared word a unique name proves nothing: `form.is_valid` is the framework's, whoever else has one.
        A class is called by its whole name: `Basket.new` is nothing of a `BasketsController`.
        """
        is_class = receiver[:1].isupper()
        wanted = {singular(word) for word in words_of(receiver)}
        fitting = [
            symbol
            for symbol in self.named(name)
            if symbol.definition.kind in CALLABLE
            and (owner := self.owner(symbol)) is not None
            and (
                _last_part(owner.name) == receiver
                if is_class
                else wanted & {singular(word) for word in words_of(owner.name)}
            )
        ]
        return fitting[0] if len(fitting) == 1 else None

    def _imports(self, path: str) -> dict[str, Import]:
        if path not in self._bound:
            self._bound[path] = {bound.name: bound for bound in self.sources.syntax(path).imports}
        return self._bound[path]

    def imported_from(self, name: str, path: str) -> str | None:
        """The module that a name is imported from, as it is written."""
        bound = self._imports(path).get(name)
        return bound.module if bound else None

    def _imported_module(self, name: str, path: str) -> str | None:
        """The module that a name stands for, were it one."""
        bound = self._imports(path).get(name)
        if bound is None:
            return None
        return f"{bound.module}.{bound.imported}" if bound.imported else bound.module


def on_itself(receiver: str) -> bool:
    """Whether a call with this receiver is one of the object or module that makes it; a parent's counts as its own."""
    return not receiver or receiver in SELF_RECEIVERS or receiver.startswith("super(")


def _last_part(name: str) -> str:
    return re.split(r"\.|::", name)[-1]


def _file_is(path: str, module: str) -> bool:
    """Whether the file at `path` can be the module of that written name, by its last parts."""
    wanted = [part for part in re.split(r"[./:]+", module) if part not in ("", "crate", "self", "super", "@", "~")]
    if wanted and wanted[-1] in ("js", "ts", "mjs", "py", "rb"):
        wanted.pop()
    have = re.sub(r"(/(__init__|index|mod))?\.\w+$", "", path).split("/")
    if not wanted:
        return False
    tail = wanted[-len(have) :] if len(wanted) > len(have) else wanted
    return have[-len(tail) :] == tail
