"""Mutate the modules that decide about chunks and patterns, and list what no test notices.

    python benchmarks/chunk/mutation/run.py [cut|pattern] [--jobs N] [--sample N]

The mutations are cosmic-ray's, of the configuration beside this file. Each runs in a fork of a process that has the
test tools loaded, with the mutated module served from memory: nothing is written into the checkout, and a mutation
costs what its tests cost. The first test that fails ends it; a mutation is tried for at most 60 seconds.
"""

from __future__ import annotations

import argparse
import importlib.abc
import importlib.util
import os
import random
import signal
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
TIMEOUT = 60.0
ARGUMENTS = ["-x", "-q", "-p", "no:cacheprovider", "--hypothesis-profile=ci",
             "-W", "ignore::pytest.PytestAssertRewriteWarning"]  # fmt: skip


class Mutation(NamedTuple):
    path: Path
    operator: str
    occurrence: int
    line: int


class Served(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives one module from memory."""

    def __init__(self, name: str, code: str, path: Path) -> None:
        self.name, self.code, self.path = name, code, path

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.code, str(self.path), "exec"), module.__dict__)


def mutations(config: dict) -> list[Mutation]:
    """All mutations of the configured modules, but those of annotations, which are never evaluated."""
    import parso
    from cosmic_ray.ast import ast_nodes
    from cosmic_ray.plugins import get_operator, operator_names

    found = []
    for name in config["module-path"]:
        tree = parso.parse((ROOT / name).read_text("utf-8"))
        for operator_name in sorted(operator_names()):
            if "BitOr" in operator_name or operator_name.startswith(("core/ExceptionReplacer", "core/Variable")):
                continue
            operator = get_operator(operator_name)()
            occurrence = 0
            for node in ast_nodes(tree):
                for start, _ in operator.mutation_positions(node):
                    found.append(Mutation(ROOT / name, operator_name, occurrence, start[0]))
                    occurrence += 1
    return found


def mutated(one: Mutation) -> str | None:
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    return mutate_code(one.path.read_text("utf-8"), get_operator(one.operator)(), one.occurrence)


def survives(one: Mutation, tests: list[str]) -> bool | None:
    """Whether all tests pass; None when the mutation changes nothing."""
    code = mutated(one)
    if code is None or code == one.path.read_text("utf-8"):
        return None
    return passes(one.path, code, tests)


def passes(path: Path, code: str, tests: list[str]) -> bool:
    """Whether all tests pass when a module has this code."""
    child = os.fork()
    if child == 0:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        try:
            import pytest

            sys.meta_path.insert(0, Served(f"retrodoc_chunkers.{path.stem}", code, path))
            sys.setrecursionlimit(2_000)
            code_out = int(pytest.main([*ARGUMENTS, *tests]))
        except BaseException:  # noqa: BLE001
            code_out = 1
        os._exit(1 if code_out else 0)
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.01)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("name", choices=["cut", "pattern"])
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--sample", type=int, default=0, help="Only so many, drawn at random with a fixed seed.")
    chosen = options.parse_args()
    os.chdir(ROOT)
    config = tomllib.loads((HERE / f"{chosen.name}.toml").read_text("utf-8"))["cosmic-ray"]
    tests = config["test-command"].split()
    everything = mutations(config)
    # Typing-only and documentation lines cannot be noticed.
    everything = [one for one in everything if not _only_typing(one)]
    drawn = random.Random(4).sample(everything, chosen.sample) if chosen.sample else everything
    import hypothesis  # noqa: F401
    import pytest  # noqa: F401
    import tree_sitter  # noqa: F401

    first = drawn[0].path
    if not passes(first, first.read_text("utf-8") + "\n", tests):
        print("the tests fail without any mutation: nothing would be shown", file=sys.stderr)
        return 2
    print(f"{len(everything)} mutations, {len(drawn)} tried", flush=True)
    killed = survived = 0
    with ThreadPoolExecutor(chosen.jobs) as pool:
        for one, alive in zip(drawn, pool.map(lambda one: survives(one, tests), drawn), strict=True):
            if alive is None:
                continue
            killed += not alive
            survived += alive
            if alive:
                text = (mutated(one) or "").split("\n")[one.line - 1].strip()
                print(f"survived: {one.path.name}:{one.line} {one.operator.removeprefix('core/')}: {text}", flush=True)
            if (killed + survived) % 50 == 0:
                print(f"... {killed + survived}: {killed / (killed + survived):.1%} killed", flush=True)
    print(f"{killed} of {killed + survived} killed: {killed / (killed + survived):.1%}")
    return 0


def _only_typing(one: Mutation) -> bool:
    line = one.path.read_text("utf-8").split("\n")[one.line - 1]
    return "TYPE_CHECKING" in line


if __name__ == "__main__":
    sys.exit(main())
