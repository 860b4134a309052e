"""`from retrodoc import ...` shows exactly what `__all__` lists, documented, and loads nothing before it is used."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import retrodoc


def test_the_door_shows_exactly_what_it_lists() -> None:
    assert sorted(retrodoc.__all__) == list(retrodoc.__all__)
    assert set(retrodoc._HOMES) == set(retrodoc.__all__) - {"__version__"}
    assert dir(retrodoc) == sorted(retrodoc.__all__)


def test_type_checkers_see_the_same_door() -> None:
    tree = ast.parse(Path(inspect.getfile(retrodoc)).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    homes = {alias.name: node.module for node in imports for alias in node.names}
    assert homes == retrodoc._HOMES


def test_everything_behind_the_door_exists_and_explains_itself() -> None:
    for name in retrodoc._HOMES:
        thing = getattr(retrodoc, name)
        assert inspect.getdoc(thing), name


def test_importing_the_door_loads_nothing() -> None:
    heavy = ("pydantic", "retrodoc_", "tree_sitter")
    code = f"import sys, retrodoc; print([m for m in sys.modules if m.startswith({heavy})])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_example_in_the_docstring_holds() -> None:
    files = retrodoc.MemorySnapshot({"app.py": "def take_order(table):\n    place_order(table)\n    return table\n"})
    ref = retrodoc.SourceRef(path="app.py", start_line=2, end_line=2)
    finding = retrodoc.check_step("`take_order` calls `place_order`.", [ref], files)
    assert finding.verdict is retrodoc.Verdict.VALID
    assert finding.reasons == (retrodoc.Reason.ALL_FOUND,)
