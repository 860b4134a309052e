"""What was read from a file before, so that a second run parses nothing: kept by content, in a folder.

The folder belongs to the user, never to the repository that is read: whoever can write to it can forge what a file
is made of. It holds no code (no pickle, no marshal), it can be deleted at any time, and what is damaged in it is
read anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import zlib
from array import array
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from retrodoc_chunkers.counts import Counted
from retrodoc_chunkers.definitions import DefinitionTable
from retrodoc_chunkers.grammars import grammar_file, language_of
from retrodoc_chunkers.model import Call, Definition, Import
from retrodoc_chunkers.references import ReferenceTable
from retrodoc_chunkers.syntax import Syntax, Tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_HEAD = struct.Struct("<4sIII")
_MAGIC = b"RDS1"
MAX_IN_FOLDER = 100
"""Files in one of the 256 folders of a language: beyond, the half that was written longest ago is deleted. A file takes
about 9 KB, so a language takes at most some 230 MB."""
_OLD = 30 * 24 * 3600
"""Seconds after which what another version of a grammar or of this package made is deleted."""


class SyntaxCache:
    """`get(source, path)` gives what `syntax_of` gives, from the folder when that content was seen before.

    `hits` and `misses` count the answers. A folder that cannot be read or written only makes it slower.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hits = 0
        self.misses = 0
        self._made: set[Path] = set()

    def get(self, source: bytes, path: str) -> Syntax:
        """The syntax of a file's bytes; `path` decides its language alone."""
        language = language_of(path, source)
        if language is None or not _made_by(language):
            return Syntax(source, path)
        file = self._file(source, language)
        tables = _load(file)
        if tables is not None:
            self.hits += 1
            return Syntax(source, path, tables)
        self.misses += 1
        syntax = Syntax(source, path)
        self._store(file, syntax.tables())
        return syntax

    def _file(self, source: bytes, language: str) -> Path:
        digest = hashlib.sha256(source).hexdigest()
        return self.folder / f"{language}-{_made_by(language)}" / digest[:2] / digest[2:]

    def _store(self, file: Path, tables: Tables) -> None:
        import tempfile  # and what it imports takes longer than reading fifty files from the cache

        with suppress(OSError):
            if file.parent not in self._made:
                self._prepare(file.parent)
            descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=".new-")
            try:
                with os.fdopen(descriptor, "wb") as handle:
                    handle.write(dump_tables(tables))
                Path(name).replace(file)
            except OSError:
                with suppress(OSError):
                    Path(name).unlink()

    def _prepare(self, folder: Path) -> None:
        """Make a folder, once in a process, and delete what is old beside and in it."""
        made = not folder.parent.is_dir()
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # it names what is in private code
        folder.mkdir(parents=True, exist_ok=True)
        self._made.add(folder)
        if made:
            _drop_other_versions(folder.parent)
        kept = sorted((entry.stat().st_mtime, entry.path) for entry in os.scandir(folder))
        if len(kept) >= MAX_IN_FOLDER:
            for _, path in kept[: len(kept) // 2]:
                Path(path).unlink(missing_ok=True)


def _drop_other_versions(current: Path) -> None:
    """Delete what other versions made for a language, when nothing was added to it for long."""
    import shutil

    language = current.name.rpartition("-")[0]
    for other in current.parent.glob(f"{language}-*"):
        newest = max((entry.stat().st_mtime for entry in os.scandir(other)), default=0.0)
        if other != current and current.stat().st_mtime - newest > _OLD:
            shutil.rmtree(other, ignore_errors=True)


@cache
def _made_by(language: str) -> str:
    """A short digest of everything that shapes an answer: the grammar's wheel, the runtime, this package's files.

    Empty without the grammar: then nothing is kept.
    """
    digest = hashlib.sha256()
    for library in (grammar_file(language), grammar_file(None)):
        if library is None:
            return ""
        found = library.stat()
        digest.update(f"{library.name} {found.st_size} {found.st_mtime_ns}\n".encode())
    folder = Path(__file__).parent
    for file in sorted((*folder.glob("*.py"), *folder.glob("queries/*/*.scm"))):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _load(file: Path) -> Tables | None:
    try:
        return load_tables(file.read_bytes())
    except (OSError, ValueError):
        return None


def dump_tables(tables: Tables) -> bytes:
    """The tables as bytes: a head, the distinct strings as JSON, then columns of 32-bit numbers."""
    strings = _Strings()
    columns: list[Sequence[int]] = []
    definitions, references, counted = tables.definitions, tables.references, tables.counted
    listed = definitions.definitions
    columns += [
        strings.all(one.name for one in listed),
        strings.all(one.kind for one in listed),
        strings.all(one.qualified_name for one in listed),
        [one.start_byte for one in listed],
        [one.end_byte for one in listed],
        [one.start_line for one in listed],
        [one.end_line for one in listed],
        [one.name_line for one in listed],
        [0 if one.parent is None else one.parent + 1 for one in listed],
        [len(one.parameters) for one in listed],
        strings.all(name for one in listed for name in one.parameters),
        sorted(definitions.name_starts),
    ]
    calls = references.calls
    columns += [strings.all(one.name for one in calls), strings.all(one.receiver for one in calls)]
    columns += [[one[index] for one in calls] for index in range(2, 6)]  # type: ignore[misc]
    imports = references.imports
    columns += [
        strings.all(one.name for one in imports),
        strings.all(one.module for one in imports),
        [0 if one.imported is None else strings.index(one.imported) + 1 for one in imports],
        [one.line for one in imports],
    ]
    for spans in (references.import_spans, references.comments, references.strings):
        columns += [[start for start, _ in spans], [end for _, end in spans]]
    columns += [[one[index] for one in counted] for index in range(3)]
    head = {"language": tables.language, "reason": tables.unread_reason, "strings": strings.listed,
            "lengths": [len(column) for column in columns]}  # fmt: skip
    text = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    numbers = _packed(number for column in columns for number in column)
    body = zlib.compress(text + numbers, 1)
    return _HEAD.pack(_MAGIC, len(text), len(text) + len(numbers), zlib.crc32(body)) + body


def load_tables(data: bytes) -> Tables:
    """The tables back; ValueError when the bytes are not what was dumped, whatever they are."""
    try:
        return _loaded(data)
    except (struct.error, zlib.error, LookupError, TypeError, StopIteration, RecursionError) as error:
        raise ValueError("not a cache file") from error


def _loaded(data: bytes) -> Tables:
    magic, text_length, whole, checksum = _HEAD.unpack_from(data)
    body = data[_HEAD.size :]
    if magic != _MAGIC or zlib.crc32(body) != checksum or whole > _MAX_UNPACKED:
        raise ValueError("not a cache file of this version")
    raw = zlib.decompressobj().decompress(body, whole)
    if len(raw) != whole:
        raise ValueError("cut short")
    head = json.loads(raw[:text_length].decode("utf-8", "surrogatepass"))
    columns = _Columns(head["strings"], head["lengths"], _unpacked(raw[text_length:]))
    return Tables(head["language"], head["reason"], _definitions(columns), _references(columns), _counted(columns))


_MAX_UNPACKED = 200_000_000
"""Bytes: several times what the largest file that is read can give."""


class _Strings:
    """Each string once, by its place."""

    def __init__(self) -> None:
        self.listed: list[str] = []
        self._places: dict[str, int] = {}

    def index(self, text: str) -> int:
        place = self._places.setdefault(text, len(self.listed))
        if place == len(self.listed):
            self.listed.append(text)
        return place

    def all(self, texts: Iterable[str]) -> list[int]:
        return [self.index(text) for text in texts]


class _Columns:
    """Takes one column after the other."""

    def __init__(self, strings: list[str], lengths: list[int], numbers: Sequence[int]) -> None:
        self._strings = strings
        self._lengths = iter(lengths)
        self._numbers = numbers
        self._at = 0

    def numbers(self) -> Sequence[int]:
        start, self._at = self._at, self._at + next(self._lengths)
        return self._numbers[start : self._at]

    def texts(self) -> list[str]:
        return [self._strings[place] for place in self.numbers()]

    def optional_texts(self) -> list[str | None]:
        return [self._strings[place - 1] if place else None for place in self.numbers()]

    def spans(self) -> tuple[tuple[int, int], ...]:
        starts = self.numbers()
        return tuple(zip(starts, self.numbers(), strict=True))


def _packed(numbers: Iterable[int]) -> bytes:
    packed = array("I", numbers)
    if not _NATIVE:
        packed.byteswap()
    return packed.tobytes()


def _unpacked(raw: bytes) -> Sequence[int]:
    unpacked = array("I")
    unpacked.frombytes(raw)
    if not _NATIVE:
        unpacked.byteswap()
    return unpacked


_NATIVE = struct.pack("=I", 1) == struct.pack("<I", 1)


def _definitions(columns: _Columns) -> DefinitionTable:
    names, kinds, qualified = columns.texts(), columns.texts(), columns.texts()
    places = [columns.numbers() for _ in range(5)]
    parents, lengths, parameters = columns.numbers(), columns.numbers(), columns.texts()
    starts = frozenset(columns.numbers())
    listed = []
    at = 0
    for index, name in enumerate(names):
        end = at + lengths[index]
        start_byte, end_byte, start_line, end_line, name_line = (place[index] for place in places)
        parent = parents[index] - 1 if parents[index] else None
        listed.append(
            Definition(
                name, kinds[index], qualified[index], start_byte, end_byte, start_line, end_line, name_line,
                tuple(parameters[at:end]), parent,
            )
        )  # fmt: skip
        at = end
    return DefinitionTable(tuple(listed), starts)


def _references(columns: _Columns) -> ReferenceTable:
    names, receivers = columns.texts(), columns.texts()
    places = [columns.numbers() for _ in range(4)]
    calls = tuple(map(Call._make, zip(names, receivers, *places, strict=True)))
    bound = (columns.texts(), columns.texts(), columns.optional_texts(), columns.numbers())
    imports = tuple(map(Import._make, zip(*bound, strict=True)))
    return ReferenceTable(calls, imports, columns.spans(), columns.spans(), columns.spans())


def _counted(columns: _Columns) -> tuple[Counted, ...]:
    places = [columns.numbers() for _ in range(3)]
    return tuple(map(Counted._make, zip(*places, strict=True)))
