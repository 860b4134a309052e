"""What people wrote about the code is collected with its origin, within bounds, and found by the files it is about."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrodoc.ingest import context as context_module
from retrodoc.ingest.context import MAX_TEXT, passages, read_context
from retrodoc.ingest.testnames import test_names as names_of_tests
from retrodoc.publish.marks import GENERATED_LINE
from retrodoc_runs.snapshot import MemorySnapshot, open_snapshot

MakeRepo = Callable[..., Path]

SHOP = {f"shop/{name}.py": "x = 1\n" for name in ("basket", "invoice", "menu", "order", "table", "waiter", "kitchen")}


def test_commits_are_found_by_the_files_that_they_changed(git_repo: MakeRepo) -> None:
    git_repo(SHOP, message="Open the shop")
    git_repo({"shop/basket.py": "1"}, message="Refuse an empty basket")
    git_repo({"shop/invoice.py": "1"}, message="Number invoices")
    git_repo({"shop/basket.py": "2", "shop/order.py": "2"}, message="Turn a basket into an order")
    git_repo({"shop/basket.py": "3"}, message="fix typo")
    repo = git_repo({"shop/basket.py": "4"}, message="[pre-commit.ci] autoupdate")
    with open_snapshot(repo) as snapshot:
        found = read_context(snapshot).commits_about(["shop/basket.py"])
        short = [commit.short_id for commit in read_context(snapshot).commits]
    assert found[0] == f"Refuse an empty basket ({short[2]})"
    assert [text.rpartition(" (")[0] for text in found] == [
        "Refuse an empty basket",
        "Turn a basket into an order",
        "Open the shop",
    ]


def test_commits_of_a_folder_are_named_by_its_own_paths(git_repo: MakeRepo) -> None:
    git_repo({"apps/shop/basket.py": "1"}, message="Keep baskets")
    repo = git_repo({"other.py": "1"}, message="Something else")
    for worktree in (False, True):
        with open_snapshot(repo / "apps/shop", worktree=worktree) as snapshot:
            context = read_context(snapshot)
        assert [(commit.subject, commit.paths) for commit in context.commits] == [("Keep baskets", ("basket.py",))]


def test_a_commit_that_changes_very_many_files_is_about_none(git_repo: MakeRepo) -> None:
    repo = git_repo({f"f{number}.py": "x" for number in range(26)}, message="Import everything")
    with open_snapshot(repo) as snapshot:
        assert read_context(snapshot).commits == ()


SUBJECTS = {
    "Merge branch 'main' into dev": "",
    "Bump django from 4.1 to 4.2": "",
    "v1.2.3": "",
    "fix: typo": "",
    "chore: bump version to 2": "",
    "Fixed tests.": "",
    "feat(basket): keep lines for a week": "feat(basket): keep lines for a week",
    "Fix the total of a split bill": "Fix the total of a split bill",
    "Release a table when the bill is paid": "",
    "Two\x07 bells\u202e": "Two bells",
}


@pytest.mark.parametrize("subject", SUBJECTS)
def test_subjects_that_say_nothing_are_dropped(subject: str) -> None:
    assert context_module._subject(subject) == SUBJECTS[subject]


MARKDOWN = """\
Before any heading.

# The *shop*

[![badge](x)](y)

A shop sells [things](http://x) to
`customers`.

A second paragraph.

## Install ##

```sh
# not a heading
pip install shop
```

- a list

### Tables
| a | b |
|---|---|

## Orders
An order has lines.
"""
RST = """\
=====
Shop
=====

Sells things.

Orders
------

.. note:: nothing

An order has
lines.
"""


def test_passages_are_headings_with_their_first_paragraph() -> None:
    assert passages(MARKDOWN) == [
        ("", "Before any heading.", 1),
        ("The shop", "A shop sells things to customers.", 3),
        ("Install", "", 12),
        ("Tables", "", 21),
        ("Orders", "An order has lines.", 25),
    ]
    assert passages(RST) == [("Shop", "Sells things.", 2), ("Orders", "An order has lines.", 7)]
    assert passages("= Shop\n\nSells things.\n\n== Orders\n\nLines.\n") == [
        ("Shop", "Sells things.", 1),
        ("Orders", "Lines.", 5),
    ]
    assert passages("call `snake_case_name` and _this_ one\n") == [("", "call snake_case_name and this one", 1)]


@given(st.text(alphabet=st.sampled_from("#=-`~ \nab|>*"), max_size=60))
def test_any_text_has_passages_at_lines_that_exist(text: str) -> None:
    for heading, paragraph, line in passages(text):
        assert heading or paragraph
        assert 1 <= line <= text.count("\n") + 1


def test_documents_are_found_by_the_words_of_paths_and_say_where_they_are() -> None:
    files = SHOP | {
        "README.md": "# Shop\n\nServes guests.\n",
        "docs/money.md": "# Money\n\n## Invoices\n\nAn invoice is numbered.\n\n## Tips\n\nA tip is shared.\n",
        "CHANGELOG.md": "# 1.0\n\nInvoices.\n",
        "docs/own.md": f"{GENERATED_LINE}\n# Invoices by RetroDoc\n",
        "node_modules/x/README.md": "# invoice\n",
        ".retrodoc/notes.md": "# invoice\n",
    }
    context = read_context(MemorySnapshot(files))
    assert context.documents_about(["shop/invoice.py"]) == ("Invoices: An invoice is numbered. (docs/money.md:3)",)
    assert context.document_heads == ("Shop: Serves guests. (README.md:1)", "Money (docs/money.md:1)")
    assert context.documents_about(["shop/waiter.py"]) == ()


def test_tests_are_found_by_their_names_and_files() -> None:
    files = SHOP | {
        "tests/test_basket.py": "def test_refuses_an_empty_one():\n    pass\n\n\nclass TestX:\n"
        "    async def test_it(self): ...\n",
        "tests/test_order.py": "def test_needs_a_basket():\n    pass\n\ndef helper(): ...\n",
        "tests/test_menu.py": "def test_lists_dishes():\n    pass\n",
    }
    assert read_context(MemorySnapshot(files)).tests_about(["shop/basket.py"]) == (
        "test_refuses_an_empty_one (tests/test_basket.py:1)",
        "test_it (tests/test_basket.py:6)",
        "test_needs_a_basket (tests/test_order.py:1)",
    )


def test_a_word_that_most_paths_hold_tells_nothing() -> None:
    files = SHOP | {"README.md": "# Shop\n\nThe shop.\n", "shop/tests.py": "def test_shop(): ...\n"}
    context = read_context(MemorySnapshot(files))
    assert context.documents_about(["shop/waiter.py"]) == ()
    assert context.tests_about(["shop/waiter.py"]) == ()


NAMES = {
    "a.py": (b"def test_a(): ...\nasync def test_b(x): ...\ndef atest(): ...\n", [("test_a", 1), ("test_b", 2)]),
    "a.rb": (b"describe Cart do\n  it 'adds' do\n  end\n  it { x }\n  def test_b!\n", [("adds", 2), ("test_b!", 5)]),
    "a.ts": (
        b"describe('cart', () => {\n  it(\"adds a line\", f);\n  test.each([1])('n %s', f);\n  it.skip(`skips`, f)\n",
        [("adds a line", 2), ("n %s", 3), ("skips", 4)],
    ),
    "a.go": (b"package a\n\nfunc TestAdds(t *testing.T) {}\nfunc Testify() {}\n", [("TestAdds", 3), ("Testify", 4)]),
    "a.rs": (
        b"#[test]\nfn adds() {}\n#[tokio::test]\nasync fn waits() {}\n#[cargo_test]\nfn runs() {}\nfn no() {}\n",
        [("adds", 2), ("waits", 4), ("runs", 6)],
    ),
    "A.java": (b'@Test\nvoid adds() {}\n@Test\n@Tag("x")\npublic void waits() {}\n', [("adds", 2), ("waits", 5)]),
    "A.cs": (b"[Fact]\npublic async Task Adds() {}\n", [("Adds", 2)]),
    "A.php": (b"<?php\nclass A {\n  public function testAdds() {}\n  function setUp() {}\n}\n", [("testAdds", 3)]),
    "a.lua": (b"it('adds', f)\n", []),
}


@pytest.mark.parametrize("path", NAMES)
def test_test_names_by_language(path: str) -> None:
    data, expected = NAMES[path]
    assert list(names_of_tests(data, path)) == expected


def test_everything_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context_module, "MAX_TESTS", 5)
    monkeypatch.setattr(context_module, "MAX_DOCUMENTS", 3)
    monkeypatch.setattr(context_module, "MAX_PASSAGES", 4)
    files = {f"d{number}.md": f"# H\n\n{'long ' * 200}\n\n# I\n" for number in range(9)}
    files |= {f"tests/test_{number}.py": "def test_a(): ...\n" * 3 for number in range(9)}
    context = read_context(MemorySnapshot(files))
    assert (len(context.tests), len(context.documents), len(context.document_heads)) == (5, 4, 3)
    assert max(len(note.text) for note in context.documents) <= MAX_TEXT + 2


def test_nothing_of_it_is_no_error(git_repo: MakeRepo, tmp_path: Path, git: Callable[..., str]) -> None:
    assert read_context(MemorySnapshot({})).commits_about(["a.py"]) == ()
    git(tmp_path, "init", "-q", "empty")
    (tmp_path / "empty/a.py").write_text("x")
    with open_snapshot(tmp_path / "empty", worktree=True) as snapshot:
        assert read_context(snapshot).commits == ()


def test_notes_hold_no_line_breaks_or_control_characters() -> None:
    files = {"README.md": "# A\x1b[31m\n\nb\x00\n", "docs/x.md": "# \u202egnol\n\ntext\x07 more\n"}
    for head in read_context(MemorySnapshot(files)).document_heads:
        assert head.isprintable()
