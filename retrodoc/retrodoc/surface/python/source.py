"""Decides what a Python file says as a tree, also when it is Python 2, too new, or holds a syntax error.

A file that does not parse is mended line by line: known forms of other versions are rewritten, then the lines that the
parser points at are blanked, a limited number of times. Line numbers never change, so what is found can still be cited.
"""

from __future__ import annotations

import ast
import gc
import re
import warnings

MAX_MENDS = 40
"""Lines that may be blanked before the file is given up."""

_PRINT = re.compile(r"^(\s*)print(?:\s*>>.*|\s+(?![=(]).*|\s*)$", re.MULTILINE)
_EXCEPT = re.compile(r"^(\s*except\s+)([\w.]+|\([^)\n]*\))\s*,\s*(\w+)\s*:", re.MULTILINE)
_RAISE = re.compile(r"^(\s*)raise\s+[\w.]+\s*,.*$", re.MULTILINE)
_EXEC = re.compile(r"^(\s*)exec\s+[^(\n].*$", re.MULTILINE)
_OCTAL = re.compile(r"(?<![\w.])0([0-7]+)(?![\w.])")
_TYPE_PARAMETERS = re.compile(r"^(\s*(?:async\s+def|def|class)\s+\w+)\[[^\]\n]*\](?=\s*[(:])", re.MULTILINE)
_TYPE_ALIAS = re.compile(r"^(\s*)type\s+(\w+)(?:\[[^\]\n]*\])?\s*=", re.MULTILINE)
_RAW_UNICODE = re.compile(r"\b[uU][rR](?=['\"])")


def parse_python(data: bytes) -> ast.Module | None:
    """The tree of a file; None when nothing of it could be read."""
    text = _decode(data)
    tree = _try(text)
    if not isinstance(tree, SyntaxError):
        return tree
    text = _from_other_versions(text)
    lines = text.split("\n")
    for _ in range(MAX_MENDS):
        tree = _try("\n".join(lines))
        if not isinstance(tree, SyntaxError):
            return tree
        if not _blank(lines, tree.lineno):
            break
    return None


def _decode(data: bytes) -> str:
    cookie = re.search(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", b"\n".join(data.split(b"\n", 2)[:2]), re.MULTILINE)
    for encoding in ("utf-8-sig", cookie[1].decode("ascii", "replace") if cookie else "latin-1"):
        try:
            text = data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
        return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ")
    return data.decode("latin-1").replace("\r\n", "\n").replace("\0", " ")


def _try(text: str) -> ast.Module | SyntaxError | None:
    collecting = gc.isenabled()
    gc.disable()  # a tree is thousands of objects and no garbage: collecting meanwhile doubles the time
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in somebody's string is not ours to report
            return ast.parse(text)
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError):
        return None
    finally:
        if collecting:
            gc.enable()


def _from_other_versions(text: str) -> str:
    text = _PRINT.sub(r"\1pass", text)
    text = _EXCEPT.sub(r"\1\2 as \3:", text)
    text = _RAISE.sub(r"\1raise", text)
    text = _EXEC.sub(r"\1pass", text)
    text = _OCTAL.sub(r"0o\1", text)
    text = _TYPE_PARAMETERS.sub(r"\1", text)  # written for 3.12, read by 3.11
    text = _TYPE_ALIAS.sub(r"\1\2 =", text)
    return _RAW_UNICODE.sub("r", text).replace("<>", "!=")


def _blank(lines: list[str], number: int | None) -> bool:
    """Put `pass` in the place of the line that the parser points at, or blank it; False when there is none left."""
    if number is None or not lines:
        return False
    index = min(number, len(lines)) - 1
    while index >= 0 and not lines[index].strip():
        index -= 1
    if index < 0:
        return False
    line = lines[index]
    pointed_at = index == number - 1
    lines[index] = line[: len(line) - len(line.lstrip())] + "pass" if pointed_at and line.strip() != "pass" else ""
    return True
