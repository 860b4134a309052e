"""`retrodoc check`: a target in, findings out. What prints them is in `retrodoc.publish`."""

from retrodoc.checking.core import CheckOptions, check_target
from retrodoc.checking.result import CheckResult, CitationResult, StepResult, UseCaseScore

__all__ = ["CheckOptions", "CheckResult", "CitationResult", "StepResult", "UseCaseScore", "check_target"]
