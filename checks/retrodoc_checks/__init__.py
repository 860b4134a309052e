"""The judge: no model, no network, no clock."""

from retrodoc_checks.files import FileIndex, Files
from retrodoc_checks.findings import Missing, Place, Reason, StepFinding, Verdict
from retrodoc_checks.verdict import check_step

__all__ = ["FileIndex", "Files", "Missing", "Place", "Reason", "StepFinding", "Verdict", "check_step"]
