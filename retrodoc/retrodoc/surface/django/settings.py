"""Decides what `settings.X` is: the first plain value that the project's settings modules give it."""

from __future__ import annotations

import re

from retrodoc.surface.python.evaluate import NOT_HANDLED, Evaluator
from retrodoc.surface.python.modules import Project, is_example_path, is_test_path
from retrodoc.surface.python.values import Unknown, Value

_SETTINGS = re.compile(
    r"(?:^|/)(?:\w*settings\w*(?:\.py$|/)|(?:defaults|conf)\.py$|config/(?:base|common|defaults)\.py$)"
)
_ASSIGNED = re.compile(rb"^[ \t]*([A-Z][A-Z0-9_]+)[ \t]*(?::[^=\n]*)?=(?!=)", re.MULTILINE)
_URLCONF = re.compile(rb"^\s*ROOT_URLCONF\s*=", re.MULTILINE)
_UNUSUAL = re.compile(r"(?:^|[/_])(?:test|tests|testing|local|dev|development|ci|docker|build|example)")


_DEFAULTS: dict[str, Value] = {"APPEND_SLASH": True, "USE_I18N": True}
"""What Django itself sets, where URL modules depend on it and projects rarely change it."""


class Settings:
    """The settings of one project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        paths = [path for path in project.sources_paths if _SETTINGS.search(path) and not is_test_path(path)]
        self._paths = sorted(paths, key=lambda path: (bool(_UNUSUAL.search(path)), path.count("/"), path))
        self._values: dict[str, Value] = {}
        self._assigned: dict[str, list[str]] | None = None

    def value(self, evaluator: Evaluator, name: str) -> Value:
        """A string that settings hold; `Unknown`, named as the code writes it, for anything else."""
        if name not in self._values:
            self._values[name] = _DEFAULTS.get(name, Unknown(f"settings.{name}"))
            for path in self._assignments().get(name, ()):
                module = evaluator.module(path)
                value = evaluator.member_of(module, name) if module else NOT_HANDLED
                if isinstance(value, str) and "{" not in value:
                    self._values[name] = value
                    break
        return self._values[name]

    def _assignments(self) -> dict[str, list[str]]:
        """Setting to the settings modules that assign it, the most usual first."""
        if self._assigned is None:
            self._assigned = {}
            for path in self._paths:
                for name in dict.fromkeys(_ASSIGNED.findall(self.project.data(path))):
                    self._assigned.setdefault(name.decode(), []).append(path)
        return self._assigned

    def is_installed(self, evaluator: Evaluator, app: str) -> bool | None:
        """Whether INSTALLED_APPS names an app or an app config in it; None when no settings hold a list."""
        for path in self._paths:
            if b"INSTALLED_APPS" in self.project.data(path):
                module = evaluator.module(path)
                value = evaluator.member_of(module, "INSTALLED_APPS") if module else NOT_HANDLED
                if isinstance(value, list | tuple) and value:
                    return any(isinstance(one, str) and f"{one}.".startswith(f"{app}.") for one in value)
        return None

    def root_urlconfs(self, evaluator: Evaluator) -> list[str]:
        """Modules that settings name as ROOT_URLCONF; those of tests and examples only when there are no others."""
        found: list[tuple[bool, str]] = []
        for path in self.project.containing(b"ROOT_URLCONF"):
            if not _URLCONF.search(self.project.data(path)):
                continue
            module = evaluator.module(path)
            value = evaluator.member_of(module, "ROOT_URLCONF") if module else NOT_HANDLED
            target = self.project.find(value, path) if isinstance(value, str) else None
            if target and not is_test_path(path) and not is_test_path(target):
                found.append((is_example_path(path), target))
        usual = [target for example, target in found if not example]
        return list(dict.fromkeys(usual or [target for _, target in found]))
