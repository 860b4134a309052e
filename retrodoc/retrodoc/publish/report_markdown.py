"""`retrodoc report --format md`: the confidence report for a pull request or a page."""

from __future__ import annotations

from collections.abc import Iterator

from retrodoc.publish.coverage import accounting_line
from retrodoc.publish.prose import SIGNS, bullets, code, page_text, score_text, table
from retrodoc.publish.report import Concern, Report
from retrodoc.publish.wording import MEANING, counted
from retrodoc_checks.findings import Verdict
from retrodoc_runs.readers.own_pages import text_to_markdown


def report_markdown(report: Report) -> str:
    """The whole report as Markdown, ending in one line feed."""
    return page_text(
        [
            f"# Confidence report: {text_to_markdown(report.name)}",
            bullets(_totals(report)),
            "## Use cases" if report.use_cases else "",
            _use_cases(report),
            *_concerns(report),
            *_not_read(report),
            "## What the verdicts mean",
            table(["Verdict", "Meaning"], ([f"{SIGNS[verdict]} {verdict}", MEANING[verdict]] for verdict in Verdict)),
        ]
    ).decode()


def _totals(report: Report) -> Iterator[str]:
    source = f"commit {code(report.commit[:10])}" if report.commit else "the work tree"
    drafter = "outlined without a model" if report.drafter == "outline" else text_to_markdown(report.drafter)
    yield f"Run {code(report.run)} of {source}, {drafter}{'' if report.complete else ', not complete'}"
    yield (
        f"**Score {score_text(report.score)}** of 1; {counted(len(report.use_cases), 'use case')}, "
        f"{counted(report.steps, 'step')}: {_tally(report.counts) or 'nothing was checked'}"
    )
    alerts = counted(len(report.alerts), "use case") if report.alerts else "No use case"
    yield f"{alerts} can be under the threshold of {report.threshold:g}"
    if report.unscored:
        yield f"{counted(len(report.unscored), 'use case')} without a step: not scored"
    yield f"Entry points: {text_to_markdown(accounting_line(report.accounting))}"


def _use_cases(report: Report) -> str:
    rows = (
        [
            text_to_markdown(it.title),
            text_to_markdown(it.feature),
            f"{'⚠️ ' if it.alert else ''}{score_text(it.score)}",
            _tally(it.counts),
        ]
        for it in report.use_cases
    )
    return table(["Use case", "Feature", "Score", "Steps"], rows)


def _concerns(report: Report) -> Iterator[str]:
    worried = [it for it in report.use_cases if it.concerns]
    if worried:
        yield "## What needs a look, and why"
    for it in worried:
        yield f"### {text_to_markdown(it.title)}"
        yield bullets(_concern(concern) for concern in it.concerns)


def _concern(concern: Concern) -> str:
    why = "; ".join(text_to_markdown(sentence) for sentence in concern.why)
    cited = f" ({', '.join(code(label) for label in concern.citations)})" if concern.citations else ""
    said = f"; a model says **{concern.judgement}**" if concern.judgement else ""
    return f"{SIGNS[concern.verdict]} step {concern.order}{cited}: {why}{said}"


def _not_read(report: Report) -> Iterator[str]:
    if report.unread:
        yield "## Not read as source"
        yield bullets(f"{text_to_markdown(reason)}: {count}" for reason, count in report.unread_by_reason)
    if report.set_aside:
        yield "## Set aside for a person"
        yield bullets(
            f"{text_to_markdown(f'{it.kind} {it.slug}')}: {text_to_markdown(it.reason)}" for it in report.set_aside
        )
    if report.passes:
        yield "## Answers of the model"
        yield table(
            ["Pass", "Units", "Answers", "Repair rate", "Tries per unit"],
            (
                [
                    stats.task,
                    str(stats.units),
                    str(stats.answers),
                    f"{'⚠️ ' if stats.alert else ''}{stats.repair_rate:.0%}",
                    f"{stats.tries_per_unit:.2f}",
                ]
                for stats in report.passes
            ),
        )
    if report.notes:
        yield "## Notes"
        yield bullets(text_to_markdown(note) for note in report.notes)


def _tally(counts: dict[Verdict, int]) -> str:
    return " ".join(f"{SIGNS[verdict]} {counts[verdict]}" for verdict in Verdict if counts[verdict])
