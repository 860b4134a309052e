"""`retrodoc check` in the terminal: what needs a look, then the totals, and what was left aside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from retrodoc.checking.result import CheckResult, MovedCitation, StepResult
from retrodoc.publish.wording import (
    MEANING,
    STATUSES,
    became,
    counted,
    explain,
    interval_text,
    is_false_by_one_line,
    plain,
)
from retrodoc_checks.findings import Verdict
from retrodoc_runs.models import SourceRef
from retrodoc_runs.steps import label_of

COLOURS = {Verdict.VALID: "32", Verdict.DOUBTFUL: "33", Verdict.BROKEN: "31", Verdict.UNSUPPORTED: "35"}
MAX_TEXT = 100
"""Characters of a step that are shown."""
MAX_LISTED = 20
"""Of what could not be read, and of what was left out; the JSON lists all."""


def check_text(
    result: CheckResult, *, quiet: bool = False, verbose: bool = False, colour: bool = False
) -> Iterator[str]:
    """Lines without their ends. `quiet` gives the totals alone, `verbose` the valid steps as well."""
    if not quiet:
        yield from _steps(result, verbose=verbose, colour=colour)
        yield from _aside(result, verbose=verbose)
    yield from _totals(result, colour=colour)


def _steps(result: CheckResult, *, verbose: bool, colour: bool) -> Iterator[str]:
    scores = {score.slug: score for score in result.use_cases}
    for slug, group in groupby(result.steps, key=lambda step: step.use_case):
        steps = list(group)
        shown = [step for step in steps if verbose or _needs_a_look(step)]
        if not shown:
            continue
        score = scores[slug]
        interval = interval_text(score.score_low, score.score_high)
        yield f"{plain(slug)}  score {interval}, {counted(len(steps), 'step')}"
        for step in shown:
            yield from _step(step, colour=colour)
        yield ""


def _needs_a_look(step: StepResult) -> bool:
    return step.finding.verdict is not Verdict.VALID or any(
        citation.status in ("moved", "changed", "gone") for citation in step.citations
    )


def _step(step: StepResult, *, colour: bool) -> Iterator[str]:
    verdict = step.finding.verdict
    where = f"{step.page}:{step.line}" if step.page and step.line else f"step {step.order}"
    text = plain(step.text) or "(no text of its own)"
    text = text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
    yield f"  {_coloured(f'{verdict.value:<11}', verdict, colour)} {plain(where)}  {text}"
    refs = [citation.ref for citation in step.citations]
    for sentence in explain(step.finding, refs):
        yield f"              {plain(sentence)}"
    if step.status == "wrong-from-the-start":
        yield "              it was wrong from the start, at the commit it was written for"
    for citation in step.citations:
        if citation.status in ("moved", "changed", "gone"):
            yield f"              {plain(became(citation))}"


def _aside(result: CheckResult, *, verbose: bool) -> Iterator[str]:
    if result.unparsed:
        looks = "looks like a citation" if len(result.unparsed) == 1 else "look like citations"
        yield f"{counted(len(result.unparsed), 'text')} that {looks} and cannot be read:"
        for one in result.unparsed[:MAX_LISTED]:
            yield f"  {plain(one.page)}:{one.line}  {plain(one.text)[:MAX_TEXT]}"
        yield from _more(len(result.unparsed))
        yield ""
    if result.left_out:
        yield f"{counted(len(result.left_out), 'file')} not read (name one to have it read):"
        for path, reason in result.left_out[:MAX_LISTED]:
            yield f"  {plain(path)}  {reason}"
        yield from _more(len(result.left_out))
        yield ""
    yield from _moved(result.moved, verbose=verbose)
    for repository, count in sorted(result.foreign.items()):
        yield f"{counted(count, 'citation')} of {plain(repository)}, another repository: counted, not judged"
    if result.unscored:
        names = plain(", ".join(result.unscored[:MAX_LISTED]))
        yield f"{counted(len(result.unscored), 'use case')} without a step: {names}"


def _moved(citations: Sequence[MovedCitation], *, verbose: bool) -> Iterator[str]:
    if not citations:
        return
    yield f"{counted(len(citations), 'citation')} not judged, since the change only moved what is cited:"
    shown = citations if verbose else citations[:MAX_LISTED]
    for one in shown:
        start, end = one.new_lines
        now = label_of(SourceRef(path=one.ref.path, start_line=start, end_line=end))
        yield f"  {plain(one.page)}:{one.line}  {plain(label_of(one.ref))} is at {plain(now)} by now"
    if len(shown) < len(citations):
        yield f"  and {len(citations) - len(shown):,} more (--verbose lists all)"
    yield ""


def _more(count: int) -> Iterator[str]:
    if count > MAX_LISTED:
        yield f"  and {count - MAX_LISTED:,} more (--format json lists all)"


def _totals(result: CheckResult, *, colour: bool) -> Iterator[str]:
    count = result.count()
    parts = [_coloured(f"{count[verdict]:,} {verdict.value}", verdict, colour) for verdict in Verdict if count[verdict]]
    use_cases = counted(
        len(result.use_cases), "page" if result.kind in ("markdown", "openwiki", "mixed") else "use case"
    )
    yield f"{counted(len(result.steps), 'step')} in {use_cases}: {', '.join(parts) or 'none to judge'}"
    by_one = sum(is_false_by_one_line(step.finding) for step in result.steps)
    if by_one:
        of = "of the broken steps cites" if by_one == 1 else "of the broken steps cite"
        yield f"{by_one:,} {of} only one line too many: what follows a file's last line feed is no line"
    statuses = [citation.status for step in result.steps for citation in step.citations if citation.status]
    if statuses:
        counts = Counter(statuses)
        known = [f"{number:,} {words}" for status, words in STATUSES.items() if (number := counts[status])]
        yield f"{counted(len(statuses), 'citation')} compared: {', '.join(known)}"
    if result.untouched:
        since = (result.base or "")[:12]
        yield f"{counted(result.untouched, 'step')} not judged: nothing that they cite changed since {since}"
    yield _what_was_read(result)
    if result.pinned:
        names = ", ".join(plain(commit)[:12] for commit in result.pinned[:MAX_LISTED])
        commits = "commit" if len(result.pinned) == 1 else f"{len(result.pinned):,} commits"
        yield f"permalinks were read at the {commits} that they name: {names}"
    if _is_of_old(result):
        yield f"HEAD is {(result.head or '')[:12]} by now: --at HEAD says what became of each citation"
    if count[Verdict.DOUBTFUL]:
        yield f"doubtful: {MEANING[Verdict.DOUBTFUL]}"


def _is_of_old(result: CheckResult) -> bool:
    """Whether what was judged is not what the repository is today, and nobody asked for the difference."""
    if result.head is None or result.checked_at_commit is None:
        return False
    pinned = any(not result.head.startswith(commit) for commit in result.pinned)
    return pinned or (result.commit is not None and result.head != result.checked_at_commit)


def _what_was_read(result: CheckResult) -> str:
    if result.worktree:
        return f"read: the work tree of {plain(result.repository)}"
    note = " (the work tree differs; --worktree reads it)" if result.dirty else ""
    written = (
        f", written for {result.commit[:12]}" if result.commit and result.commit != result.checked_at_commit else ""
    )
    return f"read: commit {(result.checked_at_commit or '')[:12]} of {plain(result.repository)}{written}{note}"


def _coloured(text: str, verdict: Verdict, colour: bool) -> str:
    return f"\x1b[{COLOURS[verdict]}m{text}\x1b[0m" if colour else text
