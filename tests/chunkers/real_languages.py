"""Real files of languages without a grammar, and regexes that are right or wrong on them: `real_languages.toml`."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from retrodoc_chunkers.pattern import DROP_RECALL, MAX_BREADTH, MAX_EXCESS, MAX_EXCESS_IN_FILE, Measure


@dataclass(frozen=True)
class Wrong:
    """A regex that must be refused, and by which bound."""

    regex: str
    refused_by: str
    why: str


@dataclass(frozen=True)
class Language:
    """One language: where its files are, and what is proposed for it."""

    name: str
    corpus: str
    files: tuple[str, ...]
    right: str
    wrong: tuple[Wrong, ...]
    embedded: tuple[str, str] | None = None
    """Files that hold programs of the language, and a regex whose group is one of them."""

    def read(self, corpora: Path) -> dict[str, bytes]:
        """Its files by path; none when the corpus is not there."""
        root = corpora / self.corpus
        found = {
            path.relative_to(root).as_posix(): path.read_bytes()
            for pattern in self.files
            for path in sorted(root.glob(pattern))
            if path.is_file() and ".git" not in path.relative_to(root).parts
        }
        if self.embedded is not None:
            inside, program = self.embedded
            for path in sorted(root.glob(inside)):
                for number, match in enumerate(re.finditer(program.encode(), path.read_bytes()), 1):
                    found[f"{path.relative_to(root).as_posix()}#{number}"] = match.group(1)
        return found


def languages() -> list[Language]:
    """The table of `real_languages.toml`."""
    listed = tomllib.loads((Path(__file__).parent / "cases/real_languages.toml").read_text("utf-8"))["language"]
    return [
        Language(
            one["name"],
            one["corpus"],
            tuple(one["files"]),
            one["right"],
            tuple(Wrong(**wrong) for wrong in one["wrong"]),
            (one["embedded"]["files"], one["embedded"]["program"]) if "embedded" in one else None,
        )
        for one in listed
    ]


def bound_passed(measured: Measure) -> str:
    """Which bound refuses a regex of that measure: `breadth`, `excess` where breadth does not, `recall`, or none."""
    if measured.breadth > MAX_BREADTH:
        return "breadth"
    if measured.excess > MAX_EXCESS or measured.excess_in_file > MAX_EXCESS_IN_FILE:
        return "excess"
    return "recall" if measured.recall < DROP_RECALL else ""
