"""The original RetroDoc's YAML: what is required, what is ignored, and what is said of each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrodoc_runs.models import SourceRef
from retrodoc_runs.readers import ReadError, read_target
from retrodoc_runs.readers.retrodoc_yaml import read_glossary, read_use_cases

STEP = "{order: 1, description: It pays., source_refs: [{path: a.py, start_line: 3, end_line: 9}]}"


@pytest.mark.parametrize(("name", "steps"), [("oscar", 216), ("redmine", 200)])
def test_the_labelled_runs_load_whole(shared_dir: Path, name: str, steps: int) -> None:
    reading = read_target(shared_dir / "runs" / f"{name}-use-cases.yaml")
    assert (len(reading.steps), reading.unparsed, reading.kind) == (steps, (), "use-cases")


def test_everything_that_a_step_says_is_read() -> None:
    text = """\
- slug: pay-an-order
  name: Pay an order
  unknown: [1, 2]
  steps:
  - order: 2
    actor: {name: Shop, kind: system}
    action: charge the card
    description: |
      It asks
      the bank.
    source_refs:
    - {path: src/pay.py, start_line: 3, end_line: 9, more: x}
    - {path: src/bank.py, start_line: 7}
    - {path: README.md}
"""
    reading = read_use_cases(text, "list.yaml")
    (read,) = reading.steps
    assert (read.use_case, read.step.order, read.page, read.line) == ("pay-an-order", 2, "list.yaml", 5)
    assert read.step.text == "charge the card. It asks\nthe bank.\n"
    assert read.step.actor is not None
    assert (read.step.actor.name, read.step.actor.kind) == ("Shop", "system")
    assert read.step.source_refs == (
        SourceRef(path="src/pay.py", start_line=3, end_line=9),
        SourceRef(path="src/bank.py", start_line=7, end_line=7),
        SourceRef(path="README.md"),
    )
    assert reading.names == {"pay-an-order": "Pay an order"}


@pytest.mark.parametrize("action", ["", "action: '', ", "action: ~, ", "action: null, "])
def test_an_action_may_be_empty_or_absent(action: str) -> None:
    reading = read_use_cases(
        f"- {{slug: a, steps: [{{order: 1, {action}description: It pays., source_refs: []}}]}}", "x"
    )
    assert reading.steps[0].step.text == "It pays."


def test_words_of_yaml_stay_words() -> None:
    text = "- {slug: no, steps: [{order: 1, description: 2024-01-01, action: yes, source_refs: }]}"
    (read,) = read_use_cases(text, "x").steps
    assert (read.use_case, read.step.text) == ("no", "yes. 2024-01-01")


def test_false_lines_are_read_as_they_are_written() -> None:
    text = "- {slug: a, steps: [{order: 1, description: x, source_refs: [{path: a.py, start_line: 0, end_line: -2}]}]}"
    assert read_use_cases(text, "x").steps[0].step.source_refs == (SourceRef(path="a.py", start_line=0, end_line=-2),)


@pytest.mark.parametrize(
    ("ref", "text"),
    [
        ("{path: a.py, start_line: x, end_line: y}", "a.py:x-y"),
        ("{path: a.py, start_line: 1.5, end_line: 2}", "a.py:1.5-2"),
        ("{path: a.py, start_line: [1], end_line: 2}", "a.py:?-2"),
        ("{path: a.py, end_line: 2}", "a.py:-2"),
    ],
)
def test_a_citation_that_cannot_be_read_is_listed(ref: str, text: str) -> None:
    reading = read_use_cases(f"- {{slug: a, steps: [{{order: 1, description: x, source_refs: [{ref}]}}]}}", "x")
    assert [one.text for one in reading.unparsed] == [text]
    assert reading.steps[0].step.source_refs == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("- 3", "line 1: use case 1 is not a mapping"),
        (f"- steps: [{STEP}]", "line 1: use case 1: `slug` is missing"),
        ("- slug: a", "use case a: `steps` is missing"),
        ("- {slug: a, steps: 3}", "use case a: `steps` is no list"),
        ("- {slug: [a], steps: []}", "use case 1: `slug` is not a text"),
        ("- {slug: '', steps: []}", "use case 1: `slug` is empty"),
        (f"- slug: a\n  steps:\n  - {STEP}\n  - 7", "line 4: use case a, step 2 is not a mapping"),
        ("- {slug: a, steps: [{description: x, source_refs: []}]}", "use case a, step 1: `order` is missing"),
        ("- {slug: a, steps: [{order: x, description: x, source_refs: []}]}", "`order` is not a whole number"),
        ("- {slug: a, steps: [{order: 1, source_refs: []}]}", "`description` is missing"),
        ("- {slug: a, steps: [{order: 1, description: [x], source_refs: []}]}", "`description` is not a text"),
        ("- {slug: a, steps: [{order: 1, description: x}]}", "`source_refs` is missing"),
        ("- {slug: a, steps: [{order: 1, description: x, source_refs: 3}]}", "`source_refs` is not a list"),
        ("- {slug: a, steps: [{order: 1, description: x, source_refs: [a.py]}]}", "citation 1 is not a mapping"),
        ("- {slug: a, steps: [{order: 1, description: x, source_refs: [{}]}]}", "citation 1: `path` is missing"),
        ("- {slug: a, steps: [{order: 1, description: x, action: [x], source_refs: []}]}", "`action` is not a text"),
        ("- slug: a\n   steps: []", "line 2: not YAML"),
        ("slug: a", "no list of use cases at its top"),
    ],
)
def test_a_mistake_is_named_with_its_place(text: str, says: str) -> None:
    with pytest.raises(ReadError) as raised:
        read_use_cases(text, "list.yaml")
    assert says in raised.value.message
    assert raised.value.message.startswith("list.yaml: ")
    assert raised.value.mend


def test_a_glossary_gives_names_once() -> None:
    text = "- name: ShoppingBasket\n  description: x\n- {name: Order}\n- {name: Order}\n"
    assert read_glossary(text, "glossary.yaml") == ("ShoppingBasket", "Order")
    assert read_glossary("", "glossary.yaml") == ()


@pytest.mark.parametrize("text", ["- {title: x}", "- x", "name: x", "- {name: ''}"])
def test_a_glossary_without_names_is_an_error(text: str) -> None:
    with pytest.raises(ReadError, match=r"glossary\.yaml"):
        read_glossary(text, "glossary.yaml")


def test_yaml_of_another_kind_in_a_folder_is_none_of_ours(tmp_path: Path) -> None:
    (tmp_path / "compose.yml").write_text("services: {web: {image: 'shop:1'}}\n")
    (tmp_path / "broken.yaml").write_text("a: [b\n")
    (tmp_path / "list.yaml").write_text(f"- slug: a\n  steps:\n  - {STEP}\n")
    (tmp_path / "page.md").write_text("It pays (src/pay.py:3).\n")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden/page.md").write_text("It pays (src/pay.py:3).\n")
    reading = read_target(tmp_path)
    assert [read.page for read in reading.steps] == ["list.yaml", "page.md"]
    assert reading.kind == "mixed"
