"""`retrodoc chunk`: show where files are cut, and what each piece holds."""

from __future__ import annotations

import json
import stat
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from retrodoc.cli import options
from retrodoc.cli.failure import Command
from retrodoc.cli.values import PLACE

if TYPE_CHECKING:
    from retrodoc_chunkers import Chunk


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=PLACE, help="Source files.")
@click.option(
    "--max-chars",
    type=click.IntRange(1),
    metavar="N",
    default=6_000,
    show_default=True,
    help="The most characters that a piece may have.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    default=1,
    show_default=True,
    help="Processes that read several files at once.",
)
@options.output_format("text", "json")
def chunk(files: tuple[Path, ...], max_chars: int, jobs: int, output: str) -> None:
    """Show the pieces that a model would be given of source files, cut at their definitions.

    Of several files, JSON is one object a line.
    """
    from retrodoc_chunkers.many import each

    several = len(files) > 1
    for shown in each(partial(_shown, max_chars=max_chars, output=output, several=several), files, jobs):
        if isinstance(shown, _Unread):
            from retrodoc.errors import UsageError

            raise UsageError(f"{shown.file}: {shown.reason}", "Name files that can be read.")
        click.echo(shown)


class _Unread(NamedTuple):
    file: Path
    reason: str


def _shown(file: Path, *, max_chars: int, output: str, several: bool) -> str | _Unread:
    """What is printed of one file; made in another process when there are several jobs."""
    from retrodoc_chunkers import chunk_source

    try:
        if not stat.S_ISREG(file.stat().st_mode):  # a pipe would be waited for
            return _Unread(file, "is no regular file")
        source = file.read_bytes()
    except OSError as error:
        return _Unread(file, error.strerror or str(error))
    chunks = chunk_source(source, file.name, max_chars)
    if output == "json":
        shown = {"path": file.as_posix(), "max_chars": max_chars, "chunks": [_facts(one) for one in chunks]}
        return json.dumps(shown, indent=None if several else 2, ensure_ascii=False)
    if not chunks:
        return f"{file.as_posix()}: empty, no piece"
    lines = [f"{file.as_posix()}:"] if several else []
    if chunks[0].unread_reason:
        lines = [f"{file.as_posix()}: not read as code ({chunks[0].unread_reason})"]
    return "\n".join([*lines, *map(_line, chunks)])


def _facts(one: Chunk) -> dict[str, Any]:
    return {
        "part": one.part,
        "of": one.parts,
        "start_byte": one.start_byte,
        "end_byte": one.end_byte,
        "start_line": one.start_line,
        "end_line": one.end_line,
        "how": one.how,
        "unread_reason": one.unread_reason,
        "enclosing": [definition.qualified_name for definition in one.enclosing],
        "definitions": [
            {
                "name": definition.qualified_name,
                "kind": definition.kind,
                "start_line": definition.start_line,
                "end_line": definition.end_line,
            }
            for definition in one.definitions
        ],
    }


def _line(one: Chunk) -> str:
    names = ", ".join(definition.name for definition in one.definitions)
    around = one.enclosing[-1].qualified_name if one.enclosing else ""
    inside = f" in {around}" if around else ""
    holds = f": {names}" if names else ""
    return f"part {one.part} of {one.parts}  lines {one.start_line}-{one.end_line}  at {one.how}{inside}{holds}"
