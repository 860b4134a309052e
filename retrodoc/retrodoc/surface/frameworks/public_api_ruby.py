"""What a Ruby library offers: the public methods of the modules and classes at its top. Asked without another door."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrodoc.surface.ruby.classes import Method, RubyClass, index_of, is_test_path
from retrodoc_runs.models import EntryPoint, Handler

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

FALLBACK = True

_LIBRARY = re.compile(r"(^|/)lib/(?!tasks/)[^ ]+\.rb$")
_HOOKS = frozenset(
    ("initialize", "method_missing", "respond_to_missing?", "inspect", "to_s", "hash", "included", "extended")
)


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    """Class methods two levels deep, module functions, and the instance methods of the topmost classes."""
    index = index_of(sources)
    for path in sources.of("ruby"):
        if _LIBRARY.search(path) and not is_test_path(path):
            for statement in index.in_file(path):
                yield from _of_class(statement)


def _of_class(statement: RubyClass) -> Iterator[EntryPoint]:
    depth = statement.name.count("::")
    if depth > 1:
        return
    for name, method in statement.class_methods.items():
        if method.visibility == "public" and name not in _HOOKS:
            yield _entry(f"{statement.name}.{name}", method)
    if depth == 0 and statement.kind == "class":
        for name, method in statement.methods.items():
            if method.visibility == "public" and name not in _HOOKS:
                yield _entry(f"{statement.name}#{name}", method)


def _entry(name: str, method: Method) -> EntryPoint:
    return EntryPoint(
        kind="public-api",
        name=name,
        handler=Handler(symbol=name, path=method.path, start_line=method.start_line, end_line=method.end_line),
        framework="ruby",
    )
