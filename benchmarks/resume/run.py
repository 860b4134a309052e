"""Kill `retrodoc generate` at random moments, resume it, and compare the pages with those of an undisturbed run.

    python benchmarks/resume/run.py [CORPUS] [--kills 20] [--seed 1]      default: oscar

What would make it come out bad: a unit that is saved half, an order that depends on when a unit came, a page that
names its run. `--break` shows it coming out bad: one saved use case is dropped from the run before it is resumed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def command(repository: Path, work: Path) -> list[str]:
    options = ["-q", "--runs", str(work / "runs"), "--out", str(work / "docs")]
    return [sys.executable, "-m", "retrodoc", "generate", str(repository), *options]


def pages(work: Path) -> dict[str, bytes]:
    folder = work / "docs"
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def sabotage(work: Path) -> None:
    for saved in (work / "runs").rglob("run.json"):
        run = json.loads(saved.read_text())
        run["use_cases"] = run["use_cases"][1:]
        saved.write_text(json.dumps(run))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus", nargs="?", default="oscar")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--break", dest="broken", action="store_true")
    options = parser.parse_args()
    corpora = Path(os.environ.get("RETRODOC_CORPORA", "build/corpora"))
    repository = Path(options.corpus) if Path(options.corpus).is_dir() else corpora / options.corpus
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        whole_work, work = Path(folder) / "whole", Path(folder) / "killed"
        began = time.monotonic()
        subprocess.run(command(repository, whole_work), check=True, stdout=subprocess.DEVNULL)
        whole = time.monotonic() - began
        killed = finished = 0
        while killed < options.kills and finished < 5 * options.kills:
            process = subprocess.Popen(command(repository, work), stdout=subprocess.DEVNULL)
            time.sleep(chance.uniform(0.1, 0.9) * whole)
            process.kill()
            if process.wait() < 0:
                killed += 1
            else:  # it was done before the kill came: begin anew, so that each kill finds something to do
                finished += 1
                shutil.rmtree(work, ignore_errors=True)
        if options.broken:
            subprocess.run(command(repository, work), check=False, stdout=subprocess.DEVNULL)
            sabotage(work)
            shutil.rmtree(work / "docs", ignore_errors=True)
        subprocess.run(command(repository, work), check=False, stdout=subprocess.DEVNULL)
        same = pages(whole_work) == pages(work)
        verdict = "equal to" if same else "NOT equal to"
        print(
            f"{repository.name}: killed {killed} times, {finished} runs were quicker; {len(pages(work))} pages, "
            f"{verdict} the {len(pages(whole_work))} of an undisturbed run"
        )
        return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
