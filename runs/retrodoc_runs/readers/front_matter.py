"""What a page's front matter cites: the sources that its generator names, and any value that gives a file's lines.

Under a key that means sources (`sources`, `source_files`, `provenance`, …) whole files count as well, and entries
may be mappings: `{file: src/pay.py, ranges: [3, 9-14]}`. What only looks like a citation is listed, as in prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from retrodoc_runs.readers.blocks import Block, FrontMatter, Piece
from retrodoc_runs.readers.grammar import EXTENSIONS, Lines, extension, names_a_file, parse_lines, scan
from retrodoc_runs.readers.links import Exists, read_link, strict_citation
from retrodoc_runs.readers.model import Citation, ReadError
from retrodoc_runs.readers.prose import BlockReading, read_block
from retrodoc_runs.readers.yaml_nodes import Mapping, Node, Scalar, read_yaml
from retrodoc_runs.readers.yaml_nodes import Sequence as YamlSequence

_SOURCE_KEY = re.compile(
    "sources?|(?:source|test)(?:files?|paths?)|provenance|references?|refs?|evidence|citations?|cites|coderefs?|resources?"
)
_MAY_CITE = re.compile(
    r"^[ \t]*[\w-]*(?:source|test|provenance|ref|evidence|cit)[\w-]*[ \t]*[:=]|:L?[0-9]|#L",
    re.IGNORECASE | re.MULTILINE,
)
"""Whatever is read or listed holds one of these."""
_PATH_KEYS = ("file", "path", "filepath", "filename", "sourcefile", "source")
_LINES_KEYS = ("ranges", "range", "lines", "line")
_START_KEYS, _END_KEYS = ("startline", "linestart", "start"), ("endline", "lineend", "end")


def read_front_matter(front: FrontMatter, exists: Exists) -> BlockReading:
    """The citations of a page's front matter. Only YAML is read; of TOML, and of YAML that is none, all is listed."""
    reading = BlockReading(1)
    if not _MAY_CITE.search(front.text):
        return reading
    try:
        node = read_yaml(front.text, "front matter") if front.is_yaml else None
    except ReadError:
        node = None
    if not isinstance(node, Mapping):
        for number, line in enumerate(front.text.split("\n"), start=2):
            reading.unparsed += [(found.text, number) for found in scan(line)]
        return reading
    reader = _Reader(reading, exists)
    own = node.entries.get("openwiki")
    for key, value in [*node.entries.items(), *(own.entries.items() if isinstance(own, Mapping) else ())]:
        if value is not own:
            reader.value(value, sources=_SOURCE_KEY.fullmatch(_plain(key)) is not None)
    return reading


def _plain(key: str) -> str:
    """`source-files`, `source_files` and `sourceFiles` are one key."""
    return re.sub(r"[\W_]", "", key).lower()


class _Reader:
    def __init__(self, reading: BlockReading, exists: Exists) -> None:
        self.reading = reading
        self.exists = exists

    def value(self, node: Node, *, sources: bool) -> None:
        if isinstance(node, Scalar):
            self._scalar(node.text.strip(), node.line + 1, sources=sources)
        elif isinstance(node, YamlSequence):
            for item in node.items:
                self.value(item, sources=sources)
        elif not (sources and self._entry(node)):
            for item in node.entries.values():
                self.value(item, sources=sources)

    def _scalar(self, text: str, line: int, *, sources: bool) -> None:
        strict = strict_citation(text)
        if strict and self.exists(strict[0].lstrip("/")):
            self._cite(strict[0], strict[1])
        elif sources and "\n" not in text and self._is_file(text):
            self._cite(text, ())
        elif re.match(r"(?:https?|repo|file):|[^\s#]+#", text):
            target, problem = read_link(text, self.exists)
            if problem:
                self.reading.unparsed.append((problem, line))
            elif target and (target.lines or (sources and self._is_file(target.path))):
                self.reading.citations.append(target)
        elif text:
            read = read_block(Block("paragraph", line, (Piece("code", text, line),)), sources=False, exists=self.exists)
            self.reading.citations += read.citations
            self.reading.unparsed += read.unparsed

    def _is_file(self, text: str) -> bool:
        return self.exists(text.lstrip("/")) or (
            extension(text) in EXTENSIONS and names_a_file(text) and " " not in text
        )

    def _entry(self, node: Mapping) -> bool:
        """`{file: …, ranges: …}`, or a first and a last line; whether the mapping is one."""
        values = {_plain(key): value for key, value in node.entries.items()}
        path = next((values[key] for key in _PATH_KEYS if key in values), None)
        if not isinstance(path, Scalar) or strict_citation(path.text) or not self._is_file(path.text):
            return False
        ranges: list[Lines] = []
        written = list(_written(values))
        for text in written:
            lines = parse_lines(text)
            if lines is None:
                self.reading.unparsed.append((f"{path.text}:{text}", path.line + 1))
            else:
                ranges += lines
        if ranges or not written:
            self._cite(path.text, ranges)
        return True

    def _cite(self, path: str, ranges: Sequence[Lines]) -> None:
        """From the page's folder or from the root, as a link's target."""
        found = [Citation(path, start, end, from_page=True) for start, end in ranges]
        self.reading.citations += found or [Citation(path, from_page=True)]


def _written(values: dict[str, Node]) -> Iterator[str]:
    """The lines of an entry as they are written, each range by itself."""
    for key in _LINES_KEYS:
        node = values.get(key)
        for one in node.items if isinstance(node, YamlSequence) else [node]:
            if isinstance(one, Scalar):
                yield one.text
    start, end = (
        next((node.text for key in keys if isinstance(node := values.get(key), Scalar)), "")
        for keys in (_START_KEYS, _END_KEYS)
    )
    if start or end:
        yield f"{start}-{end}" if end else start
