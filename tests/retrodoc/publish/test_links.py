"""A citation's link works in a checkout and on a code forge, and never leaves the repository."""

from __future__ import annotations

import posixpath
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrodoc.publish.links import NOWHERE, Forge, ForgeKind, Linker, forge_of
from retrodoc_runs.models import SourceRef

PAGE = "docs/functional/floor/use-cases/orders/send.md"
LINES = SourceRef(path="src/a b.py", start_line=10, end_line=20)
ONE_LINE = SourceRef(path="src/a b.py", start_line=10, end_line=10)
WHOLE = SourceRef(path="src/a b.py")


@pytest.mark.parametrize(
    ("origin", "forge"),
    [
        ("https://github.com/owner/name.git", Forge("github", "https://github.com/owner/name")),
        ("https://user:secret@github.com/owner/name", Forge("github", "https://github.com/owner/name")),
        ("git@github.com:owner/name.git", Forge("github", "https://github.com/owner/name")),
        ("ssh://git@gitlab.example.org:2222/a/b/c.git/", Forge("gitlab", "https://gitlab.example.org/a/b/c")),
        ("git@bitbucket.org:team/name.git", Forge("bitbucket", "https://bitbucket.org/team/name")),
        ("https://codeberg.org/owner/name", Forge("gitea", "https://codeberg.org/owner/name")),
        ("https://git.example.com/owner/name", None),
        ("/srv/git/name.git", None),
        ("file:///srv/github/name.git", None),
        ("https://github.com/", None),
        ("", None),
        (None, None),
    ],
)
def test_a_remote_names_a_forge_and_its_secrets_are_dropped(origin: str | None, forge: Forge | None) -> None:
    assert forge_of(origin) == forge


@pytest.mark.parametrize(
    ("kind", "folder", "lines", "line"),
    [
        ("github", "blob/c0ffee", "#L10-L20", "#L10"),
        ("gitlab", "-/blob/c0ffee", "#L10-20", "#L10"),
        ("bitbucket", "src/c0ffee", "#lines-10:20", "#lines-10"),
        ("gitea", "src/commit/c0ffee", "#L10-L20", "#L10"),
    ],
)
def test_each_forge_writes_lines_its_own_way(kind: ForgeKind, folder: str, lines: str, line: str) -> None:
    forge = Forge(kind, "https://forge/o/n")
    assert [forge.lines("c0ffee", ref) for ref in (LINES, ONE_LINE, WHOLE)] == [
        f"https://forge/o/n/{folder}/src/a%20b.py{anchor}" for anchor in (lines, line, "")
    ]


def test_inside_the_repository_links_are_relative() -> None:
    linker = Linker(forge=Forge("github", "https://github.com/o/n"), commit="c0ffee")
    assert linker.lines(PAGE, LINES) == "../../../../../src/a%20b.py#L10-L20"
    assert linker.lines(PAGE, ONE_LINE) == "../../../../../src/a%20b.py#L10"
    assert linker.lines(PAGE, WHOLE) == "../../../../../src/a%20b.py"
    assert linker.lines("llms.txt", WHOLE) == "src/a%20b.py"
    assert linker.page(PAGE, "docs/functional/README.md") == "../../../README.md"


def test_outside_it_they_lead_to_the_forge_at_the_commit_where_there_is_one() -> None:
    linker = Linker("../name/server", Forge("github", "https://github.com/o/n"), "c0ffee", "server", outside=True)
    assert linker.lines(PAGE, ONE_LINE) == "https://github.com/o/n/blob/c0ffee/server/src/a%20b.py#L10"
    for without in (replace(linker, forge=None), replace(linker, commit=None), replace(linker, outside=False)):
        assert without.lines("docs/a.md", ONE_LINE) == "../../name/server/src/a%20b.py#L10"


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "C:/x", "a\\b", "", "..", "a\0b"])
def test_a_path_that_leaves_the_repository_leads_nowhere(path: str) -> None:
    assert Linker().lines(PAGE, SourceRef(path=path, start_line=1, end_line=1)) == NOWHERE


@pytest.mark.parametrize(("start", "end"), [(0, 5), (-1, 2), (9, 3)])
def test_a_range_that_no_editor_can_show_points_at_the_file(start: int, end: int) -> None:
    ref = SourceRef(path="a.py", start_line=start, end_line=end)
    assert Linker().lines("docs/a.md", ref) == "../a.py"


SEGMENT = st.sampled_from(["a", "b", "docs", "c.md"])


@given(st.lists(SEGMENT, min_size=1, max_size=5), st.lists(SEGMENT, min_size=1, max_size=5))
def test_a_relative_link_followed_from_its_page_is_the_target(target: list[str], page: list[str]) -> None:
    link = Linker().page("/".join(page), "/".join(target))
    followed = posixpath.normpath(posixpath.join("/root", posixpath.dirname("/".join(page)), link))
    assert followed == posixpath.join("/root", *target)
