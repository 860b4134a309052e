"""Real repositories as `Sources`, each read once for all tests of the surface."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from retrodoc.ingest.sources import Sources

LARGEST = 1_000_000
"""Bytes; larger files are data or generated, and no rule needs them."""


@pytest.fixture(scope="session")
def corpus_sources(corpus: Callable[[str], Path]) -> Callable[[str], Sources]:
    """`corpus_sources("redmine")`: the committed files of that repository; a repository that is not there skips."""

    @cache
    def read(name: str) -> Sources:
        folder = corpus(name)
        listed = subprocess.run(["git", "-C", str(folder), "ls-files", "-z"], check=True, capture_output=True).stdout
        paths = [path.decode() for path in listed.split(b"\0") if path]
        files = [(path, folder / path) for path in paths]
        return Sources.from_mapping(
            {path: file.read_bytes() for path, file in files if file.is_file() and file.stat().st_size < LARGEST}
        )

    return read
