"""RetroDoc: functional documentation of a repository, each step citing the code, each citation checked."""

__version__ = "0.1.0"
