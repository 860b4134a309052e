"""A file that may hold a secret is shown to no model, also when a step cites it or a link leads to it."""

from __future__ import annotations

import pytest

from retrodoc.ingest.secrets import read_for_model
from retrodoc.passes.evidence import Evidence
from retrodoc_runs.models import SourceRef
from retrodoc_runs.snapshot import MemorySnapshot

KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n"
FILES = {".env": "TOKEN=hunter2\n", "app.py": "x = 1\n", "deploy/login": KEY, "notes.py": f'KEY = """{KEY}"""\n'}
LINKS = {"settings.txt": ".env", "here": "deploy"}


@pytest.mark.parametrize("path", [".env", "settings.txt", "deploy/login", "here/login", "nowhere"])
def test_secrets_are_not_read_for_a_model(path: str) -> None:
    snapshot = MemorySnapshot(FILES, LINKS)
    assert read_for_model(snapshot, path) is None
    assert Evidence(snapshot).lines([SourceRef(path=path, start_line=1, end_line=1)]) == ()


@pytest.mark.parametrize("path", ["app.py", "notes.py"])
def test_code_is(path: str) -> None:
    snapshot = MemorySnapshot(FILES, LINKS)
    assert read_for_model(snapshot, path) == FILES[path].encode()
    assert Evidence(snapshot).lines([SourceRef(path=path, start_line=1, end_line=1)])
