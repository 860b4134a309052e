"""What becomes of answers that meet each kind of fault: repaired how often, recovered how many. See README.md here."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "retrodoc" / "llm"))

from drive_units import run, settings_for
from embedded_questions import QUESTIONS
from model_server import ALL_FAULTS, ModelServer

from retrodoc.llm.ledger import Ledger
from retrodoc.llm.settings import LlmSettings
from retrodoc.llm.setup import choose, make_asker
from retrodoc_runs.models import SetAside

UNITS = 60
SHARE = 0.5
SEED = 5
CEILING = Decimal(1000)


@dataclass(frozen=True)
class Row:
    fault: str
    hit: int
    units_hit: int
    no_call: int
    again: int
    repaired: int
    kept: int
    aside: int
    over: float


def measure(fault: str) -> Row:
    with (
        ModelServer(faults={fault: SHARE}, seed=SEED, timeout_seconds=1.5) as server,
        tempfile.TemporaryDirectory() as name,
    ):
        folder = Path(name)
        # Every second call fails: patience enough that none of them stops the run.
        settings = settings_for("openai", server.url, 8).model_copy(update={"call_tries": 20, "pause_after": 999})
        code = run(folder, settings, UNITS, CEILING)
        if code != 0:
            raise SystemExit(f"{fault}: the run was stopped")
        ledger = Ledger(folder)
        results = [json.loads(path.read_text()) for path in (folder / "units").glob("*.json")]
        aside = sum(result["set_aside"] for result in results)
        kept = sum(
            "no/such/file.py" in json.dumps(r) or "99999" in json.dumps(r) for r in results if not r["set_aside"]
        )
        hit = server.met[fault]
        flawed = sum(record.outcome != "ok" for record in ledger.records())
        over = float((ledger.spent() - server.billed) / server.billed) * 100
        calls = Counter(record.unit for record in ledger.records())
        units_hit = {r.unit for r in ledger.records() if r.outcome != "ok" or r.cleaned or r.uncertain}
        return Row(
            fault,
            hit,
            len(units_hit),
            hit - flawed,
            server.calls - UNITS,
            sum(count > 1 for count in calls.values()),
            kept,
            aside,
            over,
        )


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    table = [list(header), *[list(row) for row in rows]]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    for number, row in enumerate(table):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |")
        if number == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")


def faults_table() -> None:
    rows = [measure(fault) for fault in ALL_FAULTS]
    print(f"{UNITS} units a kind, {SHARE:.0%} of the calls hit, seed {SEED}\n")
    print_table(
        ("fault", "hit", "units hit", "no call", "again", "repair rate", "recovered", "kept", "aside", "over the bill"),
        [
            (
                row.fault,
                str(row.hit),
                str(row.units_hit),
                str(row.no_call),
                str(row.again),
                f"{row.repaired / UNITS:.0%}",
                f"{(row.units_hit - row.kept - row.aside) / row.units_hit:.0%}",
                str(row.kept),
                str(row.aside),
                f"{row.over:.0f} %",
            )
            for row in rows
        ],
    )


def embedded_table(model: str) -> None:
    """First answers of a real model, with the grammar and without."""
    rows = []
    for structured in (True, False):
        settings = LlmSettings(provider="local", model=model, context_size=4096, structured=structured)
        chosen = choose(settings)
        assert chosen is not None
        ledger = Ledger()
        began = time.monotonic()
        with make_asker(chosen, settings, ledger) as asker:
            answers = [asker.ask(prompt, inputs, unit) for unit, prompt, inputs in QUESTIONS]
        first = [record for record in ledger.records() if record.turn == 0]
        valid = sum(record.outcome == "ok" for record in first)
        strict = sum(record.outcome == "ok" and not record.cleaned for record in first)
        written = sum(record.output_tokens for record in ledger.records())
        rows.append(
            (
                "with" if structured else "without",
                str(len(QUESTIONS)),
                f"{strict / len(first):.0%}",
                f"{valid / len(first):.0%}",
                f"{len(ledger.records()) / len(QUESTIONS):.1f}",
                str(sum(isinstance(answer, SetAside) for answer in answers)),
                f"{time.monotonic() - began:.0f}",
                f"{written / sum(record.seconds for record in ledger.records()):.0f}",
            )
        )
    print(f"\n{Path(model).name}\n")
    print_table(
        ("grammar", "questions", "strict JSON at once", "valid at once", "tries", "aside", "seconds", "tokens/s"), rows
    )


if __name__ == "__main__":
    os.environ["RETRODOC_FORBID_NETWORK"] = "1"
    faults_table()
    if file := os.environ.get("RETRODOC_TEST_GGUF"):
        embedded_table(file)
