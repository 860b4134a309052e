"""Next.js: the routes and pages that files declare by where they lie, in `app` and in `pages`."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrodoc.surface.javascript.exports import exported_places
from retrodoc.surface.javascript.modules import LANGUAGES, is_test_path
from retrodoc.surface.javascript.syntax import key_of
from retrodoc.surface.javascript.targets import target_of
from retrodoc.surface.javascript.values import Evaluator, evaluator_of
from retrodoc_runs.models import EntryPoint, Handler

if TYPE_CHECKING:
    from tree_sitter import Node

    from retrodoc.ingest.sources import Sources

_VERBS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")
_SOURCE = re.compile(r"\.[jt]sx?$")


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    for home in _applications(sources):
        evaluator = evaluator_of(sources)
        for path in sources.of(*LANGUAGES):
            if not is_test_path(path) and _SOURCE.search(path):
                yield from _of_file(evaluator, path, home)


def _applications(sources: Sources) -> Iterator[str]:
    """The folders of the packages that depend on Next.js, each with a slash at its end, or nothing at the root."""
    for path in sources.paths:
        if posixpath.basename(path) == "package.json" and b'"next"' in sources.data(path):
            try:
                described = json.loads(sources.data(path))
            except ValueError:
                continue
            kinds = ("dependencies", "devDependencies", "peerDependencies")
            needed = [described.get(kind) for kind in kinds] if isinstance(described, dict) else []
            if any(isinstance(each, dict) and "next" in each for each in needed):
                folder = posixpath.dirname(path)
                yield f"{folder}/" if folder else ""


def _of_file(evaluator: Evaluator, path: str, home: str) -> Iterator[EntryPoint]:
    inside = path.removeprefix(home) if path.startswith(home) else ""
    *folders, name = inside.removeprefix("src/").split("/")
    stem = _SOURCE.sub("", name)
    if not folders or folders[0] not in ("app", "pages"):
        return
    if folders[0] == "app":
        route = _route(folders[1:])
        if route is None:
            return
        if stem == "route":
            for verb in _VERBS:
                handler = _handler(evaluator, path, verb)
                if handler is not None:
                    yield EntryPoint(kind="http", method=verb, path=route, handler=handler, framework="next")
        elif stem == "page":
            yield from _page(evaluator, path, route)
    elif not stem.startswith("_"):
        route = _route([*folders[1:], *([] if stem == "index" else [stem])])
        if route is not None and folders[1:2] == ["api"]:
            handler = _handler(evaluator, path, "default")
            if handler is not None:
                yield EntryPoint(kind="http", path=route, handler=handler, framework="next")
        elif route is not None:
            yield from _page(evaluator, path, route)


def _page(evaluator: Evaluator, path: str, route: str) -> Iterator[EntryPoint]:
    handler = _handler(evaluator, path, "default")
    if handler is not None:
        yield EntryPoint(kind="page", name=route, handler=handler, framework="next")


def _route(folders: list[str]) -> str | None:
    """The path that folders stand for; None when they hold parts only, or show another page in place."""
    segments = []
    for folder in folders:
        if folder.startswith(("_", "(.")):
            return None
        if folder.startswith("@") or (folder.startswith("(") and folder.endswith(")")):
            continue
        found = re.fullmatch(r"(\[)?\[(\.\.\.)?(\w+)\]\]?", folder)
        if found is None:
            segments.append(folder)
        else:
            segments.append(f":{found[3]}{'*' if found[2] else ''}{'?' if found[1] else ''}")
    return "/" + "/".join(segments)


def _handler(evaluator: Evaluator, path: str, name: str) -> Handler | None:
    """What a file exports under a name, where it is written; None when it exports no such thing."""
    for value in evaluator.exported(path, name):
        found = target_of(value)
        if found is not None and found.place is not None:
            at = found.place
            symbol = found.symbol if name == "default" else name
            return Handler(symbol=symbol, path=at.path, start_line=at.start_line, end_line=at.end_line)
    written = dict(exported_places(evaluator, path)).get(name)
    node = written.node if written is not None else _statement(evaluator, path, name)
    if node is None:
        return None
    start, end = node.start_point[0] + 1, node.end_point[0] + 1
    return Handler(symbol=name, path=written.path if written is not None else path, start_line=start, end_line=end)


def _statement(evaluator: Evaluator, path: str, name: str) -> Node | None:
    """`export { GET } from 'elsewhere'`: the file answers, and another package does the work."""
    for node in evaluator.file(path).root.named_children:
        clause = next((child for child in node.named_children if child.type == "export_clause"), None)
        for specifier in clause.named_children if clause is not None else ():
            if key_of(specifier.child_by_field_name("alias") or specifier.child_by_field_name("name")) == name:
                return node
        if name == "default" and node.type == "export_statement" and any(c.type == "default" for c in node.children):
            return node
    return None
