"""What stops the work. A bad repository or a false citation is a finding, not an error.

RetroDocError                 base: `message`, `mend` (what the user can do), exit code 2
├── UsageError                an argument, a target or an option that cannot be used
├── ConfigError               retrodoc.toml: `path`, the key and the reason
├── RepositoryError           not a Git repository, empty, no source, a missing commit
├── RunError                  a saved run that is missing, damaged or from a newer program
├── ProviderError             a model that cannot be reached or refuses the key: never holds the key
├── BudgetExceeded            the next call could pass the approved cost: `spent`, `ceiling`, `left`
└── OutputError               a page or a run that could not be written: `path`
"""

from __future__ import annotations


class RetroDocError(Exception):
    """Base of all that RetroDoc raises on purpose; shown as `error: message` and `  mend`, exit code 2."""

    exit_code = 2

    def __init__(self, message: str, mend: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.mend = mend


class UsageError(RetroDocError):
    """An argument, a target or an option that cannot be used."""


class ConfigError(RetroDocError):
    """A setting that cannot be used; the message names the file, the key and the reason."""


class RepositoryError(RetroDocError):
    """There is nothing here to document or to check against."""


class RunError(RetroDocError):
    """A saved run is missing, damaged or from a newer program."""


class ProviderError(RetroDocError):
    """A model cannot be reached or refused the request for good."""


class BudgetExceeded(RetroDocError):
    """The next call could pass the approved cost; nothing was sent."""


class OutputError(RetroDocError):
    """A page or a run could not be written; nothing half-written is left."""
