"""Options and arguments that several commands share, said once: each is a decorator of a command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from retrodoc.cli.values import MONEY, PLACE, SHARE, TEXT

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _together(*decorators: Decorator) -> Decorator:
    """One decorator that gives several options, in the order of the help."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


def output_format(*formats: str) -> Decorator:
    """`--format`, given to the command as `output`; the first one is the default."""
    return click.option(
        "--format", "output", type=click.Choice(formats), default=formats[0], show_default=True, help="How to print it."
    )


def max_cost(help_text: str) -> Decorator:
    """`--max-cost`, given to the command as a Decimal."""
    return click.option("--max-cost", metavar="USD", type=MONEY, help=help_text)


target_path = click.argument(
    "path",
    required=False,
    default=Path(),
    type=PLACE,
    help="The repository, or a folder inside one; else the current folder.",
)
run_argument = click.argument(
    "run",
    required=False,
    type=TEXT,
    help="A run's id or folder, or a documented folder; else the latest complete run here.",
)
worktree = click.option(
    "--worktree", is_flag=True, help="Read the files of the work tree (tracked, and untracked but not ignored)."
)
runs_folder = click.option(
    "--runs",
    "runs_folder",
    metavar="DIR",
    type=PLACE,
    help="Where runs are kept.",
    show_default="PATH/.retrodoc/runs",
)
quiet = click.option("--quiet", "-q", is_flag=True, help="Say only what must be said.")
verbose = click.option("--verbose", "-v", is_flag=True, help="Say more: times, and each thing set aside.")
language = click.option(
    "--language", type=TEXT, metavar="CODE", help="Of the drafted text, such as en or fr.", show_default="en"
)


def _documented_folder(*spellings: str) -> Decorator:
    return click.option(
        *spellings,
        "repo",
        metavar="DIR",
        type=PLACE,
        help="The documented folder.",
        show_default="the current folder",
    )


repo = _documented_folder("--repo")
repo_or_path = _documented_folder("--repo", "--path")
"""`--path` is what `runs cost` called it at first."""
threshold = click.option(
    "--threshold",
    type=SHARE,
    metavar="SHARE",
    help="A use case whose score can be under it is an alert.",
    show_default="0.5",
)
out = click.option(
    "--out", metavar="DIR", type=PLACE, help="Where pages go.", show_default="docs in the documented folder"
)
overwrite = click.option("--overwrite", is_flag=True, help="Also replace pages that a person edited.")
dry_run = click.option("--dry-run", is_flag=True, help="Show what would change in the pages, and write none.")
trust_config = click.option(
    "--trust-config", is_flag=True, help="Let the repository's own retrodoc.toml choose the model and where it is."
)
model = _together(
    click.option(
        "--provider",
        type=TEXT,
        metavar="NAME",
        help="none, openai, anthropic, local or recorded:DIR.",
        show_default="none, or what your settings say",
    ),
    click.option("--model", type=TEXT, metavar="ID", help="The model's id, or the GGUF file of --provider local."),
    click.option(
        "--base-url", type=TEXT, metavar="URL", help="Of an OpenAI-compatible server; implies --provider openai."
    ),
    click.option("--key-env", type=TEXT, metavar="NAME", help="The environment variable that holds the key."),
)
"""Which model, where it is and what opens it: `provider`, `model`, `base_url` and `key_env`."""
allow_unpriced = click.option(
    "--allow-unpriced", is_flag=True, help="Use a model without a known price, capped by calls and tokens."
)
