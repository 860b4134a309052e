"""What the command line says about the model, as settings; what it does not say is None."""

from __future__ import annotations

from typing import Any


def llm_overrides(
    provider: str | None, model: str | None, base_url: str | None, key_env: str | None, **more: Any
) -> dict[str, Any]:
    """The `[llm]` table that the options come to. A base URL implies the OpenAI-compatible provider."""
    chosen = provider or ("openai" if base_url else None)
    return {"provider": chosen, "model": model, "base_url": base_url, "key_env": key_env, **more}
