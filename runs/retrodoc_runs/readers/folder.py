"""Which files of a documentation folder are read: not plans, changelogs and decisions, and nothing through a link."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from retrodoc_runs.readers.model import ReadError

MARKDOWN = frozenset({".md", ".markdown", ".mdx", ".mdown"})
YAML = frozenset({".yaml", ".yml"})
MAX_BYTES = {"Markdown": 3_000_000, "YAML": 128_000_000, "JSON": 32_000_000}
"""Markdown takes about 65 times its size of memory while it is parsed and 1 s a MB; a page of 3 MB has 45,000 lines."""
MAX_FOLDER_FILES = 50_000
MAX_FOLDER_BYTES = 500_000_000

_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})
_REASONS: tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...] = (
    (
        "decision",
        re.compile(r"adrs?|decisions?|decision[-_]records?|architecture[-_]decisions?", re.IGNORECASE),
        re.compile(r"adr[-_]?\d+\b.*", re.IGNORECASE),
    ),
    (
        "plan",
        re.compile(r"plans?|planning|roadmaps?|rfcs?|proposals?", re.IGNORECASE),
        re.compile(r"(?:.*[-_.])?plans?|roadmap|todo|rfc[-_]?\d+\b.*", re.IGNORECASE),
    ),
    (
        "changelog",
        re.compile(r"changelogs?|changelog\.d|changesets?|release[-_ ]?notes", re.IGNORECASE),
        re.compile(r"(?i:changelog|change[-_]log|release[-_ ]?notes).*|CHANGES|HISTORY|NEWS|RELEASES?"),
    ),
)


def left_out(path: str) -> str | None:
    """Why a file of a folder is not read unless it is named: `decision`, `plan` or `changelog`; None when it is."""
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0] or name
    for reason, in_folder, named in _REASONS:
        if named.fullmatch(stem) or any(in_folder.fullmatch(folder) for folder in folders):
            return reason
    return None


def documents(folder: Path) -> Iterator[tuple[str, str]]:
    """(path, why it is left out or "") of each candidate below `folder`, sorted, POSIX and relative to it."""
    for top, folders, names in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if name not in _SKIPPED_FOLDERS and (not name.startswith(".") or name == ".claims")
        )
        below = Path(top).relative_to(folder)
        for name in sorted(names):
            kind = Path(name).suffix.lower()
            if kind in MARKDOWN or kind in YAML or (kind == ".json" and ".claims" in below.parts):
                path = (below / name).as_posix()
                if (Path(top) / name).is_symlink():
                    yield path, "link"
                else:
                    yield path, left_out(path) or "" if kind in MARKDOWN else ""


def read_bounded(path: Path, name: str, kind: str) -> bytes:
    """The bytes of a regular file. ReadError: gone, no file, or over the bound of its kind."""
    limit = MAX_BYTES[kind]
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # opening a pipe or a device could wait for ever
            raise ReadError(f"{name} is not a regular file", "Name a file or a folder.")
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise ReadError(f"{name} cannot be read: {error.strerror or error}") from error
    if len(data) > limit:
        raise ReadError(f"{name} is over {limit // 1_000_000} MB, too large for {kind}", "Split it, or check a part.")
    if b"\0" in data:
        raise ReadError(f"{name} holds NUL bytes: it is no text", "Save it as UTF-8.")
    return data
