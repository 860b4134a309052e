"""Where each page goes, as a path under the output root."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from retrodoc.errors import OutputError

OWN_FOLDER = ".retrodoc"
"""Beside the pages, in the documented folder: its runs, which are no pages."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths of pages, POSIX and relative to the output root; `folder` is "" when the root is the docs folder itself."""

    folder: str = "docs"

    @property
    def llms(self) -> str:
        return "llms.txt"

    @property
    def index(self) -> str:
        return self._functional("README.md")

    @property
    def entities(self) -> str:
        return self._functional("entities.md")

    @property
    def coverage(self) -> str:
        return self._own("coverage-report.md")

    @property
    def manifest(self) -> str:
        return self._own("manifest.json")

    @property
    def staging(self) -> str:
        """New pages are written here first: on the same disk, so that they can be moved in at once."""
        return self._own(".staging")

    def domain(self, domain: str) -> str:
        return self._functional(domain, "README.md")

    def feature(self, domain: str, feature: str) -> str:
        return self._functional(domain, f"{feature}.md")

    def use_case(self, domain: str, feature: str, use_case: str) -> str:
        return self._functional(domain, "use-cases", feature, f"{use_case}.md")

    def holds(self, path: str) -> bool:
        """Whether a path is one that only we write to."""
        return path == self.llms or path.startswith((self._functional(""), self._own("")))

    def _functional(self, *parts: str) -> str:
        return self._under("functional", *parts)

    def _own(self, *parts: str) -> str:
        return self._under("_retrodoc", *parts)

    def _under(self, *parts: str) -> str:
        return "/".join((self.folder, *parts) if self.folder else parts)


@dataclass(frozen=True, slots=True)
class Output:
    """Where pages are written, and how they reach the source from there."""

    root: Path
    layout: Layout
    source_root: str
    """From `root` to the documented folder, POSIX; "" when they are the same."""
    outside: bool = False
    """Whether the pages are no part of the documented repository."""


def output_of(documented: Path, repository: Path, folder: str = "docs", out: Path | None = None) -> Output:
    """Where the pages of the folder `documented`, inside the Git repository `repository`, go.

    By default that is its `folder`; `out` names a docs folder anywhere. OutputError where no folder can be.
    """
    if out is None:
        if (repository / "objects").is_dir() and (repository / "HEAD").is_file() and not (repository / ".git").exists():
            raise OutputError(f"{documented} is a bare repository: pages have no place in it", "Name one with --out.")
        _refuse(documented / folder, "Name another folder: output.folder in retrodoc.toml, or --out.")
        return Output(documented, Layout(folder), "")
    _refuse(out, "Name another folder with --out.")
    root = out.resolve()
    source_root = Path(os.path.relpath(documented.resolve(), root)).as_posix()
    return Output(out, Layout(""), source_root, outside=not root.is_relative_to(repository.resolve()))


def _refuse(place: Path, mend: str) -> None:
    """Before anything is drafted, and paid: when pages are written it would come to the same."""
    real = Path(os.path.realpath(place))
    there = next(above for above in (real, *real.parents) if os.path.lexists(above))
    if not there.is_dir():
        raise OutputError(f"{place if there == real else there} is not a folder", mend)
    if ".git" in (part.lower() for part in real.parts):
        raise OutputError(f"{place} is in Git's own folder", mend)
