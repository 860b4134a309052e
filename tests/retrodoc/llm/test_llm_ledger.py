"""The book of a run: written before and after each call, right after any crash, never half a line."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import textwrap
from decimal import Decimal
from pathlib import Path

import pytest

from retrodoc.errors import RunError
from retrodoc.llm.ledger import CALLS, RESERVATIONS, CallRecord, KeptAnswer, Ledger, Reservation, read_records
from retrodoc.llm.provider import StopReason


def reservation(call: str = "c1", key: str = "ab12", cost: str = "0.5") -> Reservation:
    return Reservation(
        call=call, task="judge", unit="u", provider="openai", model="m", key=key,
        input_bound=100, max_tokens=10, cost=Decimal(cost),
    )  # fmt: skip


def record(call: str = "c1", cost: str = "0.1") -> CallRecord:
    return CallRecord(
        call=call, task="judge", unit="u", provider="openai", model="m", key="ab12", outcome="ok", cost=Decimal(cost)
    )


def answer(call: str = "c1", cost: str = "0.2", uncertain: bool = False) -> KeptAnswer:
    usage = {"input_tokens": 7, "output_tokens": 3, "cache_read_tokens": 0, "cache_write_tokens": 0}
    return KeptAnswer(
        call=call, key="ab12", model="m", stop_reason=StopReason.END, text="{}",
        usage=None if uncertain else usage, cost=Decimal(cost), uncertain=uncertain,
    )  # fmt: skip


def test_a_call_is_one_line_and_its_reservation_stands_in_another_book(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.reserve(reservation())
    assert len((tmp_path / RESERVATIONS).read_text().splitlines()) == 1
    assert not (tmp_path / CALLS).exists()
    ledger.settle(record())
    (line,) = (tmp_path / CALLS).read_text().splitlines()
    assert json.loads(line)["cost"] == "0.1"
    assert Ledger(tmp_path).spent() == Decimal("0.1")


def test_a_reservation_without_a_line_after_it_stands_and_is_uncertain(tmp_path: Path) -> None:
    Ledger(tmp_path).reserve(reservation())
    (found,) = Ledger(tmp_path).records()
    assert (found.outcome, found.cost, found.uncertain) == ("interrupted", Decimal("0.5"), True)
    assert len(Ledger(tmp_path).records()) == 1, "it is closed once"


def test_a_crash_between_answer_and_line_costs_what_the_answer_cost(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.reserve(reservation())
    ledger.keep(answer())
    (found,) = Ledger(tmp_path).records()
    assert (found.outcome, found.cost, found.uncertain) == ("ok", Decimal("0.2"), False)
    assert found.usage.total == 10


def test_an_answer_of_another_call_settles_nothing(tmp_path: Path) -> None:
    """The same request, sent twice: the first was answered and the second was cut short."""
    ledger = Ledger(tmp_path)
    ledger.keep(answer("c0"))
    ledger.reserve(reservation("c1"))
    (found,) = Ledger(tmp_path).records()
    assert found.uncertain


@pytest.mark.parametrize("book", [CALLS, RESERVATIONS])
def test_a_line_that_a_crash_cut_short_is_dropped(book: str, tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.reserve(reservation())
    ledger.settle(record())
    with (tmp_path / book).open("a") as out:
        out.write('{"call": "c2", "ta')
    again = Ledger(tmp_path)
    assert again.spent() == Decimal("0.1")
    again.reserve(reservation("c3"))
    again.settle(record("c3"))
    assert Ledger(tmp_path).spent() == Decimal("0.2")


def test_a_damaged_line_is_an_error_that_names_the_book(tmp_path: Path) -> None:
    (tmp_path / CALLS).write_text('{"call": 1}\n')
    with pytest.raises(RunError, match=r"calls\.jsonl is damaged"):
        Ledger(tmp_path)


def test_half_an_answer_is_no_answer(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.keep(answer())
    (path,) = (tmp_path / "answers").rglob("*.json")
    path.write_text(path.read_text()[:20])
    assert Ledger(tmp_path).answer("ab12") is None


def test_reading_the_costs_changes_nothing(tmp_path: Path) -> None:
    """The run may be under way in another process."""
    Ledger(tmp_path).reserve(reservation())
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert read_records(tmp_path)[0].uncertain
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_the_books_are_for_their_owner_alone(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.reserve(reservation())
    ledger.keep(answer())
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert {path.stat().st_mode & 0o077 for path in files} == {0}


FULL_DISK = textwrap.dedent(
    """
    import resource, signal, sys
    from pathlib import Path
    sys.path.insert(0, sys.argv[2])
    from test_llm_ledger import reservation
    from retrodoc.errors import OutputError
    from retrodoc.llm.ledger import Ledger

    ledger = Ledger(Path(sys.argv[1]))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (700, 700))
    try:
        for number in range(10):
            ledger.reserve(reservation(f"c{number}"))
    except OutputError as error:
        print(number, error.message)
    """
)


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="this system limits no file's size")
def test_a_full_disk_leaves_whole_lines_and_says_so(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path / "run"), str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    written, message = done.stdout.split(" ", 1)
    assert "reservations.jsonl could not be written" in message
    assert int(written) >= 1
    assert len(Ledger(tmp_path / "run").records()) == int(written)
