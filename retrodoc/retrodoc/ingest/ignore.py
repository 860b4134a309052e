"""Which paths the user leaves out, or brings back: `.retrodocignore` and `[ingest]`, in `.gitignore`'s syntax."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from retrodoc.errors import ConfigError

IGNORE_FILE = ".retrodocignore"


def path_matcher(patterns: Iterable[str], origin: str) -> Callable[[str], bool]:
    """Whether a path is matched by the last pattern that says anything of it.

    `origin` names the file or setting in a ConfigError, which a pattern that Git would not take raises. Matching
    takes linear time, so that a hostile pattern cannot hold the program up.
    """
    lines = [line for line in patterns if line.strip() and not line.startswith("#")]
    if not lines:
        return nothing
    from pathspec import GitIgnoreSpec

    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line], backend="re2")
        except Exception as error:
            raise ConfigError(
                f"{origin}: {line!r} is not a pattern: {error}", "Write it as in a .gitignore file."
            ) from error
    return GitIgnoreSpec.from_lines(lines, backend="re2").match_file


def nothing(path: str) -> bool:  # noqa: ARG001
    """Matches no path."""
    return False


def ignore_lines(data: bytes | None) -> list[str]:
    """The patterns of an ignore file."""
    return [] if data is None else [line.rstrip("\r") for line in data.decode("utf-8-sig", "replace").split("\n")]
