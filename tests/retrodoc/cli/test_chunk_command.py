"""`retrodoc chunk` shows each piece of a file with what it holds, as text and as JSON."""

from __future__ import annotations

import json
import os
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


def test_several_files_are_shown_in_their_order_whatever_the_number_of_jobs(tmp_path: Path) -> None:
    names = [f"{letter}.py" for letter in "cab"]
    for name in names:
        (tmp_path / name).write_text(SOURCE + f"def of_{name[0]}(): pass\n")
    paths = [str(tmp_path / name) for name in names]
    alone = CliRunner().invoke(chunk, [*paths, "--max-chars", "100"])
    together = CliRunner().invoke(chunk, [*paths, "--max-chars", "100", "--jobs", "2"])
    assert alone.output == together.output
    heads = [line for line in alone.output.splitlines() if line.endswith(":")]
    assert heads == [f"{(tmp_path / name).as_posix()}:" for name in names]
    assert [line[-4:] for line in alone.output.splitlines() if "of_" in line] == ["of_c", "of_a", "of_b"]


def test_json_of_several_files_is_an_object_a_line(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    (tmp_path / "b.py").write_text("x = 1\n")
    paths = [str(tmp_path / "a.py"), str(tmp_path / "b.py")]
    shown = CliRunner().invoke(chunk, [*paths, "--format", "json", "--jobs", "2"])
    assert [json.loads(line)["path"] for line in shown.output.splitlines()] == [Path(one).as_posix() for one in paths]


def test_one_missing_file_among_several_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    shown = CliRunner().invoke(chunk, [str(tmp_path / "a.py"), str(tmp_path / "none.py"), "--jobs", "2"])
    assert isinstance(shown.exception, UsageError)
    assert "none.py" in shown.exception.message


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    shown = CliRunner().invoke(chunk, [str(tmp_path / "pipe.py")])
    assert isinstance(shown.exception, UsageError)
    assert "no regular file" in shown.exception.message
