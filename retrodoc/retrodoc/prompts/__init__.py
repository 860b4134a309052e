"""RetroDoc's own prompts: files with a strict front matter, each loaded as a typed call."""

from retrodoc.prompts.loader import Prompt, Rendered, load_prompt, prompt_names

__all__ = ["Prompt", "Rendered", "load_prompt", "prompt_names"]
