"""Which settings of the model layer exist, and which of them a repository may not choose for its reader."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator


class PriceSetting(BaseModel):
    """A model's price in US dollars per million tokens. Cache prices default to the input price."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Decimal = Field(ge=0)
    output: Decimal = Field(ge=0)
    cache_read: Decimal | None = Field(default=None, ge=0)
    cache_write: Decimal | None = Field(default=None, ge=0)


class LlmSettings(BaseModel):
    """`[llm]` of retrodoc.toml, with the command line's options over it. No field ever holds a key."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    provider: str | None = None
    """`anthropic`, `openai`, `local` or `recorded:DIR`; None: no model, the outline drafts."""
    model: str | None = None
    """The model's id, or for `local` the path of a GGUF file."""
    base_url: str | None = None
    """Of an OpenAI-compatible server, such as `http://localhost:11434/v1`; also of an Anthropic gateway."""
    key_env: str | None = None
    """Name of the environment variable that holds the key. Without it: ANTHROPIC_API_KEY or OPENAI_API_KEY for the
    vendor's own address, RETRODOC_API_KEY for any other base URL, so that no vendor's key goes to another server."""
    record: Path | None = None
    """Folder in which each answer is kept in the form that `recorded:` reads."""
    max_cost: Decimal | None = Field(default=None, ge=0)
    """Ceiling in US dollars."""
    allow_unpriced: bool = False
    max_calls: int = Field(default=2000, ge=1)
    """Cap on calls of a model without a known price."""
    max_total_tokens: int = Field(default=20_000_000, ge=1)
    """Cap on tokens, in and out, of a model without a known price."""
    prices: dict[str, PriceSetting] = {}
    """Price by model id; stronger than the price list."""
    concurrency: int = Field(default=4, ge=1, le=64)
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    timeout_seconds: float = Field(default=300.0, gt=0, le=86_400, allow_inf_nan=False)
    """Seconds that a server may take to begin an answer, and to end it; a day at most."""
    repair_turns: int | None = Field(default=None, ge=0, le=10)
    """Repair turns for each answer; None: what the prompt's file says."""
    call_tries: int = Field(default=6, ge=1, le=20)
    """Times that a call which brought no answer is made, in all."""
    pause_after: int = Field(default=12, ge=1)
    """Calls in a row without an answer after which the run pauses."""
    context_size: int | None = Field(default=None, ge=512)
    """Tokens of context, when smaller than what the model file says or when the server does not say."""
    threads: int | None = Field(default=None, ge=1)
    """Of the embedded model; None: one fewer than the cores."""
    structured: bool = True
    """Ask the server for schema-constrained answers; off only to measure what that is worth."""

    @field_validator("key_env")
    @classmethod
    def _is_a_name(cls, key_env: str | None) -> str | None:
        """Who gives the key itself must not find it in a log."""
        if key_env is not None and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", key_env) is None:
            raise ValueError("give the name of an environment variable, such as MY_KEY, and never the key itself")
        return key_env


REPOSITORY_FIELDS = frozenset({"requests_per_minute", "tokens_per_minute"})
"""What a target repository's own retrodoc.toml may set without consent: it can only slow a run down. Everything else
chooses who reads the code, which key is used, what is paid or what is written where."""

CONSENT_FIELDS = frozenset(LlmSettings.model_fields) - REPOSITORY_FIELDS


def without_consent(table: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Split a repository's `[llm]` table into what may be used and the names of what needs the user's consent.

    Unknown keys are in the second part: they are errors once consented to, and nothing before.
    """
    allowed = {key: value for key, value in table.items() if key in REPOSITORY_FIELDS}
    return allowed, tuple(sorted(set(table) - REPOSITORY_FIELDS))
