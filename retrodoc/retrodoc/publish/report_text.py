"""`retrodoc report` in the terminal: a table of use cases, what needs a look and why, then the totals."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import IO, TYPE_CHECKING

from retrodoc.publish.coverage import accounting_line
from retrodoc.publish.llm_text import repair_lines
from retrodoc.publish.prose import score_text
from retrodoc.publish.report import Concern, Report
from retrodoc.publish.wording import MEANING, counted, plain
from retrodoc_checks.findings import Verdict

if TYPE_CHECKING:
    from rich.console import RenderableType

STYLES = {Verdict.VALID: "green", Verdict.DOUBTFUL: "yellow", Verdict.BROKEN: "red", Verdict.UNSUPPORTED: "magenta"}
MAX_CONCERNS = 6
"""Steps told for each use case; `-v` tells all."""
MAX_LISTED = 10
"""Entry points and set-aside units listed; the coverage report lists all."""
PIPED_WIDTH = 120
"""Columns where there is no terminal."""


def print_report(report: Report, file: IO[str], *, verbose: bool = False, quiet: bool = False) -> None:
    """Print it; `quiet` gives the totals alone, `verbose` every doubtful step of every use case."""
    from rich.console import Console

    width = None if file.isatty() else PIPED_WIDTH
    console = Console(file=file, width=width, highlight=False, markup=False, emoji=False)
    if not quiet:
        if report.use_cases:
            console.print(_table(report))
        for line in concerns(report, verbose=verbose):
            console.print(line, soft_wrap=True)
    for line in totals(report):
        console.print(line, soft_wrap=True)


def totals(report: Report) -> Iterator[str]:
    """The lines under the table."""
    verdicts = ", ".join(f"{report.counts[verdict]:,} {verdict}" for verdict in Verdict if report.counts[verdict])
    use_cases = counted(len(report.use_cases), "use case")
    if not report.steps:
        yield f"{plain(report.name)}: {use_cases} and no step, so nothing was checked"
    else:
        steps = counted(report.steps, "step")
        yield f"{plain(report.name)}: score {score_text(report.score)} of 1; {use_cases}, {steps}: {verdicts}"
        yield _alerts(report)
    if report.unscored:
        yield f"{counted(len(report.unscored), 'use case')} without a step: not scored"
    yield f"entry points: {plain(accounting_line(report.accounting))}"
    yield from _listed(report.accounting.unaccounted, "  unaccounted: ")
    if report.unread:
        told = ", ".join(f"{count:,} {plain(reason)}" for reason, count in report.unread_by_reason)
        yield f"not read: {counted(len(report.unread), 'path')} ({told})"
    yield from _listed([f"{it.kind} {it.slug}: {it.reason}" for it in report.set_aside], "set aside: ")
    if report.passes:
        yield "answers of the model, by pass:"
        yield from (f"  {line}" for line in repair_lines(report.passes))
    for note in report.notes:
        yield f"note: {plain(note)}"
    if not report.complete:
        yield "this run is not complete: `retrodoc generate` goes on with it"
    for verdict in Verdict:
        if report.counts[verdict]:
            yield f"{verdict}: {MEANING[verdict]}"


def _alerts(report: Report) -> str:
    if not report.alerts:
        return f"alerts: none, no use case can be under {report.threshold:g}"
    return f"alerts: {counted(len(report.alerts), 'use case')} can be under {report.threshold:g}, marked !"


def _listed(items: list[str] | tuple[str, ...], label: str) -> Iterator[str]:
    for item in items[:MAX_LISTED]:
        yield f"{label}{plain(item)}"
    if len(items) > MAX_LISTED:
        yield f"{label}and {len(items) - MAX_LISTED:,} more"


def concerns(report: Report, *, verbose: bool = False) -> Iterator[str]:
    """What needs a look, use case by use case."""
    for it in report.use_cases:
        if not it.concerns:
            continue
        yield f"{plain(it.title)} ({plain(it.slug)})"
        shown = it.concerns if verbose else it.concerns[:MAX_CONCERNS]
        for concern in shown:
            yield from _concern(concern)
        if len(it.concerns) > len(shown):
            yield f"  and {counted(len(it.concerns) - len(shown), 'step')} more (-v tells all)"
        yield ""


def _concern(concern: Concern) -> Iterator[str]:
    why = "; ".join(plain(sentence) for sentence in concern.why)
    cited = f" ({plain(', '.join(concern.citations[:3]))})" if concern.citations else ""
    yield f"  step {concern.order}, {concern.verdict}{cited}: {why}"
    if concern.judgement:
        yield f"    a model says {concern.judgement}{f': {plain(concern.rationale)}' if concern.rationale else ''}"


def _table(report: Report) -> RenderableType:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    shown = [verdict for verdict in Verdict if report.counts[verdict] or verdict is Verdict.VALID]
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    table.add_column("Use case", overflow="fold")
    for header in ("Score", *(verdict.capitalize() for verdict in shown)):
        table.add_column(header, justify="right", no_wrap=True)
    for (domain, feature), group in groupby(report.use_cases, key=lambda it: (it.domain, it.feature)):
        table.add_row(Text(plain(domain if domain == feature else f"{domain} / {feature}"), style="bold"))
        for it in group:
            counts = (Text(str(it.counts[verdict] or ""), style=STYLES[verdict]) for verdict in shown)
            score = Text(score_text(it.score), style="bold red" if it.alert else "")
            table.add_row(Text(f"{'!' if it.alert else ' '} {plain(it.title)}"), score, *counts)
    return table
