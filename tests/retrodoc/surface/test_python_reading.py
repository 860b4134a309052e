"""Python is evaluated without being run: whatever the text, it ends, raises nothing and does nothing."""

# ruff: noqa: E501 - a case is one line of a table, however long

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrodoc.ingest.sources import Sources
from retrodoc.surface import read_surface
from retrodoc.surface.python.evaluate import MAX_STEPS, NOT_HANDLED, Evaluator
from retrodoc.surface.python.modules import is_example_path, is_test_path, project_of
from retrodoc.surface.python.source import parse_python
from retrodoc.surface.python.values import ClassRef, ExternalRef, FunctionRef, ModuleRef, Unknown


def value_of(body: str, name: str = "x", **files: str) -> object:
    named = {f"pkg/{path}.py": text for path, text in files.items()}
    sources = Sources.from_mapping({"pkg/__init__.py": "", "pkg/m.py": body, **named})
    evaluator = Evaluator(project_of(sources))
    module = evaluator.module("pkg/m.py")
    assert module is not None
    return evaluator.member_of(module, name)


VALUES = [
    ("x = 1 + 2", 3),
    ("x = 'a' + 'b' * 2", "a{…}"),
    ("x = 'a' + 'b'", "ab"),
    ("n = 'b'\nx = f'a{n}{n!r}'", "abb"),
    ("x = 'a%sb%s' % ('1', 2)", "a1b2"),
    ("x = '{}-{k}'.format('a', k='b')", "a-b"),
    ("x = '/'.join(['a', 'b'])", "a/b"),
    ("x = [i for i in (1, 2, 3) if i != 2]", [1, 3]),
    ("x = [*[1], 2] + [3]", [1, 2, 3]),
    ("x = []\nx += [1]\nx.append(2)\nx.extend((3,))\nx.insert(0, 0)", [0, 1, 2, 3]),
    ("x, y = 1, 2", 1),
    ("x = {'a': 1, **{'b': 2}}['b']", 2),
    ("x = (1, 2, 3)[-1]", 3),
    ("x = [1, 2, 3][1:]", [2, 3]),
    ("x = 1 if True else 2", 1),
    ("x = None or 'a'", "a"),
    ("x = 'a' and 'b'", "b"),
    ("x = 'a' in ['a', 'b']", True),
    ("x = not []", True),
    ("x = None in {None, 1}", True),
    ("MARK = type('MARK', (), {})()\nclass A:\n    f = MARK\nx = A().f not in {MARK, None}", False),
    ("def f(a, b=2, *c, d, **e):\n    return [a, b, c, d, e]\nx = f(1, d=4, z=5)", [1, 2, (), 4, {"z": 5}]),
    ("def f(n):\n    return f(n)\nx = f(1)", Unknown()),
    ("def f():\n    yield 1\n    yield from (2, 3)\nx = f()", [1, 2, 3]),
    ("f = lambda a: [a]\nx = f(1)", [1]),
    ("class A:\n    n = 1\n    def __init__(self, k): self.k = k\n    def m(self): return [self.n, self.k]\nx = A(2).m()", [1, 2]),
    ("class A:\n    def m(self): return ['a']\nclass B(A):\n    def m(self): return super().m() + ['b']\nx = B().m()", ["a", "b"]),
    ("class A:\n    @property\n    def p(self): return 'p'\nx = A().p", "p"),
    ("class A:\n    @staticmethod\n    def s(v): return v\nx = A.s(1)", 1),
    ("import os\nx = os.environ.get('N', 'default')", "default"),
    ("try:\n    x = 1\nexcept E:\n    x = 2", 1),
    ("if unknown():\n    x = ['a']\nelse:\n    x = ['b']", ["a", "b"]),
    ("x = 0\nfor i in [1, 2, 3]:\n    if i == 2:\n        break\n    x = i", 1),
    ("with open('f') as g:\n    x = 1", 1),
    ("x = getattr(other, 'y', 'no')", "no"),
    ("while True:\n    x = 1", NOT_HANDLED),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), VALUES)
def test_an_expression_is_known_as_far_as_the_code_says(body: str, expected: object) -> None:
    assert value_of(body) == expected


IMPORTS = [
    ("from pkg.other import thing as x", "pkg.other.thing"),
    ("from .other import thing as x", "pkg.other.thing"),
    ("from . import other\nx = other.thing", "pkg.other.thing"),
    ("import pkg.other\nx = pkg.other.thing", "pkg.other.thing"),
    ("from pkg.again import x", "pkg.other.thing"),
    ("from pkg.other import *\nx = thing", "pkg.other.thing"),
    ("from importlib import import_module\nx = import_module('pkg.other').thing", "pkg.other.thing"),
]


@pytest.mark.parametrize(("body", "symbol"), IMPORTS)
def test_an_import_is_followed_to_the_definition(body: str, symbol: str) -> None:
    found = value_of(body, other="def thing(): ...\n", again="from .other import thing as x\n")
    assert isinstance(found, FunctionRef)
    assert found.symbol == symbol


def test_a_package_imports_its_own_submodules_by_a_dot() -> None:
    sources = Sources.from_mapping(
        {"pkg/__init__.py": "from . import sub\nx = sub.thing\n", "pkg/sub.py": "thing = 1\n"}
    )
    evaluator = Evaluator(project_of(sources))
    module = evaluator.module("pkg/__init__.py")
    assert module is not None
    assert evaluator.member_of(module, "x") == 1


def test_a_module_of_another_package_keeps_its_dotted_name() -> None:
    assert value_of("from json import dumps as x", json="def dumps(): ...") == ExternalRef("json.dumps")
    assert isinstance(value_of("from . import json as x", json=""), ModuleRef)
    assert isinstance(value_of("class x: ..."), ClassRef)


def test_two_modules_that_import_each_other_end() -> None:
    found = value_of("from pkg.other import y\nx = y", other="from pkg.m import x\ny = x")
    assert isinstance(found, Unknown)


def test_what_a_file_does_as_a_program_is_left_out_unless_programs_are_asked_for() -> None:
    body = "x = 'imported'\nif __name__ == '__main__':\n    x = 'run'\n"
    assert value_of(body) == "imported"
    project = project_of(Sources.from_mapping({"m.py": body}))
    evaluator = Evaluator(project, as_program=True)
    module = evaluator.module("m.py")
    assert module is not None
    assert evaluator.member_of(module, "x") == "run"


def test_one_costly_call_does_not_use_up_the_budget_of_the_others() -> None:
    body = "def deep(n):\n    for i in range(2000):\n        for j in range(2000):\n            str(j)\ndeep(1)\nx = 'after'\n"
    assert value_of(body) == "after"


def test_work_is_bounded_whatever_a_file_asks_for() -> None:
    """Nested loops over long lists would take hours; past the budget everything is unknown."""
    body = "n = list(range(2000))\n" + "".join(f"{'    ' * i}for i{i} in n:\n" for i in range(5)) + " " * 20 + "f()\n"
    sources = Sources.from_mapping({"m.py": body})
    evaluator = Evaluator(project_of(sources))
    module = evaluator.module("m.py")
    assert module is not None
    evaluator.env_of(module)
    assert evaluator.steps <= MAX_STEPS * 2


def test_nothing_of_the_repository_runs(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    body = f"import pathlib\npathlib.Path({str(mark)!r}).touch()\nurlpatterns = []\nopen({str(mark)!r}, 'w')\n"
    read_surface(Sources.from_mapping({"site/urls.py": body, "setup.py": body}))
    assert not mark.exists()


@given(st.text(max_size=200))
def test_any_text_is_read_or_given_up_without_an_error(text: str) -> None:
    tree = parse_python(text.encode("utf-8", "surrogatepass"))
    assert tree is None or isinstance(tree, ast.Module)


PIECES = st.sampled_from(
    [
        "x = [x]", "def f(*a, **k):\n    return f", "class A(A): pass", "x = f(f)", "x += x", "from . import m as x",
        "x = x.y.z()", "for x in x: x()", "x = {x: x for x in [1]}", "del x", "x = lambda: x", "x = A().b", "x = x % x",
        "try:\n    x\nexcept:\n    x = 1", "from .m import *", "x = super()", "x = [*x]", "x[0] = x", "x = '{}'.format(x)",
        "x = ' '.join(x)", "urlpatterns = x", "x = -x", "x = x[1:2]", "global x", "async def g(): await x", "x: int",
        "print x", "x = f'{x}'", "import m.m", "match x:\n    case 1: x = 2", "x = (yield)", "with x as (a, b): pass",
    ]
)  # fmt: skip


@given(st.lists(PIECES, max_size=8))
def test_any_program_is_evaluated_without_an_error(pieces: list[str]) -> None:
    assert read_surface(Sources.from_mapping({"pkg/__init__.py": "", "pkg/m.py": "\n".join(pieces)})).notes == ()


PATHS = [
    ("shop/tests/test_a.py", True, False),
    ("shop/test_a.py", True, False),
    ("shop/a_test.py", True, False),
    ("conftest.py", True, False),
    ("shop/testing.py", False, False),
    ("shop/contest.py", False, False),
    ("examples/app.py", False, True),
    ("shop/docs.py", False, False),
]


@pytest.mark.parametrize(("path", "test", "example"), PATHS)
def test_a_path_says_whether_a_file_is_a_test_or_an_example(path: str, test: bool, example: bool) -> None:
    assert (is_test_path(path), is_example_path(path)) == (test, example)


BROKEN = [
    (b"def a(): ...\nx = = 1\ndef b(): ...\n", ["a", "b"]),
    (b"print 'x'\ndef a(): ...\n", ["a"]),
    (b"# coding: latin-1\ndef a(): '\xe9'\n", ["a"]),
    (b"def a(): '\xe9'\n", ["a"]),
    (b"\xef\xbb\xbfdef a(): ...\r\ndef b(): ...\r\n", ["a", "b"]),
    (b"def a():\n    x = 0777\n    raise E, 'x'\n", ["a"]),
    (b"type T[V] = list[V]\ndef a[T](x: T) -> T: ...\nclass b[T: int](Base[T]): ...\n", ["a", "b"]),
    (b"class a:\n    def x(self:\n        pass\ndef b(): ...\n", ["a", "b"]),
]


@pytest.mark.parametrize(("data", "names"), BROKEN)
def test_what_can_be_read_of_a_broken_file_is_read(data: bytes, names: list[str]) -> None:
    tree = parse_python(data)
    assert tree is not None
    assert [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)] == names
