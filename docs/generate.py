"""Write docs/cli.md from the program's own `--help`; with `--check`, say whether it is current (exit 1 when not)."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command

from retrodoc.cli.app import build

WIDTH = 100
PAGE = Path(__file__).with_name("cli.md")
HEAD = """\
<!-- Written by `make docs` from `retrodoc --help`; a test compares the two. -->

# Command line

Exit codes everywhere: 0, something was checked and nothing is wrong; 1, findings; 2, could not check.
"""


def commands(command: Any, name: str = "retrodoc", parent: Any = None) -> Iterator[tuple[str, str]]:
    """Each command's words and its help text, a group before what is in it."""
    settings = {"terminal_width": WIDTH, "max_content_width": WIDTH} | command.context_settings
    context = command.context_class(command, info_name=name, parent=parent, **settings)
    text = "\n".join(line.rstrip() for line in command.get_help(context).splitlines()).strip()
    yield context.command_path, text
    for inner_name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, inner_name, context)


def page() -> str:
    parts = [HEAD]
    for name, text in commands(get_command(build())):
        parts.append(f"## {name}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def main(arguments: list[str]) -> int:
    wanted = page()
    if arguments != ["--check"]:
        PAGE.write_text(wanted, encoding="utf-8")
        print(f"{PAGE.name}: {wanted.count('## ')} commands")  # noqa: T201
        return 0
    found = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    diff = list(difflib.unified_diff(found.splitlines(), wanted.splitlines(), "docs/cli.md", "--help", lineterm=""))
    print("\n".join(diff))  # noqa: T201
    return 1 if diff else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
