"""What reading a repository or keeping a run can stop on.

RunsError                 base: `message`, `mend` (what the user can do)
├── RepositoryReadError   not a Git repository, no commit yet, a commit that is not here, a git that fails
│   └── ObjectMissingError  an object that Git does not give: in a partial clone, or damaged
├── RunReadError          a saved run that is missing, damaged or from a newer program
├── RunWriteError         a run that could not be saved (a full disk); what was saved before is intact
└── RunLockedError        another generate is writing runs in this folder
"""

from __future__ import annotations


class RunsError(Exception):
    """Base; the command line shows `message` and `mend`."""

    def __init__(self, message: str, mend: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.mend = mend


class RepositoryReadError(RunsError):
    """There is nothing here to read, or Git refuses to read it."""


class ObjectMissingError(RepositoryReadError):
    """Git does not give an object that the repository names: it was left on the server, or it is damaged."""

    def __init__(self, message: str, mend: str, object_id: str = "") -> None:
        super().__init__(message, mend)
        self.object_id = object_id


class RunReadError(RunsError):
    """A saved run is missing, damaged or from a newer program."""


class RunWriteError(RunsError):
    """A run could not be saved; nothing half-written is left."""


class RunLockedError(RunsError):
    """Another process is writing runs in this folder."""
