"""Decides which file an import of JavaScript or TypeScript means.

Relative paths, extensions left out or written as the compiled ones, folders with an index, the `paths` of a
`tsconfig.json`, and packages of the same repository. Anything else is another package.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from typing import Any

from retrodoc.ingest.sources import Sources, once_for_sources

LANGUAGES = ("javascript", "typescript", "tsx")
_EXTENSIONS = (".ts", ".tsx", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs")
_COMPILED = {
    ".js": (".ts", ".tsx", ".js"),
    ".mjs": (".mts", ".mjs"),
    ".cjs": (".cts", ".cjs"),
    ".jsx": (".tsx", ".jsx"),
}
_TEST_PATH = re.compile(
    r"(^|/)(tests?|__tests__|specs?|e2e|fixtures|__mocks__|mocks|examples?|demos?|benchmarks?|cypress)/"
    r"|\.(test|spec|stories|d)\.[cm]?[jt]sx?$"
)


def is_test_path(path: str) -> bool:
    """Whether a file belongs to tests, examples or type declarations, which expose nothing."""
    return bool(_TEST_PATH.search(path))


class Modules:
    """Resolves import specifiers among the sources."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._paths = frozenset(sources.of(*LANGUAGES))
        self._aliases = list(self._read_aliases())
        self._packages = dict(self._read_packages())
        self._resolved: dict[tuple[str, str], str | None] = {}

    def resolve(self, specifier: str, importer: str) -> str | None:
        """The file that `specifier` means in the file `importer`; None for another package."""
        folder = posixpath.dirname(importer)
        key = (folder, specifier)
        if key not in self._resolved:
            self._resolved[key] = next(
                (found for target in self._targets(specifier, folder) if (found := self.file(target))), None
            )
        return self._resolved[key]

    def _targets(self, specifier: str, folder: str) -> Iterator[str]:
        if specifier.startswith("."):
            target = posixpath.normpath(posixpath.join(folder, specifier))
            yield f"{target}/" if re.search(r"(^|/)\.{0,2}$", specifier) else target
            return
        for root, pattern, replacements in self._aliases:
            if root and not (folder + "/").startswith(root + "/"):
                continue
            rest = _match_alias(pattern, specifier)
            if rest is not None:
                for replacement in replacements:
                    yield posixpath.normpath(posixpath.join(root, replacement.replace("*", rest)))
        for name, package in self._packages.items():
            if specifier == name:
                yield from package
            elif specifier.startswith(f"{name}/"):
                inner = specifier[len(name) + 1 :]
                home = package[-1]
                yield posixpath.join(home, inner)
                yield posixpath.join(home, "src", inner)

    def file(self, target: str) -> str | None:
        """The source file at `target`, with the extensions and index files that Node and TypeScript try.

        What ends with a slash is a folder, even where a file has the same name.
        """
        if target in self._paths:
            return target
        stem, extension = posixpath.splitext(target)
        for other in _COMPILED.get(extension, ()):
            if stem + other in self._paths:
                return stem + other
        for extension in _EXTENSIONS:
            if not target.endswith("/") and target + extension in self._paths:
                return target + extension
        for extension in _EXTENSIONS:
            index = posixpath.normpath(posixpath.join(target, f"index{extension}"))
            if index in self._paths:
                return index
        return None

    def _read_aliases(self) -> Iterator[tuple[str, str, list[str]]]:
        """`(folder of the tsconfig, pattern, replacements)`, deepest folder first."""
        found = []
        for path in self._sources.paths:
            name = posixpath.basename(path)
            if name not in ("tsconfig.json", "tsconfig.base.json", "jsconfig.json"):
                continue
            options = _json_of(self._sources.data(path)).get("compilerOptions")
            if not isinstance(options, dict):
                continue
            folder, base = posixpath.dirname(path), options.get("baseUrl")
            paths = options.get("paths")
            for pattern, targets in paths.items() if isinstance(paths, dict) else ():
                if isinstance(targets, list):
                    found.append(
                        (folder, pattern, [posixpath.join(str(base or "."), str(target)) for target in targets])
                    )
            if isinstance(base, str):
                found.append((folder, "*", [posixpath.join(base, "*")]))
        yield from sorted(found, key=lambda alias: (-len(alias[0]), alias[1] == "*"))

    def _read_packages(self) -> Iterator[tuple[str, list[str]]]:
        """Each package of the repository: its name, and where its entry may be; its folder is the last."""
        for path in self._sources.paths:
            if posixpath.basename(path) == "package.json" and "node_modules/" not in path:
                described = _json_of(self._sources.data(path))
                name, folder = described.get("name"), posixpath.dirname(path)
                if isinstance(name, str) and name:
                    mains = [described.get(key) for key in ("source", "main", "module")]
                    entries = [
                        posixpath.normpath(posixpath.join(folder, main)) for main in mains if isinstance(main, str)
                    ]
                    yield name, [*entries, posixpath.join(folder, "src"), folder]


@once_for_sources
def modules_of(sources: Sources) -> Modules:
    """One resolver for all rules that look at the same sources."""
    return Modules(sources)


def _match_alias(pattern: str, specifier: str) -> str | None:
    before, star, after = pattern.partition("*")
    if not star:
        return "" if specifier == pattern else None
    if specifier.startswith(before) and specifier.endswith(after) and len(specifier) >= len(before) + len(after):
        return specifier[len(before) : len(specifier) - len(after)]
    return None


def _json_of(data: bytes) -> dict[str, Any]:
    """A JSON object, comments and trailing commas allowed as in a tsconfig; empty when it cannot be read."""
    text = data.decode("utf-8", "replace")
    try:
        found = json.loads(text)
    except ValueError:
        text = re.sub(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', lambda hit: hit[1] or "", text, flags=re.DOTALL)
        try:
            found = json.loads(re.sub(r",(\s*[}\]])", r"\1", text))
        except ValueError:
            return {}
    return found if isinstance(found, dict) else {}
