"""The audit plants errors of nine kinds in valid steps and says, for each kind, how many the judge caught."""

from __future__ import annotations

from random import Random

import pytest

from retrodoc_checks import FileIndex, Verdict, check_step
from retrodoc_checks.audit import Claim, Error, audit_steps, optimism_gap, plant, sample_valid
from retrodoc_checks.contrary import contraries_of
from retrodoc_checks.intervals import Share, wilson
from retrodoc_checks.names import read_step
from retrodoc_runs.models import SourceRef
from retrodoc_runs.snapshot import MemorySnapshot

STAY = """\
LIMIT = 30


def check_in(guest):
    hold_room(guest)
    return guest


def check_out(guest):
    charge_card(guest, 15)
    return guest


def clean(room):
    mop(room)
    return room
"""
FILES = MemorySnapshot({"stay.py": STAY, "bar.py": "x = 1\n" * 40, "notes.md": "nothing\n" * 40})


def ref(start: int, end: int, path: str = "stay.py") -> SourceRef:
    return SourceRef(path=path, start_line=start, end_line=end)


CLAIMS: list[Claim] = [
    ("The guest is registered. `hold_room` keeps the room.", (ref(5, 5),)),
    ("`charge_card` takes 15 euros.", (ref(10, 10),)),
    ("La chambre est nettoyée. Le logiciel appelle alors `mop`.", (ref(15, 15),)),
    ("Nothing is cited for `mop`.", ()),
    ("A prose step without names.", (ref(5, 5),)),
]


@pytest.fixture
def index() -> FileIndex:
    return FileIndex(FILES)


def test_the_claims_are_what_the_tests_take_them_for(index: FileIndex) -> None:
    verdicts = [check_step(text, refs, index).verdict for text, refs in CLAIMS]

    assert verdicts == [Verdict.VALID, Verdict.VALID, Verdict.VALID, Verdict.UNSUPPORTED, Verdict.DOUBTFUL]


CITATION_ERRORS = {
    Error.RANGE_SHIFTED: lambda cited: (
        cited.path == "stay.py" and cited.start_line != 5 and 1 <= cited.start_line <= 16
    ),
    Error.NEIGHBOUR: lambda cited: (cited.start_line, cited.end_line) == (9, 11),
    Error.BEYOND_END: lambda cited: cited.start_line > 16 and cited.end_line == cited.start_line,
    Error.OTHER_FILE: lambda cited: (cited.path, cited.start_line, cited.end_line) == ("bar.py", 5, 5),
    Error.WIDENED: lambda cited: (cited.start_line, cited.end_line) == (1, 16),
}


@pytest.mark.parametrize("error", CITATION_ERRORS)
@pytest.mark.parametrize("seed", range(8))
def test_an_error_in_the_citation_moves_it_and_nothing_else(error: Error, seed: int, index: FileIndex) -> None:
    mutant = plant(error, CLAIMS[0], index, Random(seed))

    assert mutant is not None
    assert mutant[0] == CLAIMS[0][0]
    assert CITATION_ERRORS[error](mutant[1][0])


TEXT_ERRORS = {
    (Error.RENAMED, 0): {f"The guest is registered. `hold_room_{tail}` keeps the room." for tail in
                         ("again", "later", "twice", "safely")},
    (Error.SIBLING, 0): {f"The guest is registered. `{name}` keeps the room." for name in
                         ("check_out", "clean", "LIMIT")},
    (Error.NUMBER, 1): {f"`charge_card` takes {number} euros." for number in (16, 17, 18, 25)},
    (Error.NEGATED, 0): {
        "The guest is not registered. `hold_room` keeps the room.",
        "The guest is registered. `hold_room` does not keep the room.",
    },
    (Error.NEGATED, 2): {"La chambre n'est pas nettoyée. Le logiciel appelle alors `mop`."},
}  # fmt: skip


@pytest.mark.parametrize(("error", "number"), TEXT_ERRORS)
def test_an_error_in_the_text_changes_one_thing(error: Error, number: int, index: FileIndex) -> None:
    mutants = {plant(error, CLAIMS[number], index, Random(seed)) for seed in range(60)}

    assert {mutant[0] for mutant in mutants if mutant} == TEXT_ERRORS[error, number]
    assert {mutant[1] for mutant in mutants if mutant} == {CLAIMS[number][1]}


CONTRARIES: dict[str, tuple[str, list[str]]] = {
    "an auxiliary": ("The guest is registered.", ["The guest is not registered."]),
    "can becomes cannot": ("A guest can pay.", ["A guest cannot pay."]),
    "two statements": (
        "The room is clean and the key must be back.",
        ["The room is not clean and the key must be back.", "The room is clean and the key must not be back."],
    ),
    "a verb after a name that begins the sentence": (
        "`mop` cleans the room.",
        ["`mop` does not clean the room."],
    ),
    "a verb of another ending": ("`mop` passes.", ["`mop` does not pass."]),
    "another": ("`mop` applies the rule.", ["`mop` does not apply the rule."]),
    "two sentences": (
        "`mop` catches it. `lock` goes.",
        ["`mop` does not catch it. `lock` goes.", "`mop` catches it. `lock` does not go."],
    ),
    "a plural after a name": ("`mop` permissions matter.", []),
    "a name that is not the subject": ("With `mop` rooms are clean.", ["With `mop` rooms are not clean."]),
    "a condition": ("When the room is clean, the guest enters.", []),
    "a condition in the middle": ("It is given if the key is back.", ["It is not given if the key is back."]),
    "a relative clause": ("The guest who is registered pays.", []),
    "what is denied already": ("The guest is not registered. It is no room that was clean.", []),
    "without": ("Without a key the room is closed.", []),
    "only": ("The room is only cleaned on request.", []),
    "an imperative, as titles are": ("Lock the room.", []),
    "inside code and quotes": ("Show `it is full` and \"we are full\".", []),
    "French": ("La chambre est propre.", ["La chambre n'est pas propre."]),
    "French, several": (
        "Elles sont là et doivent servir.",
        ["Elles ne sont pas là et doivent servir.", "Elles sont là et ne doivent pas servir."],
    ),
    "French, a verb after a name": ("`mop` nettoie la chambre.", ["`mop` ne nettoie pas la chambre."]),
    "French, before a vowel": ("`mop` appelle le client.", ["`mop` n'appelle pas le client."]),
    "French, a noun after a name": ("`mop` de la chambre.", []),
    "French, denied already": ("La chambre n'est pas propre et la clé ne sert plus.", []),
    "French, a condition": ("Si la chambre est propre, le client entre.", []),
    "French, a relative clause": ("Le client qui est inscrit entre dans la chambre.", []),
}  # fmt: skip


@pytest.mark.parametrize(("text", "contraries"), CONTRARIES.values(), ids=CONTRARIES.keys())
def test_a_negation_is_planted_where_grammar_turns_the_sentence_round(text: str, contraries: list[str]) -> None:
    assert sorted(contraries_of(text)) == sorted(contraries)


@pytest.mark.parametrize("text", [text for text, contraries in CONTRARIES.values() if contraries])
def test_a_planted_negation_is_one_that_the_judge_sees(text: str) -> None:
    before = sum(clause.denied for clause in read_step(text).clauses)
    for contrary in contraries_of(text):
        assert sum(clause.denied for clause in read_step(contrary).clauses) > before


def test_what_a_step_does_not_allow_is_not_planted(index: FileIndex) -> None:
    prose: Claim = ("The guest pays.", (ref(5, 5),))
    whole: Claim = ("`hold_room` is called.", (SourceRef(path="stay.py"),))
    only: Claim = ("`hold_room` is called.", (ref(1, 1, "notes.md"),))

    assert plant(Error.RENAMED, prose, index, Random(1)) is None
    assert plant(Error.SIBLING, prose, index, Random(1)) is None
    assert plant(Error.NUMBER, prose, index, Random(1)) is None
    assert plant(Error.NEGATED, ("Pay.", (ref(5, 5),)), index, Random(1)) is None
    assert plant(Error.RANGE_SHIFTED, whole, index, Random(1)) is None
    assert plant(Error.OTHER_FILE, only, index, Random(1)) is None
    assert plant(Error.NEIGHBOUR, only, index, Random(1)) is None
    assert plant(Error.RANGE_SHIFTED, ("`x`.", (ref(1, 16),)), index, Random(1)) is None


def test_an_audit_counts_each_kind_and_the_flagged_steps(index: FileIndex) -> None:
    audit = audit_steps(CLAIMS, index, Random(3), mutants=2)

    assert audit.valid == 3
    assert audit.flagged == Share(1, 4)
    assert {error: share.total for error, share in audit.caught.items()} == {
        **dict.fromkeys(Error, 2),
        Error.NUMBER: 1,
    }
    assert audit.caught[Error.BEYOND_END] == Share(2, 2)
    assert audit.caught[Error.RENAMED] == Share(2, 2)
    assert audit.all_caught.total == 17


def test_the_same_seed_gives_the_same_audit(index: FileIndex) -> None:
    assert audit_steps(CLAIMS, index, Random(7)) == audit_steps(CLAIMS, FileIndex(FILES), Random(7))


def test_an_audit_of_nothing_plants_nothing(index: FileIndex) -> None:
    audit = audit_steps([], index, Random(1))

    assert audit.all_caught == Share(0, 0)
    assert audit.all_caught.value is None


def test_valid_steps_are_sampled_for_a_model(index: FileIndex) -> None:
    assert sample_valid(CLAIMS, index, Random(1), 10) == [0, 1, 2]
    assert len(sample_valid(CLAIMS, index, Random(1), 2)) == 2


def test_the_optimism_gap_is_what_a_model_takes_off() -> None:
    gap = optimism_gap(["supported", "partial", "unsupported", "supported"])

    assert gap is not None
    assert gap.model == 0.625
    assert gap.gap == 0.375
    assert gap.supported == Share(2, 4)
    assert optimism_gap([]) is None


def test_wilson_bounds_are_those_of_the_books() -> None:
    assert wilson(8, 10) == pytest.approx((0.4901625, 0.9433178), abs=1e-6)
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775328), abs=1e-6)
    assert wilson(10, 10) == pytest.approx((0.7224672, 1.0), abs=1e-6)
    assert wilson(0, 0) == (0.0, 1.0)
    assert str(Share(8, 10)) == "0.80 (0.49-0.94)"
    assert str(Share(0, 0)) == "none"
