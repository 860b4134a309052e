"""Where a missing promise is: every file is looked at once, for all questions together, and the ways agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrodoc_checks import FileIndex, Reason
from retrodoc_checks import sweep as sweep_module
from retrodoc_checks.names import read_step
from retrodoc_checks.run import check_steps
from retrodoc_checks.sweep import ENOUGH, find_holders, key_of
from retrodoc_checks.verdict import check_step
from retrodoc_runs.snapshot import MemorySnapshot
from retrodoc_runs.steps import SourceRef

WORDS = st.sampled_from(["pour", "_pour", "pour_out", "cup", "tea", "Cup.pour", "'/tea/cup'", "7", "\n", " ", "(", "."])
NAMES = st.sampled_from(["`pour`", "`_pour`", "`cup.pour`", "`Cup#pour`", '"tea cup"', "`/tea/cup`", "`GET /tea/cup`"])


class Counting(MemorySnapshot):
    passes = 0

    def read_many(self, *arguments, **named):  # type: ignore[no-untyped-def]
        self.passes += 1
        return super().read_many(*arguments, **named)


def promises_of(texts: list[str]):  # type: ignore[no-untyped-def]
    return [promise for text in texts for promise in read_step(f"It uses {text} here").promises]


@given(st.lists(st.lists(WORDS, max_size=8).map("".join), min_size=1, max_size=6), st.lists(NAMES, min_size=1))
def test_searching_and_splitting_find_the_same_holders(contents: list[str], names: list[str]) -> None:
    found = []
    for tokens_from in (1, 1_000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sweep_module, "TOKENS_FROM", tokens_from)
            index = FileIndex(MemorySnapshot({f"{n}.py": content for n, content in enumerate(contents)}))
            find_holders(promises_of(names), index)
            found.append(index.holders)
    assert found[0] == found[1]


def test_all_missing_names_of_a_run_are_looked_for_in_one_pass() -> None:
    files = Counting({"a.py": "x = 1\n" * 9, **{f"b{n}.py": f"name_{n} = 1\n" for n in range(50)}})
    steps = [(f"`name_{n}` is set.", [SourceRef("a.py", 1, 2)]) for n in range(60)]
    found = check_steps(steps, FileIndex(files))
    assert files.passes == 1
    assert [one.reasons for one in found] == [(Reason.ELSEWHERE_IN_REPOSITORY,)] * 50 + [(Reason.NOWHERE,)] * 10
    assert [str(one.hint.path) for one in found[:50] if one.hint] == [f"b{n}.py" for n in range(50)]


def test_nothing_is_searched_when_nothing_is_missing() -> None:
    files = Counting({"a.py": "name = 1\n" * 9})
    check_steps([("`name` is set.", [SourceRef("a.py", 1, 1)])], FileIndex(files))
    assert files.passes == 0


@pytest.mark.parametrize(("holders", "known"), [(1, 1), (ENOUGH, ENOUGH), (ENOUGH + 1, ENOUGH + 1), (90, ENOUGH + 1)])
def test_no_more_holders_are_looked_for_than_tell_one_from_several(holders: int, known: int) -> None:
    index = FileIndex(MemorySnapshot({f"{n:02}.py": "pour()\n" for n in range(holders)}))
    (promise,) = promises_of(["`pour`"])
    find_holders([promise], index)
    assert index.holders[key_of(promise)] == tuple(f"{n:02}.py" for n in range(known))


@pytest.mark.parametrize(("decoys", "found"), [(2, ("b.py",)), (3, ())])
def test_files_that_only_hold_its_letters_are_looked_into_up_to_a_bound(
    decoys: int, found: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_module, "MAX_FILES", 3)
    index = FileIndex(MemorySnapshot({**{f"a{n}.py": "poured\n" for n in range(decoys)}, "b.py": "pour\n"}))
    (promise,) = promises_of(["`pour`"])
    find_holders([promise], index)
    assert index.holders[key_of(promise)] == found


@pytest.mark.parametrize("tokens_from", [1, 1_000], ids=["splitting", "searching"])
def test_a_file_that_lacks_a_word_of_it_is_not_looked_into(tokens_from: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else such files would use up the bound before the one that holds it."""
    monkeypatch.setattr(sweep_module, "TOKENS_FROM", tokens_from)
    monkeypatch.setattr(sweep_module, "MAX_FILES", 1)
    index = FileIndex(MemorySnapshot({"a.py": "pour()\n", "b.py": "cup.pour()\n"}))
    (promise,) = promises_of(["`cup.pour`"])
    find_holders([promise], index)
    assert index.holders[key_of(promise)] == ("b.py",)


def test_what_was_found_is_asked_once_and_forgotten_beyond_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep_module, "MAX_HOLDERS", 2)
    files = Counting({"a.py": "x = 1\n" * 9, "b.py": "one\ntwo\nsix\n"})
    index = FileIndex(files)
    for text, passes in (("`one`", 1), ("`one`", 1), ("`two`", 2), ("`six` and `one`", 3)):
        finding = check_step(f"It sets {text}.", [SourceRef("a.py", 1, 2)], index)
        assert finding.reasons == (Reason.ELSEWHERE_IN_REPOSITORY,)
        assert files.passes == passes, text
    assert len(index.holders) == 2
