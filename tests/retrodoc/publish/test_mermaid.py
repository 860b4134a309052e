"""The diagram shows the steps in order, and a name in it can only be text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrodoc.publish.mermaid import MAX_STEPS, escaped, sequence_diagram, shortened
from retrodoc_checks.findings import Verdict
from retrodoc_runs.models import Actor, SourceRef, Step


def step(order: int, text: str, path: str | None = "a.py", actor: Actor | None = None, action: str = "") -> Step:
    refs = (SourceRef(path=path, start_line=1, end_line=2),) if path else ()
    return Step(order=order, description=text, source_refs=refs, actor=actor, action=action)


def test_each_step_is_one_arrow_to_the_file_that_it_cites() -> None:
    steps = [
        step(1, "`send` answers.", "floor/routes.py", Actor(name="Waiter", kind="human")),
        step(2, "`send` calls `send_to_kitchen`.", "floor/routes.py", Actor(name="System")),
        step(3, "`send_to_kitchen` opens tickets.", "floor/orders.py"),
        step(4, "Not read.", "kitchen/routes.py", action="Show the queue"),
        step(5, "`send` returns.", "floor/routes.py"),
        step(6, "Nothing is cited.", None),
    ]
    verdicts = [Verdict.VALID, Verdict.VALID, Verdict.DOUBTFUL, Verdict.BROKEN, Verdict.VALID, Verdict.UNSUPPORTED]

    assert sequence_diagram(steps, verdicts, "Waiter") == (
        "sequenceDiagram\n"
        "    autonumber\n"
        "    actor p1 as Waiter\n"
        "    participant p2 as floor/routes.py\n"
        "    participant p3 as orders.py\n"
        "    participant p4 as kitchen/routes.py\n"
        "    p1->>p2: send answers\n"
        "    p2->>p2: send calls send_to_kitchen\n"
        "    p2-->>p3: send_to_kitchen opens tickets\n"
        "    p3--xp4: Show the queue\n"
        "    p2->>p2: send returns\n"
        "    p2-->>p2: Nothing is cited"
    )


def test_without_steps_there_is_nothing_to_draw() -> None:
    assert sequence_diagram([], []) is None


def test_orders_with_gaps_are_not_numbered_by_mermaid() -> None:
    steps = [step(1, "a"), step(3, "b")]
    assert "autonumber" not in (sequence_diagram(steps, [Verdict.VALID] * 2) or "")


def test_a_long_use_case_says_how_much_of_it_is_not_drawn() -> None:
    steps = [step(order, "x") for order in range(1, MAX_STEPS + 8)]
    drawn = sequence_diagram(steps, [Verdict.VALID] * len(steps)) or ""
    assert drawn.count("->>") == MAX_STEPS
    assert "and 7 more steps" in drawn


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain text, (yes)", "plain text, (yes)"),
        ("été × 2", "été × 2"),
        ("a; b", "a#59; b"),
        ("#35;", "#35;35#59;"),
        ("<img src=x onerror=alert(1)>", "#60;img src=x onerror=alert(1)#62;"),
        ("%%{init: {}}%%", "#37;#37;#123;init#58; #123;#125;#125;#37;#37;"),
        ("wrap: x", "wrap #58; x"),
        ("a-->b", "a-#45;#62;b"),
        ("two\nlines", "two lines"),
        ("$$x$$", "#36;#36;x#36;#36;"),
        ("", "#32;"),
    ],
)
def test_a_name_can_only_be_text(text: str, written: str) -> None:
    assert escaped(text) == written


@given(st.text(max_size=80))
def test_whatever_the_text_it_stays_on_its_line(text: str) -> None:
    written = re.sub(r"#\d+;", "", escaped(text))
    assert not re.search(r"[;#%<>{}:$`\"&\r\n\u2028\u202e]|--", written)


def test_a_long_text_is_cut_at_a_word() -> None:
    assert shortened("`call` it. ") == "call it"
    cut = shortened("word " * 40)
    assert cut.endswith("word…")
    assert len(cut) <= 72
