"""What was said, about which source: the frozen data that every part of RetroDoc shares.

Field names follow the original RetroDoc artifacts (`use-cases.yaml`), so that those can be read and replayed.
Lines are 1-based and inclusive. Paths are POSIX, relative to the repository's root. The models hold values as
they were written, also false ones (a line 0, a path that leaves the repository): judging them is the judge's work.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from retrodoc_runs.steps import Actor as Actor
from retrodoc_runs.steps import SourceRef as SourceRef
from retrodoc_runs.steps import Step as Step
from retrodoc_runs.steps import UseCase as UseCase


class Model(BaseModel):
    """Frozen, and strict about unknown keys. Its validator is built when first used: a command uses few of them."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


FORMAT_VERSION = 1
"""Of `run.json`; raised when an older program could not read what a newer one writes."""

EntryPointKind = Literal["http", "cli", "job", "event", "page", "public-api"]
Outcome = Literal["supported", "partial", "unsupported"]


class Feature(Model):
    slug: str
    domain_slug: str = ""
    name: str = ""
    description: str = ""
    entry_points: tuple[str, ...] = ()
    """Labels of the entry points that were grouped into it (`EntryPoint.label`)."""


class Domain(Model):
    slug: str
    name: str = ""
    description: str = ""


NAMELESS = frozenset(("anonymous", "closure", "lambda"))
"""What rules call a handler that has no name, each as its language does."""


class Handler(Model):
    """What runs. `path` and lines are None when it lives outside the repository."""

    symbol: str
    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None

    @property
    def nameless(self) -> bool:
        """Whether it is code that was written where it is registered, and that has no name."""
        return self.symbol in NAMELESS


class EntryPoint(Model):
    """A door of the application, found by a rule and never guessed."""

    kind: EntryPointKind
    method: str | None = None
    """An HTTP verb in capitals; None when any verb is answered or the kind has none."""
    path: str | None = None
    """The whole HTTP route, prefixes joined, parameters as the framework writes them; None for other kinds."""
    name: str | None = None
    """The framework's own name: a route name, a command, a task, a signal, an exported symbol."""
    handler: Handler
    framework: str = ""
    """Name of the rule that found it, such as `django` or `rails`."""
    declared: SourceRef | None = None
    """Where it is registered (the route's line), when that is not the handler itself."""

    @property
    def label(self) -> str:
        """What a person calls it: `POST /basket/add/<pk>/`, `manage.py oscar_send_alerts`, `job: nightly_report`."""
        if self.kind == "http":
            return f"{self.method or 'ANY'} {self.path if self.path is not None else self.name or ''}"
        return f"{self.kind}: {self.name or self.handler.symbol}"


class Field(Model):
    name: str
    type: str | None = None
    values: tuple[str, ...] = ()
    """The allowed values, where they are declared."""
    line: int | None = None


class Entity(Model):
    """A thing that the application keeps or passes around, declared in code."""

    name: str
    kind: str
    """Such as `django-model`, `active-record`, `dataclass`, `enum`, `interface`, `struct`, `table`."""
    path: str
    start_line: int
    end_line: int
    fields: tuple[Field, ...] = ()
    values: tuple[str, ...] = ()
    """Members of an enum or a union of literals."""


class Unread(Model):
    """A file or folder that was not read as source, and why."""

    path: str
    reason: str
    """Such as `binary`, `generated`, `vendored`, `minified`, `oversized`, `submodule`, `broken-link`, `ignored`."""


class Judgement(Model):
    """What a model said of one doubtful step. It was paid for, so it is kept."""

    use_case: str
    order: int
    outcome: Outcome
    rationale: str = ""
    model: str
    key: str
    """Hash of the step's text and the cited code it was shown: another text or code needs another judgement."""


class Unit(Model):
    """A piece of drafting that is complete, so that a resumed run does not pay for it again."""

    kind: str
    """The pass: `domains`, `use-cases`, `judge`."""
    slug: str
    key: str
    """Hash of all that went in: prompt, model, source; another key means that it must be done again."""


class SetAside(Model):
    """A unit that exhausted its tries, kept for a person."""

    kind: str
    slug: str
    reason: str
    prompt: str = ""
    answer: str = ""
    errors: tuple[str, ...] = ()


class Run(Model):
    """One documentation run: claims and a commit, never a deterministic verdict."""

    format_version: int = FORMAT_VERSION
    id: str
    repository: str
    """The repository's name: of its `origin`, else of its folder."""
    subfolder: str = ""
    """The folder that was documented when it is not the root; all paths are relative to it."""
    commit: str | None = None
    """Full hash; None when the work tree was read."""
    worktree: bool = False
    created_at: str
    """UTC, ISO 8601, given by the caller."""
    program: str = ""
    """RetroDoc's version."""
    drafter: str = "outline"
    """`outline`, or the provider and model that drafted."""
    language: str = "en"
    key: str = ""
    """Hash of all that went into it (sources, settings, drafter, program): an equal key needs no new run."""
    complete: bool = False
    domains: tuple[Domain, ...] = ()
    features: tuple[Feature, ...] = ()
    use_cases: tuple[UseCase, ...] = ()
    entry_points: tuple[EntryPoint, ...] = ()
    excluded: tuple[tuple[str, str], ...] = ()
    """Entry points that were left out on purpose: label and reason."""
    entities: tuple[Entity, ...] = ()
    unread: tuple[Unread, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    units: tuple[Unit, ...] = ()
    set_aside: tuple[SetAside, ...] = ()
    prompts: dict[str, str] = {}
    """Prompt name to `version sha256`."""
    models: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """What the run reports in words: invented entry points that were dropped, and the like."""
