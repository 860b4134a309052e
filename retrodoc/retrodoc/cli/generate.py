"""`retrodoc generate`: write a repository's functional documentation, and check it."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from retrodoc.cli.options import (
    BaseUrl,
    DryRun,
    KeyEnv,
    Language,
    Model,
    Out,
    Overwrite,
    Provider,
    Quiet,
    RunsFolder,
    TargetPath,
    TrustConfig,
    Verbose,
    Worktree,
)


class JudgeWhich(StrEnum):
    all = "all"
    threshold = "threshold"
    none = "none"


def generate(
    path: TargetPath = Path(),
    worktree: Worktree = False,
    provider: Provider = None,
    model: Model = None,
    base_url: BaseUrl = None,
    key_env: KeyEnv = None,
    language: Language = None,
    max_cost: Annotated[
        str | None,
        typer.Option("--max-cost", metavar="USD", help="Ceiling of what the models may cost; no question asked."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Accept the high estimate as the ceiling.")] = False,
    allow_unpriced: Annotated[
        bool, typer.Option("--allow-unpriced", help="Use a model without a known price, capped by calls and tokens.")
    ] = False,
    judge: Annotated[
        JudgeWhich,
        typer.Option(
            help="Which doubtful steps a model reads: all, or those that can still move their use "
            "case across the threshold."
        ),
    ] = JudgeWhich.all,
    force: Annotated[bool, typer.Option("--force", help="Start over: take nothing over from earlier runs.")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Try again what was set aside.")] = False,
    out: Out = None,
    overwrite: Overwrite = False,
    dry_run: DryRun = False,
    runs_folder: RunsFolder = None,
    trust_config: TrustConfig = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Write the functional documentation of a repository and check every citation.

    Without a model the outline is drawn from the code itself. An interrupted run is resumed by the same command.
    Exit code 1 when a citation is broken or missing, or a unit was set aside, 2 when there is no step to check.
    """
    from retrodoc.generating import GenerateOptions, generate_documentation
    from retrodoc.progress import Reporter
    from retrodoc.publish.outcome import print_outcome

    options = GenerateOptions(
        folder=path,
        worktree=worktree,
        overrides={
            "language": language,
            "llm": {
                "provider": provider or ("openai" if base_url else None),
                "model": model,
                "base_url": base_url,
                "key_env": key_env,
                "max_cost": _money(max_cost),
                "allow_unpriced": allow_unpriced or None,
            },
        },
        trust_config=trust_config,
        yes=yes,
        judge=judge.value,
        force=force,
        retry=retry,
        out=out,
        overwrite=overwrite,
        dry_run=dry_run,
        runs_folder=runs_folder,
    )
    outcome = generate_documentation(options, Reporter(quiet=quiet, verbose=verbose), _ask)
    print_outcome(outcome, quiet=quiet)
    raise typer.Exit(outcome.exit_code)


def _money(text: str | None) -> Decimal | None:
    if text is None:
        return None
    try:
        return Decimal(text)
    except ArithmeticError:
        raise typer.BadParameter(f"{text!r} is not an amount such as 2.50", param_hint="--max-cost") from None


def _ask(question: str) -> bool | None:
    """Yes or no from the terminal; None when nobody is there to answer."""
    import sys

    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    return typer.confirm(question, err=True)
