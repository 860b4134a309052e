"""How many small faults in the modules that decide no test notices: `make bench-mutation`.

    make bench-mutation                             20 mutants of each set, drawn with a fixed seed
    make bench-mutation ARGS="judge --sample 0"     all of one set
    make bench-mutation ARGS="--only names.py:120-140 --survivors FILE"
    make bench-mutation ARGS="--retry FILE"         those that lived, by file, mutation and text

A set is a file beside this one: modules, and the tests that state their rules. The mutants are cosmic-ray's, of all
its operators that need no argument. Each runs in a fork of a process that has the test tools loaded, with the mutated
module served from memory: nothing is written into the checkout. The tests named after the module come first, and
the first that fails ends it.

Killed is: a test failed, an import failed, or too much was used (eight times the processor time of the tests, at least
10 seconds, or 2 GB). Any other end that is no success is a fault of the harness and stops it. Before the first mutant,
the tests must pass with each module as it is, and fail when it cannot be imported and when all that it defines raises:
otherwise nothing would be shown. Exit code 1 when less than 0.85 is killed (of a sample: when its interval is under
that), 2 for a fault.
"""

from __future__ import annotations

import argparse
import ast
import errno
import gc
import importlib
import importlib.abc
import importlib.util
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import tomllib
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SOURCES = ("checks", "chunkers", "runs", "retrodoc")
ARGUMENTS = ["-x", "-q", "--assert=plain", "--hypothesis-profile=mutant", "-o", "timeout=0",
             "-p", "pytest_timeout", "-p", "_hypothesis_pytestplugin", "-p", "no:cacheprovider",
             "-p", "no:faulthandler", "-W", "ignore::pytest.PytestAssertRewriteWarning"]  # fmt: skip
PRELOADED = ("hypothesis", "_hypothesis_pytestplugin", "pydantic", "pytest", "pytest_timeout", "tree_sitter", "yaml")
SAMPLE = 20
MIN_KILLED = 0.85
MAX_MEMORY = 2_000_000_000
MIN_SECONDS = 10
MAX_WALL = 900.0
"""Seconds on the clock, for a mutant that sleeps; processor time is what ends the others, however busy the machine."""


class Outcome(IntEnum):
    """How a child ended: its exit code, but for TOO_MUCH."""

    SURVIVED = 0
    FAILED = 1
    NOT_IMPORTED = 2
    FAULT = 3
    UNCHANGED = 4
    TOO_MUCH = 5


KILLED = (Outcome.FAILED, Outcome.NOT_IMPORTED, Outcome.TOO_MUCH)


class Mutation(NamedTuple):
    path: Path
    operator: str
    occurrence: int
    line: int

    def code(self) -> str | None:
        """The mutated module; None when there is nothing to mutate."""
        from cosmic_ray.mutating import mutate_code
        from cosmic_ray.plugins import get_operator

        return mutate_code(text_of(self.path), get_operator(self.operator)(), self.occurrence)

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.operator.removeprefix('core/')}"

    def described(self) -> str:
        """`path:line: operator: mutated line`, as `--retry` reads it."""
        return f"{self}: {(self.code() or '').splitlines()[self.line - 1].strip()}"


class Served(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives one module from memory."""

    def __init__(self, path: Path, code: str) -> None:
        self.name, self.path, self.code = module_name(path), path, code

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        inside = [str(self.path.parent)] if self.path.stem == "__init__" else None
        return importlib.util.spec_from_file_location(
            fullname, self.path, loader=self, submodule_search_locations=inside
        )

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.code, str(self.path), "exec"), module.__dict__)


def module_name(path: Path) -> str:
    """`checks/retrodoc_checks/names.py` -> `retrodoc_checks.names`: the first folder is no package."""
    parts = path.relative_to(ROOT).with_suffix("").parts[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


class MutationSet(NamedTuple):
    name: str
    modules: tuple[Path, ...]
    tests: tuple[str, ...]
    prepare: str
    """Python, run once: what the tests of a mutant need not load again. It loads none of the modules."""


def load_set(name: str) -> MutationSet:
    config = tomllib.loads((HERE / f"{name}.toml").read_text("utf-8"))
    return MutationSet(
        name, tuple(ROOT / path for path in config["modules"]), tuple(config["tests"]), config.get("prepare", "")
    )


def mutations(path: Path) -> Iterator[Mutation]:
    """All mutants of a module, but those of annotations and of lines for type checkers, which are never evaluated."""
    import parso
    from cosmic_ray.ast import ast_nodes
    from cosmic_ray.plugins import get_operator, operator_names

    text = text_of(path)
    nodes = list(ast_nodes(parso.parse(text)))
    lines = text.split("\n")
    unread = annotations(text)
    for name in sorted(operator_names()):
        if name.startswith("core/Variable"):  # they need the names of variables
            continue
        operator = get_operator(name)()
        positions = (start for node in nodes for start, _ in operator.mutation_positions(node))
        for occurrence, start in enumerate(positions):
            if not any(first <= start < last for first, last in unread) and "TYPE_CHECKING" not in lines[start[0] - 1]:
                yield Mutation(path, name, occurrence, start[0])


@cache
def text_of(path: Path) -> str:
    """As it was when it was first read: an edit while mutants are tried changes none of them."""
    return path.read_text("utf-8")


def annotations(text: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where the annotations of a module stand, when it keeps them as text: start and end, each (line, column)."""
    if "from __future__ import annotations" not in text:
        return []
    found = []
    for node in ast.walk(ast.parse(text)):
        for part in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(part, ast.expr):
                found.append(((part.lineno, part.col_offset), (part.end_lineno or 0, part.end_col_offset or 0)))
    return found


def child(path: Path, code: str, tests: Iterable[str], seconds: int, said: str) -> int:
    """Start the tests with this code for the module, their output to the file `said`; returns the process."""
    process = os.fork()
    if process:
        return process
    outcome = Outcome.FAULT
    try:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        output = os.open(said, os.O_WRONLY | os.O_CREAT)
        os.dup2(output, 1)
        os.dup2(output, 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
        outcome = Outcome.UNCHANGED if code in ("", text_of(path)) else judged(path, code, tests, f"{said}-tmp")
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(outcome)


def judged(path: Path, code: str, tests: Iterable[str], folder: str) -> Outcome:
    """What the tests say, in this process, which has loaded nothing of the program yet."""
    import pytest

    gc.disable()
    served = Served(path, code)
    package = served.name.partition(".")[0]
    if loaded := [name for name in sys.modules if name.partition(".")[0] == package]:
        print(f"loaded before it is mutated: {', '.join(loaded)}")
        return Outcome.FAULT
    sys.meta_path.insert(0, served)
    try:
        importlib.import_module(served.name)
    except BaseException:  # noqa: BLE001
        return Outcome.NOT_IMPORTED
    ended = int(pytest.main([*ARGUMENTS, f"--basetemp={folder}", *tests]))
    # 2 is a test file that cannot be imported, 4 a conftest; 3 and 5 are not answers.
    return {0: Outcome.SURVIVED, 1: Outcome.FAILED, 2: Outcome.NOT_IMPORTED}.get(ended, Outcome.FAULT)


def outcome_of(status: int, started: float, said: Path) -> Outcome:
    code = os.waitstatus_to_exitcode(status)
    if -code in (signal.SIGXCPU, signal.SIGKILL) or time.monotonic() - started > MAX_WALL:
        return Outcome.TOO_MUCH
    if code < 0:
        return Outcome.FAILED if -code in (signal.SIGSEGV, signal.SIGABRT) else Outcome.FAULT
    if code == Outcome.FAULT:
        text = said.read_text("utf-8", "replace")
        return Outcome.TOO_MUCH if "MemoryError" in text or os.strerror(errno.ENOMEM) in text else Outcome.FAULT
    return Outcome(code)


def expect(wanted: Iterable[Outcome], case: str, path: Path, code: str, tests: Iterable[str]) -> None:
    """Raise SystemExit with what the tests said when they end in another way."""
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder) / "said"
        started = time.monotonic()
        outcome = outcome_of(os.waitpid(child(path, code, tests, 300, str(said)), 0)[1], started, said)
        if outcome not in wanted:
            text = said.read_text("utf-8", "replace")
            raise SystemExit(f"{text}\nnothing can be shown: the tests end as {outcome.name} with {path.name} {case}")


def check_harness(one: MutationSet, modules: list[Path]) -> int:
    """Processor seconds that a mutant may use. Raises SystemExit when the tests cannot tell anything."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for path in modules:
        # A line feed more, so that it is served from memory as a mutant is.
        expect([Outcome.SURVIVED], "as it is", path, text_of(path) + "\n", one.tests)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    for path in modules:
        expect([Outcome.NOT_IMPORTED], "impossible to import", path, "raise SystemError\n", one.tests)
        expect(KILLED, "refusing each call", path, text_of(path) + STOP, one.tests)
    each = (used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime) / len(modules)
    print(f"{one.name}: tests pass as they are, in {each:.1f} s of processor", flush=True)
    return max(MIN_SECONDS, round(8 * each))


STOP = """
def _stop(*_: object, **__: object) -> None:
    raise SystemError
for _name, _value in list(globals().items()):
    if callable(_value) and getattr(_value, "__module__", None) == __name__ and not isinstance(_value, type):
        globals()[_name] = _stop
    elif isinstance(_value, type) and _value.__module__ == __name__:
        _value.__init__ = _stop
"""
"""Added to a module: all that it defines raises when it is called."""


def groups_of(tests: Iterable[str], path: Path) -> list[list[str]]:
    """The tests of this module by their name, then the others: most mutants end in the first, which load quickly."""
    own = [test for test in tests if Path(test).stem.startswith(f"test_{path.stem}")]
    return [group for group in (own, [test for test in tests if test not in own]) if group]


def tried(drawn: list[Mutation], tests: Iterable[str], jobs: int, seconds: int) -> Iterator[tuple[Mutation, Outcome]]:
    """Each mutant with its outcome, as they end. Raises SystemExit with what was said at a fault of the harness."""
    waiting = [(one, "", groups_of(tests, one.path)) for one in reversed(drawn)]
    running: dict[int, tuple[Mutation, str, list[list[str]], float, Path]] = {}
    with tempfile.TemporaryDirectory() as folder:
        try:
            while waiting or running:
                while waiting and len(running) < jobs:
                    one, code, groups = waiting.pop()
                    code = code or one.code() or ""
                    said = Path(folder) / f"{id(one)}-{len(groups)}"
                    process = child(one.path, code, groups[0], seconds, str(said))
                    running[process] = one, code, groups[1:], time.monotonic(), said
                for process, (one, code, groups, started, said) in list(running.items()):
                    done, status = os.waitpid(process, os.WNOHANG)
                    if done:
                        del running[process]
                        outcome = outcome_of(status, started, said)
                        if outcome is Outcome.FAULT:
                            text = said.read_text("utf-8", "replace")
                            raise SystemExit(f"{text}\nfault: {status} of {one.described()}")
                        said.unlink()
                        shutil.rmtree(f"{said}-tmp", ignore_errors=True)
                        if outcome is Outcome.SURVIVED and groups:
                            waiting.append((one, code, groups))
                        else:
                            yield one, outcome
                    elif time.monotonic() - started > MAX_WALL:
                        os.killpg(process, signal.SIGKILL)
                time.sleep(0.02)
        finally:
            for process in running:
                os.killpg(process, signal.SIGKILL)


def chosen_by(texts: list[str], found: list[Mutation]) -> list[Mutation]:
    """Those named `FILE`, `FILE:LINE` or `FILE:LINE-LINE`; a file by the end of its path."""
    chosen = []
    for one in found:
        for text in texts:
            name, _, lines = text.partition(":")
            first, _, last = lines.partition("-")
            near = not lines or int(first) <= one.line <= int(last or first)
            if near and ("/" + str(one.path.relative_to(ROOT))).endswith("/" + name):
                chosen.append(one)
                break
    return chosen


def lived_before(file: Path, found: list[Mutation]) -> list[Mutation]:
    """Those of a file of survivors, wherever their lines are now."""
    keys = {without_line(line) for line in file.read_text("utf-8").splitlines()}
    named = {tuple(key.split(": ", 2)[:2]) for key in keys}
    near = [one for one in found if tuple(without_line(str(one)).split(": ")) in named]
    return [one for one in near if without_line(one.described()) in keys]


def without_line(text: str) -> str:
    return re.sub(r"^([^:]+):\d+: ", r"\1: ", text)


def mutate(one: MutationSet, chosen: argparse.Namespace, counts: defaultdict[str, Counter[Outcome]]) -> None:
    """Add the outcomes to those of each module; survivors are printed and written as they are found."""
    everything = [mutation for path in one.modules for mutation in mutations(path)]
    drawn = chosen_by(chosen.only, everything) if chosen.only else everything
    if chosen.retry:
        drawn = lived_before(chosen.retry, drawn)
    # In an order drawn by lot: what was tried when it is interrupted is a fair sample too.
    drawn = random.Random(chosen.seed).sample(drawn, min(chosen.sample or len(drawn), len(drawn)))
    if not drawn:
        return
    exec(one.prepare, {})
    gc.collect()
    gc.freeze()
    seconds = check_harness(one, [path for path in one.modules if any(path == mutation.path for mutation in drawn)])
    print(f"{one.name}: {len(everything)} mutants, {len(drawn)} tried", flush=True)
    for number, (mutation, outcome) in enumerate(tried(drawn, one.tests, chosen.jobs, seconds), 1):
        counts[str(mutation.path.relative_to(ROOT))][outcome] += 1
        if outcome is Outcome.SURVIVED:
            print(mutation.described(), flush=True)
            if chosen.survivors:
                with chosen.survivors.open("a", encoding="utf-8") as file:
                    file.write(mutation.described() + "\n")
        if number % 100 == 0:
            print(f"... {number} of {len(drawn)}", flush=True)


def row(name: str, counts: Counter[Outcome]) -> str:
    from retrodoc_checks.intervals import Share

    killed = sum(counts[outcome] for outcome in KILLED)
    share = Share(killed, killed + counts[Outcome.SURVIVED])
    how = f"{counts[Outcome.FAILED]} | {counts[Outcome.NOT_IMPORTED]} | {counts[Outcome.TOO_MUCH]}"
    value = "none" if share.value is None else f"{share.value:.3f} ({share.low:.3f} to {share.high:.3f})"
    return f"| {name} | {share.total} | {how} | {counts[Outcome.SURVIVED]} | {value} |"


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = sorted(path.stem for path in HERE.glob("*.toml"))
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"Of {', '.join(names)}; all by default.")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sample", type=int, help=f"Of each set, {SAMPLE} by default; 0 for all of them.")
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--only", action="append", default=[], metavar="FILE[:LINE[-LINE]]")
    parser.add_argument("--retry", type=Path, metavar="FILE", help="The survivors that --survivors wrote.")
    parser.add_argument("--survivors", type=Path, metavar="FILE", help="Add each survivor to this file.")
    parser.set_defaults(names=names)
    return parser


def fail_at_once() -> None:
    """Have Hypothesis make the same examples each time, and look for no simpler one when one fails."""
    from hypothesis import Phase, settings

    settings.register_profile("mutant", settings.get_profile("ci"), phases=(Phase.explicit, Phase.generate))


def main(arguments: list[str] | None = None) -> int:
    parser = options()
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.sets) - set(chosen.names):
        parser.error(f"no such set: {', '.join(sorted(unknown))}")
    if chosen.sample is None:
        chosen.sample = 0 if chosen.only or chosen.retry else SAMPLE
    chosen.retry, chosen.survivors = (one and one.resolve() for one in (chosen.retry, chosen.survivors))
    os.chdir(ROOT)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.path[:0] = [str(ROOT / folder) for folder in SOURCES]
    for name in PRELOADED:
        importlib.import_module(name)
    fail_at_once()
    counted: defaultdict[str, Counter[Outcome]] = defaultdict(Counter)
    whole = not (chosen.sample or chosen.only or chosen.retry)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        for name in chosen.sets or chosen.names:
            mutate(load_set(name), chosen, counted)
    except SystemExit as fault:
        print(fault, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted: what follows is of a part, drawn by lot")
        whole = False
    print("\n| module | mutants | test failed | import failed | too much | survived | killed (95 % interval) |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    total: Counter[Outcome] = sum(counted.values(), Counter())
    print("\n".join([*(row(f"`{path}`", count) for path, count in counted.items()), row("**all**", total)]))
    return 0 if enough(total, whole=whole) else 1


def enough(total: Counter[Outcome], *, whole: bool) -> bool:
    from retrodoc_checks.intervals import Share

    killed = sum(total[outcome] for outcome in KILLED)
    share = Share(killed, killed + total[Outcome.SURVIVED])
    return (share.value or 0.0 if whole else share.high) >= MIN_KILLED


if __name__ == "__main__":
    sys.exit(main())
