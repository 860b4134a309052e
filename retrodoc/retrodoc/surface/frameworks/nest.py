"""NestJS and routing-controllers: routes, messages and timed jobs that decorators on a class's methods declare."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrodoc.surface.javascript.model import Array, Object
from retrodoc.surface.javascript.modules import is_test_path
from retrodoc.surface.javascript.syntax import arguments, text_of
from retrodoc.surface.javascript.values import Evaluator, evaluator_of
from retrodoc.surface.trees import descendants
from retrodoc_runs.models import EntryPoint, EntryPointKind, Handler, SourceRef

if TYPE_CHECKING:
    from tree_sitter import Node

    from retrodoc.ingest.sources import Sources

_LANGUAGES = ("typescript", "tsx", "javascript")
_PACKAGES = re.compile(rb"['\"](?:@nestjs/\w+|routing-controllers|@midwayjs/\w+)['\"]")
_CONTROLLERS = re.compile(
    rb"@(?:Json)?Controller\s*\(|@(?:Cron|Interval|Processor|EventPattern|MessagePattern|OnEvent)\s*\(|@SubscribeMessage"
)
_VERBS = {
    "Get": "GET",
    "Post": "POST",
    "Put": "PUT",
    "Patch": "PATCH",
    "Delete": "DELETE",
    "Head": "HEAD",
    "Options": "OPTIONS",
    "All": None,
}
_OTHERS: dict[str, EntryPointKind] = {
    "Cron": "job",
    "Interval": "job",
    "Process": "job",
    "EventPattern": "event",
    "MessagePattern": "event",
    "OnEvent": "event",
    "SubscribeMessage": "event",
}


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    if not sources.containing(_PACKAGES, *_LANGUAGES):
        return
    evaluator = evaluator_of(sources)
    application = _application(sources, evaluator)
    for path in sources.containing(_CONTROLLERS, *_LANGUAGES):
        if not is_test_path(path):
            for node in descendants(evaluator.file(path).root, "class_declaration", "abstract_class_declaration"):
                yield from _of_class(evaluator, application, path, node)


@dataclass(frozen=True, slots=True)
class _Application:
    """What the start of the program adds to every route."""

    prefix: str = ""
    excluded: tuple[str, ...] = ()
    versions: bool = False
    """Versions are part of the path (`enableVersioning({type: VersioningType.URI})`)."""


def _application(sources: Sources, evaluator: Evaluator) -> _Application:
    prefix, excluded, versions = "", tuple[str, ...](), False
    for path in sources.containing(re.compile(rb"setGlobalPrefix|enableVersioning"), *_LANGUAGES):
        if is_test_path(path):
            continue
        for call in descendants(evaluator.file(path).root, "call_expression"):
            callee = call.child_by_field_name("function")
            name = text_of(callee.child_by_field_name("property")) if callee is not None else ""
            given = arguments(call)
            if name == "setGlobalPrefix" and given:
                prefix = evaluator.text(path, given[0]) or ""
                for options in evaluator.values(path, given[1]) if len(given) > 1 else ():
                    excluded = tuple(_texts(evaluator, options, "exclude"))
            elif name == "enableVersioning":
                written = text_of(given[0]) if given else ""
                versions = "type" not in written or ".URI" in written
    return _Application(prefix, excluded, versions)


def _of_class(evaluator: Evaluator, application: _Application, path: str, node: Node) -> Iterator[EntryPoint]:
    bases: list[str] | None = None
    versions: list[str] = []
    queue = ""
    for name, call in _decorators(node):
        if name in ("Controller", "JsonController"):
            bases, versions = _paths(evaluator, path, call), _versions(evaluator, path, call)
        elif name == "Processor":
            queue = next(iter(_paths(evaluator, path, call)), "")
    body, class_name = node.child_by_field_name("body"), text_of(node.child_by_field_name("name"))
    pending: list[Node] = []
    for child in body.named_children if body is not None else ():
        if child.type == "decorator":
            pending.append(child)
            continue
        if child.type == "method_definition":
            own = [*pending, *(each for each in child.named_children if each.type == "decorator")]
            handler = _handler(path, class_name, child, own)
            said = [found for each in own if (found := _decorator(each)) is not None]
            own_versions = [each for name, call in said if name == "Version" for each in _paths(evaluator, path, call)]
            for name, call in said:
                if name in _VERBS and bases is not None:
                    for whole in _wholes(application, bases, _paths(evaluator, path, call), own_versions or versions):
                        yield _route(name, whole, handler, path, call)
                elif name in _OTHERS:
                    yield _other(name, evaluator, path, call, handler, queue)
        if child.type != "comment":
            pending = []


def _wholes(application: _Application, bases: list[str], paths: list[str], versions: list[str]) -> Iterator[str]:
    for base in bases:
        for path in paths:
            plain = "/".join(part for part in (base.strip("/"), path.strip("/")) if part)
            outside = any(plain == each.strip("/") for each in application.excluded)
            for version in versions if application.versions and versions else [""]:
                parts = ("" if outside else application.prefix.strip("/"), f"v{version}" if version else "", plain)
                yield "/" + "/".join(part for part in parts if part)


def _route(name: str, whole: str, handler: Handler, path: str, call: Node) -> EntryPoint:
    return EntryPoint(
        kind="http",
        method=_VERBS[name],
        path=whole,
        handler=handler,
        framework="nest",
        declared=SourceRef(path=path, start_line=call.start_point[0] + 1, end_line=call.end_point[0] + 1),
    )


def _other(name: str, evaluator: Evaluator, path: str, call: Node, handler: Handler, queue: str) -> EntryPoint:
    given = next(iter(_paths(evaluator, path, call)), "")
    if name in ("Cron", "Interval"):
        label = handler.symbol
    else:
        label = ".".join(part for part in (queue if name == "Process" else "", given) if part) or handler.symbol
    return EntryPoint(kind=_OTHERS[name], name=label, handler=handler, framework="nest")


def _handler(path: str, class_name: str, method: Node, decorators: list[Node]) -> Handler:
    first = decorators[0] if decorators and decorators[0].start_byte < method.start_byte else method
    return Handler(
        symbol=f"{class_name}.{text_of(method.child_by_field_name('name'))}",
        path=path,
        start_line=first.start_point[0] + 1,
        end_line=method.end_point[0] + 1,
    )


def _decorators(node: Node) -> Iterator[tuple[str, Node]]:
    """Those of a class: on the declaration, or on the `export` around it."""
    holders = [node] if node.parent is None or node.parent.type != "export_statement" else [node.parent, node]
    for holder in holders:
        for child in holder.named_children:
            found = _decorator(child) if child.type == "decorator" else None
            if found is not None:
                yield found


def _decorator(node: Node) -> tuple[str, Node] | None:
    call = node.named_children[0] if node.named_children else None
    if call is None or call.type != "call_expression":
        return None
    return text_of(call.child_by_field_name("function")), call


def _paths(evaluator: Evaluator, path: str, call: Node) -> list[str]:
    """The paths that a decorator names: one, several, or the class's own when it names none."""
    given = arguments(call)
    if not given:
        return [""]
    found: list[str] = []
    for value in evaluator.values(path, given[0]):
        if isinstance(value, Object):
            found.extend(_texts(evaluator, value, "path") or ["", *_texts(evaluator, value, "cmd")][-1:])
        else:
            found.extend(
                each for each in (value.items if isinstance(value, Array) else (value,)) if isinstance(each, str)
            )
    if not found and (known := evaluator.text(path, given[0])) is not None:
        found.append(known)
    return found or [""]


def _versions(evaluator: Evaluator, path: str, call: Node) -> list[str]:
    given = arguments(call)
    values = evaluator.values(path, given[0]) if given else ()
    return [each for value in values if isinstance(value, Object) for each in _texts(evaluator, value, "version")]


def _texts(evaluator: Evaluator, holder: object, key: str) -> list[str]:
    """The strings under a key of an object, one or a list."""
    found: list[str] = []
    for value in evaluator.member(holder, key) if isinstance(holder, Object) else ():
        found.extend(each for each in (value.items if isinstance(value, Array) else (value,)) if isinstance(each, str))
    return found
