"""The surface asks every rule it finds in its folders, reports each door once, and survives a rule that stops."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from importlib import import_module

import pytest

from retrodoc.ingest.sources import Sources
from retrodoc.surface import Surface, entities, frameworks, read_surface, rules
from retrodoc.surface.frameworks import click_commands

LIBRARY = {"tool/__init__.py": "def helper(): ...\n"}
PROGRAM = {"tool/cli.py": "import click\n@click.command()\ndef main(): ...\n"}


@pytest.mark.parametrize("name", rules(frameworks))
def test_every_file_among_the_frameworks_is_a_rule(name: str) -> None:
    assert callable(import_module(f"retrodoc.surface.frameworks.{name}").entry_points)


@pytest.mark.parametrize("name", rules(entities))
def test_every_file_among_the_entities_is_a_rule(name: str) -> None:
    assert callable(import_module(f"retrodoc.surface.entities.{name}").entities)


def test_nothing_is_found_in_nothing() -> None:
    assert read_surface(Sources.from_mapping({})) == Surface()


def test_a_librarys_names_are_doors_only_while_there_is_no_other() -> None:
    alone = read_surface(Sources.from_mapping(LIBRARY))
    with_program = read_surface(Sources.from_mapping({**LIBRARY, **PROGRAM}))
    assert [entry.kind for entry in alone.entry_points] == ["public-api"]
    assert [entry.kind for entry in with_program.entry_points] == ["cli"]


def test_a_script_that_nobody_installs_leaves_a_library_a_library() -> None:
    script = {"tool/__main__.py": "", "tool/check.py": "import argparse\nargparse.ArgumentParser().parse_args()\n"}
    kinds = {entry.kind for entry in read_surface(Sources.from_mapping({**LIBRARY, **script})).entry_points}
    assert kinds == {"public-api", "cli"}


def test_a_rule_that_stops_is_noted_and_the_others_are_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(sources: Sources) -> list[object]:
        raise KeyError("odd")

    monkeypatch.setattr(click_commands, "entry_points", stop)
    surface = read_surface(Sources.from_mapping({**LIBRARY, **PROGRAM}))
    assert [entry.kind for entry in surface.entry_points] == ["public-api"]
    assert surface.notes == ("the rule click_commands stopped: KeyError: 'odd'",)


@pytest.mark.parametrize(
    "rule", ["frameworks.django_urls", "frameworks.click_commands", "entities.django_models", "entities.python_enums"]
)
def test_what_a_python_rule_keeps_of_a_repository_goes_with_it(rule: str) -> None:
    """Rules share trees by a cache; a process that reads many repositories must not hold them all."""
    sources = Sources.from_mapping({**PROGRAM, "site/urls.py": "from django.urls import path\nurlpatterns = []\n"})
    module = import_module(f"retrodoc.surface.{rule}")
    list(module.entry_points(sources) if rule.startswith("frameworks") else module.entities(sources))
    gone = weakref.ref(sources)
    del sources
    gc.collect()
    assert gone() is None


def test_a_door_that_two_rules_find_is_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = read_surface(Sources.from_mapping(PROGRAM))
    monkeypatch.setattr(click_commands, "entry_points", lambda sources: [*whole.entry_points, *whole.entry_points])
    assert read_surface(Sources.from_mapping(PROGRAM)).entry_points == whole.entry_points


@pytest.mark.corpora
@pytest.mark.parametrize("name", ["oscar", "flaskbb", "datasette", "kinto"])
def test_a_real_repository_gives_the_same_surface_twice_and_stops_no_rule(
    corpus_sources: Callable[[str], Sources], name: str
) -> None:
    sources = corpus_sources(name)
    first = read_surface(sources)
    again = read_surface(Sources({path: sources.data(path) for path in reversed(sources.paths)}))
    assert first.notes == ()
    assert first == again
    for entry in first.entry_points:
        handler = entry.handler
        if handler.path is not None:
            assert handler.start_line is not None
            assert handler.end_line is not None
            lines = sources.data(handler.path).count(b"\n") + 1
            assert 1 <= handler.start_line <= handler.end_line <= lines
