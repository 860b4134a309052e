"""The shape of `retrodoc check --format json` as models; the published JSON Schema is made from them, and tested.

Keys are only ever added while `schema_version` stays: a reader of this version must ignore keys that it does not know.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0, le=1)]
StatusName = Literal["same", "moved", "changed", "gone", "wrong-from-the-start"]
Count = Annotated[int, Field(ge=0)]


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Summary(_Shape):
    """Counts. A run's steps are valid, doubtful, broken or unsupported; the rest counts what else was seen."""

    use_cases: Count
    steps: Count
    untouched_steps: Count = Field(description="Not judged, since what they cite did not change (--base).")
    valid: Count
    doubtful: Count
    broken: Count
    unsupported: Count
    wrong_from_the_start: Count = Field(description="Steps that were broken at the commit they were written for.")
    citations: Count
    whole_file_citations: Count
    foreign_citations: Count = Field(description="Of other repositories: counted, not judged.")
    foreign_repositories: dict[str, Count]
    unparsed: Count
    same: Count
    moved: Count
    changed: Count
    gone: Count


class UseCaseShape(_Shape):
    slug: str
    score_low: Share
    score_high: Share


class MissingShape(_Shape):
    name: str = Field(description="As the step writes it; an entity by its glossary name.")
    where: str | None = Field(description="`path:line` of the one place where it is instead.")
    reason: str


class CitationShape(_Shape):
    path: str
    start_line: int | None = Field(description="As it is written; null with `end_line` for a whole file.")
    end_line: int | None
    status: StatusName | None = Field(description="What became of the cited text; null when nothing was compared.")
    new_path: str | None = Field(description="The file that the text moved to, when it is another one.")
    new_lines: Annotated[list[int], Field(min_length=2, max_length=2)] | None


class StepShape(_Shape):
    use_case: str = Field(description="Slug of the use case; of a text, its page's path without the extension.")
    order: int
    verdict: Literal["valid", "doubtful", "broken", "unsupported"]
    reasons: Annotated[list[str], Field(min_length=1)]
    missing: list[MissingShape]
    hint: str | None = Field(description="`path:line` that was probably meant, or where a missing name is.")
    facts: dict[str, Any] = Field(description="What was counted on the way; keys may be added at any time.")
    citations: list[CitationShape]
    strength: Share = Field(description="How hard the check would have been to pass by accident.")
    status: StatusName | None = Field(description="The worst of its citations'; `wrong-from-the-start` when broken.")
    page: str | None = Field(description="The text that says it, from the folder that paths start from.")
    line: int | None


class UnparsedShape(_Shape):
    text: str
    line: int
    page: str


class LeftOutShape(_Shape):
    path: str
    reason: str


class CheckShape(_Shape):
    """What `retrodoc check --format json` prints when something was checked (exit codes 0 and 1)."""

    schema_version: Literal[1]
    target: str
    kind: Literal["run", "use-cases", "markdown", "own-pages", "openwiki", "mixed"]
    repository: str = Field(description="Of the `origin` remote, such as github.com/acme/shop; else the folder's name.")
    commit: str | None = Field(description="That the target was written for; null when it names none.")
    checked_at_commit: str | None = Field(description="That was read; null for the work tree.")
    worktree: bool
    pinned_commits: list[str] = Field(description="That permalinks name: their steps were judged there.")
    dirty: bool = Field(description="The work tree differs from what was read.")
    base: str | None = Field(description="The commit that changes are counted from (--base).")
    summary: Summary
    left_out: list[LeftOutShape]
    unscored: list[str] = Field(description="Use cases without a step.")
    use_cases: list[UseCaseShape]
    steps: list[StepShape]
    unparsed: list[UnparsedShape] = Field(description="What looks like a citation and cannot be read as one.")


class ErrorShape(_Shape):
    message: str
    mend: str


class CheckErrorShape(_Shape):
    """What it prints when nothing could be checked (exit code 2)."""

    target: str | None
    error: ErrorShape


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) that `retrodoc/schemas/check.schema.json` holds."""
    from pydantic import TypeAdapter

    made: dict[str, Any] = TypeAdapter(CheckShape | CheckErrorShape).json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "retrodoc check --format json",
        **made,
    }


def _publish() -> None:
    """Write the schema where the package keeps it."""
    import json
    from pathlib import Path

    file = Path(__file__).parents[1] / "schemas" / "check.schema.json"
    file.write_text(json.dumps(schema(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    _publish()
