"""How Git is started: never with the repository's own programs, never with the caller's Git variables, never online.

A repository may come from anyone, and its `.git/config` with it. Git would run programs that this file names (hooks,
fsmonitor, filters, external diffs, text conversions, ssh commands); each is switched off here, for every command.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from retrodoc_runs.errors import ObjectMissingError, RepositoryReadError

_SWITCHED_OFF = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.quotePath=false",
    "log.showSignature=false",  # would run gpg.program
    "diff.external=",
    "diff.ignoreSubmodules=all",
    "protocol.allow=never",
    "protocol.ext.allow=never",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
)

_KEPT_VARIABLES = (
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXEC_PATH",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_COUNT",
)
"""Set by the person who runs us, as `safe.directory` may be; all other GIT_ variables would change what is read.

Inside a hook, Git sets GIT_DIR and GIT_INDEX_FILE to the repository being committed to, whatever folder we are given.
"""


def git_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The caller's environment without what redirects Git, plus what keeps it quiet, offline and read-only."""
    kept = {
        name: value
        for name, value in environ.items()
        if not name.upper().startswith("GIT_")
        or name in _KEPT_VARIABLES
        or name.startswith(("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"))
    }
    return kept | {
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",  # lazy fetching in a Git that does not know the variable above
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",  # refs/replace would show another text than the commit's
        "GIT_LITERAL_PATHSPECS": "1",
        "LC_ALL": "C",
        "LANGUAGE": "",
    }


@dataclass(frozen=True)
class Git:
    """Git commands in one folder. Output is bytes, since paths are."""

    folder: Path
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    def run(self, *arguments: str, stdin: bytes = b"", codes: tuple[int, ...] = (0,)) -> bytes:
        """Standard output of one command. An exit code outside `codes` raises RepositoryReadError."""
        done = self.attempt(*arguments, stdin=stdin)
        if done.returncode not in codes:
            raise explain_failure(done.stderr, self.folder)
        return done.stdout

    def attempt(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """The command's exit code and output, whatever they are."""
        try:
            return subprocess.run(
                self.command(*arguments), input=stdin, capture_output=True, env=self._environment, check=False
            )
        except OSError as error:
            raise git_not_started(error) from error

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """A long-lived command with pipes on its input and output; its errors are not kept.

        It is in a process group of its own: Ctrl-C is for us to handle, and what we save then may need Git.
        """
        try:
            return subprocess.Popen(
                self.command(*arguments),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=self._environment,
                bufsize=1 << 18,
                process_group=0 if os.name == "posix" else None,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except OSError as error:
            raise git_not_started(error) from error

    def command(self, *arguments: str) -> list[str]:
        switches = [part for setting in _SWITCHED_OFF for part in ("-c", setting)]
        return ["git", "--no-pager", *switches, "-C", str(self.folder), *arguments]

    @cached_property
    def _environment(self) -> dict[str, str]:
        return git_environment(self.environ)

    def without_filters(self) -> Git:
        """For comparing the work tree: clean filters that the repository's own configuration names do not run.

        The user's own (Git LFS in the global configuration) do, as in every Git command that the user types.
        """
        listed = self.attempt(
            "config",
            "--includes",
            "--show-scope",
            "--name-only",
            "-z",
            "--get-regexp",
            r"^filter\..*\.(clean|process)$",
        )
        fields = listed.stdout.split(b"\0")
        pairs = zip(fields[::2], fields[1::2], strict=False)
        own = {os.fsdecode(name).rpartition(".")[0] for scope, name in pairs if scope in (b"local", b"worktree")}
        settings = [
            (f"{driver}.{key}", value)
            for driver in sorted(own)
            for key, value in (("clean", ""), ("process", ""), ("required", "false"))
        ]
        return Git(self.folder, _with_settings(self.environ, settings))


def _with_settings(environ: Mapping[str, str], settings: list[tuple[str, str]]) -> dict[str, str]:
    """`-c name=value` cannot name a driver that holds an equals sign; these variables can."""
    try:
        count = int(environ.get("GIT_CONFIG_COUNT", "0"))
    except ValueError:
        count = 0
    added = {"GIT_CONFIG_COUNT": str(count + len(settings))}
    for number, (name, value) in enumerate(settings, start=count):
        added[f"GIT_CONFIG_KEY_{number}"] = name
        added[f"GIT_CONFIG_VALUE_{number}"] = value
    return dict(environ) | added


def git_not_started(error: OSError) -> RepositoryReadError:
    """Git is not installed, or the system could not start it."""
    if isinstance(error, FileNotFoundError):
        return RepositoryReadError("git was not found", "Install Git and make sure that it is on PATH.")
    return RepositoryReadError(f"git could not be started: {error}")


def explain_failure(stderr: bytes, folder: Path) -> RepositoryReadError:
    """What Git's own message means for the person who ran RetroDoc."""
    text = stderr.decode("utf-8", "replace").strip()
    where = Path(os.path.realpath(folder)) if folder == Path() else folder  # "." says nothing to who named no folder
    if "dubious ownership" in text:
        return RepositoryReadError(
            f"{where} belongs to another user, and Git refuses to read it",
            f"If you trust it: git config --global --add safe.directory {_to_trust(text, folder)}",
        )
    if "not a git repository" in text:
        return RepositoryReadError(
            f"{where} is not in a Git repository", "Run `git init` and commit its files, or name a repository."
        )
    if "lazy fetching disabled" in text or "promisor" in text:
        return partial_clone(where)
    first = text.splitlines()[0] if text else "git failed without a message"
    return RepositoryReadError(f"git cannot read {where}: {first.removeprefix('fatal: ')}")


def _to_trust(text: str, folder: Path) -> str:
    """The repository as Git wants it named, quoted for a shell: only Git knows where it found one from `folder`."""
    _, _, named = text.partition("--add safe.directory ")
    return named.strip() or shlex.quote(os.path.realpath(folder))


def partial_clone(folder: Path) -> ObjectMissingError:
    """Files were left on the server, and nothing is fetched while a repository is read."""
    return ObjectMissingError(
        f"{folder} is a partial clone, and some files are not in it",
        "Fetch them first: git fetch --refetch --no-filter",
    )
