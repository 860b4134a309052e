"""The pages above the use cases: the index, a domain, a feature."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from retrodoc.accounting import account
from retrodoc.publish.book import Book, DomainChapter, FeatureChapter, JudgedUseCase
from retrodoc.publish.links import Linker
from retrodoc.publish.marks import GENERATED_LINE, NAMELESS_TOLD
from retrodoc.publish.prose import (
    SIGNS,
    bullets,
    code,
    link,
    page_text,
    paragraphs,
    score_text,
    sentence,
    table,
    tally,
    tally_in_words,
)
from retrodoc.publish.use_case_page import WHAT_VALID_MEANS
from retrodoc.publish.wording import MEANING, counted
from retrodoc_runs.models import EntryPoint, SourceRef
from retrodoc_runs.readers.own_pages import page_marker, text_to_markdown
from retrodoc_runs.steps import label_of

MAX_FILES = 12
"""Files listed on a feature's page, the most cited first."""


# -- the index


def index_page(book: Book, linker: Linker) -> bytes:
    return page_text(
        [
            GENERATED_LINE,
            page_marker(book.run),
            f"# {text_to_markdown(book.name)}: what it does",
            _provenance(book, linker),
            _sizes(book, linker),
            "## Domains and features" if book.domains else "",
            bullets(_described_domains(book, linker)),
            _contents(book, linker),
            "## How to read these pages",
            _legend(),
            WHAT_VALID_MEANS,
        ]
    )


def _provenance(book: Book, linker: Linker) -> str:
    run = book.run
    if run.commit and not run.worktree:
        short, target = code(run.commit[:10]), linker.commit_page()
        source = f"commit {link(short, target) if target else short}"
    else:
        source = "the work tree"
    drafter = "outlined without a model" if run.drafter == "outline" else f"drafted by {text_to_markdown(run.drafter)}"
    program = f" by {text_to_markdown(run.program)}" if run.program else ""
    return f"Read from {source}, {drafter}, checked{program}."


def _sizes(book: Book, linker: Linker) -> str:
    page = book.layout.index
    accounting = account(book.run.entry_points, book.run)
    items = [
        f"**{counted(len(book.domains), 'domain')}**, {counted(len(book.features), 'feature')}, "
        f"{counted(len(book.use_cases), 'use case')}, {counted(len(book.steps), 'step')}",
    ]
    if not accounting.total:
        report = link("coverage report", linker.page(page, book.layout.coverage))
        items.append(f"**No entry point was found**: no rule knows this framework, and nothing is guessed; {report}")
    else:
        items.append(
            f"**{accounting.documented} of {counted(accounting.total, 'entry point')}** documented: "
            f"{link('coverage report', linker.page(page, book.layout.coverage))}"
        )
    if book.entities:
        entities = link(counted(len(book.entities), "entity"), linker.page(page, book.layout.entities))
        items.append(f"**{entities}**: what it keeps, field by field")
    if book.steps:
        items.append(f"**Confidence {score_text(book.score)}**: {tally_in_words(book.steps)}")
    return bullets(items)


def _described_domains(book: Book, linker: Linker) -> Iterator[str]:
    for domain in book.domains:
        if domain.domain.description:
            title = link(text_to_markdown(domain.title), linker.page(book.layout.index, domain.page))
            yield f"**{title}**: {sentence(domain.domain.description)}"


def _contents(book: Book, linker: Linker) -> str:
    """One row a feature; a domain is named in the first of its rows."""
    page = book.layout.index
    rows = (
        [
            link(text_to_markdown(domain.title), linker.page(page, domain.page)) if at == 0 else "",
            link(text_to_markdown(feature.title), linker.page(page, feature.page)),
            sentence(feature.feature.description),
            str(len(feature.use_cases)),
            tally(feature.steps),
            score_text(feature.score),
        ]
        for domain in book.domains
        for at, feature in enumerate(domain.features)
    )
    return table(["Domain", "Feature", "What it is", "Use cases", "Steps", "Confidence"], rows)


def _legend() -> str:
    rows = ([f"{SIGNS[verdict]} {verdict}", meaning] for verdict, meaning in MEANING.items())
    return table(["Verdict", "Meaning"], rows)


# -- a domain


def domain_page(book: Book, linker: Linker, domain: DomainChapter) -> bytes:
    page = domain.page
    return page_text(
        [
            GENERATED_LINE,
            page_marker(book.run),
            link(text_to_markdown(book.name), linker.page(page, book.layout.index)),
            f"# {text_to_markdown(domain.title)}",
            paragraphs(domain.domain.description),
            f"{counted(len(domain.features), 'feature')}, {counted(len(domain.use_cases), 'use case')}; "
            f"confidence {score_text(domain.score)} ({tally_in_words(domain.steps) or 'no step'}).",
            *(block for feature in domain.features for block in _feature_in_domain(feature, linker, page)),
        ]
    )


def _feature_in_domain(feature: FeatureChapter, linker: Linker, page: str) -> Iterator[str]:
    yield f"## {link(text_to_markdown(feature.title), linker.page(page, feature.page))}"
    yield paragraphs(feature.feature.description)
    yield bullets(_in_one_line(use_case, linker, page) for use_case in feature.use_cases)


def _in_one_line(it: JudgedUseCase, linker: Linker, page: str) -> str:
    said = sentence(it.use_case.description)
    title = link(text_to_markdown(it.title), linker.page(page, it.page))
    return f"{title}{f': {said}' if said else ''} {tally(it.steps)}".rstrip()


# -- a feature


def feature_page(book: Book, linker: Linker, domain: DomainChapter, feature: FeatureChapter) -> bytes:
    page = feature.page
    trail = ((book.name, book.layout.index), (domain.title, domain.page))
    return page_text(
        [
            GENERATED_LINE,
            page_marker(book.run),
            " › ".join(link(text_to_markdown(title), linker.page(page, target)) for title, target in trail),
            f"# {text_to_markdown(feature.title)}",
            paragraphs(feature.feature.description),
            f"{counted(len(feature.use_cases), 'use case')}; "
            f"confidence {score_text(feature.score)} ({tally_in_words(feature.steps) or 'no step'}).",
            "## Use cases",
            _use_cases_table(feature, linker),
            *_entry_points(book, feature, linker),
            *_files(feature, linker),
        ]
    )


def _use_cases_table(feature: FeatureChapter, linker: Linker) -> str:
    rows = (
        [
            link(text_to_markdown(it.title), linker.page(feature.page, it.page)),
            text_to_markdown(it.use_case.primary_actor),
            sentence(it.use_case.description),
            tally(it.steps),
            score_text(it.score),
        ]
        for it in feature.use_cases
    )
    return table(["Use case", "Who", "What", "Steps", "Confidence"], rows)


def _entry_points(book: Book, feature: FeatureChapter, linker: Linker) -> Iterator[str]:
    doors = [
        (label, entry)
        for it in feature.use_cases
        for label in it.use_case.entry_points
        for entry in book.doors_of(it.use_case, label) or (None,)
    ]
    told = {(label, entry.handler if entry else None): (label, entry) for label, entry in doors}.values()
    rows = [[code(label), _handler(entry, feature.page, linker)] for label, entry in told]
    if rows:
        yield "## Entry points"
        yield table(["Entry point", "Handled by"], rows)


def _handler(entry: EntryPoint | None, page: str, linker: Linker) -> str:
    """The last name of the handler, and its file without folders: the link leads to the whole path."""
    if entry is None:
        return ""
    handler = entry.handler
    if handler.path is None:
        return f"{code(handler.symbol)}, in another package"
    ref = SourceRef(path=handler.path, start_line=handler.start_line, end_line=handler.end_line)
    short = label_of(replace(ref, path=handler.path.rsplit("/", 1)[-1]))
    name = NAMELESS_TOLD if handler.nameless else code(re.split(r"[.#:]+", handler.symbol)[-1])
    return f"{name} in {link(code(short), linker.lines(page, ref))}"


def _files(feature: FeatureChapter, linker: Linker) -> Iterator[str]:
    cited = Counter(ref.path for judged in feature.steps for ref in judged.step.source_refs)
    ranked = sorted(cited.items(), key=lambda item: (-item[1], item[0]))
    if ranked:
        yield "## Code"
        rows = (
            [link(code(path), linker.lines(feature.page, SourceRef(path=path))), str(times)]
            for path, times in ranked[:MAX_FILES]
        )
        yield table(["File", "Citations"], rows)
        if len(ranked) > MAX_FILES:
            yield f"and {counted(len(ranked) - MAX_FILES, 'other file')}."
