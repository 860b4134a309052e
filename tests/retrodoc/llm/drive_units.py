"""Drafts N units against a model server, saving each as it completes; may be killed at any moment and run again.

Run as a program by the tests: `drive_units.py FOLDER PROTOCOL BASE_URL UNITS CONCURRENCY CEILING`.
"""

from __future__ import annotations

import json
import os
import sys
from decimal import Decimal
from pathlib import Path

from retrodoc.errors import RetroDocError
from retrodoc.llm.asker import Job
from retrodoc.llm.ledger import Ledger
from retrodoc.llm.pace import Backoff
from retrodoc.llm.settings import LlmSettings, PriceSetting
from retrodoc.llm.setup import choose, make_asker
from retrodoc.prompts import load_prompt
from retrodoc.prompts.models import Door, Slice, UseCasesIn, UseCasesOut
from retrodoc_runs.models import SetAside

PRICE = PriceSetting(input=Decimal(3), output=Decimal(15), cache_read=Decimal("0.3"), cache_write=Decimal("3.75"))


def unit_inputs(number: int) -> UseCasesIn:
    code = "".join(f"def handler_{number}_{line}(order):\n    return order.total * {line}\n" for line in range(1, 9))
    return UseCasesIn(
        language="en",
        domain="Orders",
        feature=f"Feature {number}",
        entry_points=tuple(Door(number=n, label=f"GET /unit/{number}/{n}") for n in (1, 2)),
        slices=(Slice(path=f"shop/unit_{number}.py", start_line=11, text=code),),
    )


def settings_for(protocol: str, url: str, concurrency: int) -> LlmSettings:
    return LlmSettings(
        provider=protocol,
        model="test-model",
        base_url=url,
        prices={"test-model": PRICE},
        concurrency=concurrency,
        timeout_seconds=1.0,
        call_tries=10,
        pause_after=40,
    )


def run(folder: Path, settings: LlmSettings, units: int, ceiling: Decimal) -> int:
    """Exit code: 0 all units have a result, 2 something stopped the run."""
    done = folder / "units"
    done.mkdir(parents=True, exist_ok=True)
    prompt = load_prompt("use_cases")
    names = [f"unit-{n}" for n in range(units)]
    jobs = [Job(prompt, unit_inputs(n), name) for n, name in enumerate(names) if not (done / f"{name}.json").exists()]
    chosen = choose(settings)
    assert chosen is not None
    ledger = Ledger(folder)
    with make_asker(chosen, settings, ledger, ceiling=ceiling) as asker:
        asker.caller.backoff = Backoff(first=0.005, longest=0.05)
        try:
            for job, answer in asker.ask_all(jobs):
                _save(done / f"{job.unit}.json", answer)
        except RetroDocError as error:
            print(f"error: {error.message}\n  {error.mend}", file=sys.stderr)
            return error.exit_code
    return 0


def _save(target: Path, answer: UseCasesOut | SetAside) -> None:
    partial = target.with_suffix(".part")
    partial.write_text(json.dumps({"set_aside": isinstance(answer, SetAside), "value": answer.model_dump(mode="json")}))
    partial.replace(target)


if __name__ == "__main__":
    os.environ.setdefault("RETRODOC_FORBID_NETWORK", "1")
    folder, protocol, url, units, concurrency, ceiling = sys.argv[1:]
    settings = settings_for(protocol, url, int(concurrency))
    raise SystemExit(run(Path(folder), settings, int(units), Decimal(ceiling)))
