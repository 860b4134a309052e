"""`retrodoc plan`: what a run with a model would take, before any call."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from retrodoc.cli.options import (
    BaseUrl,
    KeyEnv,
    Language,
    Model,
    Provider,
    Quiet,
    RunsFolder,
    TargetPath,
    TrustConfig,
    Worktree,
)


class PlanFormat(StrEnum):
    text = "text"
    json = "json"


def plan(
    path: TargetPath = Path(),
    worktree: Worktree = False,
    provider: Provider = None,
    model: Model = None,
    base_url: BaseUrl = None,
    key_env: KeyEnv = None,
    language: Language = None,
    output: Annotated[PlanFormat, typer.Option("--format", help="How to print it.")] = PlanFormat.text,
    runs_folder: RunsFolder = None,
    trust_config: TrustConfig = False,
    quiet: Quiet = False,
) -> None:
    """Say how many calls, tokens and how much money a run would take. Nothing is sent and nothing is written."""
    import json

    from retrodoc.cli.overrides import llm_overrides
    from retrodoc.planning import foresee
    from retrodoc.progress import Reporter
    from retrodoc.publish.plan_text import plan_dict, plan_text

    overrides = {"language": language, "llm": llm_overrides(provider, model, base_url, key_env)}
    foreseen = foresee(path, overrides, worktree, trust_config, runs_folder, Reporter(quiet=quiet))
    if output is PlanFormat.json:
        typer.echo(json.dumps(plan_dict(foreseen), indent=2))
    else:
        typer.echo(plan_text(foreseen), nl=False)
