"""What every test stands on: the shared data, real repositories, and a guard against the machine around it.

The guard makes a test mean the same everywhere: no key, proxy or Git configuration of the person who runs it is
seen, and this process can connect to nothing but itself (loopback servers are real servers, and they are allowed).
"""

from __future__ import annotations

import ipaddress
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import settings

# A slow machine is no finding. In CI the examples are the same each time, so that a red run is of this change.
settings.register_profile("house", deadline=None, derandomize=os.environ.get("CI") == "true")
settings.load_profile("house")

ROOT = Path(__file__).resolve().parents[1]
REAL_HOME = os.environ.get("HOME", "")

FOREIGN_SETTINGS = ("RETRODOC_", "ANTHROPIC_", "OPENAI_", "OPENROUTER_", "GIT_", "XDG_", "PYTHONPATH")
TEST_SETTINGS = frozenset({"RETRODOC_CORPORA", "RETRODOC_TEST_GGUF", "GIT_EXEC_PATH", "GIT_SSL_CAINFO"})
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "ftp_proxy", "no_proxy")

GIT_IDENTITY = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Ada Tester",
    "GIT_AUTHOR_EMAIL": "ada@example.com",
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
    "GIT_COMMITTER_NAME": "Ada Tester",
    "GIT_COMMITTER_EMAIL": "ada@example.com",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
}


@pytest.fixture(scope="session", autouse=True)
def guarded_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """An empty home, no settings from outside, and models forbidden unless a test serves one itself."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            foreign = name.startswith(FOREIGN_SETTINGS) and name not in TEST_SETTINGS
            if foreign or name.lower() in PROXIES:
                patch.delenv(name)
        home = tmp_path_factory.mktemp("home")
        patch.setenv("HOME", str(home))
        patch.setenv("RETRODOC_FORBID_NETWORK", "1")
        patch.setenv("NO_COLOR", "1")
        patch.setenv("COLUMNS", "120")
        for name, value in GIT_IDENTITY.items():
            patch.setenv(name, value)
        yield


def _refuse_other_machines(event: str, args: tuple[object, ...]) -> None:
    if event not in ("socket.connect", "socket.getaddrinfo"):
        return
    address = args[1] if event == "socket.connect" else args[0]
    host = address[0] if isinstance(address, tuple) else address
    if event == "socket.connect" and not isinstance(address, tuple):
        return  # a Unix socket names a file of this machine
    if host in (None, "", "localhost", b"localhost"):
        return
    try:
        if ipaddress.ip_address(host.decode() if isinstance(host, bytes) else str(host)).is_loopback:
            return
    except ValueError:
        pass
    raise ConnectionRefusedError(f"a test may not reach {host!r}")


sys.addaudithook(_refuse_other_machines)


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder `../shared`: cases, labelled runs and routes that the project is measured against."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        if os.environ.get("CI") == "true":
            pytest.fail(f"{folder} is missing, and in CI nothing that it measures may be skipped")
        pytest.skip(f"{folder} is not there")
    return folder


@pytest.fixture(scope="session")
def corpora_dir() -> Path:
    """The folder of real repositories; `tests/fetch_corpora.py` fills one, and RETRODOC_CORPORA names it."""
    named = os.environ.get("RETRODOC_CORPORA")
    if not named or not Path(named).is_dir():
        pytest.skip("RETRODOC_CORPORA names no folder; fill one with tests/fetch_corpora.py")
    return Path(named)


@pytest.fixture(scope="session")
def corpus(corpora_dir: Path) -> Callable[[str], Path]:
    """`corpus("oscar")` is the path of one real repository; what is not there skips, visibly."""

    def find(name: str) -> Path:
        folder = corpora_dir / name
        if not (folder / ".git").exists():
            pytest.skip(f"no corpus {name} in {corpora_dir}")
        return folder

    return find


def run_git(repository: Path, *arguments: str) -> str:
    """Standard output of one Git command, run in `repository` with nobody's hooks and configuration."""
    command = ["git", "-c", "core.hooksPath=/dev/null", "-C", str(repository), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="session")
def git() -> Callable[..., str]:
    """`git(repository, "rev-parse", "HEAD")`: run one Git command and get its output."""
    return run_git


@pytest.fixture
def git_repo(tmp_path: Path) -> Callable[..., Path]:
    """`git_repo({"a.py": "x = 1\\n"})` makes a real repository with one commit, and is its path.

    Text is written as UTF-8 with its line ends as they are; bytes as they are. `name` is the folder's name, and a
    second call with the same name adds a commit: what the mapping holds is written, None deletes.
    """

    def make(files: Mapping[str, str | bytes | None], name: str = "repository", message: str = "A commit") -> Path:
        repository = tmp_path / name
        if not repository.exists():
            repository.mkdir(parents=True)
            run_git(repository, "init", "-q", "-b", "main")
        for path, text in files.items():
            target = repository / path
            if text is None:
                target.unlink()
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode() if isinstance(text, str) else text)
        run_git(repository, "add", "-A", "-f")
        run_git(repository, "commit", "-q", "--allow-empty", "-m", message)
        return repository

    return make
