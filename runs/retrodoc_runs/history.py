"""What Git says of the way between two commits: renamed files, and the lines that a change touches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from retrodoc_runs.git import Git
from retrodoc_runs.paths import readable_name

RENAME_LIMIT = 1000
"""Files that may have been renamed are compared up to this many on each side; beyond, only identical ones are found."""

_QUIET = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--no-color")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_ESCAPED = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"v": b"\v", b"f": b"\f"} | {
    sign: sign for sign in (b'"', b"\\")
}
_COMMIT_MARK, _FIELD_MARK = "\x01", "\x02"
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")

Ranges = tuple[tuple[int, int], ...]
"""(first line, last line), 1-based and inclusive, in order."""


def renames(git: Git, before: str, after: str | None) -> dict[str, str]:
    """Old path to new path of each file that Git says was renamed from `before` to `after` (None: the work tree).

    Paths are relative to the folder that `git` is in; both ends must be in it. In the work tree, only files that Git
    tracks are seen.
    """
    ends = [before] if after is None else [before, after]
    options = ("--find-renames", f"-l{RENAME_LIMIT}", "--diff-filter=R", "--name-status", "--relative")
    fields = (
        git.without_filters().run("diff", *_QUIET, "-z", *options, "--end-of-options", *ends, "--", ".").split(b"\0")
    )
    return {
        readable_name(old): readable_name(new)
        for old, new in zip(fields[1::3], fields[2::3], strict=False)
        if old and new
    }


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit's short id and subject, and the files that it changed, by their names at that time."""

    short_id: str
    subject: str
    paths: tuple[str, ...]


def recent_commits(git: Git, head: str, limit: int) -> tuple[Commit, ...]:
    """The last commits that changed this folder, newest first, without merges; paths are relative to the folder."""
    listed = git.run(
        "log", *_QUIET, "-z", "--no-merges", "--no-show-signature", "--no-renames", "--name-only", "--relative",
        f"--max-count={limit}", f"--format={_COMMIT_MARK}%h{_FIELD_MARK}%s", head, "--", ".",
    )  # fmt: skip
    return tuple(_commit(each) for each in listed.split(_COMMIT_MARK.encode())[1:])


def _commit(record: bytes) -> Commit:
    head, _, names = record.partition(b"\0")
    short_id, _, subject = head.partition(_FIELD_MARK.encode())
    paths = [readable_name(name.lstrip(b"\n")) for name in names.split(b"\0") if name.strip(b"\n")]
    return Commit(short_id.decode("ascii", "replace"), subject.decode("utf-8", "replace").strip(), tuple(paths))


@dataclass(frozen=True, slots=True)
class TouchedLines:
    """Of one file: lines that the older side lost or changed, and lines that the newer side gained or changed.

    A pure insertion touches, on the older side, the two lines around it as an empty range `(n + 1, n)`.
    """

    old_path: str | None
    new_path: str | None
    """None on the side on which the file is not there."""
    old: Ranges
    new: Ranges


def touched(git: Git, base: str, head: str | None) -> tuple[TouchedLines, ...]:
    """What differs from `base` to `head` (None: the work tree), in order of path.

    The time depends on the diff, not on the repository. A binary file, or one that was only renamed, has no lines.
    """
    ends = [base] if head is None else [base, head]
    own = git.without_filters()
    common = ("diff", *_QUIET, "--find-renames", f"-l{RENAME_LIMIT}", "--relative")
    listed = own.run(*common, "-z", "--name-status", "--end-of-options", *ends, "--", ".").split(b"\0")
    patch = own.run(
        *common, "--unified=0", "--inter-hunk-context=0", "--no-prefix", "--end-of-options", *ends, "--", "."
    )
    lines = dict(_hunks(patch.split(b"\n")))
    nothing: tuple[Ranges, Ranges] = ((), ())
    return tuple(
        TouchedLines(_readable(old), _readable(new), *lines.get((old, new), nothing)) for old, new in _names(listed)
    )


def _readable(raw: bytes | None) -> str | None:
    return None if raw is None else readable_name(raw)


def _names(fields: Sequence[bytes]) -> Iterator[tuple[bytes | None, bytes | None]]:
    """From `--name-status -z`: the path on each side; a changed type is a file that went and one that came."""
    position = 0
    while position + 1 < len(fields):
        status, first = fields[position][:1], fields[position + 1]
        position += 2
        if status in (b"R", b"C"):
            yield first, fields[position]
            position += 1
        elif status == b"T":
            yield first, None
            yield None, first
        else:
            yield (None if status == b"A" else first), (None if status == b"D" else first)


def _hunks(lines: Sequence[bytes]) -> Iterator[tuple[tuple[bytes | None, bytes | None], tuple[Ranges, Ranges]]]:
    """From a patch without context: the ranges of each file that has any, by its paths on both sides."""
    position = 0
    while position < len(lines):
        if not (lines[position].startswith(b"--- ") and lines[position + 1].startswith(b"+++ ")):
            position += 1
            continue
        names = (_name(lines[position]), _name(lines[position + 1]))
        position += 2
        old: list[tuple[int, int]] = []
        new: list[tuple[int, int]] = []
        while position < len(lines) and (hunk := _HUNK.match(lines[position])):
            counts = [1 if count is None else int(count) for count in hunk.group(2, 4)]
            old.append(_range(int(hunk.group(1)), counts[0]))
            new.append(_range(int(hunk.group(3)), counts[1]))
            position += 1 + sum(counts)
            while position < len(lines) and lines[position].startswith((b"\\", b"+", b"-")):
                position += 1  # "No newline at end of file" stands between the two sides as well
        yield names, (tuple(old), tuple(new))


def _range(start: int, count: int) -> tuple[int, int]:
    """`@@ -5,0` is what lies between lines 5 and 6."""
    return (start, start + count - 1) if count else (start + 1, start)


def _name(line: bytes) -> bytes | None:
    """The path of a `---` or `+++` line; None for /dev/null. Git quotes odd names as C does."""
    name = line[4:].removesuffix(b"\t")
    if name == b"/dev/null":
        return None
    if not (name.startswith(b'"') and name.endswith(b'"')):
        return name
    return _ESCAPE.sub(_unescape, name[1:-1])


def _unescape(found: re.Match[bytes]) -> bytes:
    code = found.group(1)
    return bytes([int(code, 8)]) if code.isdigit() else _ESCAPED[code]
