"""How long `retrodoc generate` takes on real applications, beside what parsing the same files takes.

    python benchmarks/generate/run.py [CORPUS ...]     default: oscar redmine node-red-editor-api
                                                       in the folder that RETRODOC_CORPORA names

The limit is one second plus ten times what tree-sitter takes to parse, in one process, the files that are read as
source. Every figure is of a whole process, its children included: first run in an empty folder, second run on the
unchanged repository. Seconds are of CPU, so that a busy machine changes little; the wall clock stands beside.
What would make it come out bad: a rule that reads every file once more, a page that is rendered twice, a second run
that parses. The last column shows the first by running with `--force`, which must cost as much as the first run.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

RUNS = 3
DEFAULT = ("oscar", "redmine", "node-red-editor-api")


def parse_seconds(repository: Path) -> tuple[float, int]:
    """CPU seconds that parsing takes, in this process, and the bytes parsed."""
    from retrodoc.config import Settings
    from retrodoc.progress import Reporter
    from retrodoc.reading import read_repository
    from retrodoc_chunkers.grammars import parse

    with read_repository(repository, Settings(), reporter=Reporter(quiet=True)) as reading:
        files = [
            (reading.sources.data(path), language)
            for path in reading.sources.paths
            if (language := reading.sources.language(path))
        ]
    for data, language in files[:1]:
        parse(data, language)
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        for data, language in files:
            parse(data, language)
        times.append(time.process_time() - began)
    return statistics.median(times), sum(len(data) for data, _ in files)


def generate(repository: Path, work: Path, *options: str) -> tuple[float, float, int]:
    """Wall and CPU seconds and peak megabytes of one whole process."""
    command = [sys.executable, "-m", "retrodoc", "generate", str(repository), "-q", "--runs", str(work / "runs")]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    environment = {**os.environ, "RETRODOC_CACHE": str(work / "cache")}
    process = subprocess.Popen(
        [*command, "--out", str(work / "docs"), *options], env=environment, stdout=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1) or not (work / "docs/functional/README.md").is_file():
        sys.exit(f"generate failed on {repository}")
    wall = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, used.ru_maxrss // 1024


def quality(repository: Path, work: Path) -> str:
    """What the run came to: entry points with a use case, median of steps, verdicts."""
    from retrodoc.progress import Reporter
    from retrodoc.reviewing import review_for
    from retrodoc.store import find_run

    found = find_run(None, repository, work / "runs")
    run = found.run
    book, _ = review_for(found, None, None, Reporter(quiet=True))
    told = {label for use_case in run.use_cases for label in use_case.entry_points}
    share = sum(entry.label in told for entry in run.entry_points) / max(1, len(run.entry_points))
    median = statistics.median([len(use_case.steps) for use_case in run.use_cases] or [0])
    verdicts = Counter(step.finding.verdict.value for step in book.steps)
    total = sum(verdicts.values())
    uncited = sum(not step.source_refs for use_case in run.use_cases for step in use_case.steps)
    return (
        f"{len(run.entry_points)} entry points, {share:.1%} with a use case; median {median:g} steps; "
        f"{uncited} uncited; valid {verdicts['valid'] / max(1, total):.2%} of {total}, broken {verdicts['broken']}"
    )


def main() -> None:
    corpora = Path(os.environ.get("RETRODOC_CORPORA", "build/corpora"))
    names = sys.argv[1:] or [name for name in DEFAULT if (corpora / name).is_dir()]
    if not names:
        sys.exit(f"no corpus in {corpora}: run `make corpora`, or set RETRODOC_CORPORA")
    print(
        f"{'corpus':<22}{'parse s':>9}{'limit s':>9}{'first s':>9}{'of limit':>9}{'second s':>10}{'of first':>9}"
        f"{'forced s':>10}{'wall s':>8}{'peak MB':>9}"
    )
    for name in names:
        repository = Path(name) if Path(name).is_dir() else corpora / name
        parse, _ = parse_seconds(repository)
        limit = 1 + 10 * parse
        firsts, seconds, forced, walls, peak = [], [], [], [], 0
        for _ in range(RUNS):
            with tempfile.TemporaryDirectory() as folder:
                work = Path(folder)
                wall, cpu, memory = generate(repository, work)
                firsts.append(cpu)
                walls.append(wall)
                peak = max(peak, memory)
                seconds.append(generate(repository, work)[1])
                forced.append(generate(repository, work, "--force")[1])
                told = quality(repository, work)
        first, second, third = (statistics.median(times) for times in (firsts, seconds, forced))
        print(
            f"{Path(name).name:<22}{parse:>9.2f}{limit:>9.2f}{first:>9.2f}{first / limit:>9.2f}{second:>10.2f}"
            f"{second / first:>9.2f}{third:>10.2f}{statistics.median(walls):>8.2f}{peak:>9}"
        )
        print(f"  {told}")


if __name__ == "__main__":
    main()
