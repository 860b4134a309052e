"""One use case as a page: what happens in words first, then each step with its verdict and its lines."""

from __future__ import annotations

from collections.abc import Iterator

from retrodoc.publish.book import Book, DomainChapter, FeatureChapter, JudgedStep, JudgedUseCase
from retrodoc.publish.links import Linker
from retrodoc.publish.marks import GENERATED_LINE, OUTLINE_OPENING
from retrodoc.publish.mermaid import sequence_diagram
from retrodoc.publish.prose import (
    SIGNS,
    bullets,
    code,
    link,
    page_text,
    paragraphs,
    score_text,
    tally_in_words,
)
from retrodoc.publish.wording import counted, explain
from retrodoc_checks.findings import Verdict
from retrodoc_runs.models import EntryPoint, SourceRef
from retrodoc_runs.readers.own_pages import (
    END_MARKER,
    SOURCES_MARKER,
    TEXT_MARKER,
    page_marker,
    sources_to_markdown,
    step_marker,
    text_to_markdown,
)
from retrodoc_runs.steps import label_of

SYSTEM = "system"
WHAT_VALID_MEANS = (
    "*Valid* says that the names, numbers and routes of a step stand at the cited lines, as code. It does not say "
    "that the sentence is true: that is for a reader."
)


def use_case_page(
    book: Book, linker: Linker, domain: DomainChapter, feature: FeatureChapter, it: JudgedUseCase
) -> bytes:
    """The page's bytes; `retrodoc check` reads the steps back from its markers."""
    return page_text(
        [
            GENERATED_LINE,
            page_marker(book.run),
            _trail(book, linker, domain, feature, it),
            f"# {text_to_markdown(it.title)}",
            paragraphs(it.use_case.narrative or it.use_case.description),
            bullets(_facts(book, linker, it)),
            "## Steps" if it.steps else "",
            *(_step(linker, it, step) for step in it.steps),
            *_diagram(it),
            "## Confidence",
            *_confidence(book, it),
        ]
    )


def _trail(book: Book, linker: Linker, domain: DomainChapter, feature: FeatureChapter, it: JudgedUseCase) -> str:
    places = ((book.name, book.layout.index), (domain.title, domain.page), (feature.title, feature.page))
    return " › ".join(link(text_to_markdown(title), linker.page(it.page, page)) for title, page in places)


def _facts(book: Book, linker: Linker, it: JudgedUseCase) -> Iterator[str]:
    if it.use_case.primary_actor:
        yield f"**Who:** {text_to_markdown(it.use_case.primary_actor)}"
    doors = [
        _door(linker, it, label, entry)
        for label in it.use_case.entry_points
        for entry in book.doors_of(it.use_case, label) or (None,)
    ]
    if len(doors) == 1:
        yield f"**Starts at:** {doors[0]}"
    elif doors:
        yield "**Starts at:**" + "".join(f"\n  - {door}" for door in doors)
    yield f"**Confidence:** {score_text(it.score)}" + (f" ({tally_in_words(it.steps)})" if it.steps else "")
    if book.run.drafter != "outline" and not it.use_case.narrative.startswith(OUTLINE_OPENING):
        yield f"**Drafted by:** {text_to_markdown(book.run.drafter)}, a model; a program checked the citations"


def _door(linker: Linker, it: JudgedUseCase, label: str, entry: EntryPoint | None) -> str:
    handler = entry.handler if entry else None
    if handler is None or handler.path is None:
        return code(label)
    ref = SourceRef(path=handler.path, start_line=handler.start_line, end_line=handler.end_line)
    return f"{code(label)} in {link(code(label_of(ref)), linker.lines(it.page, ref))}"


def _step(linker: Linker, it: JudgedUseCase, judged: JudgedStep) -> str:
    step, finding = judged.step, judged.finding
    text = text_to_markdown(step.description)
    if step.action:
        text = f"**{text_to_markdown(step.action)}.** {text}"
    who = f"{text_to_markdown(step.actor.name)} · " if step.actor and step.actor.kind != SYSTEM else ""
    verdict = f"{SIGNS[finding.verdict]} {finding.verdict}"
    body = [text]
    if step.source_refs:
        sources = sources_to_markdown(step.source_refs, lambda ref: linker.lines(it.page, ref))
        body += [SOURCES_MARKER, f"{who}{verdict} · {sources}", END_MARKER]
    else:
        body += [END_MARKER, f"{who}{verdict}"]
    body.append(_remark(judged))
    number = f"{step.order}. " if 0 <= step.order < 10**9 else ""
    indent = " " * len(number)
    shown = "\n\n".join(part for part in body if part).replace("\n", f"\n{indent}").replace(f"\n{indent}\n", "\n\n")
    return "\n\n".join([step_marker(it.use_case.slug, step.order), TEXT_MARKER, f"{number}{shown}"])


def _remark(judged: JudgedStep) -> str:
    """Why a step is not valid, and what a model said of it."""
    parts: list[str] = []
    if judged.finding.verdict is not Verdict.VALID:
        parts += map(_sentence, explain(judged.finding))
    if judged.judgement is not None and judged.finding.verdict is Verdict.DOUBTFUL:
        said = judged.judgement
        why = f": {text_to_markdown(said.rationale)}" if said.rationale else ""
        parts.append(f"A model read the lines and says **{said.outcome}**{why}")
    return "<br>".join(parts)


def _sentence(text: str) -> str:
    return text_to_markdown(f"{text[:1].upper()}{text[1:]}.")


def _diagram(it: JudgedUseCase) -> Iterator[str]:
    steps = [judged.step for judged in it.steps]
    drawn = sequence_diagram(steps, [judged.finding.verdict for judged in it.steps], it.use_case.primary_actor)
    if drawn is not None:
        yield "## Sequence"
        yield f"```mermaid\n{drawn}\n```"
        if any(judged.finding.verdict is not Verdict.VALID for judged in it.steps):
            yield "A dashed arrow is a step that the checks doubt; a crossed one cites what is not there."


def _confidence(book: Book, it: JudgedUseCase) -> Iterator[str]:
    if it.score is None:
        yield "This use case has no step, so nothing of it could be checked."
        return
    valid = sum(judged.finding.verdict is Verdict.VALID for judged in it.steps)
    said = f"{valid} of {counted(len(it.steps), 'step')} valid, score {score_text(it.score)} of 1."
    yield f"{said} {_meaning(book, it)}".rstrip()
    yield WHAT_VALID_MEANS


def _meaning(book: Book, it: JudgedUseCase) -> str:
    unread = sum(j.finding.verdict is Verdict.DOUBTFUL and j.judgement is None for j in it.steps)
    said = []
    if unread:
        said.append(
            f"{counted(unread, 'doubtful step')} waits for a reader"
            if unread == 1
            else f"{unread} doubtful steps wait for a reader"
        )
    if it.score is not None and it.score.alerts(book.threshold):
        said.append(f"the score can be under the alert threshold of {book.threshold:g}")
    text = "; ".join(said)
    return f"{text[:1].upper()}{text[1:]}." if text else ""
