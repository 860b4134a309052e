"""Options that several commands share, said once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

TargetPath = Annotated[
    Path,
    typer.Argument(metavar="[PATH]", help="The repository, or a folder inside one.", show_default="the current folder"),
]
Worktree = Annotated[
    bool,
    typer.Option("--worktree", help="Read the files of the work tree (tracked, and untracked but not ignored)."),
]
RunsFolder = Annotated[
    Path | None,
    typer.Option("--runs", metavar="DIR", help="Where runs are kept.", show_default="PATH/.retrodoc/runs"),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say only what must be said.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Say more: times, and each thing set aside.")]
TrustConfig = Annotated[
    bool,
    typer.Option("--trust-config", help="Let the repository's own retrodoc.toml choose the model and where it is."),
]
Provider = Annotated[
    str | None,
    typer.Option(
        help="none, openai, anthropic, local or recorded:DIR.", show_default="none, or what your settings say"
    ),
]
Model = Annotated[str | None, typer.Option(help="The model's id, or the GGUF file of --provider local.")]
BaseUrl = Annotated[
    str | None,
    typer.Option("--base-url", metavar="URL", help="Of an OpenAI-compatible server; implies --provider openai."),
]
KeyEnv = Annotated[
    str | None, typer.Option("--key-env", metavar="NAME", help="The environment variable that holds the key.")
]
Language = Annotated[str | None, typer.Option(help="Of the drafted text, such as en or fr.", show_default="en")]
