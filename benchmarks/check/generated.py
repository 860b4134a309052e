"""A repository of real source files, and a run of any number of steps about them, always the same for a seed."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from retrodoc_runs.models import SourceRef

ENDINGS = frozenset({".py", ".rb", ".js", ".ts", ".rs", ".lua", ".pp", ".erb"})
MAX_BYTES = 200_000
_WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{4,}")
VERBS = ("calls", "checks", "stores", "reads", "returns", "sends", "removes", "prepares")
NOUNS = ("the order", "a message", "the current user", "its settings", "the list of rows", "an error", "the result")


def build_repository(corpora: Path, target: Path, files: int) -> int:
    """Copy source files of the real packages into one repository with one commit; returns how many there are."""
    if (target / ".git").is_dir():
        return sum(1 for path in target.rglob("*") if path.suffix in ENDINGS)
    count = 0
    sources = sorted(path for package in sorted(corpora.glob("*/.git")) for path in _sources(package.parent))
    # The same number of files each time: packages are taken in turn until there are enough.
    for path in sources[:: max(1, len(sources) // files)]:
        if count >= files:
            break
        copy = target / path.relative_to(corpora)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
        count += 1
    git = ["git", "-c", "core.hooksPath=/dev/null", "-c", "user.name=Bench", "-c", "user.email=bench@example.com"]
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A", "-f"], ["commit", "-q", "-m", "Real files"]):
        subprocess.run([*git, *arguments], cwd=target, check=True)
    return count


def _sources(package: Path) -> Iterator[Path]:
    for path in package.rglob("*"):
        inside = path.relative_to(package).parts
        plain = path.suffix in ENDINGS and ".git" not in inside and path.is_file() and not path.is_symlink()
        if plain and 200 < path.stat().st_size < MAX_BYTES:
            yield path


Written = tuple[str, tuple[SourceRef, ...]]


def write_steps(repository: Path, number: int, seed: int = 1) -> list[Written]:
    """Steps as a model writes them: a name or two of the cited lines, one in six of another place, one in 25 wrong."""
    chance = random.Random(seed)
    paths = sorted(path for path in repository.rglob("*") if path.suffix in ENDINGS and ".git" not in path.parts)
    each = -(-number // len(paths))
    steps: list[Written] = []
    for path in paths:
        lines = path.read_bytes().split(b"\n")
        name = path.relative_to(repository).as_posix()
        steps += [_step(name, lines, chance) for _ in range(each)]
    chance.shuffle(steps)
    return steps[:number]


def _step(path: str, lines: list[bytes], chance: random.Random) -> Written:
    length = min(chance.randint(1, 12), len(lines) - 1)
    start = chance.randint(1, max(1, len(lines) - length - 1))
    words = _WORD.findall(b"\n".join(lines[start - 1 : start - 1 + length]))
    kind = chance.random()
    if kind < 0.16:
        words = _WORD.findall(b"\n".join(lines)) or words
    names = [chance.choice(words).decode() for _ in range(chance.randint(1, 2))] if words and kind < 0.7 else []
    if kind < 0.04:
        names.append(f"missing_name_{chance.randint(1, 400)}")
    said = " and ".join(f"`{name}`" for name in names)
    text = f"{chance.choice(VERBS)} {chance.choice(NOUNS)}. The system {chance.choice(VERBS)} {chance.choice(NOUNS)}"
    text += f" with {said}." if said else f", then {chance.choice(VERBS)} {chance.choice(NOUNS)}."
    end = start + length - 1 if chance.random() > 0.01 else len(lines) + 5
    return text, (SourceRef(path=path, start_line=start, end_line=end),)
