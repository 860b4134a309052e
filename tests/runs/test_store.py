"""A saved run survives crashes, full disks, other processes and other programs' versions."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrodoc_runs import store as store_module
from retrodoc_runs.errors import RunLockedError, RunReadError, RunWriteError
from retrodoc_runs.models import Judgement, Run, SourceRef, Step, Unit, UseCase
from retrodoc_runs.store import RunStore

TIME = "2026-01-02T03:04:05Z"


def use_case(number: int) -> UseCase:
    ref = SourceRef(path=f"app/file_{number}.py", start_line=number + 1, end_line=number + 3)
    steps = tuple(Step(order=order, description=f"calls `f{order}` — é", source_refs=(ref,)) for order in range(1, 4))
    return UseCase(slug=f"use-case-{number}", steps=steps)


def run_with(count: int, run_id: str = "r1", **fields: object) -> Run:
    use_cases = tuple(use_case(number) for number in range(count))
    units = tuple(Unit(kind="use-cases", slug=case.slug, key="k") for case in use_cases)
    return Run(id=run_id, repository="shop", created_at=TIME, use_cases=use_cases, units=units, **fields)  # type: ignore[arg-type]


def grow(run: Run, number: int) -> Run:
    case = use_case(number)
    unit = Unit(kind="use-cases", slug=case.slug, key="k")
    return run.model_copy(update={"use_cases": (*run.use_cases, case), "units": (*run.units, unit)})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "shop/.retrodoc/runs"


def test_each_save_is_what_another_process_would_load(folder: Path) -> None:
    store, run = RunStore(folder), run_with(2)
    store.save(run)
    for number in range(2, 30):
        run = grow(run, number)
        store.save(run)
        assert RunStore(folder).load("r1") == run


def test_a_complete_run_is_run_json_and_calls_alone(folder: Path) -> None:
    store, run = RunStore(folder), run_with(1)
    store.save(run)
    store.save(grow(run, 1))
    assert (folder / "r1/units.jsonl").exists()
    store.append_call("r1", {"pass": "use-cases"})
    store.save(grow(run, 1).model_copy(update={"complete": True}))
    assert sorted(path.name for path in (folder / "r1").iterdir()) == ["calls.jsonl", "run.json"]
    assert json.loads((folder / "r1/run.json").read_bytes())["complete"] is True


def test_a_save_adds_what_is_new_and_does_not_rewrite_the_run(folder: Path) -> None:
    store, run = RunStore(folder), run_with(500)
    store.save(run)
    before = (folder / "r1/run.json").stat()
    store.save(grow(run, 500))
    assert (folder / "r1/run.json").stat().st_ino == before.st_ino
    assert (folder / "r1/units.jsonl").stat().st_size < before.st_size / 100


def test_the_journal_is_folded_in_before_it_outgrows_the_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "COMPACT_BYTES", 2_000)
    store, run, written = RunStore(folder), run_with(0), 0
    store.save(run)
    for number in range(200):
        run = grow(run, number)
        store.save(run)
        journal = folder / "r1/units.jsonl"
        if journal.exists():
            assert journal.stat().st_size <= max(2_000, (folder / "r1/run.json").stat().st_size) + 2_000
        else:
            written += 1
    assert 3 <= written <= 12
    assert RunStore(folder).load("r1") == run


def test_an_unchanged_run_writes_no_file(folder: Path) -> None:
    store, run = RunStore(folder), run_with(3)
    store.save(run)
    times = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    store.save(run_with(3))
    second = RunStore(folder)
    second.save(second.load("r1"))
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == times


def test_a_loaded_run_is_resumed_where_it_stopped(folder: Path) -> None:
    first, run = RunStore(folder), run_with(2)
    first.save(run)
    first.save(grow(run, 2))
    second = RunStore(folder)
    resumed = second.load("r1")
    second.save(grow(resumed, 3))
    assert [case.slug for case in RunStore(folder).load("r1").use_cases] == [f"use-case-{n}" for n in range(4)]


def test_replaced_and_shortened_fields_come_back_as_they_were_saved(folder: Path) -> None:
    store, run = RunStore(folder), run_with(3, notes=("a", "b"))
    store.save(run)
    judgement = Judgement(use_case="use-case-1", order=1, outcome="partial", model="m", key="k")
    changes: list[dict[str, object]] = [
        {"notes": ("b",)},
        {"notes": ()},
        {"language": "fr", "commit": "c" * 40},
        {"use_cases": run.use_cases[::-1]},
        {"judgements": (judgement,), "prompts": {"p": "1 abc"}},
        {"commit": None, "excluded": (("GET /x", "static"),)},
    ]
    for change in changes:
        run = run.model_copy(update=change)
        store.save(run)
        assert RunStore(folder).load("r1") == run


FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "use_cases": st.lists(st.integers(0, 30).map(use_case), max_size=4).map(tuple),
        "notes": st.lists(st.text(max_size=5), max_size=4).map(tuple),
        "language": st.sampled_from(["en", "fr"]),
        "commit": st.none() | st.just("a" * 40),
        "complete": st.booleans(),
        "prompts": st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=2),
    },
)


@settings(deadline=None, max_examples=60)
@given(changes=st.lists(FIELDS, max_size=6), cut=st.floats(0, 1))
def test_any_history_loads_as_its_last_save_and_cut_anywhere_as_an_earlier_one(
    changes: list[dict[str, object]], cut: float
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, history = Path(name), [run_with(1)]
        store = RunStore(folder)
        store.save(history[0])
        for change in changes:
            history.append(history[-1].model_copy(update=change))
            store.save(history[-1])
        assert RunStore(folder).load("r1") == history[-1]
        journal = folder / "r1/units.jsonl"
        if journal.exists():
            data = journal.read_bytes()
            journal.write_bytes(data[: int(len(data) * cut)])
            again = RunStore(folder)
            cut_run = again.load("r1")
            assert cut_run in history
            again.save(grow(cut_run, 77))  # what a crash cut short is written over
            assert RunStore(folder).load("r1") == grow(cut_run, 77)


def test_a_journal_of_another_run_json_is_ignored(folder: Path) -> None:
    """A crash between the replacement of run.json and the removal of the journal adds nothing twice."""
    store, run = RunStore(folder), run_with(1)
    store.save(run)
    store.save(grow(run, 1))
    stale = (folder / "r1/units.jsonl").read_bytes()
    complete = grow(run, 1).model_copy(update={"complete": True})
    store.save(complete)
    (folder / "r1/units.jsonl").write_bytes(stale)
    again = RunStore(folder)
    assert again.load("r1") == complete
    again.save(grow(complete, 2).model_copy(update={"complete": False}))
    assert len(RunStore(folder).load("r1").use_cases) == 3


WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_store import RunStore, grow, run_with
store, run = RunStore(Path(sys.argv[1])), run_with(0)
with store.lock():
    store.save(run)
    for number in range(100000):
        run = grow(run, number)
        if number % 7 == 6:
            run = run.model_copy(update={"complete": not run.complete})
        store.save(run, durable=False)
        store.append_call("r1", {"unit": number}, durable=False)
        print(number, flush=True)
"""


@pytest.mark.parametrize("seed", range(8))
def test_a_killed_process_loses_at_most_the_unit_in_flight(folder: Path, seed: int) -> None:
    command = [sys.executable, "-c", WRITER, str(folder), str(Path(__file__).parent)]
    enough = random.Random(seed).randrange(1, 120)
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) >= enough:
                process.send_signal(signal.SIGKILL)
                break
        told = max([enough, *(int(line) for line in process.stdout if line.strip())])
    store = RunStore(folder)
    run = store.load("r1")
    assert told + 1 <= len(run.use_cases) <= told + 2
    assert run.use_cases == run_with(len(run.use_cases)).use_cases
    assert [call["unit"] for call in store.read_calls("r1")] in (list(range(told + 1)), list(range(told + 2)))
    with store.lock():  # a dead process's lock does not block
        store.save(grow(run, len(run.use_cases)).model_copy(update={"complete": True}))
    assert list(folder.rglob("*.tmp")) == []


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_store import RunStore, grow, run_with
from retrodoc_runs.errors import RunWriteError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = RunStore(Path(sys.argv[1]))
run = store.load("r1")
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
for number in range(50):
    bigger = grow(run, 1000 + number)
    try:
        store.save(bigger.model_copy(update={"complete": sys.argv[4] == "whole"}))
    except RunWriteError as error:
        print(error.message)
        break
    run = bigger
print(len(run.use_cases))
"""


@pytest.mark.parametrize("how", ["whole", "journal"])
def test_a_disk_that_is_full_leaves_the_last_save_and_nothing_half_written(folder: Path, how: str) -> None:
    store = RunStore(folder)
    store.save(run_with(40))
    before = (folder / "r1/run.json").read_bytes()
    limit = "4000" if how == "journal" else str(len(before))
    command = [sys.executable, "-c", FULL_DISK, str(folder), str(Path(__file__).parent), limit, how]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    message, count = done.stdout.splitlines()
    assert "could not be written" in message
    assert (folder / "r1/run.json").read_bytes() == before
    run = RunStore(folder).load("r1")
    assert len(run.use_cases) == int(count)
    assert int(count) > 40 if how == "journal" else int(count) == 40
    assert [path.name for path in folder.rglob("*.tmp")] == []
    journal = folder / "r1/units.jsonl"
    assert not journal.exists() or journal.read_bytes().endswith(b"\n")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KB."""
    place = tmp_path / "disk"
    place.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)], capture_output=True)
    if done.returncode:
        pytest.skip("only root can mount a small disk")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_real_full_disk_keeps_every_unit_and_call_and_goes_on_when_there_is_room(small_disk: Path) -> None:
    folder, run = small_disk / ".retrodoc/runs", run_with(0)
    store = RunStore(folder)
    store.save(run)

    def fill() -> None:
        nonlocal run
        for number in range(10_000):
            store.save(grow(run, number))
            run = grow(run, number)
            store.append_call("r1", {"unit": number})

    with pytest.raises(RunWriteError, match="No space left on device"):
        fill()
    complete = run.model_copy(update={"complete": True})
    with pytest.raises(RunWriteError, match=r"run\.json could not be written"):
        store.save(complete)
    assert len(run.use_cases) > 20
    assert RunStore(folder).load("r1") == run
    calls = [call["unit"] for call in store.read_calls("r1")]
    assert calls in (list(range(len(run.use_cases))), list(range(len(run.use_cases) - 1)))
    assert list(folder.rglob("*.tmp")) == []

    subprocess.run(["mount", "-o", "remount,size=2m", str(small_disk)], check=True)
    store.save(complete)
    assert RunStore(folder).load("r1") == complete


DAMAGE = {
    "cut": (lambda data: data[: len(data) // 2], "damaged"),
    "empty": (lambda data: b"", "damaged"),
    "not-json": (lambda data: b"<html>", "damaged"),
    "a-list": (lambda data: b"[]", "damaged"),
    "nul": (lambda data: data.replace(b"shop", b"sh\0p", 1), "damaged"),
    "not-utf8": (lambda data: data.replace(b"shop", b"sh\xffp", 1), "damaged"),
    "deep": (lambda data: b"[" * 100_000, "damaged"),
    "unknown-key": (lambda data: data.replace(b'"id"', b'"secret_key"', 1), "damaged"),
    "other-id": (lambda data: data.replace(b'"r1"', b'"r2"', 1), "says that it is run r2"),
    "newer": (
        lambda data: data.replace(b'"format_version": 1', b'"format_version": 99, "poetry": true', 1),
        "newer RetroDoc (format 99",
    ),
}


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("spoil", [lambda data: data, lambda data: b"{"], ids=["whole", "damaged"])
def test_loading_leaves_the_collector_as_it_was(folder: Path, enabled: bool, spoil: Callable[[bytes], bytes]) -> None:
    RunStore(folder).save(run_with(1))
    path = folder / "r1/run.json"
    path.write_bytes(spoil(path.read_bytes()))
    try:
        if not enabled:
            gc.disable()
        with contextlib.suppress(RunReadError):
            RunStore(folder).load("r1")
        assert gc.isenabled() is enabled
    finally:
        gc.enable()


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_run_is_an_error_that_names_the_file_and_the_mend(folder: Path, damage: str) -> None:
    spoil, expected = DAMAGE[damage]
    store = RunStore(folder)
    store.save(run_with(2))
    path = folder / "r1/run.json"
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(RunReadError) as caught:
        RunStore(folder).load("r1")
    assert expected in caught.value.message
    assert str(path) in caught.value.message
    assert caught.value.mend
    (summary,) = RunStore(folder).list()
    assert summary.problem == caught.value.message


def test_a_damaged_line_of_the_journal_is_named(folder: Path) -> None:
    store, run = RunStore(folder), run_with(1)
    store.save(run)
    store.save(grow(run, 1))
    store.save(grow(grow(run, 1), 2))
    journal = folder / "r1/units.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(lines[0][:40] + b"\n" + lines[1])
    with pytest.raises(RunReadError, match=r"units\.jsonl, line 1 is damaged"):
        RunStore(folder).load("r1")


def test_what_a_damaged_file_holds_is_not_repeated_in_the_message(folder: Path) -> None:
    store = RunStore(folder)
    store.save(run_with(1))
    (folder / "r1/run.json").write_text('{"format_version": 1, "id": {"password": "hunter2"}}')
    with pytest.raises(RunReadError) as caught:
        RunStore(folder).load("r1")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("run_id", ["../r1", "/etc", "", ".", "..", "a/b", "a\\b", "x" * 101, "r1\n", ".git", "-r"])
def test_an_id_is_never_a_path(folder: Path, run_id: str) -> None:
    store = RunStore(folder)
    store.save(run_with(1))
    with pytest.raises(RunReadError, match="not the id of a run"):
        store.load(run_id)


def test_a_missing_run_is_an_error(folder: Path) -> None:
    with pytest.raises(RunReadError, match="no run r9"):
        RunStore(folder).load("r9")


def test_ids_sort_by_time_and_never_repeat(folder: Path) -> None:
    store = RunStore(folder)
    times = ["2026-01-02T03:04:05Z"] * 12 + ["2026-01-02T03:04:06+00:00", "2026-01-02T03:04:07.5+00:00"]
    ids = []
    for time in times:
        ids.append(store.new_id(time))
        store.save(run_with(0, ids[-1]))
    assert ids == sorted(set(ids))
    assert store.ids() == tuple(ids)
    assert store.latest() == ids[-1]


@pytest.mark.parametrize("time", ["2026-01-02T04:04:06+01:00", "2026-01-02T03:04:05", "now", ""])
def test_a_time_that_is_not_utc_makes_no_id(folder: Path, time: str) -> None:
    with pytest.raises(ValueError, match="UTC"):
        RunStore(folder).new_id(time)


def test_an_empty_or_missing_folder_has_no_run(folder: Path) -> None:
    store = RunStore(folder)
    assert (store.ids(), store.latest(), store.list()) == ((), None, ())
    assert not folder.exists()


def test_runs_are_listed_with_what_a_person_chooses_by(folder: Path) -> None:
    store = RunStore(folder)
    store.save(run_with(3, "r1", complete=True, commit="a" * 40))
    store.save(run_with(1, "r2", drafter="some-model"))
    (folder / "notes").mkdir()
    first, second = store.list()
    assert (first.id, first.complete, first.use_cases, first.commit) == ("r1", True, 3, "a" * 40)
    assert (second.id, second.complete, second.use_cases, second.drafter) == ("r2", False, 1, "some-model")


def test_runs_do_not_show_up_in_git_status(git_repo, git) -> None:  # type: ignore[no-untyped-def]
    repo = git_repo({"a.py": "a"})
    RunStore(repo / ".retrodoc/runs").save(run_with(1))
    assert git(repo, "status", "--porcelain") == ""


def test_a_folder_that_the_user_names_gets_no_ignore_file(tmp_path: Path) -> None:
    RunStore(tmp_path / "docs/runs").save(run_with(1))
    assert not list(tmp_path.rglob(".gitignore"))


@pytest.mark.parametrize("link", [".retrodoc", ".retrodoc/runs", ".retrodoc/runs/r1", ".retrodoc/runs/r1/run.json"])
def test_a_link_that_the_repository_brings_is_not_written_through(tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    target = outside / "run.json" if link.endswith("json") else outside
    if target != outside:
        target.write_text("precious")
    place = tmp_path / "repo" / link
    place.parent.mkdir(parents=True)
    place.symlink_to(target)
    store = RunStore(tmp_path / "repo/.retrodoc/runs")
    if target == outside:
        with pytest.raises(RunWriteError, match="symbolic link"):
            store.save(run_with(1))
        assert list(outside.iterdir()) == []
    else:
        with pytest.raises(RunReadError):
            store.load("r1")
        store.save(run_with(1))
        assert target.read_text() == "precious"


def test_a_pipe_in_place_of_a_run_does_not_block(folder: Path) -> None:
    (folder / "r1").mkdir(parents=True)
    os.mkfifo(folder / "r1/run.json")
    with pytest.raises(RunReadError, match="not a regular file"):
        RunStore(folder).load("r1")


def test_calls_are_kept_in_order_and_money_as_text(folder: Path) -> None:
    store = RunStore(folder)
    store.append_call("r1", {"pass": "judge", "cost": Decimal("0.10"), "text": "é\n"})
    RunStore(folder).append_call("r1", {"pass": "judge", "cost": None})
    with (folder / "r1/calls.jsonl").open("ab") as file:
        file.write(b'{"pass": "cut sho')
    assert [call["cost"] for call in RunStore(folder).read_calls("r1")] == ["0.10", None]
    RunStore(folder).append_call("r1", {"pass": "last", "cost": Decimal(0)})
    assert [call["pass"] for call in RunStore(folder).read_calls("r1")] == ["judge", "judge", "last"]


def test_a_second_writer_is_told_who_holds_the_lock(folder: Path) -> None:
    with RunStore(folder).lock():
        with pytest.raises(RunLockedError, match=f"process {os.getpid()}"), RunStore(folder).lock():
            pass
        RunStore(folder).list()  # reading needs no lock
    with RunStore(folder).lock():
        pass
