"""Which folders hold other people's code, or what a build wrote: decided by what is in and beside them.

A name alone is rarely enough: a marketplace has an app called `vendor`, a package repository one called `build`. A
wrong exclusion hides the software itself, a missing one costs time, so each rule asks for evidence.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

from retrodoc.ingest.names import CODE_EXTENSIONS, extension

VENDORED = "vendored"
GENERATED = "generated"

_ALWAYS = frozenset({"node_modules", "bower_components", "jspm_packages", "__pypackages__", "web_modules"})
_USUALLY = frozenset(
    {"_vendor", "_vendored", "vendored", "third_party", "third-party", "thirdparty", "3rdparty", "3rd_party"}
)
_INSTALLED = frozenset({"site-packages", "dist-packages", "pods", "carthage"})
"""Where an installer puts packages; in an operating system's package of an application, the application itself."""

_PERHAPS = frozenset({"vendor", "vendors", "external", "externals", "extern", "deps"})
_VENDOR_INSIDES = frozenset(
    {"modules.txt", "autoload.php", "composer", "bundle", "gems", "cache", "assets", "plugins", "javascripts"}
)
_ASSET_FOLDERS = frozenset(
    {"static", "public", "assets", "wwwroot", "webroot", "media", "js", "javascripts", "javascript", "css", "htdocs"}
)
_APP_FILES = frozenset(
    {"models.py", "views.py", "urls.py", "apps.py", "admin.py", "forms.py", "serializers.py", "signals.py", "tasks.py"}
    | {"routes.py", "services.py", "controllers", "models", "routes.rb", "schema.py", "resolvers.py"}
)
_MANIFESTS = frozenset(
    {"package.json", "bower.json", "composer.json", "cargo.toml", ".cargo-checksum.json", "setup.py", "pyproject.toml"}
    | {"pkg-info", "metadata", "go.mod", "makefile.pl", "cmakelists.txt"}
)
_LICENCE = re.compile(r"^(un)?licen[cs]e|^copying|^notice\b|[.-]license$|\.gemspec$", re.IGNORECASE)

_LIBRARIES = re.compile(
    r"""^(
      jquery([.-][\w.-]+)? | bootstrap([.-]?\d|[.-](datepicker|datetimepicker|select|table|tagsinput|switch))[\w.-]*
    | tinymce|ckeditor\d?|select2|codemirror|mathjax|font-?awesome|fontawesome-[\w-]+|inputmask|mousewheel|datatables
    | plupload|dropzone|flatpickr|fancybox\d?|summernote|owl-?carousel|slick-carousel|lightbox2|uploadify|chosen
    | highlight(\.?js)?|prettify|swagger-ui|pdf\.?js|modernizr|html5shiv|respond|raphael|underscore|backbone|lodash
    | moment(-timezone)?|handlebars|mustache|knockout|require(js)?|leaflet|chart\.?js|d3(\.v\d)?|three(\.js)?|prototype
    | scriptaculous|mootools|dojo|yui|ext-?js|popper|tether|tribute|tablesort|clipboard|sortable(js)?|htmx|alpine(js)?
    )$""",
    re.VERBOSE | re.IGNORECASE,
)
_OWN_CHANCE = frozenset({"prototype", "chosen", "respond", "clipboard", "sortable", "prettify", "underscore", "chart"})
"""Words that a folder of one's own may be called as well; such a name counts for a file with a version alone."""

_VERSIONED = re.compile(r"^[A-Za-z][\w.]*?[-@.]v?\d+\.\d+(\.\d+)*([.-]\w+)*$")
_FILE_TAIL = re.compile(
    r"([.-](min|slim|full|all|core|custom|bundle|compat|umd|esm|prod|number))*\.[cm]?js$", re.IGNORECASE
)

_BUILD_NAMES = frozenset(
    {"dist", "build", "built", "out", "output", "_build", "umd", "cjs", "esm", "es", "lib", "bundles"}
)
_COLLECTED_NAMES = frozenset({"staticfiles", "static_root", "static_collected", "collected_static", "collectstatic"})
_SCRIPT = frozenset({"js", "mjs", "cjs", "jsx"})
_TYPED = ("ts", "tsx", "mts", "cts")
_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")

MIRROR_FILES = 3
BUILT_SHARE = 0.8
SOURCE_SHARE = 0.5
"""A folder is a build's output when four in five of its scripts, three at least, have their source in one folder beside
it, and they are half of that folder's."""


class Tree:
    """The files of a repository, seen as folders."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = paths
        self.children: dict[str, set[str]] = {"": set()}
        for path in paths:
            folder, _, name = path.rpartition("/")
            while True:
                known = folder in self.children
                self.children.setdefault(folder, set()).add(name)
                if known or not folder:
                    break
                folder, _, name = folder.rpartition("/")

    @cached_property
    def code(self) -> tuple[str, ...]:
        return tuple(path for path in self.paths if extension(path) in CODE_EXTENSIONS)

    @cached_property
    def code_of_folder(self) -> Counter[str]:
        """How many code files are below each folder."""
        counts: Counter[str] = Counter()
        for path in self.code:
            folder = path.rpartition("/")[0]
            while folder:
                counts[folder] += 1
                folder = folder.rpartition("/")[0]
        return counts

    def below(self, folder: str) -> list[str]:
        """Paths below a folder; the paths were given sorted."""
        return list(self.paths[bisect_left(self.paths, f"{folder}/") : bisect_left(self.paths, f"{folder}0")])

    def names(self, folder: str) -> set[str]:
        return {name.lower() for name in self.children.get(folder, ())}

    def has_marks(self, folder: str, depth: int) -> bool:
        """A licence or a package's manifest in one of its folders, down to `depth`."""
        for name in self.children.get(folder, ()):
            inner = f"{folder}/{name}"
            if inner not in self.children:
                continue
            inside = self.children[inner]
            if any(_LICENCE.search(entry) or entry.lower() in _MANIFESTS for entry in inside):
                return True
            if depth > 1 and self.has_marks(inner, depth - 1):
                return True
        return False


def foreign_folders(tree: Tree) -> dict[str, str]:
    """Each folder that is left out as a whole, and why; the outermost ones only."""
    found: dict[str, str] = {}
    for folder in sorted(tree.children):
        if not folder or any(folder.startswith(f"{outer}/") for outer in found):
            continue
        reason = _reason(tree, folder)
        if reason is not None:
            found[folder] = reason
    return found


def _reason(tree: Tree, folder: str) -> str | None:
    name = folder.rpartition("/")[2].lower()
    inside = tree.names(folder)
    if name in _ALWAYS or "pyvenv.cfg" in inside or "conda-meta" in inside:
        return VENDORED if _something_remains(tree, folder) else None
    if name in _USUALLY and _something_remains(tree, folder) and not inside & _APP_FILES:
        return VENDORED
    if name in _INSTALLED and _is_minor(tree, folder):
        return VENDORED
    if name in _PERHAPS and _is_vendor(tree, folder, inside):
        return VENDORED
    if _is_library_folder(folder, name):
        return VENDORED
    if _is_build_output(tree, folder, name, inside):
        return GENERATED
    return None


def _something_remains(tree: Tree, folder: str) -> bool:
    return tree.code_of_folder[folder] < len(tree.code) or not tree.code


def _is_minor(tree: Tree, folder: str) -> bool:
    """At most half of the code."""
    return tree.code_of_folder[folder] * 2 <= len(tree.code)


def _is_vendor(tree: Tree, folder: str, inside: set[str]) -> bool:
    above = folder.split("/")[:-1]
    if inside & _APP_FILES or "app" in above:
        return False
    name = folder.rpartition("/")[2].lower()
    if above and above[-1].lower() in _ASSET_FOLDERS:
        return True
    if not _something_remains(tree, folder):
        return False
    beside = tree.names("/".join(above))
    if name == "vendor" and (not above or beside & _MANIFESTS or "gemfile" in beside or ".git" in beside):
        return bool(inside & _VENDOR_INSIDES) or tree.has_marks(folder, 3)
    return tree.has_marks(folder, 2) and _is_minor(tree, folder)


def _is_library_folder(folder: str, name: str) -> bool:
    above = folder.lower().split("/")[:-1]
    if not any(part in _ASSET_FOLDERS for part in above):
        return False
    return bool(_LIBRARIES.match(name) and name not in _OWN_CHANCE) or bool(_VERSIONED.match(name))


def is_library_file(path: str) -> bool:
    """A script that is a well-known library by its name, in a folder of things that are delivered to browsers."""
    *above, name = path.split("/")
    if not any(part.lower() in _ASSET_FOLDERS for part in above):
        return False
    tail = _FILE_TAIL.search(name)
    if tail is None:
        return False
    stem = name[: tail.start()]
    versioned = bool(_VERSIONED.match(stem))
    return versioned or bool(_LIBRARIES.match(stem) and stem.lower() not in _OWN_CHANCE)


def _is_build_output(tree: Tree, folder: str, name: str, inside: set[str]) -> bool:
    beside = tree.names(folder.rpartition("/")[0])
    if "staticfiles.json" in inside and _something_remains(tree, folder):
        return True  # what Django's collectstatic writes
    if name == "target" and beside & {"cargo.toml", "pom.xml", "build.sbt"}:
        return bool(inside & {"debug", "release", "classes", "cachedir.tag"})
    if name in ("coverage", "htmlcov"):
        return bool(inside & {"lcov.info", "lcov-report", "coverage-final.json", "coverage_html.js", "status.json"})
    if name in (".next", ".nuxt", ".output", ".svelte-kit", ".angular", ".parcel-cache"):
        return True
    if name in _COLLECTED_NAMES or name in _BUILD_NAMES or name.endswith((".dist", "-dist", "_dist")):
        return _mirrors_a_source(tree, folder)
    return False


def _mirrors_a_source(tree: Tree, folder: str) -> bool:
    """Its scripts are those of a folder beside it, in both directions.

    Few of a source folder's names are also in a folder of build scripts; a build's output has nearly all of them.
    """
    built = {_stem(path.removeprefix(f"{folder}/")) for path in tree.below(folder) if extension(path) in _SCRIPT}
    if len(built) < MIRROR_FILES:
        return False
    parent = folder.rpartition("/")[0]
    prefix = f"{parent}/" if parent else ""
    for sibling in tree.children[parent]:
        source = prefix + sibling
        if source == folder or source not in tree.children or sibling.lower() in _BUILD_NAMES - {"lib"}:
            continue
        inside = {_stem(path.removeprefix(f"{source}/")) for path in tree.below(source) if _is_script_source(path)}
        if len(inside) < MIRROR_FILES:
            continue
        matched = {stem: twin for stem in built if (twin := _twin(stem, inside)) is not None}
        if len(matched) >= BUILT_SHARE * len(built) and len(set(matched.values())) >= SOURCE_SHARE * len(inside):
            return True
    return False


def _twin(stem: str, inside: set[str]) -> str | None:
    """`esm/internal/x` is built from `internal/x`."""
    parts = stem.split("/")
    candidates = ("/".join(parts[dropped:]) for dropped in range(min(3, len(parts))))
    return next((candidate for candidate in candidates if candidate in inside), None)


def _is_script_source(path: str) -> bool:
    ending = extension(path)
    return (ending in _SCRIPT or ending in _TYPED or ending in ("coffee", "vue")) and not path.endswith(_DECLARATIONS)


def _stem(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}{name.split('.', 1)[0]}"


def compiled_files(paths: Iterable[str]) -> set[str]:
    """Scripts and declarations whose TypeScript is in the repository: beside them, or below `src` of their package."""
    every = set(paths)
    packages = {path.removesuffix("package.json") for path in every if path.rpartition("/")[2] == "package.json"}
    sourced = {package for package in packages if any(path.startswith(f"{package}src/") for path in every)}
    found = set()
    for path in every:
        base = _compiled_base(path)
        if base is None:
            continue
        if _typed_twin(base, every, path) or any(
            _typed_twin(candidate, every, path)
            for package in sourced
            if path.startswith(package) and not path.startswith(f"{package}src/")
            for candidate in _source_places(package, base)
        ):
            found.add(path)
    return found


def _compiled_base(path: str) -> str | None:
    for ending in _DECLARATIONS:
        if path.endswith(ending):
            return path.removesuffix(ending)
    return path.rpartition(".")[0] if extension(path) in _SCRIPT else None


def _typed_twin(base: str, every: set[str], path: str) -> bool:
    return any(f"{base}.{ending}" in every and f"{base}.{ending}" != path for ending in _TYPED)


def _source_places(package: str, base: str) -> Iterable[str]:
    """`dist/esm/a/b` may come from `src/dist/esm/a/b`, `src/esm/a/b` or `src/a/b`."""
    parts = base.removeprefix(package).split("/")
    for dropped in range(min(3, len(parts))):
        yield f"{package}src/{'/'.join(parts[dropped:])}"
