"""What must hold of every page, whatever is written on it."""

from __future__ import annotations

from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st

from retrodoc_runs.readers.grammar import parse_lines, scan
from retrodoc_runs.readers.markdown import Surroundings, read_markdown
from retrodoc_runs.readers.own_links import Place
from retrodoc_runs.readers.own_pages import read_own_page
from retrodoc_runs.steps import label_of

SHA = "fa91c5c258808c103a4e110c6291eaf9ef1dacf8"
FRAGMENTS = st.sampled_from(
    [
        "src/a.py:10-20",
        "`b.go:3,9`",
        "[src/c.rb:7]()",
        "[d](src/d.ts#L4-L6)",
        f"https://github.com/acme/shop/blob/{SHA}/src/e.py#L8",
        "(`:12-14`)",
        "src/a.py:1O",
        "Sources: ",
        "**Sources:**",
        "\n\n",
        "\n",
        "# Title\n",
        "- ",
        "| a | b |\n| - | - |\n| ",
        " | ",
        "```\n",
        "> ",
        "<details>\n",
        "</details>\n",
        "<!-- x -->\n",
        "words ",
        "`name` ",
        "*",
        "__",
        "[",
        "](",
        ")",
        "lines 3 to 4 of a.py",
        ", ",
        ". ",
        " ",
    ]
)
PAGES = st.lists(st.one_of(FRAGMENTS, FRAGMENTS, st.text(max_size=4)), max_size=30).map("".join)
AROUND = Surroundings(repository="acme/shop")


@given(page=PAGES)
def test_every_page_is_read_and_every_place_is_on_it(page: str) -> None:
    reading = read_markdown(page, "page.md", AROUND)
    lines = page.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    assert all(1 <= step.line <= lines for step in reading.steps)
    assert all(1 <= one.line <= lines for one in reading.unparsed)
    assert [step.step.order for step in reading.steps] == list(range(1, len(reading.steps) + 1))
    assert all(step.step.source_refs for step in reading.steps)


@given(page=PAGES)
def test_a_citation_is_in_no_two_steps_and_in_no_text(page: str) -> None:
    """Each kind of citation stands on the page as often as it is made, and its text is no promise for the judge."""
    for citation in ("src/a.py:10-20", "src/c.rb:7"):
        found = sum(
            label_of(ref) == citation
            for read in read_markdown(page, "p", AROUND).steps
            for ref in read.step.source_refs
        )
        assert found <= page.count(citation)


@given(page=PAGES)
def test_line_ends_change_nothing(page: str) -> None:
    page = page.replace("\r", "")
    plain = read_markdown(page, "p", AROUND)
    dos = read_markdown(page.replace("\n", "\r\n"), "p", AROUND)
    assert plain == dos


@given(text=st.text(st.sampled_from("ab/.:#L0123456789-, ()[]`\u2013py"), max_size=60))
def test_what_is_scanned_is_in_order_and_as_written(text: str) -> None:
    position = 0
    for found in scan(text):
        assert position <= found.start < found.end <= len(text)
        assert text[found.start : found.end] == found.text
        assert not found.path or found.text.startswith(found.path)
        assert not found.path or found.ranges
        position = found.end


@given(ranges=st.lists(st.tuples(st.integers(0, 99_999), st.integers(0, 99_999)), min_size=1, max_size=5))
def test_lines_read_back(ranges: list[tuple[int, int]]) -> None:
    assert parse_lines(",".join(f"{start}-{end}" for start, end in ranges)) == ranges


@given(start=st.integers(0, 99_999), rest=st.text("0123456789-x ", min_size=1, max_size=6))
def test_lines_are_never_read_in_part(start: int, rest: str) -> None:
    """Whatever follows a number either belongs to what is read, or nothing is."""
    read = parse_lines(f"{start}{rest}")
    if read is not None:
        first, last = read[0]
        assert (
            f"{start}{rest}".strip() in (str(first), f"{first}-{last}")
            or rest.lstrip("0123456789").strip() == ""
            or ([int(part) for part in f"{start}{rest}".split("-")] == [first, last])
        )


PARTS = (
    "src/ a.py : 10 - 20 #L L5 .. / https://github.com/acme/shop/blob/ main/ %2e %00 file:// repo:// , ` [ ] ( ) · "
    "lines é \\ 999999999999 { }"
)
WORDS = st.lists(st.sampled_from([*PARTS.split(), SHA, " "]), max_size=8).map("".join)


@given(label=WORDS, target=WORDS, after=WORDS, folder=st.sampled_from([None, "docs", "../x"]), subfolder=WORDS)
def test_our_own_pages_are_read_whatever_a_person_made_of_a_link(
    label: str, target: str, after: str, folder: str | None, subfolder: str
) -> None:
    marker = f"<!-- retrodoc:page format=1 commit={SHA} subfolder={quote(subfolder)} -->"
    step = "<!-- retrodoc:step use_case=a order=1 -->\n\n<!-- retrodoc:sources -->"
    page = f"{marker}\n\n{step}\n\nSources: [{label}](<{target}>) {after}\n\n<!-- retrodoc:end -->\n"
    read = read_own_page(page, Place(folder, "github.com/acme/shop"))
    assert len(read.steps) == 1
    assert all(1 <= line <= page.count("\n") for _, line in read.problems)


@given(values=st.lists(st.tuples(WORDS, WORDS, WORDS), max_size=3))
def test_front_matter_is_read_whatever_it_holds(values: list[tuple[str, str, str]]) -> None:
    entries = "".join(f"- {path}\n- file: {file}\n  ranges: {lines}\n" for path, file, lines in values)
    page = f"---\nsources:\n{entries}---\n\n# Title\n"
    reading = read_markdown(page, "page.md", AROUND)
    assert all(1 <= one.line <= page.count("\n") for one in reading.unparsed)
    assert all(step.line == 1 for step in reading.steps)
