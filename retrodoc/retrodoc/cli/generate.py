"""`retrodoc generate`: write a repository's functional documentation, and check it."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import click

from retrodoc.cli import options


@click.command()
@options.target_path
@options.worktree
@options.model
@options.language
@options.max_cost("Ceiling of what the models may cost; no question asked.")
@click.option("--yes", "-y", is_flag=True, help="Accept the high estimate as the ceiling.")
@options.allow_unpriced
@click.option(
    "--judge",
    type=click.Choice(["all", "threshold", "none"]),
    default="all",
    show_default=True,
    help="Which doubtful steps a model reads: all, or those that can still move their use case across the threshold.",
)
@click.option("--force", is_flag=True, help="Start over: take nothing over from earlier runs.")
@click.option("--retry", is_flag=True, help="Try again what was set aside.")
@options.out
@options.overwrite
@options.dry_run
@options.runs_folder
@options.trust_config
@options.quiet
@options.verbose
def generate(
    path: Path,
    worktree: bool,
    provider: str | None,
    model: str | None,
    base_url: str | None,
    key_env: str | None,
    language: str | None,
    max_cost: Decimal | None,
    yes: bool,
    allow_unpriced: bool,
    judge: str,
    force: bool,
    retry: bool,
    out: Path | None,
    overwrite: bool,
    dry_run: bool,
    runs_folder: Path | None,
    trust_config: bool,
    quiet: bool,
    verbose: bool,
) -> int:
    """Write the functional documentation of a repository and check every citation.

    Without a model the outline is drawn from the code itself. An interrupted run is resumed by the same command.
    Exit code 1 when a citation is broken or missing, or a unit was set aside, 2 when there is no step to check.
    """
    from retrodoc.cli.overrides import llm_overrides
    from retrodoc.generating import GenerateOptions, generate_documentation
    from retrodoc.progress import Reporter
    from retrodoc.publish.outcome import print_outcome

    options = GenerateOptions(
        folder=path,
        worktree=worktree,
        overrides={
            "language": language,
            "llm": llm_overrides(
                provider, model, base_url, key_env, max_cost=max_cost, allow_unpriced=allow_unpriced or None
            ),
        },
        trust_config=trust_config,
        yes=yes,
        judge=judge,
        force=force,
        retry=retry,
        out=out,
        overwrite=overwrite,
        dry_run=dry_run,
        runs_folder=runs_folder,
    )
    outcome = generate_documentation(options, Reporter(quiet=quiet, verbose=verbose), _ask)
    print_outcome(outcome, quiet=quiet)
    return outcome.exit_code


def _ask(question: str) -> bool | None:
    """Yes or no from the terminal; None when nobody is there to answer."""
    import sys

    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    return click.confirm(question, err=True)
