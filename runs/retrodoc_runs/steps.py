"""The smaller part of the shared data, all that a check needs: use cases, their steps and what these cite.

`retrodoc_runs.models` gives them too, and says how lines and paths are written.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """Frozen, and strict about unknown keys. Its validator is built when first used: a command uses few of them."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class SourceRef(Model):
    """One citation. `start_line` and `end_line` are None together: the whole file is cited."""

    path: str
    start_line: int | None = None
    end_line: int | None = None
    text_hash: str | None = None
    """`lines.text_hash` of the cited lines at drafting time; None in what others wrote."""
    enclosing: str | None = None
    """Qualified name of the innermost definition around the range, at drafting time."""


class Actor(Model):
    name: str
    kind: str = "system"
    """`human` or `system` in what we draft; anything in what others wrote."""


class Step(Model):
    order: int
    description: str
    source_refs: tuple[SourceRef, ...] = ()
    actor: Actor | None = None
    action: str = ""

    @property
    def text(self) -> str:
        """Action and description together, as the judge reads them."""
        return f"{self.action}. {self.description}" if self.action else self.description


class UseCase(Model):
    slug: str
    steps: tuple[Step, ...]
    feature_slug: str = ""
    name: str = ""
    description: str = ""
    narrative: str = ""
    primary_actor: str = ""
    entry_points: tuple[str, ...] = ()
    """Labels of the entry points that start it (`EntryPoint.label`)."""
