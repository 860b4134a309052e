"""All pages of a run, as bytes by path: the same run gives the same bytes."""

from __future__ import annotations

from retrodoc.publish.book import Book
from retrodoc.publish.chapter_pages import domain_page, feature_page, index_page
from retrodoc.publish.coverage import coverage_page
from retrodoc.publish.entities_page import entities_page
from retrodoc.publish.links import Linker
from retrodoc.publish.llms_txt import llms_txt
from retrodoc.publish.use_case_page import use_case_page


def render_pages(book: Book, linker: Linker) -> dict[str, bytes]:
    """Every page by its path under the output root, in the order in which a person would read them."""
    layout = book.layout
    pages = {layout.index: index_page(book, linker)}
    for domain in book.domains:
        pages[domain.page] = domain_page(book, linker, domain)
        for feature in domain.features:
            pages[feature.page] = feature_page(book, linker, domain, feature)
            for it in feature.use_cases:
                pages[it.page] = use_case_page(book, linker, domain, feature, it)
    if book.entities:
        pages[layout.entities] = entities_page(book, linker)
    pages[layout.coverage] = coverage_page(book, linker)
    pages[layout.llms] = llms_txt(book, linker)
    return pages
