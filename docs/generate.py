"""Write docs/cli.md from the program's own `--help`, docs/settings.md, and the demo's output into README.md.

With `--check`, say whether all are current (exit 1 when not).
"""

from __future__ import annotations

import difflib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click
from settings_page import settings_page

from retrodoc.cli.app import retrodoc

WIDTH = 100
ROOT = Path(__file__).resolve().parents[1]
PAGE = Path(__file__).with_name("cli.md")
SETTINGS = Path(__file__).with_name("settings.md")
README = ROOT / "README.md"
DEMO_BEGIN, DEMO_END = "<!-- demo:begin -->", "<!-- demo:end -->"
HEAD = """\
<!-- Written by `make docs` from `retrodoc --help`; a test compares the two. -->

# Command line

Exit codes everywhere: 0, something was checked and nothing is wrong; 1, findings; 2, could not check. With
`check --base`, a change that touches nothing that is cited gives 0: there was nothing to judge, and the output says so.

An error goes to standard error. With `--format json` it is on standard output too, as
`{"error": {"message": "...", "mend": "..."}}`; `check` adds the `target`, and has such a document
in each of its formats.
"""


def commands(
    command: click.Command, name: str = "retrodoc", parent: click.Context | None = None
) -> Iterator[tuple[str, str]]:
    """Each command's words and its help text, a group before what is in it."""
    settings = {"terminal_width": WIDTH, "max_content_width": WIDTH} | command.context_settings
    context = command.context_class(command, info_name=name, parent=parent, **settings)
    text = "\n".join(line.rstrip() for line in command.get_help(context).splitlines()).strip()
    yield context.command_path, text
    if isinstance(command, click.Group):
        for inner_name in command.list_commands(context):
            inner = command.get_command(context, inner_name)
            assert inner is not None, inner_name
            yield from commands(inner, inner_name, context)


def page() -> str:
    parts = [HEAD]
    for name, text in commands(retrodoc):
        parts.append(f"## {name}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def demo_output() -> str:
    """What `make demo` prints, without the line that names the run: that is another one each time."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(ROOT / ".ci/demo"), str(Path(folder) / "demo")]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [line.rstrip() for line in done.stdout.replace(f"{Path(folder).resolve()}/", "build/").splitlines()]
    return "\n".join(line for line in lines if not line.startswith("Run "))


def readme() -> str:
    """README.md with the demo's present output between its two marks."""
    text = README.read_text(encoding="utf-8")
    before, _, rest = text.partition(DEMO_BEGIN)
    _, _, after = rest.partition(DEMO_END)
    return f"{before}{DEMO_BEGIN}\n\n```text\n{demo_output()}\n```\n\n{DEMO_END}{after}"


def main(arguments: list[str]) -> int:
    wanted = {PAGE: page(), SETTINGS: settings_page(), README: readme()}
    if arguments != ["--check"]:
        for path, text in wanted.items():
            path.write_text(text, encoding="utf-8")
            print(f"{path.name}: {text.count(chr(10))} lines")  # noqa: T201
        return 0
    stale = 0
    for path, text in wanted.items():
        found = path.read_text(encoding="utf-8") if path.exists() else ""
        diff = list(difflib.unified_diff(found.splitlines(), text.splitlines(), path.name, "now", lineterm=""))
        print("\n".join(diff))  # noqa: T201
        stale += bool(diff)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
