"""What a target on disk says: a page, a list of use cases, claims, or a folder of them. The door of the readers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from retrodoc_runs.lines import decode
from retrodoc_runs.readers import folder as folders
from retrodoc_runs.readers.model import ReadError, Reading, ReadStep, Unparsed, merged
from retrodoc_runs.readers.retrodoc_yaml import looks_like_use_cases, read_glossary, read_use_cases

GLOSSARIES = ("glossary.yaml", "glossary.yml")
ENTITY_PAGES = ("entities.md", "glossary.md")


def read_target(
    path: Path,
    *,
    base: Path | None = None,
    exists: Callable[[str], bool] = lambda _path: False,
    repository: str = "",
) -> Reading:
    """Everything that a file or a folder says, as it is written.

    `base` is the folder that the cited paths start from, on disk, when the target may lie in it; `exists` tells
    which files are there at the commit that is checked; `repository` is its name, such as `github.com/acme/shop`.
    Raises ReadError: missing, too large, not readable as what its name says, or a link out of `base`.
    """
    if not path.exists():
        raise ReadError(f"{path} does not exist", "Name a run, a run's folder, a YAML list of use cases, or Markdown.")
    door = _Door(base, exists, repository)
    _refuse_link_out(path, base)
    if path.is_dir():
        return door.folder(path)
    return door.file(path, door.name(path, path.parent))


def _is_published(path: Path) -> bool:
    """Our own pages are read whatever their names: a use case may be to show a plan."""
    if not path.is_file():
        return False
    from retrodoc_runs.readers.own_pages import is_own_page

    with path.open("rb") as file:
        return is_own_page(decode(file.read(2_000)))


def _refuse_link_out(path: Path, base: Path | None) -> None:
    """A repository may hold a link to any file of the disk; what the user names outside of it is the user's choice."""
    if base is None:
        return
    real, root = Path(os.path.realpath(path)), Path(os.path.realpath(base))
    named = Path(os.path.normpath(path.absolute()))
    inside = named.is_relative_to(os.path.normpath(base.absolute())) or named.is_relative_to(root)
    if inside and not real.is_relative_to(root):
        raise ReadError(f"{path} is a link that leads out of the repository", "Name the file itself.")


@dataclass(frozen=True, slots=True)
class _Door:
    base: Path | None
    exists: Callable[[str], bool]
    repository: str

    def name(self, path: Path, folder: Path) -> str:
        """How a file is called in the reading: by its path from `base`, else from the target's folder."""
        if self.base is not None:
            real, root = Path(os.path.realpath(path)), Path(os.path.realpath(self.base))
            if real.is_relative_to(root):
                return real.relative_to(root).as_posix()
        return path.relative_to(folder).as_posix()

    def folder(self, top: Path) -> Reading:
        readings: list[Reading] = []
        left: list[tuple[str, str]] = []
        count = size = 0
        for path, reason in folders.documents(top):
            name = self.name(top / path, top)
            count += 1
            if count > folders.MAX_FOLDER_FILES or size > folders.MAX_FOLDER_BYTES:
                raise ReadError(f"{top} holds too much to be documentation", "Name a folder inside it.")
            if reason and not (reason != "link" and _is_published(top / path)):
                left.append((name, reason))
                continue
            reading = self.maybe(top / path, name)
            if reading:
                readings.append(reading)
                size += (top / path).stat().st_size
        whole = merged(readings)
        return replace(whole, left_out=(*whole.left_out, *left))

    def maybe(self, path: Path, name: str) -> Reading | None:
        """A file of a folder; YAML of another kind is none of ours."""
        if path.suffix.lower() in folders.YAML:
            text = decode(folders.read_bounded(path, name, "YAML"))
            return self.use_cases(text, path, name) if looks_like_use_cases(text) else None
        return self.file(path, name, alone=False)

    def file(self, path: Path, name: str, *, alone: bool = True) -> Reading:
        kind = path.suffix.lower()
        if kind in folders.MARKDOWN:
            return self.markdown(decode(folders.read_bounded(path, name, "Markdown")), path, name, alone=alone)
        if kind in folders.YAML:
            return self.use_cases(decode(folders.read_bounded(path, name, "YAML")), path, name)
        if kind == ".json":
            from retrodoc_runs.readers.openwiki import read_claims

            return read_claims(decode(folders.read_bounded(path, name, "JSON")), name)
        raise ReadError(f"{path} is of no kind that is read", "Give Markdown (.md), YAML, or OpenWiki claims (.json).")

    def use_cases(self, text: str, path: Path, name: str) -> Reading:
        reading = read_use_cases(text, name)
        for glossary in GLOSSARIES:
            beside = path.parent / glossary
            if beside.is_file() and beside != path:
                _refuse_link_out(beside, path.parent)
                names = read_glossary(decode(folders.read_bounded(beside, glossary, "YAML")), glossary)
                return replace(reading, entities=names)
        return reading

    def markdown(self, text: str, path: Path, name: str, *, alone: bool) -> Reading:
        from retrodoc_runs.readers.own_pages import is_own_page

        if is_own_page(text):
            return self.own_page(text, path, name, alone=alone)
        from retrodoc_runs.readers.markdown import Surroundings, read_markdown  # its patterns take 40 ms to compile

        return read_markdown(text, name, Surroundings(self.exists, self.repository, self.place(path) or ""))

    def place(self, path: Path) -> str | None:
        """The folder of a page, from `base`."""
        if self.base is None:
            return None
        return Path(os.path.relpath(os.path.realpath(path.parent), os.path.realpath(self.base))).as_posix()

    def own_page(self, text: str, path: Path, name: str, *, alone: bool) -> Reading:
        from retrodoc_runs.readers.own_links import Place
        from retrodoc_runs.readers.own_pages import NewerPageError, read_own_page

        from_root = self.base is not None and (self.base / ".git").exists()
        try:
            page = read_own_page(text, Place(self.place(path), self.repository, self.exists, from_root=from_root))
        except NewerPageError as error:
            raise ReadError(
                f"{name} was published by a newer RetroDoc ({error})", "Upgrade RetroDoc, or publish it again."
            ) from error
        steps = tuple(
            ReadStep(own.use_case, own.step, name, own.line, commits=(page.commit,) * len(own.step.source_refs))
            for own in page.steps
        )
        entities = page.entities
        if alone and not entities:
            entities = tuple(name for one in _entity_pages(path) for name in read_own_page(one).entities)
        return Reading(
            kind="own-pages",
            steps=steps,
            entities=entities,
            unparsed=tuple(Unparsed(text, line, name) for text, line in page.problems),
            foreign=page.foreign,
            pages=(name,),
            commit=page.commit,
            subfolder=page.subfolder,
            run=page.run,
        )


def _entity_pages(path: Path) -> Iterator[str]:
    """The page of entities of the book that a page is in: in its folder, or up to four above."""
    from retrodoc_runs.readers.own_pages import is_own_page

    for folder in list(path.absolute().parents)[:5]:
        for name in ENTITY_PAGES:
            page = folder / name
            if page.is_file() and not page.is_symlink() and page != path:
                text = decode(folders.read_bounded(page, name, "Markdown"))
                if is_own_page(text):
                    yield text
                    return
