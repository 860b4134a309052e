"""What a whole-file prompt loses of a large controller, and which chunk holds it instead.

    python benchmarks/chunk/demonstration.py [FILE] [MAX_CHARS]

Without a file: `issues_controller.rb` of Debian's redmine, under RETRODOC_CORPORA.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from retrodoc_chunkers import chunk_source, syntax_of


def main() -> None:
    corpora = Path(os.environ.get("RETRODOC_CORPORA", "build/corpora"))
    default = corpora / "redmine/app/controllers/issues_controller.rb"
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    budget = int(sys.argv[2]) if len(sys.argv) > 2 else 6_000
    source = path.read_bytes()
    chunks = chunk_source(source, path.name, budget)
    # Ruby: what follows a bare `private` is no entry point.
    private = next((number for number, line in enumerate(source.split(b"\n"), 1) if line.strip() == b"private"), 10**9)
    methods = [one for one in syntax_of(source, path.name).definitions if one.kind in ("method", "function")]
    actions = [one for one in methods if one.start_line < private]
    print(f"{path.name}: {len(source):,} bytes, {len(actions)} entry points; a prompt that takes {budget:,} characters")
    for one in actions:
        kept = one.end_byte <= budget
        (part,) = [chunk.part for chunk in chunks if chunk.start_byte <= one.start_byte < chunk.end_byte]
        whole = any(chunk.start_byte <= one.start_byte and one.end_byte <= chunk.end_byte for chunk in chunks)
        lost = "kept" if kept else "cut off" if one.start_byte >= budget else "cut in two"
        print(f"  {one.name:32} lines {one.start_line}-{one.end_line:<5} whole-file prompt: {lost:11}"
              f" chunk {part} of {len(chunks)}{'' if whole else ', in pieces'}")  # fmt: skip


if __name__ == "__main__":
    main()
