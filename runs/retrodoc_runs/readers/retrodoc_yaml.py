"""The original RetroDoc's list of use cases, whatever its file's name, and the glossary beside it.

Required of a use case: `slug`, and `steps` with `order`, `description` and `source_refs`, each with a `path`.
`action` may be empty or absent, unknown keys are ignored. Lines are read as written, also where they are false.
Each value is checked here, with its line, so that the models need no validator: building it takes longer than reading.
"""

from __future__ import annotations

from collections.abc import Iterator

from retrodoc_runs.readers.model import ReadError, Reading, ReadStep, Unparsed
from retrodoc_runs.readers.yaml_nodes import Mapping, Node, Scalar, Sequence, read_yaml
from retrodoc_runs.steps import Actor, SourceRef, Step

MEND = "Give a list of use cases, each with `slug` and `steps`; a step has `order`, `description`, `source_refs`."


def read_use_cases(text: str, page: str) -> Reading:
    """The steps of a YAML list of use cases. Raises `ReadError`, which says which use case, step and key."""
    reader = _Reader(page)
    node = read_yaml(text, page)
    if not isinstance(node, Sequence):
        raise ReadError(f"{page}: no list of use cases at its top", MEND)
    for index, item in enumerate(node.items, start=1):
        reader.use_case(item, index)
    return Reading(
        kind="use-cases",
        steps=tuple(reader.steps),
        names=reader.names,
        empty_use_cases=tuple(reader.empty),
        unparsed=tuple(reader.unparsed),
        pages=(page,),
    )


def read_glossary(text: str, page: str) -> tuple[str, ...]:
    """The names of a `glossary.yaml`, a list of `{name, ...}`. Raises `ReadError`."""
    node = read_yaml(text, page)
    if node is None:
        return ()
    if not isinstance(node, Sequence):
        raise ReadError(f"{page}: no list at its top", "A glossary is a list of entries with a `name`.")
    names = []
    for index, item in enumerate(node.items, start=1):
        name = item.entries.get("name") if isinstance(item, Mapping) else None
        if not isinstance(name, Scalar) or name.empty or not name.text.strip():
            raise ReadError(f"{page}: line {item.line}: entry {index} has no `name`", "Name each entry.")
        names.append(name.text)
    return tuple(dict.fromkeys(names))


def looks_like_use_cases(text: str) -> bool:
    """Whether a YAML file of a folder is worth reading as use cases; a file that is named is read anyhow."""
    return "source_refs:" in text and "steps:" in text and "slug:" in text


class _Reader:
    def __init__(self, page: str) -> None:
        self.page = page
        self.steps: list[ReadStep] = []
        self.names: dict[str, str] = {}
        self.empty: list[str] = []
        self.unparsed: list[Unparsed] = []

    def use_case(self, node: Node, index: int) -> None:
        if not isinstance(node, Mapping):
            raise self.error(node, f"use case {index} is not a mapping")
        slug = self.text(node, "slug", f"use case {index}")
        steps = node.entries.get("steps")
        if steps is None or (not isinstance(steps, Sequence) and not _is_empty(steps)):
            raise self.error(steps or node, f"use case {slug}: `steps` is {'missing' if steps is None else 'no list'}")
        name = node.entries.get("name")
        if isinstance(name, Scalar) and not name.empty:
            self.names.setdefault(slug, name.text)
        items = steps.items if isinstance(steps, Sequence) else []
        if not items:
            self.empty.append(slug)
        for number, item in enumerate(items, start=1):
            self.step(item, slug, f"use case {slug}, step {number}")

    def step(self, node: Node, slug: str, where: str) -> None:
        if not isinstance(node, Mapping):
            raise self.error(node, f"{where} is not a mapping")
        order = node.entries.get("order")
        if order is None:
            raise self.error(node, f"{where}: `order` is missing")
        if not isinstance(order, Scalar) or order.number is None:
            raise self.error(order, f"{where}: `order` is not a whole number")
        step = Step(
            order=order.number,
            description=self.text(node, "description", where),
            action=self.optional(node, "action", where),
            actor=self.actor(node, where),
            source_refs=tuple(self.refs(node, where)),
        )
        self.steps.append(ReadStep(slug, step, self.page, node.line))

    def actor(self, node: Mapping, where: str) -> Actor | None:
        actor = node.entries.get("actor")
        if isinstance(actor, Scalar):
            return None if actor.empty else Actor(name=actor.text)
        if not isinstance(actor, Mapping):
            return None
        kind = self.optional(actor, "kind", where)
        return Actor(name=self.optional(actor, "name", where), kind=kind or "system")

    def refs(self, node: Mapping, where: str) -> Iterator[SourceRef]:
        refs = node.entries.get("source_refs")
        if refs is None:
            raise self.error(node, f"{where}: `source_refs` is missing")
        if _is_empty(refs):
            return
        if not isinstance(refs, Sequence):
            raise self.error(refs, f"{where}: `source_refs` is not a list")
        for number, item in enumerate(refs.items, start=1):
            if not isinstance(item, Mapping):
                raise self.error(item, f"{where}, citation {number} is not a mapping")
            ref = self.ref(item, f"{where}, citation {number}")
            if ref:
                yield ref

    def ref(self, node: Mapping, where: str) -> SourceRef | None:
        path = self.text(node, "path", where)
        start, end = node.entries.get("start_line"), node.entries.get("end_line")
        numbers: list[int | None] = []
        for line in (start, end):
            if line is None or _is_empty(line):
                numbers.append(None)
            elif isinstance(line, Scalar) and line.number is not None:
                numbers.append(line.number)
            else:
                self.unparsed.append(Unparsed(f"{path}:{_written(start)}-{_written(end)}", node.line, self.page))
                return None
        first, last = numbers
        if first is None and last is not None:
            self.unparsed.append(Unparsed(f"{path}:-{last}", node.line, self.page))
            return None
        return SourceRef(path=path, start_line=first, end_line=first if last is None else last)

    def text(self, node: Mapping, key: str, where: str) -> str:
        value = node.entries.get(key)
        if value is None:
            raise self.error(node, f"{where}: `{key}` is missing")
        if not isinstance(value, Scalar) or not value.text.strip():
            raise self.error(value, f"{where}: `{key}` is {'empty' if isinstance(value, Scalar) else 'not a text'}")
        return value.text

    def optional(self, node: Mapping, key: str, where: str) -> str:
        value = node.entries.get(key)
        if value is None or _is_empty(value):
            return ""
        if not isinstance(value, Scalar):
            raise self.error(value, f"{where}: `{key}` is not a text")
        return value.text

    def error(self, node: Node, problem: str) -> ReadError:
        return ReadError(f"{self.page}: line {node.line}: {problem}", MEND)


def _is_empty(node: Node) -> bool:
    return isinstance(node, Scalar) and node.empty


def _written(node: Node | None) -> str:
    return node.text if isinstance(node, Scalar) else "?"
