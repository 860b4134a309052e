"""Chunkers side by side on pinned real source, with the parser's own speed in the last row.

    make bench-chunk            RETRODOC_CORPORA names the folder of packages; what is missing is fetched

What counts, the same for all: a chunk **starts on a definition** when the first thing in it that is neither white
space nor a comment is the first byte of a definition (decorators, attributes and `export` included) of
`queries/*/definitions.scm` that is no constant, or when it is the start of its file. A definition **is split** when
it has at most the budget's characters and a chunk starts inside it. **Lossless**: the chunks join to the file, byte for
byte. The **floor** is the sum over files of their characters over the budget, rounded up. CPU seconds of one process.
"""

from __future__ import annotations

import bisect
import json
import os
import pickle
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from corpus import HERE, File, read_corpus

BUDGET = 6_000
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


@dataclass
class Truth:
    """What is known of a file, whoever chunks it."""

    source: bytes
    characters: int
    comments: list[tuple[int, int]]
    starts: set[int] = field(default_factory=set)
    fitting: list[tuple[int, int]] = field(default_factory=list)
    offsets: list[int] | None = None
    """Byte of each character, when they differ."""


def truth_of(path: str, source: bytes) -> Truth:
    from retrodoc_chunkers import syntax_of

    text = source.decode()
    syntax = syntax_of(source, path)
    truth = Truth(source, len(text), list(syntax.comments))
    if len(text) != len(source):
        offsets = [0]
        for character in text:
            offsets.append(offsets[-1] + len(character.encode()))
        truth.offsets = offsets
    for one in syntax.definitions:
        if one.kind != "constant":
            truth.starts.add(one.start_byte)
            if len(source[one.start_byte : one.end_byte].decode()) <= BUDGET:
                truth.fitting.append((one.start_byte, one.end_byte))
    return truth


@dataclass
class Figures:
    chunks: int = 0
    on_start: int = 0
    inner: int = 0
    inner_on_start: int = 0
    definitions: int = 0
    split: int = 0
    over: int = 0
    files: int = 0
    lossless: int = 0
    floor: int = 0


def measure(truths: dict[str, Truth], result: dict) -> Figures:
    figures = Figures()
    for path, spans in result["cuts"].items():
        if spans is None:
            continue
        truth = truths[path]
        figures.files += 1
        figures.floor += -(-truth.characters // BUDGET)
        if not result["bytes"] and truth.offsets is not None:
            spans = [
                (truth.offsets[start], truth.offsets[min(end, truth.characters)]) if start >= 0 else (-1, -1)
                for start, end in spans
            ]
        joined = b"".join(truth.source[start:end] for start, end in spans if start >= 0)
        figures.lossless += joined == truth.source
        for start, end in spans:
            figures.chunks += 1
            figures.over += len(truth.source[max(start, 0) : max(end, 0)].decode("utf-8", "replace")) > BUDGET
            first = first_code(truth, start)
            if start <= 0:
                figures.on_start += 1
                continue
            figures.inner += 1
            figures.inner_on_start += first in truth.starts
            figures.on_start += first in truth.starts
        cuts = sorted(start for start, _ in spans if start > 0)
        figures.definitions += len(truth.fitting)
        for start, end in truth.fitting:
            index = bisect.bisect_right(cuts, start)
            figures.split += index < len(cuts) and cuts[index] < end
    return figures


def first_code(truth: Truth, at: int) -> int:
    """The first byte from `at` on that is neither white space nor a comment."""
    ends = dict(truth.comments)
    source = truth.source
    while 0 <= at < len(source):
        while at < len(source) and source[at] in b" \t\r\n\f\v":
            at += 1
        if at not in ends:
            break
        at = ends[at]
    return at


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
        f"\nfiles over the budget: {large / 1e6 / seconds['retrodoc-large']:.1f} MB/s,"
        f" {seconds['parse-large'] / seconds['retrodoc-large']:.2f} of the limit"
    ]
    whole = {name: seconds[f"{name}-small"] + seconds[f"{name}-large"] for name in ("parse", "definitions", "syntax")}
    for name, what in (("definitions", "definitions"), ("syntax", "definitions, calls, imports and token kinds")):
        lines.append(
            f"syntax_of, {what}: {size / 1e6 / whole[name]:.1f} MB/s, {whole['parse'] / whole[name]:.2f} of the limit"
        )
    return "\n".join(lines)


def jobs_speed(files: list[File]) -> list[tuple[int, float]]:
    """Wall-clock seconds of `chunk_many` with one and two processes."""
    from retrodoc_chunkers.many import chunk_many

    found = []
    for jobs in (1, 2):
        start = time.perf_counter()
        for _ in chunk_many(files, BUDGET, jobs):
            pass
        found.append((jobs, time.perf_counter() - start))
    return found


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
    files, digests = read_corpus(folder)
    pinned = json.loads((HERE / "digests.json").read_text()) if (HERE / "digests.json").exists() else {}
    if "--pin" in sys.argv:
        (HERE / "digests.json").write_text(json.dumps(digests, indent=1) + "\n")
    elif digests != pinned:
        changed = sorted(name for name in {*digests, *pinned} if digests.get(name) != pinned.get(name))
        print(f"note: not the pinned corpus: {', '.join(changed)} differ")
    size = sum(len(source) for _, source in files)
    large = sum(len(source) for _, source in files if len(source) > BUDGET)
    print(f"{len(files)} files, {size / 1e6:.1f} MB, {large / 1e6:.1f} MB of it in files over {BUDGET} bytes")
    share: dict[str, int] = {}
    for path, source in files:
        share[Path(path).suffix] = share.get(Path(path).suffix, 0) + len(source)
    print(", ".join(f"{suffix} {count / size:.0%}" for suffix, count in sorted(share.items(), key=lambda one: -one[1])))
    truths = {path: truth_of(path, source) for path, source in files}
    with tempfile.TemporaryDirectory() as scratch:
        corpus = Path(scratch, "corpus.pickle")
        corpus.write_bytes(pickle.dumps([(path, str(folder / path)) for path, _ in files]))
        own = {name: worker(sys.executable, name, corpus, Path(scratch)) for name in ("parse", "retrodoc")}
        print(HEADER)
        print(row("retrodoc", own["retrodoc"], truths), flush=True)
        python = "" if "--own" in sys.argv else peers_python(folder)
        for name in PEERS if python else ():
            try:
                print(row(name, worker(python, name, corpus, Path(scratch)), truths), flush=True)
            except subprocess.CalledProcessError as error:
                print(f"| {SHOWN[name]} | did not run: {error} |", flush=True)
        limit = own["parse"]
        print(
            f"| tree-sitter alone (the limit) | {size / 1e6 / limit['seconds']:.1f} | | | | | | | {limit['memory']} |"
        )
        print(own_speed(worker(sys.executable, "own", corpus, Path(scratch)), size, large))
        (_, one), (_, two) = jobs_speed(files)
        print(f"chunk_many: {one:.1f} s with 1 job, {two:.1f} s with 2: {one / two:.2f} times as fast")
        first, second, misses = cache_speed(files, Path(scratch))
        print(f"SyntaxCache: {first:.1f} s the first time, {second:.1f} s the second, {misses} parsed then")
    return 0


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
