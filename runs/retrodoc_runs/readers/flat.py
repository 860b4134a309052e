"""A block's pieces as one string, in which citations are looked for, and what each of its characters shows."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Sequence

from retrodoc_runs.readers.blocks import Piece

CODE = "\ue000"
"""Stands for a code span while the prose around it is scanned."""


def flat(pieces: Sequence[Piece]) -> tuple[str, list[str], Callable[[int], int]]:
    """The pieces as one string to scan, what each of its characters shows, and the line of each."""
    characters: list[str] = []
    shown: list[str] = []
    starts: list[tuple[int, int]] = []
    for index, piece in enumerate(pieces):
        starts.append((len(shown), piece.line))
        if piece.kind == "code":
            characters.append(CODE)
            shown.append(piece.shown)
        elif piece.kind == "break":
            characters.append("\n")
            shown.append("\n")
        elif piece.kind == "mark":
            inside = piece.text[0] == "_" and _within_a_word(pieces, index)
            characters.append(piece.text if inside else "*" * len(piece.text))
            shown.extend("" for _ in piece.text)
        else:
            text = piece.text.replace(CODE, "\ufffd")
            characters.append(text)
            shown.extend(text)

    def line_at(offset: int) -> int:
        return starts[max(bisect_right(starts, (offset, sys.maxsize)) - 1, 0)][1]

    return "".join(characters), shown, line_at


def _within_a_word(pieces: Sequence[Piece], index: int) -> bool:
    """Whether the underscores of an emphasis belong to a path, as in `src/__init__.py`."""
    left = pieces[index - 1].text if index and pieces[index - 1].kind == "text" else " "
    right = pieces[index + 1].text if index + 1 < len(pieces) and pieces[index + 1].kind == "text" else " "
    if left[-1:] in "/_-." and right[:1].isalnum():
        return True  # opens after a slash
    if left[-1:].isalnum() and re.match(r"[.\w][A-Za-z]", right):
        return True  # closes before an extension
    after = pieces[index + 3].text if index + 3 < len(pieces) and pieces[index + 3].kind == "text" else ""
    closes = index + 2 < len(pieces) and pieces[index + 2].kind == "mark"
    return closes and " " not in right and re.match(r"\.[A-Za-z]", after) is not None


def label_text(pieces: Sequence[Piece]) -> str:
    """The text of a link's label, in which underscores are letters and code spans are without their backticks."""
    parts = [piece.text for piece in pieces if piece.kind != "mark" or piece.text[0] == "_"]
    return " ".join("".join(parts).split())


def without(shown: list[str], removed: Sequence[tuple[int, int]]) -> str:
    """What is shown, but for the spans `removed`: half-open, in order."""
    kept, position = [], 0
    for start, end in removed:
        kept.append("".join(shown[position:start]))
        position = end
    kept.append("".join(shown[position:]))
    return "".join(kept)
