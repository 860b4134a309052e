"""Builds docs/settings.md from the settings themselves: names, types, defaults and what their docstrings say."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from retrodoc.config import Settings
from retrodoc.llm.settings import REPOSITORY_FIELDS

HEAD = """\
<!-- Written by `make docs` from the settings' own docstrings; a test compares the two. -->

# Settings

Three places, later ones win: `retrodoc.toml` in the documented folder, your own `~/.config/retrodoc/config.toml`
(`RETRODOC_CONFIG` names another file, which has to exist), the command line. Unknown settings are errors.

The repository may come from anyone, so its `retrodoc.toml` cannot choose who reads its code or what is paid: of `[llm]`
it may set only {allowed} without your consent. `--trust-config` gives it; so does choosing `--provider` or
`--base-url` yourself, which makes the repository's `model` usable too.

```toml
language = "fr"

[ingest]
exclude = ["legacy/**"]
include = ["vendor/our-own/**"]

[output]
folder = "documentation"

[llm]
provider = "anthropic"
model = "claude-sonnet-4-5"
max_cost = "2.50"

[llm.prices."my-model"]
input = "0.5"
output = "2"
```

`.retrodocignore`, written as a `.gitignore`, leaves files out too.

What was read of source files, by their content, and what a commit was searched for, are kept in `~/.cache/retrodoc`
(`XDG_CACHE_HOME` is honoured), never in the repository: a second check of a commit parses and searches nothing. The
folder can be deleted at any time; `RETRODOC_CACHE` names another one, or is `off`.
"""


def attribute_docs(model: type[BaseModel]) -> dict[str, str]:
    """The string under each field of a model, in one line."""
    body = ast.parse(inspect.getsource(model)).body[0]
    assert isinstance(body, ast.ClassDef)
    docs = {}
    for field, after in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(after, ast.Expr):
            docs[field.target.id] = " ".join(str(ast.literal_eval(after.value)).split())
    return docs


def _rows(model: type[BaseModel]) -> Iterator[str]:
    docs = attribute_docs(model)
    yield "| setting | default | what it does |"
    yield "| --- | --- | --- |"
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            continue
        yield f"| `{name}` | {_default(field.default)} | {docs.get(name, '').replace('|', '&#124;')} |"


def _default(value: Any) -> str:
    if value is None:
        return "none"
    return f"`{value!r}`" if not isinstance(value, bool) else f"`{str(value).lower()}`"


def settings_page() -> str:
    allowed = " and ".join(f"`{name}`" for name in sorted(REPOSITORY_FIELDS))
    parts = [HEAD.format(allowed=allowed), "## Top level", "\n".join(_rows(Settings))]
    for name, field in Settings.model_fields.items():
        model = field.annotation
        if isinstance(model, type) and issubclass(model, BaseModel):
            parts += [f"## [{name}]", "\n".join(_rows(model))]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"
