"""`retrodoc chunk`: show where a file is cut, and what each piece holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retrodoc.cli import options

if TYPE_CHECKING:
    from retrodoc_chunkers import Chunk


@click.command()
@click.argument("file", type=click.Path(path_type=Path), help="The source file.")
@click.option(
    "--max-chars",
    type=click.IntRange(1),
    metavar="N",
    default=6_000,
    show_default=True,
    help="The most characters that a piece may have.",
)
@options.output_format("text", "json")
def chunk(file: Path, max_chars: int, output: str) -> None:
    """Show the pieces that a model would be given of one file, cut at its definitions."""
    from retrodoc.errors import UsageError
    from retrodoc_chunkers import chunk_source

    try:
        source = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", "Name a file that can be read.") from error
    chunks = chunk_source(source, file.name, max_chars)
    if output == "json":
        shown = {"path": file.as_posix(), "max_chars": max_chars, "chunks": [_facts(one) for one in chunks]}
        click.echo(json.dumps(shown, indent=2, ensure_ascii=False))
        return
    if not chunks:
        click.echo(f"{file.as_posix()}: empty, no piece")
        return
    if chunks[0].unread_reason:
        click.echo(f"{file.as_posix()}: not read as code ({chunks[0].unread_reason})")
    for one in chunks:
        click.echo(_line(one))


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
