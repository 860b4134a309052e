"""One chunker over the corpus, in a process of its own: CPU seconds, peak memory and where it cut.

    python worker.py NAME CORPUS.pickle OUT.json [MAX_CHARS]

The pickle is written by run.py beside it. The peers run in an environment of the benchmark's own.
"""

from __future__ import annotations

import contextlib
import json
import pickle
import sys
import time
from collections.abc import Callable

Spans = list[tuple[int, int]]
NAMES = {
    ".py": "python",
    ".rb": "ruby",
    ".js": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".tsx": "tsx",
    ".rs": "rust",
    ".go": "go",
    ".java": "java",
}


def language(path: str) -> str:
    return NAMES[path[path.rfind(".") :]]


def located(text: str, pieces: list[str]) -> Spans:
    """Character spans of pieces that are given as text: where each is next found."""
    spans = []
    at = 0
    for piece in pieces:
        start = text.find(piece, at)
        if start < 0:
            start = text.find(piece)
        if start < 0:
            spans.append((-1, -1))
            continue
        spans.append((start, start + len(piece)))
        at = start + 1
    return spans


def retrodoc(budget: int) -> Callable[[str, bytes], Spans]:
    from retrodoc_chunkers import chunk_source

    return lambda path, source: [(one.start_byte, one.end_byte) for one in chunk_source(source, path, budget)]


def syntax(_budget: int) -> Callable[[str, bytes], Spans]:
    from retrodoc_chunkers import syntax_of

    def run(path: str, source: bytes) -> Spans:
        read = syntax_of(source, path)
        for part in (read.definitions, read.calls, read.imports, read.comments, read.strings):
            assert part is not None
        read.kind_at(0)
        read.enclosing(1)
        return []

    return run


def tables(_budget: int) -> Callable[[str, bytes], Spans]:
    from retrodoc_chunkers import syntax_of

    def run(path: str, source: bytes) -> Spans:
        assert syntax_of(source, path).tables() is not None
        return []

    return run


def definitions(_budget: int) -> Callable[[str, bytes], Spans]:
    from retrodoc_chunkers import syntax_of

    def run(path: str, source: bytes) -> Spans:
        assert syntax_of(source, path).definitions is not None
        return []

    return run


def parse(_budget: int) -> Callable[[str, bytes], Spans]:
    from tree_sitter import Parser

    from retrodoc_chunkers.grammars import grammar

    parsers = {name: Parser(grammar(name)) for name in NAMES.values()}

    def run(path: str, source: bytes) -> Spans:
        parsers[language(path)].parse(source)
        return []

    return run


def chonkie(budget: int) -> Callable[[str, bytes], Spans]:
    from chonkie import CodeChunker

    made = {name: CodeChunker("character", budget, name) for name in NAMES.values()}

    def run(path: str, source: bytes) -> Spans:
        return [(one.start_index, one.end_index) for one in made[language(path)].chunk(source.decode())]

    return run


def llama_index(budget: int) -> Callable[[str, bytes], Spans]:
    from llama_index.core.node_parser import CodeSplitter

    made = {name: CodeSplitter(name, max_chars=budget) for name in NAMES.values()}

    def run(path: str, source: bytes) -> Spans:
        text = source.decode()
        return located(text, made[language(path)].split_text(text))

    return run


def semantic_text_splitter(budget: int) -> Callable[[str, bytes], Spans]:
    import importlib

    from semantic_text_splitter import CodeSplitter

    made = {}
    for name in NAMES.values():
        typed = name in ("typescript", "tsx")
        module = importlib.import_module("tree_sitter_typescript" if typed else f"tree_sitter_{name}")
        loaded = getattr(module, f"language_{name}" if typed else "language")()
        made[name] = CodeSplitter(loaded, budget, trim=False)

    def run(path: str, source: bytes) -> Spans:
        return [(start, start + len(piece)) for start, piece in made[language(path)].chunk_indices(source.decode())]

    return run


def langchain(budget: int) -> Callable[[str, bytes], Spans]:
    from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

    short = {"javascript": "js", "typescript": "ts", "tsx": "ts"}
    made = {
        name: RecursiveCharacterTextSplitter.from_language(
            Language(short.get(name, name)), chunk_size=budget, chunk_overlap=0
        )
        for name in NAMES.values()
    }

    def run(path: str, source: bytes) -> Spans:
        text = source.decode()
        return located(text, made[language(path)].split_text(text))

    return run


def astchunk(budget: int) -> Callable[[str, bytes], Spans]:
    from astchunk import ASTChunkBuilder

    made = {
        name: ASTChunkBuilder(max_chunk_size=budget, language=name, metadata_template="default")
        for name in ("python", "java", "typescript")
    }
    made["tsx"] = made["typescript"]  # it reads both with the grammar of TSX

    def run(path: str, source: bytes) -> Spans:
        text = source.decode()
        return located(text, [one["content"] for one in made[language(path)].chunkify(text)])

    return run


OWN = ("parse", "retrodoc", "definitions", "syntax", "tables")


def interleaved(corpus: str, out: str, budget: int) -> None:
    """CPU seconds of the limit and of our own, file by file in turn, so that a busy machine slows all of them alike."""
    with open(corpus, "rb") as handle:  # noqa: PTH123
        files: list[tuple[str, str]] = pickle.load(handle)
    runs = {name: globals()[name](budget) for name in OWN}
    seconds = {f"{name}-{size}": 0.0 for name in OWN for size in ("small", "large")}
    for path, place in files[:: max(len(files) // 40, 1)]:
        for run in runs.values():
            run(path, read(place))
    for path, place in files:
        source = read(place)
        size = "large" if len(source) > budget else "small"
        for name, run in runs.items():
            start = time.process_time()
            run(path, source)
            seconds[f"{name}-{size}"] += time.process_time() - start
    with open(out, "w") as handle:  # noqa: PTH123
        json.dump(seconds, handle)


BYTES = {"retrodoc", "syntax", "definitions", "tables", "parse"}
"""Chunkers that speak of bytes; the others speak of characters."""


def read(place: str) -> bytes:
    with open(place, "rb") as handle:  # noqa: PTH123
        return handle.read()


def peak_memory() -> int:
    """Megabytes at the peak of this process; `ru_maxrss` would begin with the parent's."""
    with open("/proc/self/status") as handle:  # noqa: PTH123
        return next(int(line.split()[1]) // 1024 for line in handle if line.startswith("VmHWM"))


def main() -> None:
    name, corpus, out, budget = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    if name == "own":
        interleaved(corpus, out, budget)
        return
    with open(corpus, "rb") as handle:  # noqa: PTH123
        files: list[tuple[str, str]] = pickle.load(handle)  # the path shown, and where it is
    run = globals()[name](budget)
    for path, place in files[:: max(len(files) // 40, 1)]:  # load what is loaded when first used
        with contextlib.suppress(Exception):
            run(path, read(place))
    base = peak_memory()
    cuts: dict[str, Spans | None] = {}
    seconds = large_seconds = 0.0
    for path, place in files:
        source = read(place)
        start = time.process_time()
        try:
            cuts[path] = run(path, source)
        except Exception:  # noqa: BLE001
            cuts[path] = None
        spent = time.process_time() - start
        seconds += spent
        large_seconds += spent if len(source) > budget else 0.0
    memory = peak_memory()
    result = {"seconds": seconds, "large_seconds": large_seconds, "memory": memory, "base": base, "cuts": cuts,
              "bytes": name in BYTES}  # fmt: skip
    with open(out, "w") as handle:  # noqa: PTH123
        json.dump(result, handle)


if __name__ == "__main__":
    main()
