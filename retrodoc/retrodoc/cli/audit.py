"""`retrodoc audit`: how good the checks are on this very repository."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from typing import Annotated

import typer

from retrodoc.cli.options import BaseUrl, KeyEnv, Model, Provider, Repo, RunArgument, RunsFolder, TrustConfig


class AuditFormat(StrEnum):
    text = "text"
    json = "json"


def audit(
    run: RunArgument = None,
    repo: Repo = None,
    mutants: Annotated[int, typer.Option(min=1, help="Errors of each kind that are planted at most.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed plants the same errors.")] = 1,
    sample: Annotated[
        int, typer.Option(min=0, metavar="N", help="Valid steps that a model reads again; needs a provider.")
    ] = 0,
    output: Annotated[AuditFormat, typer.Option("--format", help="How to print it.")] = AuditFormat.text,
    provider: Provider = None,
    model: Model = None,
    base_url: BaseUrl = None,
    key_env: KeyEnv = None,
    max_cost: Annotated[
        str | None, typer.Option("--max-cost", metavar="USD", help="Ceiling of what the model may cost.")
    ] = None,
    runs_folder: RunsFolder = None,
    trust_config: TrustConfig = False,
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
        ceiling = _money(max_cost)
        overrides = {"llm": llm_overrides(provider, model, base_url, key_env, max_cost=ceiling)}
        reread = model_rereader(overrides, trust=trust_config, max_cost=ceiling)
    report = audit_run(run, repo, runs_folder, mutants=mutants, seed=seed, sample=sample, reread=reread)
    if output is AuditFormat.json:
        typer.echo(json.dumps(report.as_dict(), indent=2))
    else:
        print_audit(report, typer.echo)


def _money(text: str | None) -> Decimal | None:
    if text is None:
        return None
    try:
        return Decimal(text)
    except ArithmeticError:
        raise typer.BadParameter(f"{text!r} is not an amount such as 2.50", param_hint="--max-cost") from None
