"""Several processes give what one gives, in the same order."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from retrodoc_chunkers import many
from retrodoc_chunkers.cache import SyntaxCache
from retrodoc_chunkers.many import chunk_many, each, fill_cache

FILES = [
    ("a.py", b"def f():\n    return 1\n\n" * 40),
    ("empty.py", b""),
    ("b.rb", b"class A\n  def m\n  end\nend\n" * 40),
    ("c.txt", "é\n\n".encode() * 400),
]


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "BATCH_BYTES", 500)


def test_two_jobs_cut_as_one_does() -> None:
    alone = list(chunk_many(FILES, 200))
    together = list(chunk_many(FILES, 200, jobs=2))
    assert together == alone
    assert [path for path, _ in together] == [path for path, _ in FILES]
    _, chunks = together[0]
    assert [one.name for one in chunks[0].definitions] == ["f"] * len(chunks[0].definitions) != []
    assert list(chunk_many([], 200, jobs=2)) == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_filled_cache_answers_without_a_parse(jobs: int, tmp_path: Path) -> None:
    fill_cache(tmp_path, FILES, jobs)
    cache = SyntaxCache(tmp_path)
    assert len(cache.get(FILES[0][1], "a.py").definitions) == 40
    assert len(cache.get(FILES[2][1], "b.rb").definitions) == 80
    assert (cache.hits, cache.misses) == (2, 0)


def test_each_gives_answers_in_order_with_any_number_of_jobs() -> None:
    items = [f"{index:02d}" for index in range(40)]
    assert list(each(int, items)) == list(each(int, items, jobs=3)) == list(range(40))
    assert list(each(int, [], jobs=2)) == []


ENDLESS = """
import os, time
from retrodoc_chunkers.many import each

def work(item):
    print(os.getpid(), flush=True)
    time.sleep(600)

if __name__ == "__main__":
    list(each(work, [1, 2, 3], jobs=2))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_workers_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "endless.py"
    script.write_text(ENDLESS)
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        workers = [int(parent.stdout.readline()) for _ in range(2)]
        parent.kill()
    for _ in range(200):
        if not any(map(alive, workers)):
            return
        time.sleep(0.05)
    for worker in filter(alive, workers):
        os.kill(worker, signal.SIGKILL)
    pytest.fail("workers go on without their parent")


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
