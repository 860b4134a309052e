"""The smaller part of the shared data, all that a check needs: use cases, their steps and what these cite.

`retrodoc_runs.models` gives them too, and says how lines and paths are written. They are plain dataclasses, so that a
check of what others wrote imports no pydantic; inside a `Run` pydantic checks their types, and refuses unknown keys.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from pydantic import ConfigDict


class _Strict:
    """Unknown keys are refused where pydantic reads one."""

    __slots__ = ()
    __pydantic_config__: ClassVar[ConfigDict] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class SourceRef(_Strict):
    """One citation. `start_line` and `end_line` are None together: the whole file is cited."""

    path: str
    start_line: int | None = None
    end_line: int | None = None
    text_hash: str | None = None
    """`lines.text_hash` of the cited lines at drafting time; None in what others wrote."""
    enclosing: str | None = None
    """Qualified name of the innermost definition around the range, at drafting time."""


def label_of(ref: SourceRef) -> str:
    """`src/pay.py:10-20`, `src/pay.py:10` for one line, `src/pay.py` for a whole file."""
    if ref.start_line is None:
        return ref.path
    end = "" if ref.end_line in (None, ref.start_line) else f"-{ref.end_line}"
    return f"{ref.path}:{ref.start_line}{end}"


@dataclass(frozen=True, slots=True)
class Actor(_Strict):
    name: str
    kind: str = "system"
    """`human` or `system` in what we draft; anything in what others wrote."""


@dataclass(frozen=True, slots=True)
class Step(_Strict):
    order: int
    description: str
    source_refs: tuple[SourceRef, ...] = ()
    actor: Actor | None = None
    action: str = ""

    @property
    def text(self) -> str:
        """Action and description together, as the judge reads them."""
        return f"{self.action}. {self.description}" if self.action else self.description


@dataclass(frozen=True, slots=True)
class UseCase(_Strict):
    slug: str
    steps: tuple[Step, ...]
    feature_slug: str = ""
    name: str = ""
    description: str = ""
    narrative: str = ""
    primary_actor: str = ""
    entry_points: tuple[str, ...] = ()
    """Labels of the entry points that start it (`EntryPoint.label`)."""
