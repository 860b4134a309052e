"""What a JavaScript or TypeScript package offers: the names that its entry files export. Asked without another door."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from retrodoc.surface.javascript.exports import exported_places
from retrodoc.surface.javascript.model import Place
from retrodoc.surface.javascript.modules import LANGUAGES, Modules, is_test_path, modules_of
from retrodoc.surface.javascript.values import evaluator_of
from retrodoc_runs.models import EntryPoint, Handler

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

FALLBACK = True

_BUILT = re.compile(
    r"^(?:\./)?(?:dist|lib|build|out|output|_?esm|_?cjs|es|compiled)"
    r"(?:/(?:esm5?|cjs|es|types|commonjs|node|src|umd|browser))*/"
)


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    if not sources.of(*LANGUAGES):
        return
    evaluator = evaluator_of(sources)
    seen: set[Place] = set()
    for package, path in sorted(_entries(sources)):  # the shortest way in first: the others offer much of the same
        for name, place in exported_places(evaluator, path):
            if is_test_path(place.path) or place in seen:
                continue
            seen.add(place)
            yield EntryPoint(
                kind="public-api",
                name=f"{package}.{name}" if package else name,
                handler=Handler(symbol=name, path=place.path, start_line=place.start_line, end_line=place.end_line),
                framework="javascript",
            )


def _entries(sources: Sources) -> Iterator[tuple[str, str]]:
    """Each way into a package: how it is imported, and the source file behind it."""
    modules, seen = modules_of(sources), set()
    for manifest in sources.paths:
        if posixpath.basename(manifest) != "package.json" or "node_modules/" in manifest or is_test_path(manifest):
            continue
        folder, described = posixpath.dirname(manifest), _described(sources, manifest)
        name = described.get("name")
        if not name and folder:  # only says how the files of a folder are read
            continue
        for subpath, targets in _declared(described):
            path = _source_of(modules, folder, subpath, targets)
            if path is not None and path not in seen:
                seen.add(path)
                yield posixpath.join(str(name or ""), subpath).rstrip("/."), path


def _described(sources: Sources, manifest: str) -> dict[str, Any]:
    try:
        found = json.loads(sources.data(manifest))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _declared(described: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """`exports`, else `main` and its kin: each subpath with the files that may stand for it."""
    exports = described.get("exports")
    if isinstance(exports, dict) and any(str(key).startswith(".") for key in exports):
        for key, value in exports.items():
            if "*" not in key and not key.endswith(".json"):
                yield key.removeprefix("./").removeprefix("."), list(_targets(value))
        return
    mains = [described.get(key) for key in ("source", "main", "module", "types", "typings")]
    yield "", [*_targets(exports), *(main for main in mains if isinstance(main, str))]


def _targets(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _targets(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _targets(inner)


def _source_of(modules: Modules, folder: str, subpath: str, targets: list[str]) -> str | None:
    """The source behind a built file: itself, or the same path below `src`."""
    candidates: list[str] = []
    for target in targets:
        stem = re.sub(r"(?:\.d)?\.[cm]?[jt]sx?$", "", _BUILT.sub("", target.removeprefix("./")))
        candidates.extend((f"src/{stem}", stem, target))
    usual = ("src/index", "index", "lib/index") if not subpath else (f"src/{subpath}/index", f"src/{subpath}")
    for candidate in (*candidates, *usual):
        found = modules.file(posixpath.normpath(posixpath.join(folder, candidate)))
        if found is not None and not is_test_path(found) and not _is_built(found):
            return found
    return None


def _is_built(path: str) -> bool:
    return bool(re.search(r"(^|/)(?:dist|build|out)/", path))
