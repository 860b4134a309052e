"""What the documentation covers and what it does not: nothing that was found is left without an account."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from retrodoc.accounting import Accounting, account
from retrodoc.publish.book import Book
from retrodoc.publish.links import Linker
from retrodoc.publish.marks import GENERATED_LINE
from retrodoc.publish.prose import bullets, code, link, page_text, score_text, table, tally_in_words
from retrodoc.publish.wording import counted
from retrodoc_runs.models import Run, SourceRef
from retrodoc_runs.readers.own_pages import page_marker, text_to_markdown
from retrodoc_runs.steps import label_of

MAX_UNREAD = 40
"""Paths listed for each reason; what is left out is counted."""


def coverage_page(book: Book, linker: Linker) -> bytes:
    run = book.run
    accounting = account(run.entry_points, run)
    page = book.layout.coverage
    return page_text(
        [
            GENERATED_LINE,
            page_marker(run),
            link(text_to_markdown(book.name), linker.page(page, book.layout.index)),
            "# Coverage report",
            *_entry_points(book, linker, accounting),
            *_confidence(book, linker),
            *_set_aside(run),
            *_unread(run),
            *_notes(book),
        ]
    )


def accounting_line(accounting: Accounting) -> str:
    """`total 20 = documented 17 + excluded 2 (test only) + unaccounted 1`."""
    parts = [f"documented {accounting.documented}"]
    parts += [f"excluded {count} ({reason})" for reason, count in accounting.excluded]
    parts.append(f"unaccounted {len(accounting.unaccounted)}")
    return f"total {accounting.total} = {' + '.join(parts)}"


def _entry_points(book: Book, linker: Linker, accounting: Accounting) -> Iterator[str]:
    run = book.run
    yield "## Entry points"
    if not accounting.total:
        yield "None was found: no rule knows this framework, and nothing is guessed."
        return
    line = accounting_line(accounting)
    yield text_to_markdown(f"{line[:1].upper()}{line[1:]}.")
    kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
    documented = {label for use_case in run.use_cases for label in use_case.entry_points}
    reasons = dict(run.excluded)
    for entry in run.entry_points:
        state = "documented" if entry.label in documented else "excluded" if entry.label in reasons else "open"
        kinds[entry.kind][state] += 1
    rows = (
        [kind, str(sum(states.values())), str(states["documented"]), str(states["excluded"]), str(states["open"])]
        for kind, states in sorted(kinds.items())
    )
    yield table(["Kind", "Total", "Documented", "Excluded", "Unaccounted"], rows)
    if accounting.unaccounted:
        yield "### Unaccounted"
        yield "No use case starts here, and nothing says why. Each is somebody's work to do."
        yield bullets(
            _with_place(label, entry.handler.path, book, linker)
            for label in dict.fromkeys(accounting.unaccounted)
            for entry in book.doors[label]
        )
    if run.excluded:
        yield "### Excluded"
        yield table(["Entry point", "Reason"], ([code(label), text_to_markdown(why)] for label, why in run.excluded))


def _with_place(label: str, path: str | None, book: Book, linker: Linker) -> str:
    if path is None:
        return f"{code(label)}, in another package"
    ref = SourceRef(path=path)
    return f"{code(label)} in {link(code(label_of(ref)), linker.lines(book.layout.coverage, ref))}"


def _confidence(book: Book, linker: Linker) -> Iterator[str]:
    yield "## Confidence"
    if not book.steps:
        yield "There is no step, so nothing was checked."
        return
    yield f"Score {score_text(book.score)} of 1: {tally_in_words(book.steps)}."
    rows = (
        [
            link(text_to_markdown(domain.title), linker.page(book.layout.coverage, domain.page)),
            str(len(domain.use_cases)),
            tally_in_words(domain.steps),
            score_text(domain.score),
        ]
        for domain in book.domains
    )
    yield table(["Domain", "Use cases", "Steps", "Score"], rows)


def _set_aside(run: Run) -> Iterator[str]:
    if run.set_aside:
        yield "## Set aside for a person"
        yield "These exhausted their tries; the rest went on without them."
        yield table(
            ["Pass", "Unit", "Reason"],
            ([text_to_markdown(it.kind), code(it.slug), text_to_markdown(it.reason)] for it in run.set_aside),
        )


def _unread(run: Run) -> Iterator[str]:
    yield "## Not read as source"
    if not run.unread:
        yield "Everything was read."
        return
    by_reason: defaultdict[str, list[str]] = defaultdict(list)
    for item in run.unread:
        by_reason[item.reason].append(item.path)
    yield table(
        ["Reason", "Files and folders"],
        ([text_to_markdown(reason), str(len(paths))] for reason, paths in sorted(by_reason.items())),
    )
    for reason, paths in sorted(by_reason.items()):
        yield f"### {text_to_markdown(reason)}"
        more = [f"and {len(paths) - MAX_UNREAD} more"] if len(paths) > MAX_UNREAD else []
        yield bullets([*(code(path) for path in paths[:MAX_UNREAD]), *more])


def _notes(book: Book) -> Iterator[str]:
    written = {feature.feature.slug for feature in book.features}
    empty = [feature.name or feature.slug for feature in book.run.features if feature.slug not in written]
    notes = [*book.run.notes, *(f"The feature {name} has no use case, so it has no page." for name in empty)]
    if notes:
        yield "## Notes"
        yield bullets(text_to_markdown(note) for note in notes)
    yield f"{counted(len(book.use_cases), 'use case')} in {counted(len(book.features), 'feature')}."
