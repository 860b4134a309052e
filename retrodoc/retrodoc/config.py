"""retrodoc.toml: what the repository may say about itself, and what only the user may say.

Settings come from three places, later ones win: the repository's `retrodoc.toml`, the user's own
`~/.config/retrodoc/config.toml` (`RETRODOC_CONFIG` names another), the command line. The repository is hostile until
shown otherwise: what it says about providers, base URLs and key variables is refused until the user consents.
"""

from __future__ import annotations

import os
import posixpath
import re
import tomllib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from retrodoc.errors import ConfigError
from retrodoc.ingest.classify import IngestSettings
from retrodoc.llm.settings import LlmSettings, without_consent

FILE_NAME = "retrodoc.toml"
VARIABLE = "RETRODOC_CONFIG"


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class OutputSettings(_Section):
    """Where pages go."""

    folder: str = "docs"
    """Where pages go, relative to the documented folder and inside it; `--out` writes them anywhere."""

    @field_validator("folder")
    @classmethod
    def _inside(cls, folder: str) -> str:
        """As Git spells a folder; a repository's own settings must not make us write elsewhere on the disk."""
        spelled = posixpath.normpath(folder)
        if folder.startswith("/") or "\\" in folder or spelled.split("/")[0] == "..":
            raise ValueError(
                f"{folder!r} is no folder inside the documented folder, written with '/'; --out writes pages anywhere"
            )
        if not folder.isprintable() or ".git" in spelled.lower().split("/"):
            raise ValueError(f"{folder!r} is no folder for pages")
        return "" if spelled == "." else spelled


class ReportSettings(_Section):
    threshold: float = Field(default=0.5, ge=0, le=1, allow_inf_nan=False)
    """A use case whose score can be under it is an alert."""


class Settings(_Section):
    """All that a run can be told, with its defaults."""

    language: str = "en"
    """Language of the drafted text, as `en` or `pt-BR`. The outline is written in English."""
    ingest: IngestSettings = IngestSettings()
    llm: LlmSettings = LlmSettings()
    output: OutputSettings = OutputSettings()
    report: ReportSettings = ReportSettings()

    @field_validator("language")
    @classmethod
    def _is_a_code(cls, language: str) -> str:
        if re.fullmatch(r"[a-z]{2}(-[A-Z]{2})?", language) is None:
            raise ValueError(f"{language!r} is no language code such as en or pt-BR")
        return language


def user_config_path() -> Path:
    """Of the user's own settings; the file need not exist, unless RETRODOC_CONFIG names it."""
    if named := os.environ.get(VARIABLE):
        return Path(named)
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "retrodoc" / "config.toml"


def load_settings(folder: Path, overrides: dict[str, Any] | None = None, *, trust: bool = False) -> Settings:
    """Settings for the repository folder `folder`.

    `overrides` is a nested dict of what the command line said; None values in it are dropped. `trust` is the user's
    consent to the repository's own provider settings. Raises ConfigError.
    """
    repository_file = folder / FILE_NAME
    repository = _read(repository_file)
    if not trust:
        _refuse_without_consent(repository_file, repository, overrides or {})
    merged: dict[str, Any] = {}
    for path, data in ((repository_file, repository), (user_config_path(), _read_own())):
        _validate(data, path)
        _merge(merged, data)
    _merge(merged, overrides or {})
    if merged.get("llm", {}).get("provider") == "none":
        merged["llm"] = {**merged["llm"], "provider": None, "base_url": None}
    return _validate(merged, "the command line")  # each file was valid on its own


def _read_own() -> dict[str, Any]:
    """The user's own settings. Without those that were named, another model could be asked, or another sum be paid."""
    path = user_config_path()
    if os.environ.get(VARIABLE) and (path.is_dir() or not path.exists()):
        what = "is a folder" if path.exists() else "does not exist"
        raise ConfigError(f"{path}, which {VARIABLE} names, {what}", f"Write it, or unset {VARIABLE}.")
    return _read(path)


def _read(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except (FileNotFoundError, NotADirectoryError):
        return {}  # that the folder is none is said where it is opened
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}", "Mend the file or move it away.") from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error


def _refuse_without_consent(path: Path, data: dict[str, Any], overrides: dict[str, Any]) -> None:
    section = data.get("llm")
    if not isinstance(section, dict):
        return
    said = {key for key, value in (overrides.get("llm") or {}).items() if value is not None}
    allowed, asked = without_consent(section)
    chosen_by_user = bool(said & {"provider", "base_url"})
    if asked and not chosen_by_user:
        names = ", ".join(f"llm.{key}" for key in asked)
        raise ConfigError(
            f"{path}: {names} would let this repository choose who reads its code, or what is paid",
            "Pass --trust-config to accept it, or --provider to choose yourself (--provider none drafts without a "
            "model).",
        )
    if chosen_by_user and isinstance(section.get("model"), str):
        allowed["model"] = section["model"]
    data["llm"] = allowed


def _merge(base: dict[str, Any], more: dict[str, Any]) -> None:
    for key, value in more.items():
        if value is None:
            continue
        if isinstance(value, dict):
            inner = base.get(key)
            base[key] = dict(inner) if isinstance(inner, dict) else {}
            _merge(base[key], value)
        else:
            base[key] = value


def _validate(data: dict[str, Any], where: Path | str) -> Settings:
    try:
        return Settings.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"]) or "the file"
        reason = "unknown setting" if first["type"] == "extra_forbidden" else first["msg"].removeprefix("Value error, ")
        raise ConfigError(f"{where}: {key}: {reason}", "docs/settings.md lists every setting.") from error
