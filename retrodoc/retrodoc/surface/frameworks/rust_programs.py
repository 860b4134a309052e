"""Rust programs that read their arguments themselves: the `main` of each binary of a crate without clap."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from retrodoc.surface.rust.functions import functions_of
from retrodoc.surface.rust.syntax import is_test_path
from retrodoc_runs.models import EntryPoint, Handler

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

_CLAP = re.compile(rb"\b(?:clap|structopt|StructOpt)\b")
_PACKAGE = re.compile(rb'^\[package\](?:(?!^\[).)*?^\s*name\s*=\s*"([^"]+)"', re.MULTILINE | re.DOTALL)
_BIN = re.compile(rb"^\[\[bin\]\]\s*((?:(?!^\[).)*)", re.MULTILINE | re.DOTALL)


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    functions = functions_of(sources)
    with_clap = [path for path in sources.containing(_CLAP, "rust") if not is_test_path(path)]
    for path, name in _programs(sources).items():
        folder = path.rpartition("/src/")[0] if "/src/" in path else ""
        if any(each.startswith(f"{folder}/" if folder else "") for each in with_clap):
            continue
        main = functions.resolve("main", path)
        if main is not None and main.path == path:
            yield EntryPoint(
                kind="cli",
                name=name,
                handler=Handler(symbol="main", path=path, start_line=main.start_line, end_line=main.end_line),
                framework="rust",
            )


def _programs(sources: Sources) -> dict[str, str]:
    """The root file of each binary, and the program's name, as the manifest or Cargo's conventions say."""
    found: dict[str, str] = {}
    for manifest in sources.paths:
        if posixpath.basename(manifest) != "Cargo.toml" or is_test_path(manifest):
            continue
        folder, data = posixpath.dirname(manifest), sources.data(manifest)
        package = _PACKAGE.search(data)
        if package is None:
            continue
        named = package[1].decode("utf-8", "replace")
        for section in _BIN.findall(data):
            name, path = _text(section, b"name"), _text(section, b"path")
            target = posixpath.normpath(posixpath.join(folder, path)) if path else ""
            if target in sources:
                found[target] = name or named
        main = posixpath.join(folder, "src/main.rs")
        if main in sources:
            found.setdefault(main, named)
        prefix = posixpath.join(folder, "src/bin/")
        for path in sources.of("rust"):
            if path.startswith(prefix) and path.count("/", len(prefix)) == 0:
                found.setdefault(path, posixpath.splitext(posixpath.basename(path))[0])
    return found


def _text(section: bytes, key: bytes) -> str | None:
    found = re.search(rb"^\s*" + key + rb'\s*=\s*"([^"]+)"', section, re.MULTILINE)
    return found[1].decode("utf-8", "replace") if found else None
