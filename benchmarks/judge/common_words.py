"""Counts in how many source files of public packages each sub-word stands, and writes the judge's table of common ones.

    python benchmarks/judge/common_words.py CORPORA > checks/retrodoc_checks/common_stems.txt

The packages that carry labels (`oscar`, `redmine`) are left out, so that the table knows nothing of them. Every package
counts the same, whatever its size.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections import Counter
from pathlib import Path

from retrodoc_checks.names import split_words
from retrodoc_checks.rarity import LEVELS
from retrodoc_checks.stems import stem_of
from retrodoc_runs.snapshot import open_snapshot

LABELLED = frozenset({"oscar", "redmine"})
ENDINGS = (".py", ".rb", ".js", ".ts", ".tsx", ".jsx", ".rs", ".lua")
MAX_FILES = 1500
MAX_BYTES = 500_000
MIN_FILES = 20
_TOKEN = re.compile(rb"[A-Za-z_]\w*")


def main(folder: Path) -> None:
    shares: dict[str, float] = {}
    repositories = sorted(path.parent for path in folder.glob("*/.git") if path.parent.name not in LABELLED)
    counted = [found for repository in repositories if (found := stems_in(repository)) is not None]
    for counts, files in counted:
        for stem, count in counts.items():
            shares[stem] = shares.get(stem, 0.0) + count / files / len(counted)
    print(
        "# Stems of sub-words in the source files of public packages, by the least share of the files that hold them."
    )
    print(f"# Made by benchmarks/judge/common_words.py from {len(counted)} packages: see there.")
    above = 2.0
    for level in LEVELS:
        stems = sorted(stem for stem, share in shares.items() if level <= share < above)
        print(f"= {level}")
        print(textwrap.fill(" ".join(stems), 118, break_long_words=False, break_on_hyphens=False))
        above = level


def stems_in(repository: Path) -> tuple[Counter[str], int] | None:
    """How many files hold each stem, and how many there are; None for a repository with hardly any."""
    with open_snapshot(repository) as snapshot:
        paths = [path for path in snapshot.paths if path.endswith(ENDINGS)][:MAX_FILES]
        counts: Counter[str] = Counter()
        files = 0
        for _, content in snapshot.read_many(paths, MAX_BYTES):
            files += 1
            tokens = {token.decode() for token in _TOKEN.findall(content)}
            counts.update({stem_of(word) for token in tokens for word in split_words(token) if len(word) > 1})
    return (counts, files) if files >= MIN_FILES else None


if __name__ == "__main__":
    main(Path(sys.argv[1]))
