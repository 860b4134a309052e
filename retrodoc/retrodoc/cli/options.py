"""Options and arguments that several commands share, said once: each is a decorator of a command."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from decimal import Decimal

MAX_USD = 1_000_000_000
"""A ceiling above this is a typing error, and one that is endless is none."""

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _together(*decorators: Decorator) -> Decorator:
    """One decorator that gives several options, in the order of the help."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


def _folder(_context: click.Context, _parameter: click.Parameter, text: str | None) -> Path | None:
    """A folder that has a name: an empty one, of an unset variable, would be the current folder."""
    if text == "":
        raise click.BadParameter("is empty; the current folder is '.'")
    return None if text is None else Path(text)


def _money(_context: click.Context, _parameter: click.Parameter, text: str | None) -> Decimal | None:
    if text is None:
        return None
    from decimal import Decimal

    try:
        amount = Decimal(text)
    except ArithmeticError:
        raise click.BadParameter(f"{text!r} is not an amount such as 2.50") from None
    if not (amount.is_finite() and 0 <= amount <= MAX_USD):
        raise click.BadParameter(f"{text!r} is not an amount from 0 to {MAX_USD:,}, such as 2.50")
    return amount


class _Share(click.FloatRange):
    """From 0 to 1; what is not a number is in no range, though no comparison says so."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        share: float = super().convert(value, param, ctx)
        if isnan(share):
            self.fail(f"{value!r} is not a number from 0 to 1.", param, ctx)
        return share


def output_format(*formats: str) -> Decorator:
    """`--format`, given to the command as `output`; the first one is the default."""
    return click.option(
        "--format", "output", type=click.Choice(formats), default=formats[0], show_default=True, help="How to print it."
    )


def max_cost(help_text: str) -> Decorator:
    """`--max-cost`, given to the command as a Decimal."""
    return click.option("--max-cost", metavar="USD", callback=_money, help=help_text)


target_path = click.argument(
    "path",
    required=False,
    default=Path(),
    type=click.Path(path_type=Path),
    help="The repository, or a folder inside one; else the current folder.",
)
run_argument = click.argument(
    "run", required=False, help="A run's id or folder, or a documented folder; else the latest complete run here."
)
worktree = click.option(
    "--worktree", is_flag=True, help="Read the files of the work tree (tracked, and untracked but not ignored)."
)
runs_folder = click.option(
    "--runs",
    "runs_folder",
    metavar="DIR",
    callback=_folder,
    help="Where runs are kept.",
    show_default="PATH/.retrodoc/runs",
)
quiet = click.option("--quiet", "-q", is_flag=True, help="Say only what must be said.")
verbose = click.option("--verbose", "-v", is_flag=True, help="Say more: times, and each thing set aside.")
language = click.option("--language", metavar="CODE", help="Of the drafted text, such as en or fr.", show_default="en")


def _documented_folder(*spellings: str) -> Decorator:
    return click.option(
        *spellings,
        "repo",
        metavar="DIR",
        callback=_folder,
        help="The documented folder.",
        show_default="the current folder",
    )


repo = _documented_folder("--repo")
repo_or_path = _documented_folder("--repo", "--path")
"""`--path` is what `runs cost` called it at first."""
threshold = click.option(
    "--threshold",
    type=_Share(0, 1),
    metavar="SHARE",
    help="A use case whose score can be under it is an alert.",
    show_default="0.5",
)
out = click.option(
    "--out", metavar="DIR", callback=_folder, help="Where pages go.", show_default="docs in the documented folder"
)
overwrite = click.option("--overwrite", is_flag=True, help="Also replace pages that a person edited.")
dry_run = click.option("--dry-run", is_flag=True, help="Show what would change in the pages, and write none.")
trust_config = click.option(
    "--trust-config", is_flag=True, help="Let the repository's own retrodoc.toml choose the model and where it is."
)
model = _together(
    click.option(
        "--provider",
        metavar="NAME",
        help="none, openai, anthropic, local or recorded:DIR.",
        show_default="none, or what your settings say",
    ),
    click.option("--model", metavar="ID", help="The model's id, or the GGUF file of --provider local."),
    click.option("--base-url", metavar="URL", help="Of an OpenAI-compatible server; implies --provider openai."),
    click.option("--key-env", metavar="NAME", help="The environment variable that holds the key."),
)
"""Which model, where it is and what opens it: `provider`, `model`, `base_url` and `key_env`."""
