"""The documentation's table of contents for a language model: `llms.txt`, as llmstxt.org describes it."""

from __future__ import annotations

from collections.abc import Iterator

from retrodoc.publish.book import Book, DomainChapter
from retrodoc.publish.links import Linker
from retrodoc.publish.prose import bullets, link, page_text, score_text, sentence
from retrodoc.publish.wording import counted
from retrodoc_runs.readers.own_pages import text_to_markdown


def llms_txt(book: Book, linker: Linker) -> bytes:
    """A title, a summary in a quote, and one section of links a domain."""
    here = book.layout.llms
    summary = (
        f"Functional documentation of {book.name}: {counted(len(book.domains), 'domain')}, "
        f"{counted(len(book.features), 'feature')}, {counted(len(book.use_cases), 'use case')}. Each step "
        f"of a use case cites lines of code, and a program checked each citation "
        + (f"(confidence {score_text(book.score)} of 1)." if book.steps else "(no step was found to check).")
    )
    return page_text(
        [
            f"# {text_to_markdown(book.name)}",
            f"> {text_to_markdown(summary)}",
            bullets(_overview(book, linker, here)),
            *(block for domain in book.domains for block in _domain(linker, here, domain)),
        ]
    )


def _overview(book: Book, linker: Linker, here: str) -> Iterator[str]:
    yield f"{link('Index', linker.page(here, book.layout.index))}: all domains and features"
    if book.entities:
        yield f"{link('Entities', linker.page(here, book.layout.entities))}: what the application keeps, field by field"
    yield f"{link('Coverage report', linker.page(here, book.layout.coverage))}: what is documented and what is not"


def _domain(linker: Linker, here: str, domain: DomainChapter) -> Iterator[str]:
    yield f"## {text_to_markdown(domain.title)}"
    yield bullets(
        f"{link(text_to_markdown(it.title), linker.page(here, it.page))}"
        + (f": {said}" if (said := sentence(it.use_case.description)) else "")
        for it in domain.use_cases
    )
