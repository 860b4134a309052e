"""Decides which file an import names, and keeps each Python file's tree for all rules that look at it."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from retrodoc.ingest.sources import Sources, once_for_sources

from .source import parse_python
from .values import ClassRef, Env

TEST_FOLDERS = frozenset({"test", "tests", "testing", "testapp", "test_app", "fixtures", "testutils", "test_project"})
EXAMPLE_FOLDERS = frozenset({"examples", "example", "docs", "doc", "benchmarks", "samples", "docs_src"})
SOURCE_ROOTS = frozenset({"src", "lib", "python"})

_CLASS = re.compile(rb"^[ \t]*class[ \t]+(\w+)[ \t]*\(([^)]*)", re.MULTILINE)
_BASE = re.compile(rb"([\w.]+)\s*(?:\[[^\]]*\])?\s*(?:,|$)")


def is_test_path(path: str) -> bool:
    """Whether a file is a test, judged by its folders and its name."""
    *folders, name = path.split("/")
    if (
        name.startswith(("test_", "tests.", "test."))
        or name.endswith(("_test.py", "_tests.py"))
        or name == "conftest.py"
    ):
        return True
    return any(folder in TEST_FOLDERS or folder.startswith("test_") for folder in folders)


def is_example_path(path: str) -> bool:
    """Whether a file shows how something is used, rather than being part of it."""
    return any(folder in EXAMPLE_FOLDERS for folder in path.split("/")[:-1])


@dataclass(eq=False, slots=True)
class Module:
    """One Python file. `env` holds its names once the evaluator has gone through it."""

    path: str
    name: str
    package: str
    """Dotted name of the package that relative imports start from."""
    tree: ast.Module
    env: Env = field(default_factory=dict)
    state: int = 0
    """0 not evaluated, 1 being evaluated, 2 done."""
    classes: dict[int, ClassRef] = field(default_factory=dict)


class Project:
    """The Python files of a repository, as modules that import each other."""

    def __init__(self, sources: Sources) -> None:
        self.sources_paths = sources.of("python")
        self.data = {path: sources.data(path) for path in self.sources_paths}.__getitem__
        """Bytes of a Python file. The sources themselves are not kept: they are what the caches below die with."""
        self._modules: dict[str, Module | None] = {}
        self._packages = {
            path.rpartition("/")[0] for path in self.sources_paths if path.rpartition("/")[2] == "__init__.py"
        } - {""}
        self._by_tail: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for path in self.sources_paths:
            parts = _parts(path)
            if parts:
                self._by_tail.setdefault(parts[-1], []).append((parts, path))
        self._found: dict[tuple[str, str], str | None] = {}
        self._class_index: dict[str, list[tuple[str, tuple[str, ...]]]] | None = None

    def module(self, path: str) -> Module | None:
        """The module in a file; None when the file cannot be read as Python at all."""
        if path not in self._modules:
            tree = parse_python(self.data(path))
            name = self.name_of(path)
            package = name if path.endswith("/__init__.py") else name.rpartition(".")[0]
            self._modules[path] = None if tree is None else Module(path, name, package, tree)
        return self._modules[path]

    def name_of(self, path: str) -> str:
        """The dotted name that a file is imported by: from its outermost package down."""
        parts = _parts(path)
        folders = path.split("/")[:-1]
        start = len(folders)
        while start and "/".join(folders[:start]) in self._packages:
            start -= 1
        if start == len(folders):  # not in a package: the folders themselves are namespaces, but for a source root
            start = next((i + 1 for i in reversed(range(len(folders))) if folders[i] in SOURCE_ROOTS), 0)
        return ".".join(parts[start:]) or ".".join(parts)

    def find(self, dotted: str, importer: str = "") -> str | None:
        """The path of the module that `dotted` names when the file `importer` imports it; None: another package's."""
        key = (dotted, importer.rpartition("/")[0])
        if key not in self._found:
            self._found[key] = self._find(dotted, key[1])
        return self._found[key]

    def _find(self, dotted: str, folder: str) -> str | None:
        wanted = tuple(dotted.split("."))
        best: tuple[int, str] | None = None
        for parts, path in self._by_tail.get(wanted[-1], ()):
            if parts[-len(wanted) :] != wanted:
                continue
            root = "/".join(parts[: -len(wanted)])
            if root and root in self._packages:
                continue
            ancestor = not root or folder == root or folder.startswith(root + "/")
            if not ancestor and len(wanted) < 2 and root.rpartition("/")[2] not in SOURCE_ROOTS:
                continue
            rank = 1_000 + len(root) if ancestor else -len(root)
            if best is None or rank > best[0]:
                best = (rank, path)
        return best[1] if best else None

    def relative(self, module: Module, level: int, name: str) -> str | None:
        """The path that a relative import names: `from ..views import x` is level 2, name `views`."""
        folders = module.path.split("/")[:-1]
        if level > 1:
            folders = folders[: -(level - 1)] if level - 1 <= len(folders) else []
        base = "/".join([*folders, *(name.split(".") if name else [])])
        for path in (f"{base}.py", f"{base}/__init__.py" if base else "__init__.py"):
            if path in self._paths():
                return path
        return None

    def ending(self, dotted: str) -> list[str]:
        """Paths of all modules whose dotted name ends so, the shortest first: what a loader by label may mean."""
        wanted = tuple(dotted.split("."))
        found = [path for parts, path in self._by_tail.get(wanted[-1], ()) if parts[-len(wanted) :] == wanted]
        return sorted(found, key=lambda path: (is_test_path(path), path.count("/"), path))

    def containing(self, pattern: re.Pattern[bytes] | bytes) -> tuple[str, ...]:
        """Paths of the Python files whose bytes match."""
        if isinstance(pattern, bytes):
            return tuple(path for path in self.sources_paths if pattern in self.data(path))
        return tuple(path for path in self.sources_paths if pattern.search(self.data(path)))

    def class_index(self) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
        """Class name to (path, last names of its bases), read without a parse: a superset, to be confirmed."""
        if self._class_index is None:
            index: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
            for path in self.sources_paths:
                for name, bases in _CLASS.findall(self.data(path)):
                    last = tuple(base.decode().rpartition(".")[2] for base in _BASE.findall(bases))
                    index.setdefault(name.decode(), []).append((path, last))
            self._class_index = index
        return self._class_index

    def paths_of_subclasses(self, *roots: str) -> tuple[str, ...]:
        """Files that may define a subclass, near or far, of a class with one of these last names."""
        by_base: dict[str, set[str]] = {}
        for name, places in self.class_index().items():
            for _, bases in places:
                for base in bases:
                    by_base.setdefault(base, set()).add(name)
        known, queue = set(roots), list(roots)
        while queue:
            for name in by_base.get(queue.pop(), ()):
                if name not in known:
                    known.add(name)
                    queue.append(name)
        paths = {
            path for places in self.class_index().values() for path, bases in places if not known.isdisjoint(bases)
        }
        return tuple(sorted(paths))

    def _paths(self) -> frozenset[str]:
        if not hasattr(self, "_path_set"):
            self._path_set = frozenset(self.sources_paths)
        return self._path_set


@once_for_sources
def project_of(sources: Sources) -> Project:
    """The one project of these sources: every rule shares its trees."""
    return Project(sources)


def _parts(path: str) -> tuple[str, ...]:
    parts = path.removesuffix(".pyi").removesuffix(".py").split("/")
    return tuple(parts[:-1] if parts[-1] == "__init__" else parts)
