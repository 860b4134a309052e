"""A run against a server that fails in every way: nothing is lost or doubled, and the ledger is never under the bill.

The server and its bill are real and apart from the program; the program is the whole of `retrodoc.llm`.
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest
from drive_units import run, settings_for
from model_server import ALL_FAULTS, ModelServer

from retrodoc.llm.ledger import CallRecord, Ledger

UNITS = 500
CEILING = Decimal(60)
EVENLY = dict.fromkeys(ALL_FAULTS, 0.3 / len(ALL_FAULTS))
DRIVER = Path(__file__).with_name("drive_units.py")


def faulty(seed: int) -> ModelServer:
    return ModelServer(faults=EVENLY, seed=seed, timeout_seconds=2.0)


def url_for(server: ModelServer, protocol: str) -> str:
    return server.url if protocol == "openai" else server.root


def check_units(folder: Path, count: int) -> list[dict[str, object]]:
    """Every unit has one result: finished, or set aside with a reason."""
    results = {path.stem: json.loads(path.read_text()) for path in (folder / "units").glob("*.json")}
    assert sorted(results) == sorted(f"unit-{n}" for n in range(count))
    aside = [result["value"] for result in results.values() if result["set_aside"]]
    assert all(value["reason"] for value in aside)
    for name, result in results.items():
        if not result["set_aside"]:  # and it is the unit's own answer, not another's
            paths = {
                ref["path"]
                for use_case in result["value"]["use_cases"]
                for step in use_case["steps"]
                for ref in step["source_refs"]
            }
            assert paths <= {f"shop/{name.replace('-', '_')}.py", "no/such/file.py"}
    return aside


def check_book(server: ModelServer, folder: Path, ceiling: Decimal = CEILING) -> dict[str, CallRecord]:
    """The ledger equals the bill where the usage is certain, is never under it elsewhere, and is under the ceiling."""
    ledger = Ledger(folder)
    records = {record.call: record for record in ledger.records()}
    assert len(records) == len(ledger.records()), "no call stands twice"
    for billed in server.bill:
        record = records[billed.call]
        if record.uncertain:
            assert record.cost == record.reserved >= billed.cost
        else:
            assert record.cost == billed.cost
    certain = sum((r.cost for r in records.values() if not r.uncertain), Decimal(0))
    certainly_billed = sum((b.cost for b in server.bill if not records[b.call].uncertain), Decimal(0))
    assert certain == certainly_billed, "nothing is booked that was not billed"
    assert server.billed <= ledger.spent() <= ceiling
    return records


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_every_unit_is_finished_or_set_aside_and_the_ledger_equals_the_bill(protocol: str, tmp_path: Path) -> None:
    with faulty(seed=8) as server:
        code = run(tmp_path, settings_for(protocol, url_for(server, protocol), 16), UNITS, CEILING)
        assert code == 0
        assert set(server.met) == set(ALL_FAULTS), "a fault that never happened was not tested: try another seed"
        aside = check_units(tmp_path, UNITS)
        records = check_book(server, tmp_path)
    assert len(aside) < UNITS / 20, "repair recovers nearly all"
    told_wrong = {b.call for b in server.bill if (b.fault or "").startswith("usage")}
    assert all(records[call].uncertain for call in told_wrong), "a usage that cannot be true is not believed"


@pytest.mark.timeout(600)
@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_killed_at_twenty_moments_and_resumed_it_loses_and_doubles_nothing(protocol: str, tmp_path: Path) -> None:
    chance = random.Random(20)
    reached = threading.Event()
    target = 0

    def on_call(count: int) -> None:
        if count >= target:
            reached.set()

    with faulty(seed=11) as server:
        server.on_call = on_call
        command = [sys.executable, str(DRIVER), str(tmp_path), protocol, url_for(server, protocol)]
        command += [str(UNITS), "16", str(CEILING)]
        kills = 0
        while kills < 20:
            reached.clear()
            target = server.calls + chance.randint(1, 22)
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
            assert reached.wait(120), "the run stopped calling before it was killed"
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
        assert len(list((tmp_path / "units").glob("*.json"))) < UNITS, "every kill fell into a run that had work left"
        target = 1 << 40
        last = subprocess.run(command, capture_output=True, text=True, check=False)
        assert last.returncode == 0, last.stderr
        check_units(tmp_path, UNITS)
        records = check_book(server, tmp_path)
    assert sum(1 for r in records.values() if r.outcome == "interrupted") >= 20
    answered = Counter(r.key for r in records.values() if r.outcome == "ok")
    assert max(answered.values()) == 1, "an answer that was kept is never paid for again"


@pytest.mark.parametrize("ceiling", [Decimal("0.15"), Decimal("0.5")])
def test_a_low_ceiling_stops_before_the_call_that_could_pass_it(
    ceiling: Decimal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with faulty(seed=3) as server:
        settings = settings_for("openai", server.url, 16)
        assert run(tmp_path, settings, 60, ceiling) == 2
        message = capsys.readouterr().err
        done = len(list((tmp_path / "units").glob("*.json")))
        assert f"; {done} of 60 units are done, {60 - done} are left" in message
        assert "What was done is saved; go on with a higher --max-cost." in message
        check_book(server, tmp_path, ceiling)
        before = server.calls
        assert run(tmp_path, settings, 60, ceiling) == 2, "resuming does not reset what was spent"
        assert server.calls - before <= 2, "at most what is left of the ceiling is used"
        check_book(server, tmp_path, ceiling)
        assert run(tmp_path, settings, 60, CEILING) == 0
        check_units(tmp_path, 60)
        check_book(server, tmp_path)
