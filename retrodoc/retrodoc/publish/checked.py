"""A check's result on standard output, in the format that was asked for; each format is imported when it is used."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable
from itertools import chain

from retrodoc.checking.result import CheckResult


def print_result(
    output: str, result: CheckResult, fail_on: Collection[str], *, quiet: bool = False, verbose: bool = False
) -> None:
    """`output` is text, json, sarif, junit or github; `quiet` and `verbose` are for the text."""
    if output == "json":
        from retrodoc.publish.check_json import check_json

        _write(chain(check_json(result), ["\n"]))
    elif output == "sarif":
        from retrodoc.publish.sarif import check_sarif

        _write([check_sarif(result, fail_on), "\n"])
    elif output == "junit":
        from retrodoc.publish.junit import check_junit

        _write(chain(check_junit(result, fail_on), ["\n"]))
    elif output == "github":
        from retrodoc.publish.github import check_github

        _write(f"{line}\n" for line in check_github(result, fail_on))
    else:
        from retrodoc.publish.check_text import check_text

        lines = check_text(result, quiet=quiet, verbose=verbose, colour=sys.stdout.isatty())
        _write(f"{line}\n" for line in lines)


def print_error(output: str, message: str, mend: str, target: str | None = None) -> None:
    """The same formats, for a check that could not be made: a machine that reads them gets a document all the same."""
    if output == "json":
        from retrodoc.publish.check_json import error_json

        _write([error_json(message, mend, target), "\n"])
    elif output == "sarif":
        from retrodoc.publish.sarif import error_sarif

        _write([error_sarif(message, mend), "\n"])
    elif output == "junit":
        from retrodoc.publish.junit import error_junit

        _write([error_junit(message, mend), "\n"])
    elif output == "github":
        from retrodoc.publish.github import error_github

        _write([error_github(message, mend), "\n"])


def _write(pieces: Iterable[str]) -> None:
    """UTF-8 whatever the locale says; half a character pair, which no encoding holds, is shown as a question mark."""
    out = sys.stdout.buffer
    sys.stdout.flush()
    for piece in pieces:
        out.write(piece.encode("utf-8", "replace"))
    out.flush()
