"""YAML as plain nodes with their lines, from libyaml's events: no object is built, no alias is followed.

What expands (aliases, merge keys) and what nests without end are refused while reading, before they cost memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from retrodoc_runs.readers.model import ReadError

if TYPE_CHECKING:
    from yaml.events import Event

MAX_DEPTH = 40
"""A list of use cases nests 6 deep; the rest is room for keys that are ignored."""


_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")


class Scalar(NamedTuple):
    text: str
    line: int
    plain: bool = True
    """Without quotes: an empty one, `~` or `null` is no value."""

    @property
    def empty(self) -> bool:
        return self.plain and self.text in ("", "~", "null", "Null", "NULL")

    @property
    def number(self) -> int | None:
        """The whole number that it is, else None."""
        return int(self.text) if _NUMBER.fullmatch(self.text) else None


class Sequence(NamedTuple):
    items: list[Node]
    line: int


class Mapping(NamedTuple):
    entries: dict[str, Node]
    line: int
    """A key that stands twice has its last value, as with every YAML library; a key that is no text is left out."""


Node = Scalar | Sequence | Mapping


def read_yaml(text: str, name: str) -> Node | None:
    """The first document; None for an empty one. Raises `ReadError`, which names the file and the line."""
    import yaml  # costs start-up time, and only YAML needs it

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _Builder(name, yaml.parse(text, Loader=loader)).document()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" line {mark.line + 1}:" if mark else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise ReadError(f"{name}:{where} not YAML: {problem}", "Mend the file, or give another target.") from error


class _Builder:
    """One pass over the events; their classes tell them apart."""

    def __init__(self, name: str, events: Iterator[Event]) -> None:
        from yaml import events as kinds

        self.name = name
        self.events = events
        self.kinds = kinds

    def document(self) -> Node | None:
        before = (self.kinds.StreamStartEvent, self.kinds.DocumentStartEvent)
        for event in self.events:
            if isinstance(event, before):
                continue
            if isinstance(event, (self.kinds.StreamEndEvent, self.kinds.DocumentEndEvent)):
                return None
            return self.node(event, 0)
        return None

    def node(self, event: Any, depth: int) -> Node:
        line = event.start_mark.line + 1
        kind = event.__class__
        if kind is self.kinds.ScalarEvent:
            return Scalar(event.value, line, plain=not event.style)
        if kind is self.kinds.AliasEvent:
            raise ReadError(
                f"{self.name}: line {line}: the alias *{event.anchor} is not expanded",
                "Write the value out: aliases can make a small file grow without end.",
            )
        if depth > MAX_DEPTH:
            raise ReadError(f"{self.name}: line {line}: nested over {MAX_DEPTH} deep", "Give a list of use cases.")
        if kind is self.kinds.SequenceStartEvent:
            return Sequence(list(self.items(depth)), line)
        return self.mapping(line, depth)

    def items(self, depth: int) -> Iterator[Node]:
        end = self.kinds.SequenceEndEvent
        for event in self.events:
            if event.__class__ is end:
                return
            yield self.node(event, depth + 1)

    def mapping(self, line: int, depth: int) -> Mapping:
        entries: dict[str, Node] = {}
        end = self.kinds.MappingEndEvent
        for event in self.events:
            if event.__class__ is end:
                break
            key = self.node(event, depth + 1)
            value = self.node(next(self.events), depth + 1)
            if isinstance(key, Scalar):
                entries[key.text] = value
        return Mapping(entries, line)
