"""What an answer may refer to, how a question is split, and how the halves' answers become one."""

from __future__ import annotations

from typing import Any

import pytest

from retrodoc.prompts import load_prompt
from retrodoc.prompts.models import (
    DomainsIn,
    DomainsOut,
    Door,
    JudgedStep,
    JudgeIn,
    JudgeOut,
    Slice,
    UseCasesIn,
    UseCasesOut,
)

DOORS = tuple(Door(number=n, label=f"GET /{n}") for n in range(1, 6))


def use_cases_in(**more: Any) -> UseCasesIn:
    pieces = (Slice(path="shop/a.py", start_line=5, text="a\nb\nc"), Slice(path="lib/b.py", start_line=1, text="x"))
    return UseCasesIn(
        **{"language": "en", "domain": "d", "feature": "f", "entry_points": DOORS, "slices": pieces, **more}
    )


def use_cases_out(path: str = "shop/a.py", start: int = 5, end: int = 6, door: int = 1) -> UseCasesOut:
    step = {
        "order": 1,
        "actor": {"name": "User", "kind": "human"},
        "action": "asks",
        "description": "It asks.",
        "source_refs": [{"path": path, "start_line": start, "end_line": end}],
    }
    case = {
        "name": "n",
        "description": "d",
        "narrative": "n",
        "primary_actor": "User",
        "entry_points": [door],
        "steps": [step],
    }
    return UseCasesOut.model_validate({"use_cases": [case]})


@pytest.mark.parametrize(
    ("out", "errors"),
    [
        (use_cases_out(), []),
        (use_cases_out("a.py"), []),
        (use_cases_out("./lib/b.py", 1, 1), []),
        (use_cases_out("c.py"), ["use_cases[0].steps[0].source_refs[0].path: 'c.py' is none of the files shown"]),
        (use_cases_out("y/a.py"), ["use_cases[0].steps[0].source_refs[0].path: 'y/a.py' is none of the files shown"]),
        (
            use_cases_out("a.py", 5, 8),
            ["use_cases[0].steps[0].source_refs[0].end_line: 8 is past line 7, the last one shown of shop/a.py"],
        ),
        (
            use_cases_out("a.py", 6, 5),
            ["use_cases[0].steps[0].source_refs[0]: end_line 5 is before start_line 6"],
        ),
        (use_cases_out(door=9), ["use_cases[0].entry_points[0]: there is no entry point 9"]),
    ],
)  # fmt: skip
def test_a_use_case_may_cite_what_it_was_shown(out: UseCasesOut, errors: list[str]) -> None:
    assert use_cases_in().check(out) == errors


def test_lines_beyond_a_slice_may_be_cited_when_the_caller_knows_them() -> None:
    assert use_cases_in(known_lines={"shop/a.py": 100}).check(use_cases_out("a.py", 90, 100)) == []


def test_what_is_known_beside_the_slices_is_never_shown() -> None:
    inputs = use_cases_in(known_lines={"secret/path.py": 100})
    assert "secret" not in load_prompt("use_cases").render(inputs).user


def test_a_shortened_path_that_two_files_end_with_is_unknown() -> None:
    pieces = (Slice(path="x/a.py", start_line=1, text="a"), Slice(path="y/a.py", start_line=1, text="a"))
    assert len(use_cases_in(slices=pieces).check(use_cases_out("a.py", 1, 1))) == 1


def domains_out(*groups: tuple[str, str, list[int]]) -> DomainsOut:
    return DomainsOut.model_validate(
        {
            "domains": [
                {"name": d, "description": "", "features": [{"name": f, "description": "", "entry_points": numbers}]}
                for d, f, numbers in groups
            ]
        }
    )


def test_an_entry_point_in_two_features_is_an_error_and_a_forgotten_one_is_not() -> None:
    out = domains_out(("A", "a", [1, 2]), ("B", "b", [2]))
    errors = DomainsIn(language="en", entry_points=DOORS).check(out)
    assert errors == [
        "domains[1].features[0].entry_points[0]: entry point 2 is already in domains[0].features[0].entry_points[1]; "
        "name it once"
    ]
    assert out.assignments()[2][0].name == "A"


def test_joined_domains_of_the_same_name_become_one() -> None:
    joined = domains_out(("Orders", "Take", [1]), ("Stock", "Count", [2])).joined(
        domains_out(("orders", "take", [3]), ("Orders", "Close", [4]))
    )
    shape = [(d.name, [(f.name, f.entry_points) for f in d.features]) for d in joined.domains]
    assert shape == [("Orders", [("Take", (1, 3)), ("Close", (4,))]), ("Stock", [("Count", (2,))])]


def test_every_step_is_judged_once() -> None:
    steps = tuple(JudgedStep(number=n, text="t") for n in (1, 2, 3))
    judged = [{"step": n, "rationale": "r", "outcome": "supported"} for n in (1, 1, 7)]
    out = JudgeOut.model_validate({"judgements": judged})
    assert JudgeIn(language="en", steps=steps).check(out) == [
        "judgements[2].step: there is no step 7",
        "judgements: step 2 is missing",
        "judgements: step 3 is missing",
        "judgements: step 1 is judged twice",
    ]


@pytest.mark.parametrize(
    ("inputs", "field"),
    [
        (DomainsIn(language="en", entry_points=DOORS), "entry_points"),
        (use_cases_in(), "entry_points"),
        (JudgeIn(language="en", steps=tuple(JudgedStep(number=n, text="t") for n in range(5))), "steps"),
    ],
)
def test_halves_hold_the_whole_and_keep_their_numbers(inputs: Any, field: str) -> None:
    first, second = inputs.halves()
    assert getattr(first, field) + getattr(second, field) == getattr(inputs, field)
    assert first.items() + second.items() == inputs.items()
    one = inputs.model_copy(update={field: getattr(inputs, field)[:1]})
    assert one.halves() is None


def test_a_question_that_does_not_fit_loses_what_stands_beside_it_one_by_one() -> None:
    inputs: UseCasesIn | None = use_cases_in(documents=("d",), commits=("c",), tests=("t",), vocabulary=("v",))
    gone = []
    while inputs is not None:
        gone.append([f for f in ("documents", "commits", "tests", "vocabulary", "slices") if getattr(inputs, f)])
        inputs = inputs.shrunk()
    assert [len(left) for left in gone] == [5, 4, 3, 2, 1]
    assert gone[-1] == ["slices"]


def test_code_goes_last_and_the_nearest_to_the_entry_points_stays() -> None:
    pruned = use_cases_in().pruned()
    assert pruned is not None
    assert [piece.path for piece in pruned.slices] == ["shop/a.py"]
    assert pruned.pruned() is None


def test_a_narrowed_schema_allows_the_paths_and_numbers_of_its_question_alone() -> None:
    prompt = load_prompt("use_cases")
    wide, narrow = prompt.schema(), prompt.schema(use_cases_in())
    assert narrow["$defs"]["RefOut"]["properties"]["path"]["enum"] == ["lib/b.py", "shop/a.py"]
    assert narrow["$defs"]["UseCaseOut"]["properties"]["entry_points"]["items"]["enum"] == [1, 2, 3, 4, 5]
    assert "enum" not in wide["$defs"]["RefOut"]["properties"]["path"]
    assert prompt.schema() == wide, "narrowing one question's schema leaves the next one's alone"
