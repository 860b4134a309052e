"""What every prompt's input and output can do beyond holding data: be checked, be split, be joined."""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class PromptInput(BaseModel):
    """Frozen; one field per template variable."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def check(self, out: Any) -> list[str]:  # noqa: ARG002 - for those that can check something
        """Errors of meaning in an answer to this input, each with its path: what a program can know to be false."""
        return []

    def halves(self) -> tuple[Self, Self] | None:
        """Two inputs that together ask the same, when an answer does not fit; None when it cannot be split."""
        return None

    def shrunk(self) -> Self | None:
        """The same question with less beside it, when it does not fit a context; None when nothing can go."""
        return None

    def pruned(self) -> Self | None:
        """The same question with less of what it is about: the last resort, after splitting; None when nothing can
        go."""
        return None

    def steady(self) -> str:
        """What stays the same when the question is split: the halves' requests begin alike, and caches can use it."""
        return self.model_dump_json()

    def items(self) -> int:
        """How many things the answer is about, to foresee its length."""
        return 1

    def narrow(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The schema with what only this input knows: the paths and numbers that an answer may name."""
        return schema


class PromptOutput(BaseModel):
    """Frozen, unknown keys are errors; without defaults, so that the schema requires every field."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def joined(self, other: Self) -> Self:
        """The answer to both halves of a split input."""
        raise NotImplementedError(f"{type(self).__name__} cannot be joined")

    def prose(self) -> str:
        """The text that a person will read, to see which language it is in; empty when there is none."""
        return ""
