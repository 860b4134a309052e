"""Chunkers side by side on pinned real source, with the parser's own speed in the last row.

    make bench-chunk            RETRODOC_CORPORA names the folder of packages; what is missing is fetched

    ARGS=--own                  without the peers and their environment
    ARGS=--pin                  writes digests.json anew

What counts as a start on a definition, as split and as lossless is written in figures.py, the same for all. Speed is
CPU seconds of one process. Below the table stands each figure that must hold (musts.py); exit code 1 when one does not.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import jobs
import musts
from corpus import HERE, File, read_corpus
from figures import BUDGET, Truth, forced_cuts, measure, truth_of

from retrodoc_chunkers.grammars import language_of

PEERS = ["chonkie", "llama_index", "semantic_text_splitter", "langchain", "astchunk"]
SHOWN = {
    "retrodoc": "retrodoc_chunkers",
    "chonkie": "chonkie 1.5.6 CodeChunker",
    "llama_index": "llama-index-core 0.14.25 CodeSplitter",
    "semantic_text_splitter": "semantic-text-splitter",
    "langchain": "langchain from_language",
    "astchunk": "astchunk (3 languages)",
}
HEADER = """
| chunker | MB/s (CPU) | chunks on a definition | inner cuts on one | split though they fit | over budget \
| lossless files | chunks / floor | peak MB |
|---|---|---|---|---|---|---|---|---|"""
REQUIREMENTS = HERE / "peers.txt"


def worker(python: str, name: str, corpus: Path, folder: Path) -> dict:
    out = folder / f"{name}.json"
    command = [python, str(HERE / "worker.py"), name, str(corpus), str(out), str(BUDGET)]
    subprocess.run(command, check=True)
    loaded: dict = json.loads(out.read_text())
    return loaded


def peers_python(folder: Path) -> str:
    """An environment of the benchmark's own, so that no peer is ever a dependency of the program."""
    environment = Path(os.environ.get("RETRODOC_PEERS", folder / "chunk-peers"))
    python = environment / "bin/python"
    if not python.exists():
        uv = Path(sys.executable).with_name("uv")
        program = str(uv) if uv.exists() else "uv"
        subprocess.run([program, "venv", "-q", "--python", "3.11", str(environment)], check=True)
        subprocess.run([program, "pip", "install", "-q", "--python", str(python), "-r", str(REQUIREMENTS)], check=True)
    return str(python)


def own_speed(seconds: dict[str, float], size: int, large: int) -> str:
    """Our own speed beside the limit, measured in turn on each file."""
    lines = [
        f"files over the budget: {large / 1e6 / seconds['retrodoc-large']:.1f} MB/s,"
        f" {seconds['parse-large'] / seconds['retrodoc-large']:.2f} of the limit"
    ]
    whole = {
        name: seconds[f"{name}-small"] + seconds[f"{name}-large"]
        for name in ("parse", "definitions", "syntax", "tables")
    }
    for name, what in (
        ("definitions", "definitions"),
        ("syntax", "definitions, calls, imports, token kinds and what encloses a line"),
        ("tables", "all that a cache keeps: these, and counts of members, parameters and fields"),
    ):
        lines.append(
            f"syntax_of, {what}: {size / 1e6 / whole[name]:.1f} MB/s, {whole['parse'] / whole[name]:.2f} of the limit"
        )
    return "\n".join(lines)


def cache_speed(files: list[File], folder: Path) -> tuple[float, float, int]:
    from retrodoc_chunkers.cache import SyntaxCache

    times = []
    for _ in range(2):
        cache = SyntaxCache(folder / "cache")
        start = time.process_time()
        for path, source in files:
            _ = cache.get(source, path).calls
        times.append(time.process_time() - start)
    return times[0], times[1], cache.misses


def main() -> int:
    folder = Path(os.environ.get("RETRODOC_CORPORA", "build/corpora")).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    files, changed = pinned_corpus(folder)
    size = sum(len(source) for _, source in files)
    large = sum(len(source) for _, source in files if len(source) > BUDGET)
    languages = {path: language_of(path) or "" for path, _ in files}
    print(f"{len(files)} files, {size / 1e6:.1f} MB, {large / 1e6:.1f} MB of it in files over {BUDGET} bytes")
    share: dict[str, int] = {}
    for path, source in files:
        share[languages[path]] = share.get(languages[path], 0) + len(source)
    print(", ".join(f"{name} {count / size:.1%}" for name, count in sorted(share.items(), key=lambda one: -one[1])))
    truths = {path: truth_of(path, source) for path, source in files}
    with tempfile.TemporaryDirectory() as scratch:
        corpus = Path(scratch, "corpus.pickle")
        corpus.write_bytes(pickle.dumps([(path, str(folder / path)) for path, _ in files]))
        own = {name: worker(sys.executable, name, corpus, Path(scratch)) for name in ("parse", "retrodoc")}
        print(HEADER)
        print(row("retrodoc", own["retrodoc"], truths), flush=True)
        wanted = () if "--own" in sys.argv else PEERS
        ran = rows_of_peers(wanted, folder, corpus, Path(scratch), truths)
        limit = own["parse"]
        print(
            f"| tree-sitter alone (the limit) | {size / 1e6 / limit['seconds']:.1f} | | | | | | | {limit['memory']} |"
        )
        figures = measure(truths, own["retrodoc"])
        forced, off = sum(map(forced_cuts, truths.values())), figures.inner - figures.inner_on_start
        print(f"\nour cuts within files: {figures.inner:,}, {off} not on a definition; {forced} can be on none")
        seconds = worker(sys.executable, "own", corpus, Path(scratch))
        print(own_speed(seconds, size, large))
        together = jobs.measure(files)
        print(jobs.shown(together, size))
        first, second, misses = cache_speed(files, Path(scratch))
        print(f"SyntaxCache: {first:.1f} s the first time, {second:.1f} s the second, {misses} parsed then")
    return verdict(
        [
            *musts.of_corpus(files, languages.values(), changed),
            *musts.of_speed(seconds),
            musts.of_jobs(together.limit / together.two),
            *musts.of_chunks(figures, own["retrodoc"]["memory"], len(files)),
            musts.of_lines(files),
            musts.of_peers(ran, wanted),
            musts.of_cache(misses),
        ]
    )


def pinned_corpus(folder: Path) -> tuple[list[File], list[str]]:
    """All files, and the packages that are missing or not the pinned ones."""
    files, digests = read_corpus(folder)
    if "--pin" in sys.argv:
        (HERE / "digests.json").write_text(json.dumps(digests, indent=1) + "\n")
    pinned = json.loads((HERE / "digests.json").read_text())
    return files, sorted(name for name in {*digests, *pinned} if digests.get(name) != pinned.get(name))


def rows_of_peers(
    wanted: Iterable[str], folder: Path, corpus: Path, scratch: Path, truths: dict[str, Truth]
) -> list[str]:
    """Print a row of each peer; the names of those that ran."""
    ran = []
    for name in wanted:
        try:
            print(row(name, worker(peers_python(folder), name, corpus, scratch), truths), flush=True)
            ran.append(name)
        except subprocess.CalledProcessError as error:
            print(f"| {SHOWN[name]} | did not run: {error} |", flush=True)
    return ran


def verdict(held: list[musts.Must]) -> int:
    print()
    for must in held:
        print(must)
    return 0 if all(must.met for must in held) else 1


def row(name: str, result: dict, truths: dict[str, Truth]) -> str:
    figures = measure(truths, result)
    done = sum(len(truths[path].source) for path, spans in result["cuts"].items() if spans is not None)
    memory = f"{result['memory']}"
    return (
        f"| {SHOWN[name]} | {done / 1e6 / result['seconds']:.1f} | {figures.on_start / figures.chunks:.1%}"
        f" | {figures.inner_on_start / max(figures.inner, 1):.1%} | {figures.split / max(figures.definitions, 1):.2%}"
        f" | {figures.over / figures.chunks:.2%} | {figures.lossless / len(result['cuts']):.1%}"
        f" | {figures.chunks:,} / {figures.floor:,} = {figures.chunks / figures.floor:.3f} | {memory} |"
    )


if __name__ == "__main__":
    sys.exit(main())
