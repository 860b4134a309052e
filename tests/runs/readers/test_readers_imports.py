"""What is costly to import is imported by the format that needs it."""

from __future__ import annotations

import subprocess
import sys


def test_a_door_imports_no_parser_before_a_file_needs_it() -> None:
    code = "import sys, retrodoc_runs.readers; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"markdown_it", "yaml", "retrodoc_runs.readers.markdown"} & set(loaded)
    assert "retrodoc_runs.readers.target" in loaded
