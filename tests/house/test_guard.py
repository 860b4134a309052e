"""The guard of conftest.py holds: a test that cannot be trusted on another machine fails here first."""

from __future__ import annotations

import http.client
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.mark.parametrize("host", ["pypi.org", "192.0.2.1", "2001:db8::1"])
def test_another_machine_cannot_be_reached(host: str) -> None:
    with pytest.raises(ConnectionRefusedError, match="may not reach"):
        http.client.HTTPConnection(host, 80, timeout=1).connect()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_loopback_server_can_be_reached(host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert client.getpeername()[0] == "127.0.0.1"
        with socket.create_connection((host, server.getsockname()[1])):
            pass


def test_no_setting_of_the_person_who_runs_the_tests_is_seen() -> None:
    assert not [name for name in os.environ if name.startswith(("ANTHROPIC_", "OPENAI_"))]
    assert not [name for name in os.environ if name.lower() in ("http_proxy", "https_proxy", "all_proxy")]
    assert not (Path.home() / ".gitconfig").exists()
    assert os.environ["RETRODOC_FORBID_NETWORK"] == "1"


def test_a_made_repository_is_a_real_one(git_repo: Callable[..., Path], git: Callable[..., str]) -> None:
    repository = git_repo({"a.py": "x = 1\n", "deep/b.bin": b"\x00\xff"})
    git_repo({"a.py": None, "c.txt": "é\r\n"}, message="Another")

    assert git(repository, "ls-files").split() == ["c.txt", "deep/b.bin"]
    assert git(repository, "log", "--format=%s").split("\n")[:2] == ["Another", "A commit"]
    assert git(repository, "status", "--porcelain") == ""
    assert (repository / "c.txt").read_bytes() == "é\r\n".encode()
