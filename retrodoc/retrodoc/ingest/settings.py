"""What the user may say about the files that are read: the `[ingest]` section of retrodoc.toml."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

DEFAULT_MAX_FILE_BYTES = 1_000_000
"""Of source: hand-written files are smaller; the largest of the fifteen repositories tried has 330 KB."""


class IngestSettings(BaseModel):
    """Patterns are written as in `.gitignore`, relative to the documented folder."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    exclude: tuple[str, ...] = Field(default=(), strict=False)
    """Left out, whatever they are; `.retrodocignore` adds to it."""
    include: tuple[str, ...] = Field(default=(), strict=False)
    """Read although they look vendored, generated, minified or oversized. Never what may hold a secret."""
    max_file_bytes: int = Field(default=DEFAULT_MAX_FILE_BYTES, gt=0)
    """A larger file is not read as source."""
