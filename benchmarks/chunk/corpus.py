"""Which files the chunk benchmark reads: pinned packages, fetched once, checked by a digest."""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).parent
File = tuple[str, bytes]


@dataclass(frozen=True)
class Entry:
    """One package of corpus.toml."""

    name: str
    registry: str
    requirement: str
    extensions: list[str]
    root: str = ""
    under: str = ""
    cap: int = sys.maxsize
    """Bytes; see `some_of`."""


def entries() -> list[Entry]:
    """The packages of corpus.toml."""
    return [Entry(**package) for package in _listed()["package"]]


def read_corpus(folder: Path) -> tuple[list[File], dict[str, str]]:
    """All files (path, bytes), and the digest of each package: over the paths and bytes of what is read of it."""
    files: list[File] = []
    digests: dict[str, str] = {}
    for entry in entries():
        if not (folder / entry.name).is_dir() and not _fetch(entry, folder):
            continue
        read = some_of(_read(entry, folder), entry.cap)
        digest = hashlib.sha256()
        for path, source in read:
            digest.update(path.encode() + b"\0" + hashlib.sha256(source).digest())
        digests[entry.name] = digest.hexdigest()[:16]
        files += read
    return files, digests


def some_of(files: list[File], cap: int) -> list[File]:
    """Files of at most `cap` bytes together, sorted by path: a fixed choice from all over a package."""
    chosen = []
    size = 0
    for path, source in sorted(files, key=lambda one: hashlib.sha256(one[0].encode()).digest()):
        if size + len(source) <= cap:
            size += len(source)
            chosen.append((path, source))
    return sorted(chosen)


def decodes(source: bytes) -> bool:
    """Peers take text: files that are not UTF-8 would be left out for them, so they are left out for all."""
    try:
        source.decode()
    except UnicodeDecodeError:
        return False
    return bool(source.strip())


def _listed() -> dict:
    return tomllib.loads((HERE / "corpus.toml").read_text("utf-8"))


def _read(entry: Entry, folder: Path) -> list[File]:
    left_out = _listed()["leave_out"]
    files = []
    for path in sorted((folder / entry.name / entry.under).rglob("*")):
        shown = f"{entry.name}/{path.relative_to(folder / entry.name).as_posix()}"
        wanted = path.suffix in entry.extensions and not any(part in f"/{shown}" for part in left_out)
        if wanted and path.is_file() and not path.is_symlink() and decodes(source := path.read_bytes()):
            files.append((shown, source))
    return files


def _fetch(entry: Entry, folder: Path) -> bool:
    fetcher = _fetcher()
    package = fetcher.Package(entry.requirement, entry.registry, entry.root)
    try:
        fetcher.fetch(entry.name, folder, package)
    except (OSError, ValueError, subprocess.SubprocessError, zipfile.BadZipFile) as error:
        print(f"{entry.name}: not fetched ({type(error).__name__}: {error})", file=sys.stderr)
        return False
    return True


def _fetcher() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fetch_corpora", HERE.parents[1] / "tests/fetch_corpora.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fetch_corpora"] = module
    spec.loader.exec_module(module)
    return module
