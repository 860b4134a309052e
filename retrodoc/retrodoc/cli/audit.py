"""`retrodoc audit`: how good the checks are on this very repository."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import click

from retrodoc.cli import options
from retrodoc.cli.failure import Command


@click.command(cls=Command)
@options.run_argument
@options.repo
@click.option(
    "--mutants",
    type=click.IntRange(1),
    metavar="N",
    default=100,
    show_default=True,
    help="Errors of each kind that are planted at most.",
)
@click.option(
    "--seed", type=int, metavar="N", default=1, show_default=True, help="The same seed plants the same errors."
)
@click.option(
    "--sample",
    type=click.IntRange(0),
    metavar="N",
    default=0,
    show_default=True,
    help="Valid steps that a model reads again; needs a provider.",
)
@options.output_format("text", "json")
@options.model
@options.max_cost("Ceiling of what the model may cost.")
@options.allow_unpriced
@options.runs_folder
@options.trust_config
def audit(
    run: str | None,
    repo: Path | None,
    mutants: int,
    seed: int,
    sample: int,
    output: str,
    provider: str | None,
    model: str | None,
    base_url: str | None,
    key_env: str | None,
    max_cost: Decimal | None,
    allow_unpriced: bool,
    runs_folder: Path | None,
    trust_config: bool,
) -> None:
    """Plant errors of nine kinds in valid steps, and say what share of each kind the checks catch.

    No model is asked, unless --sample is given: then one re-reads that many valid steps, to show how far the mechanical
    score is above a reader's.
    """
    import json

    from retrodoc.auditing import audit_run, model_rereader, print_audit
    from retrodoc.cli.overrides import llm_overrides

    reread = None
    if sample:
        overrides = {
            "llm": llm_overrides(
                provider, model, base_url, key_env, max_cost=max_cost, allow_unpriced=allow_unpriced or None
            )
        }
        reread = model_rereader(overrides, trust=trust_config, max_cost=max_cost)
    report = audit_run(run, repo, runs_folder, mutants=mutants, seed=seed, sample=sample, reread=reread)
    if output == "json":
        click.echo(json.dumps(report.as_dict(), indent=2))
    else:
        print_audit(report, click.echo)
