"""The questions that drafting asks a model: what each is shown, and the hash that says whether it was asked before."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from retrodoc.ingest.context import Context
from retrodoc.ingest.sources import Sources
from retrodoc.passes.grouping import Group
from retrodoc.passes.reach import reach
from retrodoc.passes.symbols import SymbolIndex
from retrodoc.prompts import Prompt, load_prompt
from retrodoc.prompts.base import PromptInput
from retrodoc.prompts.models import DomainsIn, DomainsOut, Door, Slice, UseCasesIn, UseCasesOut
from retrodoc.surface import Surface
from retrodoc_runs.lines import count_lines
from retrodoc_runs.models import EntryPoint

SLICE_CHARS = 24_000
"""Of code shown for one feature: about 8,000 tokens, which every current model reads well."""
LEAST_SLICE_CHARS = 2_000
MAX_VOCABULARY = 60
MAX_ENTITIES = 240
MAX_DOCUMENTS = 20


@dataclass(frozen=True)
class Material:
    """What drafting draws on."""

    sources: Sources
    surface: Surface
    context: Context
    language: str


class Questions:
    """Builds the inputs of the prompts. `room` is how many characters of input the model's context has, if known."""

    def __init__(self, material: Material, model: str, room: int | None = None) -> None:
        self._m = material
        self._model = model
        self._budget = SLICE_CHARS if room is None else max(LEAST_SLICE_CHARS, min(SLICE_CHARS, room * 3 // 4))
        self._index = SymbolIndex(material.sources)
        self._asked: dict[str, UseCasesIn] = {}
        self.domains: Prompt[DomainsIn, DomainsOut] = load_prompt("domains")
        self.use_cases: Prompt[UseCasesIn, UseCasesOut] = load_prompt("use_cases")

    def grouping(self) -> DomainsIn:
        """Which domains and features there are: every entry point by number, and the entities' names."""
        return DomainsIn(
            language=self._m.language,
            entry_points=_doors(self._m.surface.entry_points),
            entities=tuple(dict.fromkeys(entity.name for entity in self._m.surface.entities))[:MAX_ENTITIES],
            documents=self._m.context.document_heads[:MAX_DOCUMENTS],
        )

    def feature(self, group: Group) -> UseCasesIn:
        """The use cases of a feature: the same question whenever the code that it reaches is the same."""
        slug = group.feature.slug
        if slug not in self._asked:
            pieces = reach(group.entry_points, self._index, self._budget)
            paths = tuple(dict.fromkeys(piece.path for piece in pieces))
            text = "\n".join(piece.text for piece in pieces)
            context = self._m.context
            self._asked[slug] = UseCasesIn(
                language=self._m.language,
                domain=group.domain.name,
                feature=group.feature.name,
                entry_points=_doors(group.entry_points),
                slices=tuple(
                    Slice(path=piece.path, start_line=piece.start_line, text=piece.text, note=piece.note)
                    for piece in pieces
                ),
                vocabulary=tuple(dict.fromkeys(e.name for e in self._m.surface.entities if e.name in text))[
                    :MAX_VOCABULARY
                ],
                commits=context.commits_about(paths),
                tests=context.tests_about(paths),
                documents=context.documents_about(paths),
                known_lines={path: count_lines(self._m.sources.data(path)) for path in paths},
            )
        return self._asked[slug]

    def key(self, prompt: Prompt[DomainsIn, DomainsOut] | Prompt[UseCasesIn, UseCasesOut], inputs: PromptInput) -> str:
        """Hash of the prompt's file, the model and what is asked: entry points, code, vocabulary.

        Commits, tests and documents beside it are left out: they colour an answer, and a commit that changes none of
        the code shown is no reason to pay for another one.
        """
        asked = inputs.model_dump_json(exclude={"commits", "tests", "documents"})
        return hashlib.sha256(f"{prompt.sha256}\0{self._model}\0{asked}".encode()).hexdigest()


def _doors(entries: tuple[EntryPoint, ...]) -> tuple[Door, ...]:
    return tuple(
        Door(number=number, label=entry.label, where=_where(entry)) for number, entry in enumerate(entries, start=1)
    )


def _where(entry: EntryPoint) -> str:
    handler = entry.handler
    lines = f" ({handler.path}:{handler.start_line}-{handler.end_line})" if handler.path else ""
    return f"{handler.symbol}{lines}"
