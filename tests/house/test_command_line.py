"""Every command explains itself, quickly, and docs/cli.md says what `--help` says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

from retrodoc.cli.app import retrodoc as program

ROOT = Path(__file__).resolve().parents[2]
HEAVY = (
    "anthropic google_crc32c httpx2 httpx jinja2 markdown_it pathspec re2 regex rich.table tree_sitter "
    "tree_sitter_python xllamacpp yaml genai_prices retrodoc_checks retrodoc_chunkers"
).split()
"""What only some commands need, and what takes long to import."""


def command_names() -> list[list[str]]:
    def below(command: click.Command, path: list[str]) -> list[list[str]]:
        found = [path]
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                child = command.get_command(context, name)
                assert child is not None, name
                found += below(child, [*path, name])
        return found

    return below(program, [])


def retrodoc(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("retrodoc")), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("path", command_names(), ids=lambda path: " ".join(path) or "retrodoc")
def test_every_command_explains_itself(path: list[str]) -> None:
    result = retrodoc(*path, "--help")
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip().startswith(f"Usage: {' '.join(['retrodoc', *path])}")
    assert "\n\n" in result.stdout.strip(), "a line that says what it does"


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["generate", "--help"], ["check", "--help"]])
def test_help_imports_nothing_that_only_some_commands_need(arguments: list[str]) -> None:
    program = (
        "import sys; sys.argv = ['retrodoc', *sys.argv[1:]]\n"
        "from retrodoc.__main__ import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
        f"print('LOADED', *[name for name in {HEAVY!r} if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1].strip() == "LOADED"


@pytest.mark.parametrize(
    "arguments",
    [["nonsense"], ["generate", "--nonsense"], ["report", "--format", "nonsense"], ["scan", "/nowhere/at/all"]],
)
def test_what_cannot_be_used_is_exit_two_with_a_message(arguments: list[str]) -> None:
    result = retrodoc(*arguments)
    assert result.returncode == 2
    assert result.stderr.strip()
    assert "Traceback" not in result.stderr


def test_the_reference_says_what_help_says() -> None:
    """`make docs` writes docs/cli.md; this is what keeps it from lying."""
    result = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout


def test_a_fault_of_our_own_is_no_finding(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Python ends with 1 on an exception, which here means that something was checked and found wrong."""
    from retrodoc.cli import app

    def broken(_name: str) -> None:
        raise NameError("a fault")

    monkeypatch.setattr(app, "import_module", broken)
    assert app.run(["report"]) == 2
    assert "fault of RetroDoc's own" in capsys.readouterr().err
