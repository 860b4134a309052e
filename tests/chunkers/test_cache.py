"""What is kept of a file gives the same answers as reading it, and nothing that is damaged is believed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrodoc_chunkers import syntax_of
from retrodoc_chunkers.cache import SyntaxCache, _made_by, dump_tables, load_tables

SOURCE = (
    b'''"""A shop."""
from shutil import move as mv
import os

class Cart(Base):
    rows: int = 1

    @route("/x")
    def total(self, tax, caf\xc3\xa9=2):
        return self.rows.sum(tax) + price_of(f"{tax} of {mv(tax)}")  # later
'''
    + b"x = 1\n" * 30
)


def test_a_second_run_parses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = SyntaxCache(tmp_path).get(SOURCE, "a.py")
    monkeypatch.setattr("retrodoc_chunkers.syntax.parse", None)
    cache = SyntaxCache(tmp_path)
    second = cache.get(SOURCE, "other/name.py")
    assert (cache.hits, cache.misses) == (1, 0)
    for part in ("language", "unread_reason", "definitions", "calls", "imports", "import_spans", "comments", "strings"):
        assert getattr(second, part) == getattr(first, part), part
    assert second.counts(1, 100) == first.counts(1, 100)
    assert [second.kind_at(byte) for byte in range(len(SOURCE))] == [first.kind_at(byte) for byte in range(len(SOURCE))]


def test_the_same_bytes_in_another_language_are_another_entry(tmp_path: Path) -> None:
    cache = SyntaxCache(tmp_path)
    cache.get(SOURCE, "a.py")
    assert cache.get(SOURCE, "a.rb").language == "ruby"
    assert (cache.hits, cache.misses) == (0, 2)


@pytest.mark.parametrize("damage", [b"", b"RDS1", b"\x80\x04.", b"RDS1" + b"\0" * 40, SOURCE])
def test_a_damaged_entry_is_read_anew(tmp_path: Path, damage: bytes) -> None:
    SyntaxCache(tmp_path).get(SOURCE, "a.py")
    (entry,) = (path for path in tmp_path.rglob("*") if path.is_file())
    entry.write_bytes(damage)
    cache = SyntaxCache(tmp_path)
    assert cache.get(SOURCE, "a.py").definitions == syntax_of(SOURCE, "a.py").definitions
    assert (cache.hits, cache.misses) == (0, 1)
    assert SyntaxCache(tmp_path).get(SOURCE, "a.py").definitions  # and mended


@settings(deadline=None)
@given(position=st.integers(0, 10_000), value=st.integers(0, 255))
def test_any_changed_byte_is_noticed_or_harmless(position: int, value: int) -> None:
    tables = syntax_of(SOURCE, "a.py").tables()
    data = bytearray(dump_tables(tables))
    position %= len(data)
    data[position] = value
    try:
        loaded = load_tables(bytes(data))
    except ValueError:
        return
    assert loaded == tables


def test_a_folder_that_cannot_be_written_only_costs_time(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    assert SyntaxCache(blocked).get(SOURCE, "a.py").definitions


def test_what_is_not_read_as_code_is_kept_too(tmp_path: Path) -> None:
    minified = b"a();" * 5_000
    SyntaxCache(tmp_path).get(minified, "a.js")
    cache = SyntaxCache(tmp_path)
    assert cache.get(minified, "a.js").unread_reason == "minified"
    assert cache.hits == 1


def test_a_full_folder_gives_up_what_was_written_longest_ago(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrodoc_chunkers.cache.MAX_IN_FOLDER", 4)
    SyntaxCache(tmp_path).get(SOURCE, "a.py")
    (entry,) = (path for path in tmp_path.rglob("*") if path.is_file())
    for age in range(1, 4):
        older = entry.with_name(f"older-{age}")
        older.write_bytes(b"")
        os.utime(older, (1_000_000 - age, 1_000_000 - age))
    entry.unlink()
    (entry.parent / "newest").write_bytes(b"")
    SyntaxCache(tmp_path).get(SOURCE, "a.py")
    assert {path.name for path in entry.parent.iterdir()} == {entry.name, "newest", "older-1"}


@pytest.mark.parametrize(("age_in_days", "stays"), [(1, True), (31, False)])
def test_what_another_version_made_is_deleted_a_month_later(tmp_path: Path, age_in_days: int, stays: bool) -> None:
    other, of_ruby = tmp_path / "python-0123456789abcdef", tmp_path / "ruby-0123456789abcdef"
    for folder in (other, of_ruby):
        (folder / "00").mkdir(parents=True)
        then = time.time() - age_in_days * 24 * 3600
        os.utime(folder / "00", (then, then))
    SyntaxCache(tmp_path).get(SOURCE, "a.py")
    assert other.exists() == stays
    assert of_ruby.exists(), "its language was not read, so nothing says that it is another version"


def test_without_a_grammar_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrodoc_chunkers.grammars.find_spec", lambda _module: None)
    _made_by.cache_clear()
    cache = SyntaxCache(tmp_path)
    cache.get(SOURCE, "a.py")
    assert (cache.hits, cache.misses, list(tmp_path.iterdir())) == (0, 0, [])
    _made_by.cache_clear()
