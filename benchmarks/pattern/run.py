"""What becomes of right and wrong regexes on real files of five languages that no grammar of ours reads.

    make bench-pattern          RETRODOC_CORPORA names the folder of packages

Each regex is measured as a model's answer would be, on the 20 largest files of its language. Exit code 1 when a right
regex is not accepted, when a wrong one may be used or is refused by another bound than it should be, or when the files
of a language are missing.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "chunkers"))

from real_languages import Language, bound_passed, languages

from retrodoc_chunkers.pattern import MAX_BREADTH, USABLE, Decision, judge, largest

HEADER = """
| language | regex | recall | largest share of a file | matches per definition, over all / in a broad file \
| decision | refused by |
|---|---|---|---|---|---|---|"""


def rows_of(language: Language, files: dict[str, bytes]) -> tuple[list[str], list[str]]:
    """Lines of the table, and what is not as it must be."""
    rows, faults = [], []
    for what, regex, refused_by in [
        ("right", language.right, ""),
        *((f"wrong: {one.why}", one.regex, one.refused_by) for one in language.wrong),
    ]:
        judged = judge(regex, files)
        measured = judged.measured
        if measured is None:
            faults.append(f"{language.name}, {what}: {judged.error}")
            continue
        bound = bound_passed(measured)
        rows.append(
            f"| {language.name} | {what} | {measured.recall:.1%} of {measured.definition_lines}"
            f" | {measured.breadth:.1%} | {measured.excess:.2f} / {measured.excess_in_file:.2f}"
            f" | {judged.decision} | {bound} |"
        )
        right = judged.decision is Decision.ACCEPTED if not refused_by else judged.decision not in USABLE
        if not right or bound != refused_by:
            faults.append(f"{language.name}, {what}: {judged.decision}, by {bound or 'no bound'}")
    return rows, faults


def main() -> int:
    corpora = Path(os.environ.get("RETRODOC_CORPORA", "build/corpora")).resolve()
    table, faults, binding = [], [], 0
    for language in languages():
        files = language.read(corpora)
        if not files:
            faults.append(f"{language.name}: no files of {language.corpus} in {corpora}")
            continue
        size = sum(map(len, files.values()))
        print(
            f"{language.name}: {len(files)} files of {language.corpus}, {size:,} bytes, {len(largest(files))} measured"
        )
        rows, wrong = rows_of(language, files)
        table += rows
        faults += wrong
        binding += sum(row.endswith(" excess |") for row in rows)
    print(HEADER)
    print("\n".join(table))
    print(
        f"\n{binding} wrong regexes stay under {MAX_BREADTH:.0%} of each file and are refused by the bound that binds"
    )
    for fault in faults:
        print(f"FAULT {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
