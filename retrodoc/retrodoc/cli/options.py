"""Options that several commands share, said once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def _folder(text: str) -> Path:
    """A folder that has a name: an empty one, of an unset variable, would be the current folder."""
    if not text:
        raise typer.BadParameter("is empty; the current folder is '.'")
    return Path(text)


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
    typer.Option(
        "--runs", metavar="DIR", parser=_folder, help="Where runs are kept.", show_default="PATH/.retrodoc/runs"
    ),
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
RunArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[RUN]", help="A run's id or folder, or a documented folder.", show_default="the latest run here"
    ),
]
Repo = Annotated[
    Path | None, typer.Option("--repo", metavar="DIR", help="The documented folder.", show_default="the current folder")
]
Threshold = Annotated[
    float | None,
    typer.Option(min=0, max=1, help="A use case whose score can be under it is an alert.", show_default="0.5"),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="DIR", parser=_folder, help="Where pages go.", show_default="docs in the documented folder"
    ),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Also replace pages that a person edited.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would change in the pages, and write none.")]
