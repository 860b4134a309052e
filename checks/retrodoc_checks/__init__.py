"""The judge: no model, no network, no clock."""

from retrodoc_checks.files import FileIndex, Files
from retrodoc_checks.findings import Missing, Place, Reason, StepFinding, Verdict
from retrodoc_checks.run import CheckedStep, RunFindings, check_run, check_steps, check_use_cases
from retrodoc_checks.score import Score
from retrodoc_checks.verdict import check_step

__all__ = [
    "CheckedStep",
    "FileIndex",
    "Files",
    "Missing",
    "Place",
    "Reason",
    "RunFindings",
    "Score",
    "StepFinding",
    "Verdict",
    "check_run",
    "check_step",
    "check_steps",
    "check_use_cases",
]
