"""On real files a right regex is accepted, and a wrong one is refused by the bound that is there for it."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path

import pytest

from retrodoc_chunkers import chunk_source
from retrodoc_chunkers.pattern import USABLE, Decision, Pattern, judge, largest

sys.path.insert(0, str(Path(__file__).parent))

from real_languages import Language, Wrong, bound_passed, languages

LANGUAGES = {one.name: one for one in languages()}
WRONG = [(one, wrong) for one in LANGUAGES.values() for wrong in one.wrong]

pytestmark = pytest.mark.corpora


@cache
def files_of(language: str) -> dict[str, bytes]:
    named = os.environ.get("RETRODOC_CORPORA")
    files = LANGUAGES[language].read(Path(named)) if named else {}
    if not files:
        pytest.skip(f"RETRODOC_CORPORA names no folder with {LANGUAGES[language].corpus}")
    return files


def test_the_five_languages_have_a_right_regex_and_one_for_each_bound() -> None:
    assert set(LANGUAGES) == {"Elixir", "Lua", "COBOL", "PL/SQL", "Terraform"}
    for language in LANGUAGES.values():
        assert {wrong.refused_by for wrong in language.wrong} == {"breadth", "excess", "recall"}


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda one: one.name)
def test_a_right_regex_is_accepted(language: Language) -> None:
    judged = judge(language.right, files_of(language.name))
    assert judged.decision is Decision.ACCEPTED, judged.measured or judged.error


@pytest.mark.parametrize(("language", "wrong"), WRONG, ids=[f"{one.name}: {wrong.why}" for one, wrong in WRONG])
def test_a_wrong_regex_is_refused_by_its_bound(language: Language, wrong: Wrong) -> None:
    judged = judge(wrong.regex, files_of(language.name))
    assert judged.decision not in USABLE
    assert judged.measured is not None
    assert bound_passed(judged.measured) == wrong.refused_by, judged.measured


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda one: one.name)
def test_a_right_regex_cuts_real_files_and_loses_nothing(language: Language) -> None:
    found = 0
    for source in largest(files_of(language.name)).values():
        chunks = chunk_source(source, "file.unknown", pattern=Pattern(language.right))
        assert b"".join(source[one.start_byte : one.end_byte] for one in chunks) == source
        found += sum(one.how == "pattern" for one in chunks)
    assert found
