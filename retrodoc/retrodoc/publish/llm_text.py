"""How the model layer's facts read in a terminal: the diagnosis, the costs, the repair rates."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from retrodoc.publish.wording import plain

if TYPE_CHECKING:
    from retrodoc.llm.diagnosis import Diagnosis
    from retrodoc.llm.stats import CostRow, PassStats


def diagnosis_text(diagnosis: Diagnosis) -> str:
    """Of `retrodoc doctor`."""
    lines = ["Providers"]
    name = "" if diagnosis.chosen_problem else (diagnosis.chosen or "").split(":", 1)[0]
    for state in diagnosis.providers:
        mark = "usable    " if state.usable else "not usable"
        chosen = "  (chosen)" if name == state.name else ""
        lines.append(f"  {state.name:<10} {mark}  {state.reason}{chosen}")
    if diagnosis.chosen is None:
        lines.append("  none is chosen: the outline is drafted from the code itself")
    elif diagnosis.chosen_problem is not None:
        lines.append(f"  not usable as it is chosen: {plain(diagnosis.chosen_problem)}")
    file = diagnosis.model_file
    if file is not None:
        lines += [
            "",
            "Model file",
            f"  path       {file.path}",
            f"  name       {file.name or 'not said'}" + (f" ({file.parameters})" if file.parameters else ""),
            f"  size       {file.size / 1_000_000:.0f} MB",
            f"  context    {f'{file.context} tokens' if file.context else 'not said'}",
            f"  licence    {file.licence or 'not said in the file'}",
        ]
        if not file.chat_template:
            lines.append("  it has no chat template: it may be no instruction model")
    elif diagnosis.model_file_problem:
        lines += ["", "Model file", f"  {diagnosis.model_file_problem}"]
    lines += ["", "Prices", f"  {diagnosis.prices}", "", "Grammars"]
    loaded = [state.language for state in diagnosis.grammars if state.problem is None]
    lines.append(f"  {', '.join(loaded) or 'none'}")
    lines += [f"  {s.language}: {s.problem}; its files are cut at blank lines" for s in diagnosis.grammars if s.problem]
    return "\n".join(lines)


def costs_text(by_pass: Sequence[CostRow], by_unit: Sequence[CostRow], stats: Sequence[PassStats]) -> str:
    """Of `retrodoc runs cost`."""
    if not by_pass:
        return "no model was called in this run"
    lines = _cost_table(("pass", "model"), by_pass)
    lines += ["", *_cost_table(("pass", "unit"), by_unit)]
    uncertain = sum((row.uncertain for row in by_pass), Decimal(0))
    if uncertain:
        lines += [
            "",
            f"${money(uncertain)} of this is uncertain: the server's usage did not arrive or could not be true, so the "
            "reservation stands. The bill is at most that.",
        ]
    lines += ["", *repair_lines(stats)]
    return "\n".join(lines)


def money(amount: Decimal) -> str:
    """Dollars with four decimals: calls cost fractions of a cent."""
    return f"{amount:.4f}"


def _cost_table(names: tuple[str, str], rows: Sequence[CostRow]) -> list[str]:
    header = (*names, "calls", "failed", "tokens in", "cached", "tokens out", "USD", "seconds")
    body = [
        (
            *row.key,
            str(row.calls),
            str(row.failed),
            str(row.usage.all_input),
            str(row.usage.cache_read_tokens),
            str(row.usage.output_tokens),
            money(row.cost),
            f"{row.seconds:.1f}",
        )
        for row in rows
    ]
    total = (
        "total",
        "",
        str(sum(row.calls for row in rows)),
        str(sum(row.failed for row in rows)),
        str(sum(row.usage.all_input for row in rows)),
        str(sum(row.usage.cache_read_tokens for row in rows)),
        str(sum(row.usage.output_tokens for row in rows)),
        money(sum((row.cost for row in rows), Decimal(0))),
        f"{sum(row.seconds for row in rows):.1f}",
    )
    return _aligned([header, *body, total])


def repair_lines(stats: Sequence[PassStats]) -> list[str]:
    """Tries, rates, the most frequent errors and the alerts, by pass; for costs and for the report."""
    header = ("pass", "units", "answers", "repaired", "rate", "tries per unit", "most frequent errors")
    body = [
        (
            each.task,
            str(each.units),
            str(each.answers),
            str(each.repaired_units),
            f"{each.repair_rate:.0%}",
            f"{each.tries_per_unit:.2f}",
            ", ".join(f"{path} ({count})" for path, count in (*each.error_paths[:2], *each.flaws[:1])) or "none",
        )
        for each in stats
    ]
    lines = _aligned([header, *body])
    for each in stats:
        if each.alert is not None:
            why = "is over 10 %" if each.alert.value == "high" else "has doubled since the run before"
            lines.append(f"ALERT: the repair rate of {each.task} {why} ({each.repair_rate:.0%})")
    return lines


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Columns, the first two and the last to the left, figures to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if cell[:1].isdigit() else cell.ljust(width)
            for cell, width in zip(row, widths, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return lines
