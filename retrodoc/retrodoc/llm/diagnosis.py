"""Which providers could be used here and now, and why not the others. Sends nothing that costs, and shows no key."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from retrodoc.errors import ConfigError, RetroDocError
from retrodoc.llm.gguf import ModelFile, read_model_file
from retrodoc.llm.http import check_base_url, client, read_key
from retrodoc.llm.named import key_variable, provider_of, spec_of
from retrodoc.llm.settings import LlmSettings

REACH_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class ProviderState:
    """`reason` says what is missing, or what was found."""

    name: str
    usable: bool
    reason: str


@dataclass(frozen=True, slots=True)
class GrammarState:
    """A language's grammar: `problem` is None when it loads."""

    language: str
    problem: str | None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """`chosen` is the provider that settings name; `model_file` what its file says of itself, or why it cannot."""

    providers: tuple[ProviderState, ...]
    chosen: str | None
    model_file: ModelFile | None
    model_file_problem: str | None
    prices: str
    grammars: tuple[GrammarState, ...]
    chosen_problem: str | None = None
    """Why no provider of that name can be chosen; what one of ours lacks is its own reason."""

    @property
    def chosen_usable(self) -> bool:
        """True also when none is chosen: the outline needs no provider."""
        name = (self.chosen or "").split(":", 1)[0]
        if self.chosen_problem is not None:
            return False
        return self.chosen is None or any(state.usable for state in self.providers if state.name == name)

    def as_dict(self) -> dict[str, Any]:
        facts = asdict(self)
        if self.model_file is not None:
            facts["model_file"]["path"] = str(self.model_file.path)
        return {**facts, "chosen_usable": self.chosen_usable}


def examine(settings: LlmSettings) -> Diagnosis:
    """Look at what is installed and set. The only connection made is to a base URL that settings name."""
    from retrodoc.llm.prices import price_list

    file, problem = _model_file(settings)
    chosen = spec_of(settings)
    return Diagnosis(
        providers=(
            _anthropic(settings),
            _openai(settings),
            _local(settings, problem),
            ProviderState("recorded", True, "answers from a folder; needs nothing"),
        ),
        chosen=chosen,
        model_file=file,
        model_file_problem=problem,
        prices=price_list(),
        grammars=_grammars(),
        chosen_problem=_problem_of(chosen) if chosen else None,
    )


def _problem_of(spec: str) -> str | None:
    try:
        provider_of(spec)
    except ConfigError as error:
        return error.message
    return None


def _anthropic(settings: LlmSettings) -> ProviderState:
    if find_spec("anthropic") is None:
        return ProviderState("anthropic", False, "not installed: pip install 'retrodoc[anthropic]'")
    own = settings.provider == "anthropic"
    ready, reason = _keyed("anthropic", settings if own else LlmSettings())
    return ProviderState("anthropic", ready, f"SDK {version('anthropic')}, {reason}")


def _openai(settings: LlmSettings) -> ProviderState:
    own = settings.provider in ("openai", None)
    ready, reason = _keyed("openai", settings if own else LlmSettings())
    if not own or settings.base_url is None:
        return ProviderState("openai", ready, f"{reason}; for another server give --base-url")
    found = _reach(settings.base_url, settings)
    return ProviderState("openai", ready and found.startswith("answers"), f"{settings.base_url} {found}, {reason}")


def _keyed(spec: str, settings: LlmSettings) -> tuple[bool, str]:
    variable = key_variable(spec, settings)
    assert variable is not None
    if read_key(variable) is not None:
        return True, f"key in {variable}"
    needed = settings.base_url is None or settings.key_env is not None
    return not needed, f"{variable} is not set" + ("" if needed else " (needed only if the server wants a key)")


def _reach(base_url: str, settings: LlmSettings) -> str:
    """Whether a server answers at `/models`, which costs nothing on any of them."""
    import httpx2

    try:
        url = check_base_url(base_url)
        variable = key_variable("openai", settings)
        key = read_key(variable) if variable else None
        headers = {"authorization": f"Bearer {key.value}"} if key is not None else {}
        with client(url, REACH_SECONDS) as http:
            status = http.get(f"{url}/models", headers=headers).status_code
    except RetroDocError as error:
        return f"cannot be used: {error.message}"
    except httpx2.HTTPError as error:
        return f"does not answer ({type(error).__name__})"
    if status in (401, 403):
        return f"refuses the key (status {status})"
    return f"answers (status {status})"


def _local(settings: LlmSettings, problem: str | None) -> ProviderState:
    if find_spec("xllamacpp") is None:
        return ProviderState("local", False, "not installed: pip install 'retrodoc[local]'")
    try:
        import xllamacpp  # noqa: F401 - whether it loads on this machine is the question
    except ImportError as error:
        return ProviderState("local", False, f"installed, but it does not load: {error}")
    if settings.provider == "local" and problem is not None:
        return ProviderState("local", False, problem)
    threads = settings.threads or max(1, (os.cpu_count() or 2) - 1)
    return ProviderState("local", True, f"xllamacpp {_version('xllamacpp')}, {threads} threads; give --model FILE.gguf")


def _model_file(settings: LlmSettings) -> tuple[ModelFile | None, str | None]:
    named = settings.model or ""
    if settings.provider != "local" and not named.endswith(".gguf"):
        return None, None
    if not named:
        return None, "no model file is named: give --model FILE.gguf"
    try:
        return read_model_file(Path(named)), None
    except RetroDocError as error:
        return None, error.message


def _grammars() -> tuple[GrammarState, ...]:
    from retrodoc_chunkers.grammars import GrammarMissing, grammar
    from retrodoc_chunkers.languages import LANGUAGES

    states = []
    for language in sorted(LANGUAGES):
        try:
            grammar(language)
        except GrammarMissing as error:
            states.append(GrammarState(language, f"{error.wheel} is not installed for this Python"))
        except Exception as error:  # noqa: BLE001 - a wheel built for another version fails in its own way
            states.append(GrammarState(language, f"does not load: {error}"))
        else:
            states.append(GrammarState(language, None))
    return tuple(states)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "of unknown version"
