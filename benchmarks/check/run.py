"""How fast the judge is, and how much memory it takes: `make bench-check`.

    python benchmarks/check/run.py [--corpora FOLDER] [--work FOLDER] [--files N] [--sizes N,N,N,N] [--runs FOLDER]

A run of up to 100,000 steps over 5,000 real files, one process and one core for each size; and the whole command on the
labelled run of oscar beside a Python process that only reads the cited files and looks for the names.
Exit code 1 when a bound is not kept.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAX_MEMORY = 400_000_000
MAX_MARGINAL = 1.2
MAX_TIMES_GREP = 6.0
SIZES = (10_000, 20_000, 50_000, 100_000)


def main(arguments: list[str] | None = None) -> int:
    options = _options().parse_args(arguments)
    if options.measure:
        return _measure(options.repository, options.measure)
    from generated import build_repository

    repository = options.work / f"repository-{options.files}"
    found = build_repository(options.corpora, repository, options.files)
    print(f"{found} files of real packages, in {repository}")
    failed = _report_sizes(repository, [int(size) for size in options.sizes.split(",")])
    failed += _report_command(options)
    print("\n".join(["", "NOT KEPT:", *failed]) if failed else "\nevery bound is kept")
    return 1 if failed else 0


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    corpora = os.environ.get("RETRODOC_CORPORA") or ROOT / "build" / "corpora"
    parser.add_argument("--corpora", type=Path, default=Path(corpora))
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "bench-check")
    parser.add_argument("--runs", type=Path, default=ROOT.parent / "shared" / "runs")
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--measure", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--repository", type=Path, help=argparse.SUPPRESS)
    return parser


def _measure(repository: Path, number: int) -> int:
    """One size in this process: prints seconds of processor time, peak bytes, and what was read how often."""
    from collections import Counter

    from generated import write_steps

    from retrodoc_checks import FileIndex, check_steps
    from retrodoc_runs.snapshot import open_snapshot

    steps = write_steps(repository, number)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    with open_snapshot(repository) as snapshot:
        index = _Counting(snapshot)
        started = time.process_time()
        findings = check_steps(steps, FileIndex(index))
        spent = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    verdicts = Counter(finding.verdict.value for finding in findings)
    most = max(index.reads.values(), default=0)
    print(
        json.dumps(
            {"seconds": spent, "peak": peak, "steps-alone": before, "reads": most, "passes": index.passes, **verdicts}
        )
    )
    return 0


class _Counting:
    """A snapshot that counts how often each file is read, and how often all of them are."""

    def __init__(self, snapshot) -> None:  # type: ignore[no-untyped-def]
        from collections import Counter

        self._snapshot = snapshot
        self.paths = snapshot.paths
        self.resolve = snapshot.resolve
        self.reads: Counter[str] = Counter()
        self.passes = 0

    def read(self, path: str, max_bytes: int | None = None) -> bytes | None:
        self.reads[path] += 1
        content: bytes | None = self._snapshot.read(path, max_bytes)
        return content

    def read_many(self, paths, max_bytes: int | None = None, absent=None):  # type: ignore[no-untyped-def]
        self.passes += 1
        return self._snapshot.read_many(paths, max_bytes, absent)


def _report_sizes(repository: Path, sizes: list[int]) -> list[str]:
    measured = {}
    print(f"{'steps':>8} {'seconds':>8} {'us a step':>10} {'peak MB':>8}  verdicts")
    for size in sizes:
        command = [sys.executable, __file__, "--measure", str(size), "--repository", str(repository)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found = measured[size] = json.loads(done.stdout)
        rest = {key: value for key, value in found.items() if key not in ("seconds", "peak")}
        each = found["seconds"] / size * 1e6
        print(f"{size:>8} {found['seconds']:>8.1f} {each:>10.0f} {found['peak'] / 1e6:>8.0f}  {rest}", flush=True)
    failed = []
    peak = max(found["peak"] for found in measured.values())
    if peak > MAX_MEMORY:
        failed.append(f"memory {peak / 1e6:.0f} MB, at most {MAX_MEMORY / 1e6:.0f}")
    if any(found["reads"] > 1 or found["passes"] > 1 for found in measured.values()):
        failed.append("a cited file was read twice, or the others were searched in more than one pass")
    if len(sizes) >= 4:
        first, second, third, fourth = sizes[:4]
        low = (measured[second]["seconds"] - measured[first]["seconds"]) / (second - first)
        high = (measured[fourth]["seconds"] - measured[third]["seconds"]) / (fourth - third)
        print(f"marginal time of a step: {low * 1e6:.0f} us, then {high * 1e6:.0f} us: {high / low:.2f} times")
        if high > MAX_MARGINAL * low:
            failed.append(f"marginal time grows {high / low:.2f} times, at most {MAX_MARGINAL}")
    return failed


GREP = """
import re, sys, yaml
from pathlib import Path
root = Path(sys.argv[2])
texts, missing, steps = {}, 0, 0
loader = getattr(yaml, sys.argv[3])
for use_case in yaml.load(Path(sys.argv[1]).read_text(), loader):
    for step in use_case["steps"]:
        steps += 1
        names = re.findall(r"`([^`]+)`", step["description"])
        for ref in step["source_refs"]:
            path = ref["path"]
            if path not in texts:
                texts[path] = (root / path).read_text(errors="replace")
            missing += sum(name not in texts[path] for name in names)
print(steps, missing)
"""


@dataclass(frozen=True)
class Spent:
    """Seconds of a process and its children."""

    processor: float
    wall: float


def _report_command(options: argparse.Namespace) -> list[str]:
    """Beside a grep that reads YAML with libyaml, as we do; the one that reads it in Python is told as well.

    The commands take turns, so that what else the machine does falls on all of them alike.
    """
    run, oscar = options.runs / "oscar-use-cases.yaml", options.corpora / "oscar"
    if not run.is_file() or not oscar.is_dir():
        print(f"the whole command was not measured: {run} or {oscar} is not there")
        return []
    steps = run.read_text("utf-8").count("source_refs:")
    check = [sys.executable, "-m", "retrodoc", "check", str(run), "--repo", str(oscar), "--format", "json"]
    with tempfile.TemporaryDirectory() as folder:
        # An installed program is compiled already; a checkout may forbid it, and both sides must be as installed.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = folder + "/compiled"

        def ours(cache: str) -> _Command:
            return _Command(
                check, environment | {"RETRODOC_CACHE": cache}, lambda output: len(json.loads(output)["steps"]) == steps
            )

        def grep(loader: str) -> _Command:
            command = [sys.executable, "-c", GREP, str(run), str(oscar), loader]
            return _Command(command, environment, lambda output: output.split()[0] == str(steps).encode())

        spent = _in_turns(
            {
                "grep, libyaml": grep("CSafeLoader"),
                "grep, yaml in Python": grep("SafeLoader"),
                "check, again": ours(folder + "/cache"),
                "check, nothing kept": ours("off"),
            }
        )
    failed = []
    for name, times in spent.items():
        print(f"{name:<22}", " ".join(f"{what} {found:.3f} s" for what, found in _medians(times).items()))
    for name in ("check, again", "check, nothing kept"):
        for beside in ("grep, libyaml", "grep, yaml in Python"):
            pairs = list(zip(spent[name], spent[beside], strict=True))
            ratios = {
                "of processor": statistics.median(one.processor / other.processor for one, other in pairs),
                "in all": statistics.median(one.wall / other.wall for one, other in pairs),
            }
            print(f"{name} / {beside}: " + ", ".join(f"{found:.1f} times {what}" for what, found in ratios.items()))
            if name == "check, again" and beside == "grep, libyaml":
                failed = [
                    f"the command takes {found:.1f} times grepping {what}, at most {MAX_TIMES_GREP}"
                    for what, found in ratios.items()
                    if found > MAX_TIMES_GREP
                ]
    return failed


@dataclass(frozen=True)
class _Command:
    arguments: list[str]
    environment: dict[str, str]
    is_whole: Callable[[bytes], bool]
    """Whether what it printed tells that the work was done: an exit code of 1 may be findings as well as a crash."""

    def run(self) -> Spent:
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(self.arguments, check=False, capture_output=True, env=self.environment)
        wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in (0, 1) or done.stderr or not self.is_whole(done.stdout):
            raise RuntimeError(f"{self.arguments[:4]} ended with {done.returncode}: {done.stderr.decode()[-400:]}")
        return Spent(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall)


def _in_turns(commands: dict[str, _Command], times: int = 9) -> dict[str, list[Spent]]:
    """What each took, round by round, after one round that warms up."""
    rounds = [{name: command.run() for name, command in commands.items()} for _ in range(times + 1)]
    return {name: [one[name] for one in rounds[1:]] for name in commands}


def _medians(times: list[Spent]) -> dict[str, float]:
    return {
        "processor": statistics.median(one.processor for one in times),
        "in all": statistics.median(one.wall for one in times),
    }


if __name__ == "__main__":
    sys.exit(main())
