"""What others wrote, read into the same models: Markdown pages, OpenWiki claims, the original RetroDoc's YAML."""

from retrodoc_runs.readers.model import ReadError, Reading, ReadStep, Unparsed
from retrodoc_runs.readers.target import read_target

__all__ = ["ReadError", "ReadStep", "Reading", "Unparsed", "read_target"]
