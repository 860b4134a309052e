"""Scores are means of what is held, intervals while in doubt, and nothing is averaged in that was not scored."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from retrodoc_checks import Reason, Score, StepFinding, Verdict, check_run
from retrodoc_checks.files import FileIndex
from retrodoc_checks.run import check_steps, check_use_cases
from retrodoc_checks.score import mean_score, score_use_case, step_score
from retrodoc_runs.models import Domain, Entity, Feature, Judgement, Run, SourceRef, Step, UseCase
from retrodoc_runs.snapshot import MemorySnapshot


def finding(verdict: Verdict) -> StepFinding:
    return StepFinding(verdict, (Reason.ALL_FOUND,))


def judgement(outcome: str) -> Judgement:
    return Judgement(use_case="u", order=1, outcome=outcome, model="m", key="k")


WORTH = [
    (Verdict.VALID, None, (1.0, 1.0)),
    (Verdict.BROKEN, None, (0.0, 0.0)),
    (Verdict.UNSUPPORTED, None, (0.25, 0.25)),
    (Verdict.DOUBTFUL, None, (0.0, 1.0)),
    (Verdict.DOUBTFUL, "supported", (1.0, 1.0)),
    (Verdict.DOUBTFUL, "partial", (0.5, 0.5)),
    (Verdict.DOUBTFUL, "unsupported", (0.0, 0.0)),
    (Verdict.VALID, "unsupported", (1.0, 1.0)),
    (Verdict.BROKEN, "supported", (0.0, 0.0)),
    (Verdict.UNSUPPORTED, "supported", (0.25, 0.25)),
]


@pytest.mark.parametrize(("verdict", "outcome", "bounds"), WORTH)
def test_the_worth_of_a_step(verdict: Verdict, outcome: str | None, bounds: tuple[float, float]) -> None:
    said = None if outcome is None else judgement(outcome)

    assert step_score(finding(verdict), said) == Score(*bounds)


def test_a_use_case_is_the_mean_of_its_steps() -> None:
    steps = [finding(Verdict.VALID), finding(Verdict.DOUBTFUL), finding(Verdict.BROKEN), finding(Verdict.UNSUPPORTED)]

    assert score_use_case(steps) == Score(0.3125, 0.5625)
    assert score_use_case(steps, [None, judgement("partial"), None, None]) == Score(0.4375, 0.4375)
    assert score_use_case([]) is None
    with pytest.raises(ValueError):
        score_use_case(steps, [None])


def test_what_is_not_scored_is_left_out() -> None:
    assert mean_score([Score(1, 1), None, Score(0, 1)]) == Score(0.5, 1.0)
    assert mean_score([None]) is None


def test_a_score_alerts_when_it_can_be_under_the_threshold() -> None:
    assert Score(0.4, 0.9).alerts()
    assert not Score(0.5, 0.9).alerts()
    assert not Score(0.8, 0.9).alerts()
    assert Score(0.5, 0.9).alerts(0.6)
    assert Score(0.4, 0.5).can_cross()
    assert not Score(0.4, 0.4).can_cross()
    assert not Score(0.5, 0.9).can_cross()
    assert Score(float("0.3"), float("0.3")).settled
    assert not Score(0.3, 0.4).settled


FILES = MemorySnapshot({"a.py": "go()\nstop()\nwait()\n", "b.py": "go()\nstop()\nwait()\n"})


def step(order: int, text: str, *refs: tuple[str, int]) -> Step:
    return Step(
        order=order,
        description=text,
        source_refs=tuple(SourceRef(path=path, start_line=line, end_line=line) for path, line in refs),
    )


RUN = Run(
    id="r",
    repository="x",
    created_at="2026-01-01T00:00:00Z",
    domains=(Domain(slug="d1"), Domain(slug="empty-domain")),
    features=(Feature(slug="f1", domain_slug="d1"), Feature(slug="f2"), Feature(slug="empty-feature")),
    use_cases=(
        UseCase(slug="u1", feature_slug="f1", steps=(step(1, "`go`", ("b.py", 1)), step(2, "`go`", ("a.py", 2)))),
        UseCase(slug="u2", feature_slug="f1", steps=(step(1, "`stop`", ("a.py", 2)),)),
        UseCase(slug="u3", feature_slug="f2", steps=(step(1, "`stop`"),)),
        UseCase(slug="u4", steps=(step(1, "`stop`", ("gone.py", 2)),)),
        UseCase(slug="u5", steps=()),
    ),
)


def test_a_run_is_scored_from_its_steps_up() -> None:
    found = check_run(RUN, FILES)

    assert [(one.use_case, one.order, one.finding.verdict.value) for one in found.steps] == [
        ("u1", 1, "valid"),
        ("u1", 2, "doubtful"),
        ("u2", 1, "valid"),
        ("u3", 1, "unsupported"),
        ("u4", 1, "broken"),
    ]
    assert found.use_cases == {"u1": Score(0.5, 1), "u2": Score(1, 1), "u3": Score(0.25, 0.25), "u4": Score(0, 0)}
    assert found.features == {"f1": Score(0.75, 1), "f2": Score(0.25, 0.25)}
    assert found.domains == {"d1": Score(0.75, 1)}
    assert found.score == Score((0.75 + 0.25 + 0) / 3, (1 + 0.25 + 0) / 3)
    assert found.unscored == ("u5", "empty-feature", "empty-domain")


def test_judgements_count_for_doubtful_steps() -> None:
    found = check_run(RUN, FILES, {("u1", 2): judgement("partial"), ("u2", 1): judgement("unsupported")})

    assert found.use_cases["u1"] == Score(0.75, 0.75)
    assert found.use_cases["u2"] == Score(1, 1)


def test_a_run_without_steps_has_no_score() -> None:
    found = check_run(RUN.model_copy(update={"use_cases": ()}), FILES)

    assert found.score is None
    assert found.steps == ()


def test_the_entities_of_the_run_are_its_glossary() -> None:
    entity = Entity(name="Basket", kind="class", path="a.py", start_line=1, end_line=1)
    run = RUN.model_copy(
        update={"entities": (entity,), "use_cases": (UseCase(slug="u", steps=(step(1, "A basket", ("a.py", 1)),)),)}
    )

    assert check_run(run, FILES).steps[0].finding.reasons == (Reason.ENTITY_NOT_AT_LINES,)


def test_steps_are_judged_file_by_file_and_answered_in_their_order() -> None:
    seen: list[str] = []

    class Watched(MemorySnapshot):
        def read(self, path: str, max_bytes: int | None = None) -> bytes | None:
            seen.append(path)
            return super().read(path, max_bytes)

    files = Watched({"a.py": "go()\nstop()\nwait()\n", "b.py": "go()\nstop()\nwait()\n"})
    ticks: list[int] = []
    claims = [(one.text, one.source_refs) for use_case in RUN.use_cases[:2] for one in use_case.steps]
    found = check_steps(claims, FileIndex(files), advance=lambda: ticks.append(1))

    assert seen == ["a.py", "b.py"]
    assert [one.verdict.value for one in found] == ["valid", "doubtful", "valid"]
    assert len(ticks) == 3
    assert check_use_cases(RUN.use_cases[:2], FileIndex(files)) == [found[:2], found[2:]]


@pytest.mark.parametrize(
    ("low", "high", "threshold", "crosses"),
    [
        (0.4, 0.6, 0.5, True),
        (0.8, 0.9, 0.5, False),
        (0.1, 0.4, 0.5, False),
        (0.5, 1.0, 0.5, False),
        (0.0, 0.5, 0.5, True),
    ],
)
def test_only_an_interval_around_the_threshold_can_still_cross_it(
    low: float, high: float, threshold: float, crosses: bool
) -> None:
    assert Score(low, high).can_cross(threshold) is crosses


def test_a_score_is_frozen() -> None:
    score = Score(0.0, 1.0)
    with pytest.raises(FrozenInstanceError):
        score.low = 1.0  # type: ignore[misc]
