"""What the application keeps, as one page: each entity with its fields and their allowed values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from urllib.parse import quote

from retrodoc.publish.book import Book
from retrodoc.publish.links import Linker
from retrodoc.publish.marks import GENERATED_LINE
from retrodoc.publish.prose import code, link, page_text, table
from retrodoc.publish.wording import counted
from retrodoc_runs.models import Entity, SourceRef
from retrodoc_runs.readers.own_pages import entity_marker, page_marker, text_to_markdown
from retrodoc_runs.steps import label_of

MIN_INDEXED = 12
"""Entities on a page that starts with a list of them."""


def entities_page(book: Book, linker: Linker) -> bytes:
    page = book.layout.entities
    return page_text(
        [
            GENERATED_LINE,
            page_marker(book.run),
            link(text_to_markdown(book.name), linker.page(page, book.layout.index)),
            f"# What {text_to_markdown(book.name)} keeps",
            f"Declared in the code: {counted(len(book.entities), 'entity')}.",
            _entity_index(book.entities),
            *(block for entity in book.entities for block in _entity(entity, linker, page)),
        ]
    )


def _entity_index(entities: Sequence[Entity]) -> str:
    """Links to the headings of a long page, as code forges name them: lower case, the second of a name with `-1`."""
    if len(entities) < MIN_INDEXED:
        return ""
    seen: Counter[str] = Counter()
    shown = []
    for entity in entities:
        anchor = re.sub(r"[^\w\- ]", "", entity.name.lower()).replace(" ", "-")
        shown.append(
            link(text_to_markdown(entity.name), f"#{quote(anchor)}{f'-{seen[anchor]}' if seen[anchor] else ''}")
        )
        seen[anchor] += 1
    return " · ".join(shown)


def _entity(entity: Entity, linker: Linker, page: str) -> Iterator[str]:
    ref = SourceRef(path=entity.path, start_line=entity.start_line, end_line=entity.end_line)
    yield entity_marker(entity.name)
    yield f"## {text_to_markdown(entity.name)}"
    yield f"{text_to_markdown(entity.kind.replace('-', ' '))} at {link(code(label_of(ref)), linker.lines(page, ref))}"
    if entity.values:
        yield f"One of {', '.join(code(value) for value in entity.values)}."
    if any(field.type or field.values for field in entity.fields):
        rows = (
            [code(field.name), code(field.type or ""), ", ".join(code(value) for value in field.values)]
            for field in entity.fields
        )
        yield table(["Field", "Type", "Allowed values"], rows)
    elif entity.fields:
        yield f"Fields: {', '.join(code(field.name) for field in entity.fields)}."
