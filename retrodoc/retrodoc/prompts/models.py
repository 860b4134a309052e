"""The typed inputs and outputs of the prompts: what each call is given, and what each answer must be.

Things that an answer refers to (entry points, steps) carry a number, which a model copies more surely than a label
and which survives a split.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from retrodoc.prompts.base import PromptInput, PromptOutput

Outcome = Literal["supported", "partial", "unsupported"]
Line = Annotated[int, Field(ge=1)]
Text = Annotated[str, Field(min_length=1)]


class Part(BaseModel):
    """A piece of an input or of an output."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Slice(Part):
    """Consecutive lines of a file. `text` has no line numbers; `block` adds them, as the model sees them."""

    path: str
    start_line: int
    text: str
    note: str = ""
    """Such as the name of the definition that the lines are in."""

    @property
    def end_line(self) -> int:
        return self.start_line + max(len(self._lines()), 1) - 1

    @property
    def block(self) -> str:
        lines = self._lines()
        width = len(str(self.end_line))
        numbered = "\n".join(f"{self.start_line + i:>{width}}| {line}" for i, line in enumerate(lines))
        note = f" ({self.note})" if self.note else ""
        return f"file: {self.path}, lines {self.start_line} to {self.end_line}{note}\n{numbered}"

    def _lines(self) -> list[str]:
        lines = self.text.split("\n")
        return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


class Door(Part):
    """An entry point, as a model is shown it."""

    number: int
    label: str
    where: str = ""
    """Handler and place, such as `views.add (shop/views.py:12-40)`."""

    @property
    def line(self) -> str:
        return f"{self.number}. {self.label}" + (f" -> {self.where}" if self.where else "")


# --- domains -------------------------------------------------------------------------------------------------------


class DomainsIn(PromptInput):
    language: str
    entry_points: tuple[Door, ...]
    entities: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()

    def check(self, out: DomainsOut) -> list[str]:
        """Twice named is an error; forgotten or invented numbers are not: code files and drops them."""
        seen: dict[int, str] = {}
        errors = []
        for where, number in out.numbers():
            if number in seen:
                errors.append(f"{where}: entry point {number} is already in {seen[number]}; name it once")
            seen.setdefault(number, where)
        return errors

    def halves(self) -> tuple[Self, Self] | None:
        return _halves(self, "entry_points")

    def shrunk(self) -> Self | None:
        return _without_first(self, ("documents", "entities"))

    def items(self) -> int:
        return len(self.entry_points)

    def narrow(self, schema: dict[str, Any]) -> dict[str, Any]:
        return _with_enum(schema, "FeatureOut", "entry_points", [d.number for d in self.entry_points], items=True)


class FeatureOut(Part):
    name: Text
    description: str
    entry_points: tuple[int, ...]


class DomainOut(Part):
    name: Text
    description: str
    features: tuple[FeatureOut, ...]


class DomainsOut(PromptOutput):
    domains: tuple[DomainOut, ...]

    def numbers(self) -> Iterator[tuple[str, int]]:
        """Each entry point's number with where it stands in the answer."""
        for d, domain in enumerate(self.domains):
            for f, feature in enumerate(domain.features):
                for e, number in enumerate(feature.entry_points):
                    yield f"domains[{d}].features[{f}].entry_points[{e}]", number

    def assignments(self) -> dict[int, tuple[DomainOut, FeatureOut]]:
        """Entry point number -> its domain and feature; the first, where a number stands twice."""
        found: dict[int, tuple[DomainOut, FeatureOut]] = {}
        for domain in self.domains:
            for feature in domain.features:
                for number in feature.entry_points:
                    found.setdefault(number, (domain, feature))
        return found

    def joined(self, other: Self) -> Self:
        """Domains and features of the same name become one."""
        domains: dict[str, dict[str, FeatureOut]] = {}
        heads: dict[str, DomainOut] = {}
        for domain in (*self.domains, *other.domains):
            key = domain.name.casefold()
            heads.setdefault(key, domain)
            features = domains.setdefault(key, {})
            for feature in domain.features:
                name = feature.name.casefold()
                before = features.get(name)
                numbers = (*before.entry_points, *feature.entry_points) if before else feature.entry_points
                features[name] = (before or feature).model_copy(update={"entry_points": numbers})
        merged = [heads[k].model_copy(update={"features": tuple(f.values())}) for k, f in domains.items()]
        return self.model_copy(update={"domains": tuple(merged)})

    def prose(self) -> str:
        parts = [d.description for d in self.domains] + [f.description for d in self.domains for f in d.features]
        return "\n".join(parts)


# --- use_cases -----------------------------------------------------------------------------------------------------


class UseCasesIn(PromptInput):
    language: str
    domain: str
    feature: str
    entry_points: tuple[Door, ...]
    slices: tuple[Slice, ...]
    vocabulary: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    known_lines: dict[str, int] = Field(default={}, exclude=True)
    """Line counts of files that may be cited besides the slices'; never shown, only checked against."""

    def check(self, out: UseCasesOut) -> list[str]:
        errors = _unknown_numbers(out, {d.number for d in self.entry_points})
        ends = dict(self.known_lines)
        for piece in self.slices:
            ends[piece.path] = max(ends.get(piece.path, 0), piece.end_line)
        for where, ref in out.refs():
            errors += _ref_errors(where, ref, ends)
        return errors

    def halves(self) -> tuple[Self, Self] | None:
        """Half of the entry points each, with all the code: the answer is what did not fit."""
        return _halves(self, "entry_points")

    def shrunk(self) -> Self | None:
        """Without documents, then commits, tests, vocabulary."""
        return _without_first(self, ("documents", "commits", "tests", "vocabulary"))

    def pruned(self) -> Self | None:
        """With the first half of the code: the nearest to the entry points stands first."""
        if len(self.slices) < 2:
            return None
        return self.model_copy(update={"slices": self.slices[: len(self.slices) // 2]})

    def steady(self) -> str:
        return self.model_dump_json(exclude={"entry_points"})

    def items(self) -> int:
        return max(len(self.entry_points), 1)

    def narrow(self, schema: dict[str, Any]) -> dict[str, Any]:
        paths = sorted({s.path for s in self.slices})
        schema = _with_enum(schema, "RefOut", "path", paths)
        return _with_enum(schema, "UseCaseOut", "entry_points", [d.number for d in self.entry_points], items=True)


class RefOut(Part):
    path: Text
    start_line: Line
    end_line: Line


class ActorOut(Part):
    name: Text
    kind: Literal["human", "system"]


class StepOut(Part):
    order: int
    actor: ActorOut
    action: str
    description: Text
    source_refs: tuple[RefOut, ...]


class UseCaseOut(Part):
    name: Text
    description: str
    narrative: Text
    primary_actor: str
    entry_points: tuple[int, ...]
    steps: Annotated[tuple[StepOut, ...], Field(min_length=1)]


class UseCasesOut(PromptOutput):
    use_cases: Annotated[tuple[UseCaseOut, ...], Field(min_length=1)]

    def refs(self) -> Iterator[tuple[str, RefOut]]:
        """Each citation with where it stands in the answer."""
        for u, use_case in enumerate(self.use_cases):
            for s, step in enumerate(use_case.steps):
                for r, ref in enumerate(step.source_refs):
                    yield f"use_cases[{u}].steps[{s}].source_refs[{r}]", ref

    def joined(self, other: Self) -> Self:
        return self.model_copy(update={"use_cases": (*self.use_cases, *other.use_cases)})

    def prose(self) -> str:
        parts: list[str] = []
        for use_case in self.use_cases:
            parts += [use_case.description, use_case.narrative, *(s.description for s in use_case.steps)]
        return "\n".join(parts)


def _unknown_numbers(out: UseCasesOut, known: set[int]) -> list[str]:
    return [
        f"use_cases[{u}].entry_points[{e}]: there is no entry point {number}"
        for u, use_case in enumerate(out.use_cases)
        for e, number in enumerate(use_case.entry_points)
        if number not in known
    ]


def _ref_errors(where: str, ref: RefOut, ends: dict[str, int]) -> list[str]:
    """A shortened path is no error when exactly one known file ends so: code completes it."""
    path = ref.path.removeprefix("./")
    found = [path] if path in ends else [known for known in ends if known.endswith("/" + path)]
    if len(found) != 1:
        return [f"{where}.path: {ref.path!r} is none of the files shown"]
    if ref.end_line < ref.start_line:
        return [f"{where}: end_line {ref.end_line} is before start_line {ref.start_line}"]
    if ref.end_line > ends[found[0]]:
        return [f"{where}.end_line: {ref.end_line} is past line {ends[found[0]]}, the last one shown of {found[0]}"]
    return []


# --- judge and reread ----------------------------------------------------------------------------------------------


class JudgedStep(Part):
    """A step with the code that it cites. `doubts` say what the program could not settle."""

    number: int
    text: str
    doubts: tuple[str, ...] = ()
    code: tuple[Slice, ...] = ()

    @property
    def claim(self) -> str:
        """Fenced apart from the code, so that a step cannot bring code of its own as evidence."""
        return self.text + "".join(f"\nin doubt: {doubt}" for doubt in self.doubts)


class JudgeIn(PromptInput):
    language: str
    steps: tuple[JudgedStep, ...]

    def check(self, out: JudgeOut) -> list[str]:
        """Every step once, no other."""
        wanted = [step.number for step in self.steps]
        got = [j.step for j in out.judgements]
        errors = [f"judgements[{i}].step: there is no step {n}" for i, n in enumerate(got) if n not in wanted]
        errors += [f"judgements: step {n} is missing" for n in wanted if n not in got]
        repeated = sorted({n for n in got if got.count(n) > 1})
        return errors + [f"judgements: step {n} is judged twice" for n in repeated]

    def halves(self) -> tuple[Self, Self] | None:
        return _halves(self, "steps")

    def items(self) -> int:
        return len(self.steps)

    def narrow(self, schema: dict[str, Any]) -> dict[str, Any]:
        schema = _with_enum(schema, "JudgementOut", "step", [s.number for s in self.steps])
        schema["properties"]["judgements"] |= {"minItems": len(self.steps), "maxItems": len(self.steps)}
        return schema


class JudgementOut(Part):
    step: int
    rationale: str
    outcome: Outcome


class JudgeOut(PromptOutput):
    judgements: tuple[JudgementOut, ...]

    def joined(self, other: Self) -> Self:
        return self.model_copy(update={"judgements": (*self.judgements, *other.judgements)})

    def prose(self) -> str:
        return "\n".join(j.rationale for j in self.judgements)


class RereadIn(JudgeIn):
    """The same, for steps that the program found valid: nothing is said of doubts."""


class RereadOut(JudgeOut):
    pass


# --- pattern -------------------------------------------------------------------------------------------------------


class PatternIn(PromptInput):
    extensions: tuple[str, ...]
    files: tuple[str, ...]
    sample: tuple[str, ...]
    """Lines of the files, as they are."""
    refused: str = ""
    """The pattern that was refused, when this is a correction."""
    problem: str = ""
    """Why: the compile error, the figures, the breadth."""
    missed: tuple[str, ...] = ()
    """Up to eight definition lines that it did not match."""


class PatternOut(PromptOutput):
    pattern: Text
    explanation: str


# --- shared --------------------------------------------------------------------------------------------------------


def _halves(value: Any, field: str) -> tuple[Any, Any] | None:
    items: Sequence[object] = getattr(value, field)
    if len(items) < 2:
        return None
    middle = len(items) // 2
    return value.model_copy(update={field: items[:middle]}), value.model_copy(update={field: items[middle:]})


def _without_first(value: Any, fields: Sequence[str]) -> Any | None:
    """Without the first of the fields that holds anything."""
    filled = next((field for field in fields if getattr(value, field)), None)
    return None if filled is None else value.model_copy(update={filled: ()})


def _with_enum(
    schema: dict[str, Any], part: str, field: str, values: Sequence[object], *, items: bool = False
) -> dict[str, Any]:
    if not values:
        return schema
    schema = deepcopy(schema)
    target = schema["$defs"][part]["properties"][field]
    if items:
        target["items"]["enum"] = list(values)
    else:
        target["enum"] = list(values)
    return schema
