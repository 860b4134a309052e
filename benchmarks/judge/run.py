"""How good the judge is, on real applications whose steps a reader labelled: `make bench-judge`.

    python benchmarks/judge/run.py [--runs FOLDER] [--corpora FOLDER] [--picture FILE.svg] [--halves N]

Two sets are given with `--runs`; the six of `benchmarks/judge/runs` were labelled by models (see there). The
applications come from their registries when `--corpora` (default RETRODOC_CORPORA, else build/corpora) lacks them.
Exit code 1 when a figure that must be reached is not on one of the two; what the six lack is said and is no failure.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from baselines import all_valid, best_overlap, first_rule
from figures import HEADER, Figures, frontier, of_baseline, of_judge, strongest
from labelled import ROOT, LabelledSet, find_repository, load_set
from picture import Panel, draw
from tuning import halves, leave_one_out, pooled

from retrodoc_checks import Verdict

MUST = {"settled": 0.45, "precision": 0.90, "bad not passed": 0.65, "strongest third": 0.94}
GOALS = ((0.60, 0.93, 0.80), (0.80, 0.97, 0.95))
SETS = ("oscar", "redmine")
OTHERS = ("flaskbb", "schleuder", "cargo", "ghost", "kinto", "pretix")
OTHER_RUNS = Path(__file__).parent / "runs"


def main(arguments: list[str] | None = None) -> int:
    options = _options().parse_args(arguments)
    if not (options.runs / f"{SETS[0]}-labels.csv").is_file():
        sys.stderr.write(f"the labelled runs are not in {options.runs}: name their folder with --runs\n")
        return 2
    runs = {**dict.fromkeys(SETS, options.runs), **dict.fromkeys(OTHERS, OTHER_RUNS)}
    try:
        repositories = {name: find_repository(name, options.corpora) for name in runs}
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        sys.stderr.write(f"an application could not be fetched from its registry: {error}\n")
        return 2
    sets = [load_set(name, runs[name], repository) for name, repository in repositories.items()]
    panels: list[Panel] = []
    missed: list[str] = []
    lacking: list[str] = []
    for labelled in sets:
        panel, found = _report(labelled)
        panels.append(panel)
        (missed if labelled.name in SETS else lacking).extend(found)
    _report_pooled(sets)
    _report_tuning(sets, options.halves, options.seed)
    options.picture.parent.mkdir(parents=True, exist_ok=True)
    options.picture.write_text(draw(panels, (MUST["settled"], MUST["precision"])), "utf-8")
    print(f"\nfrontier drawn in {options.picture}")
    print("\n".join(["", "not reached on the sets that models labelled:", *(lacking or ["nothing"])]))
    must = f"every figure that must be reached is reached on {' and '.join(SETS)}"
    print("\n".join(["", "NOT REACHED:", *missed]) if missed else f"\n{must}")
    return 1 if missed else 0


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    corpora = os.environ.get("RETRODOC_CORPORA") or ROOT / "build" / "corpora"
    parser.add_argument("--runs", type=Path, default=ROOT.parent / "shared" / "runs")
    parser.add_argument("--corpora", type=Path, default=Path(corpora))
    parser.add_argument("--picture", type=Path, default=ROOT / "build" / "judge-frontier.svg")
    parser.add_argument("--halves", type=int, default=20, help="random halves that the thresholds are tried on")
    parser.add_argument("--seed", type=int, default=1)
    return parser


def _report(labelled: LabelledSet) -> tuple[Panel, list[str]]:
    steps = labelled.steps
    own = of_judge(steps)
    threshold, overlapping = best_overlap(labelled)
    others = {
        "all valid": of_baseline(steps, all_valid),
        "article's first rule": of_baseline(steps, first_rule(labelled)),
        f"words overlap {threshold:.2f} or more": of_baseline(steps, overlapping),
    }
    print(f"\n{labelled.name}: {len(steps)} steps, {sum(not step.supported for step in steps)} of them not supported")
    print(HEADER)
    print(own.row("the judge"))
    for name, found in others.items():
        print(found.row(name))
    for language in sorted({step.language for step in steps}):
        part = [step for step in steps if step.language == language]
        print(of_judge(part).row(f"the judge, {len(part)} steps in {language}"))
    third = strongest(steps)
    print(f"{'precision of the strongest third':<34} {third}")
    _print_rows(labelled)
    wrong = [step for step in steps if step.supported and step.finding.verdict in (Verdict.BROKEN, Verdict.UNSUPPORTED)]
    print(f"supported steps that are broken or unsupported: {len(wrong)}")
    marks = [("the judge", own), *others.items()]
    panel = Panel(
        labelled.name,
        frontier(steps),
        [(name, found.settled.value or 0, found.precision.value or 0) for name, found in marks],
    )
    return panel, _missed(labelled.name, own, third.value or 0, len(wrong))


def _print_rows(labelled: LabelledSet) -> None:
    """How often each row of the table is right."""
    supported: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for step in labelled.steps:
        for reason in step.finding.reasons:
            total[reason] += 1
            supported[reason] += step.supported
    rows = (f"{reason} {supported[reason]}/{count}" for reason, count in total.most_common())
    print("supported steps by reason: " + ", ".join(rows))


def _missed(name: str, own: Figures, third: float, wrong: int) -> list[str]:
    reached = {
        "settled": own.settled.value or 0,
        "precision": own.precision.value or 0,
        "bad not passed": own.bad_not_passed.value or 0,
        "strongest third": third,
    }
    missed = [
        f"{name}: {key} {reached[key]:.3f}, must be {must:.2f}" for key, must in MUST.items() if reached[key] < must
    ]
    if wrong:
        missed.append(f"{name}: {wrong} supported steps are broken or unsupported")
    for settled, precision, bad in GOALS:
        met = reached["settled"] >= settled and reached["precision"] >= precision and reached["bad not passed"] >= bad
        print(f"goal {settled:.2f} / {precision:.2f} / {bad:.2f}: {'reached' if met else 'not reached'}")
    return missed


def _report_pooled(sets: Sequence[LabelledSet]) -> None:
    """All steps as one set: by who labelled them, and by language."""
    steps = [(one.name, step) for one in sets for step in one.steps]
    groups = {
        "all sets": [step for _, step in steps],
        "labelled by models": [step for name, step in steps if name in OTHERS],
        **{
            f"all sets in {language}": [step for _, step in steps if step.language == language]
            for language in ("en", "fr")
        },
    }
    print("\nsets together")
    print(HEADER)
    for name, part in groups.items():
        print(of_judge(part).row(f"{name}, {len(part)} steps"))
        print(f"{'  precision of the strongest third':<34} {strongest(part)}")


def _report_tuning(sets: Sequence[LabelledSet], times: int, seed: int) -> None:
    print("\nleave one application out: each at thresholds chosen on the others")
    print(HEADER)
    left_out = leave_one_out(sets)
    for out in left_out:
        print(out.found.row(out.name) + f" at {out.at.beside_names:.2f}, {out.at.alone:.2f}")
    print(pooled(sets, left_out).row("together"))
    found_halves = halves(sets, times, seed)
    if found_halves:
        for title, pick in (("mean", statistics.mean), ("worst", min)):
            values = [
                pick([getattr(found, part).value or 0.0 for found in found_halves])
                for part in ("settled", "precision", "bad_not_passed")
            ]
            print(f"{f'{times} random halves, {title}':<34} " + " ".join(f"{value:<18.2f}" for value in values))


if __name__ == "__main__":
    sys.exit(main())
