"""`retrodoc chunk` shows each piece of a file with what it holds, as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from retrodoc.cli.chunk import chunk
from retrodoc.errors import UsageError

SOURCE = "class A:\n" + "".join(f"    def m{index}(self):\n        return {index}\n\n" for index in range(4))


def test_text_names_each_piece_its_lines_and_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    shown = CliRunner().invoke(chunk, [str(tmp_path / "a.py"), "--max-chars", "100"])
    assert shown.exit_code == 0
    assert shown.output.splitlines() == [
        "part 1 of 2  lines 1-7  at file in A: m0, m1",
        "part 2 of 2  lines 8-13  at definition in A: m2, m3",
    ]


def test_json_holds_bytes_lines_and_definitions(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    shown = CliRunner().invoke(chunk, [str(tmp_path / "a.py"), "--max-chars", "100", "--format", "json"])
    pieces = json.loads(shown.output)["chunks"]
    assert [(one["part"], one["of"], one["start_line"], one["end_line"]) for one in pieces] == [
        (1, 2, 1, 7),
        (2, 2, 8, 13),
    ]
    assert pieces[0]["end_byte"] == pieces[1]["start_byte"]
    assert [one["name"] for one in pieces[1]["definitions"]] == ["A.m2", "A.m3"]
    assert pieces[1]["enclosing"] == ["A"]


def test_a_file_that_is_no_code_says_why(tmp_path: Path) -> None:
    (tmp_path / "a.brw").write_text("PROC a\n")
    shown = CliRunner().invoke(chunk, [str(tmp_path / "a.brw")])
    assert "not read as code (no-grammar)" in shown.output
    (tmp_path / "a.py").write_text("")
    assert "empty" in CliRunner().invoke(chunk, [str(tmp_path / "a.py")]).output


def test_a_missing_file_is_a_usage_error(tmp_path: Path) -> None:
    shown = CliRunner().invoke(chunk, [str(tmp_path / "none.py")])
    assert isinstance(shown.exception, UsageError)
    assert "none.py" in shown.exception.message
