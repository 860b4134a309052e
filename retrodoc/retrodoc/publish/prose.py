"""The Markdown that pages are built from, in which a repository's own text can only be text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from retrodoc.publish.book import JudgedStep, count_verdicts
from retrodoc.publish.wording import interval_text
from retrodoc_checks.findings import Verdict
from retrodoc_checks.score import Score
from retrodoc_runs.readers.own_pages import text_to_markdown

SIGNS = {Verdict.VALID: "✅", Verdict.DOUBTFUL: "🟡", Verdict.BROKEN: "❌", Verdict.UNSUPPORTED: "⚪"}
"""One glance a step; the word always stands beside it."""


def page_text(blocks: Iterable[str]) -> bytes:
    """Blocks with an empty line between them; empty ones are left out."""
    return ("\n\n".join(block for block in blocks if block) + "\n").encode()


def paragraphs(text: str) -> str:
    """Text of one or more paragraphs, everything in it escaped but code spans."""
    return "\n\n".join(text_to_markdown(part) for part in re.split(r"\n\s*\n", text) if part.strip())


def sentence(text: str) -> str:
    """The first sentence of a text, escaped."""
    plain = " ".join(text.split())
    return text_to_markdown(re.split(r"(?<=[.!?])\s(?=\S)", plain, maxsplit=1)[0]) if plain else ""


def code(text: str) -> str:
    """A code span that shows exactly `text`, on one line."""
    text = " ".join(text.split())
    if not text:
        return ""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def link(label: str, target: str) -> str:
    """`label` is Markdown; `target` is percent-encoded. Brackets in a label must be escaped or in code."""
    return f"[{label}]({target})"


def table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells are Markdown of one line; a bar in a code span is escaped, as tables want it.

    A column in which every cell is empty is left out; without a row there is no table.
    """
    rows = [list(row) for row in rows]
    shown = [at for at in range(len(headers)) if any(row[at] for row in rows)]
    if not shown:
        return ""
    kept = [[row[at] for at in shown] for row in (headers, ["---"] * len(headers), *rows)]
    return "\n".join(_row(row) for row in kept)


def bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def score_text(score: Score | None) -> str:
    """`0.92`, or `0.67 to 1.00` while doubtful steps are unjudged; rounded down, so that only 1 is 1.00."""
    if score is None:
        return "not scored"
    return interval_text(score.low, score.high)


def tally(steps: Iterable[JudgedStep]) -> str:
    """`✅ 5 🟡 1`."""
    counts = count_verdicts(steps)
    return " ".join(f"{SIGNS[verdict]} {counts[verdict]}" for verdict in Verdict if counts[verdict])


def tally_in_words(steps: Iterable[JudgedStep]) -> str:
    """`5 valid, 1 doubtful`."""
    counts = count_verdicts(steps)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_BARE_BAR.sub(chr(92) + '|', cell.replace(chr(10), ' ')) for cell in cells)} |"


_BARE_BAR = re.compile(r"(?<!\\)\|")
