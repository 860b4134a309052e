"""A published page, read back, gives the steps that were published."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrodoc.publish.links import Linker, forge_of
from retrodoc_runs.models import Run, SourceRef, Step
from retrodoc_runs.readers import own_pages
from retrodoc_runs.readers.blocks import collapse
from retrodoc_runs.readers.forges import repository_of_remote
from retrodoc_runs.readers.own_links import Place
from retrodoc_runs.steps import label_of

LINKS = Linker()

MARKUP = st.sampled_from(
    [
        "`",
        "``",
        "*",
        "_",
        "[",
        "](x)",
        "<b>",
        "&amp;",
        "\\",
        "|",
        "#",
        "1.",
        "-",
        ">",
        "~~",
        "$",
        "=",
        "!",
        "a_b",
        "é",
        " ",
    ]
)
TEXTS = st.lists(st.one_of(MARKUP, st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=5)))
PATHS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=12
).filter(lambda path: path == path.strip() and ":" not in path)
REFS = st.builds(
    lambda path, start, length: SourceRef(path=path, start_line=start, end_line=start + length),
    PATHS,
    st.integers(0, 99_999),
    st.integers(0, 99),
)


def normal(text: str) -> str:
    """What CommonMark shows of a text: it also drops one space on each side of a code span."""
    text = collapse(text)
    shown, position = "", 0
    for start, end in own_pages._code_spans(text):
        ticks = len(text[start:end]) - len(text[start:end].lstrip("`"))
        inner = text[start + ticks : end - ticks]
        if inner.startswith(" ") and inner.endswith(" ") and inner.strip():
            inner = inner[1:-1]
        pad = " " if inner.startswith("`") or inner.endswith("`") else ""
        ticks_text = "`" * ticks
        shown += text[position:start] + f"{ticks_text}{pad}{inner}{pad}{ticks_text}"
        position = end
    return collapse(shown + text[position:])


def publish(step: Step, use_case: str = "pay", heading: str = "") -> str:
    run = Run(id="20260102-0304-a1b2", repository="shop", commit="c" * 40, created_at="2026-01-02T03:04:05Z")
    body = own_pages.step_to_markdown(use_case, step, lambda ref: LINKS.lines("page.md", ref), heading)
    return f"# Page\n\n{own_pages.page_marker(run)}\n\n{body}\n"


@given(text=TEXTS.map("".join), refs=st.lists(REFS, max_size=4))
def test_a_step_reads_back_with_its_text_and_citations(text: str, refs: list[SourceRef]) -> None:
    page = own_pages.read_own_page(publish(Step(order=3, description=text, source_refs=tuple(refs))))
    (read,) = page.steps
    assert read.step.text == normal(text)
    assert list(read.step.source_refs) == refs
    assert page.problems == ()


@given(action=TEXTS.map("".join), text=TEXTS.map("".join))
def test_an_action_in_bold_reads_back_as_the_judge_saw_it(action: str, text: str) -> None:
    step = Step(order=1, action=action, description=text)
    (read,) = own_pages.read_own_page(publish(step)).steps
    parts = [normal(action), normal(text)] if action else [normal(text)]
    assert read.step.text == collapse(". ".join(parts))


def test_the_page_says_which_commit_it_is_of() -> None:
    page = own_pages.read_own_page(publish(Step(order=1, description="x")))
    assert (page.commit, page.subfolder) == ("c" * 40, "")


def test_what_stands_outside_the_marked_parts_is_not_read() -> None:
    step = Step(
        order=1, description="`pay` asks the bank.", source_refs=(SourceRef(path="a.py", start_line=1, end_line=2),)
    )
    written = publish(step, heading="### 1. See src/other.py:5")
    written += (
        "\n\n| door | where |\n| --- | --- |\n| x | [src/b.py:3](src/b.py#L3) |\n\n✓ 3 names found, `src/c.py:9`\n"
    )
    (read,) = own_pages.read_own_page(written).steps
    assert read.step.text == "`pay` asks the bank."
    assert [ref.path for ref in read.step.source_refs] == ["a.py"]


def test_a_page_that_a_person_edits_is_read_as_it_is_now() -> None:
    step = Step(
        order=1, description="`pay` asks the bank.", source_refs=(SourceRef(path="a.py", start_line=1, end_line=2),)
    )
    written = (
        publish(step)
        .replace("asks the bank", "asks `the_bank` twice")
        .replace("a.py:1-2", "a.py:7")
        .replace("#L1-L2", "#L7")
    )
    (read,) = own_pages.read_own_page(written).steps
    assert read.step.text == "`pay` asks `the_bank` twice."
    assert read.step.source_refs == (SourceRef(path="a.py", start_line=7, end_line=7),)


def test_a_step_in_a_list_item_is_read() -> None:
    page = (
        "<!-- retrodoc:page format=1 -->\n\n1. Shop\n\n   <!-- retrodoc:step use_case=pay order=1 -->\n\n"
        "   <!-- retrodoc:text -->\n\n   Pays.\n\n   <!-- retrodoc:sources -->\n\n   Sources: [a.py:1](a.py#L1)\n\n"
        "   <!-- retrodoc:end -->\n\n2. Bank\n\n   <!-- retrodoc:step use_case=pay order=2 -->\n\n"
        "   <!-- retrodoc:text -->\n\n   Answers.\n\n   <!-- retrodoc:end -->\n"
    )
    steps = own_pages.read_own_page(page).steps
    assert [(read.step.order, read.step.text, len(read.step.source_refs)) for read in steps] == [
        (1, "Pays.", 1),
        (2, "Answers.", 0),
    ]


@pytest.mark.parametrize("name", ["ShoppingBasket", "Panier d'achat", "a -- b > c", "x=y"])
def test_an_entity_reads_back_by_its_name(name: str) -> None:
    page = own_pages.read_own_page(f"<!-- retrodoc:page format=1 -->\n\n{own_pages.entity_marker(name)}\n")
    assert page.entities == (name,)


@pytest.mark.parametrize(
    "marker",
    ["<!-- retrodoc:step order=1 -->", "<!-- retrodoc:step use_case=a order=x -->", "<!-- retrodoc:stpe -->"],
)
def test_a_damaged_marker_is_listed_and_never_skipped(marker: str) -> None:
    page = own_pages.read_own_page(f"<!-- retrodoc:page format=1 -->\n\n{marker}\n")
    assert page.problems == ((marker, 3),)


def test_a_page_of_a_newer_program_is_refused() -> None:
    with pytest.raises(own_pages.NewerPageError):
        own_pages.read_own_page("<!-- retrodoc:page format=2 -->\n")


@pytest.mark.parametrize(
    ("markdown", "ours"),
    [
        ("<!-- retrodoc:page format=1 -->", True),
        ("# A\n\n<!-- retrodoc:page format=1 run=x -->\n", True),
        ("The comment `<!-- retrodoc:page -->` marks a page.", False),
        ("# A page of a person", False),
    ],
)
def test_a_page_is_ours_by_its_marker(markdown: str, ours: bool) -> None:
    assert own_pages.is_own_page(markdown) is ours


# ---- A link has a label and a target, and a reader follows the target

PAGE = "docs/functional/pay/pay.md"


def sourced(
    link: str,
    folder: str | None = "docs/functional/pay",
    subfolder: str = "",
    repository: str = "github.com/acme/shop",
    *,
    from_root: bool = True,
) -> own_pages.OwnPage:
    """A page in `folder` whose one step has these Sources."""
    head = f"<!-- retrodoc:page format=1 commit={'c' * 40}" + (f" subfolder={subfolder}" if subfolder else "") + " -->"
    parts = ["<!-- retrodoc:step use_case=pay order=1 -->", own_pages.TEXT_MARKER, "`pay` asks.", "<!-- X -->"]
    markdown = "\n\n".join([head, *parts[:3], own_pages.SOURCES_MARKER, f"Sources: {link}", own_pages.END_MARKER])
    return own_pages.read_own_page(markdown, Place(folder, repository, from_root=from_root))


def cited(page: own_pages.OwnPage) -> list[str]:
    (read,) = page.steps
    return [label_of(ref) for ref in read.step.source_refs]


SHOP, OLD = (f"https://github.com/acme/shop/blob/{letter * 40}" for letter in "cd")
LINKED = {
    "the same place": ("[src/pay.py:10-20](../../../src/pay.py#L10-L20)", ["src/pay.py:10-20"]),
    "other lines": ("[src/pay.py:10-20](../../../src/pay.py#L9999)", ["src/pay.py:10-20", "src/pay.py:9999"]),
    "lines without a file": ("[src/pay.py:10-20](#L9999)", ["src/pay.py:10-20", "src/pay.py:9999"]),
    "its own lines without a file": ("[src/pay.py:10-20](#L10-L20)", ["src/pay.py:10-20"]),
    "a longer range": ("[src/pay.py:10](../../../src/pay.py#L10-L20)", ["src/pay.py:10", "src/pay.py:10-20"]),
    "another file": ("[src/pay.py:10](../../../src/cart.py#L10)", ["src/pay.py:10", "src/cart.py:10"]),
    "another file of that name": ("[src/a.py:10](../../../lib/src/a.py#L10)", ["src/a.py:10", "lib/src/a.py:10"]),
    "another file as a whole": ("[src/pay.py:10](../../../src/cart.py)", ["src/pay.py:10", "src/cart.py"]),
    "a file beside the page": ("[src/a.py:10](src/a.py#L10)", ["src/a.py:10", "docs/functional/pay/src/a.py:10"]),
    "out of the repository": ("[src/pay.py:10](../../../../x.py#L10)", ["src/pay.py:10", "../x.py:10"]),
    "the whole of its file": ("[src/pay.py:10-20](../../../src/pay.py)", ["src/pay.py:10-20"]),
    "lines of a file cited whole": ("[src/pay.py](../../../src/pay.py#L7)", ["src/pay.py", "src/pay.py:7"]),
    "a range that no editor could show": ("[src/pay.py:20-10](../../../src/pay.py)", ["src/pay.py:20-10"]),
    "nowhere": ("[src/pay.py:10](#)", ["src/pay.py:10"]),
    "an address that is no file": ("[src/pay.py:10](https://example.com/docs#L9)", ["src/pay.py:10"]),
    "a forge, the same place": (f"[src/pay.py:10-20]({SHOP}/src/pay.py#L10-L20)", ["src/pay.py:10-20"]),
    "a forge, other lines": (f"[src/pay.py:10-20]({SHOP}/src/pay.py#L30)", ["src/pay.py:10-20", "src/pay.py:30"]),
    "a forge, another file": (f"[src/pay.py:10]({SHOP}/src/a.py#L10)", ["src/pay.py:10", "src/a.py:10"]),
    "two links": (
        "[src/pay.py:10](../../../src/pay.py#L11), [src/a.py:1](../../../src/a.py#L1)",
        ["src/pay.py:10", "src/pay.py:11", "src/a.py:1"],
    ),
    "a citation that a person added without a link": (
        "[src/pay.py:10](../../../src/pay.py#L10), `src/a.py:90-95` and src/b.py:7",
        ["src/pay.py:10", "src/a.py:90-95", "src/b.py:7"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("link", "citations"), LINKED.values(), ids=LINKED.keys())
def test_a_label_and_a_target_that_disagree_are_two_citations(link: str, citations: list[str]) -> None:
    page = sourced(link)
    assert (cited(page), page.problems) == (citations, ())


@pytest.mark.parametrize(
    ("link", "listed"),
    [
        ("[src/pay.py:10](../../../src/pay.py#L10-Lend)", "../../../src/pay.py#L10-Lend"),
        (f"[src/pay.py:10]({SHOP}/src/pay.py#L10-Lend)", "src/pay.py#L10-Lend"),
        (f"[src/pay.py:10]({OLD}/src/pay.py#L10)", f"{OLD}/src/pay.py#L10"),
        ("[src/pay.py:10](../../../src/pay.py#L10), src/a.py:1O", "src/a.py:1O"),
    ],
)
def test_a_target_that_cannot_be_read_is_listed(link: str, listed: str) -> None:
    page = sourced(link)
    assert (cited(page), [text for text, _ in page.problems]) == (["src/pay.py:10"], [listed])


def test_a_target_in_another_repository_is_counted_and_not_judged() -> None:
    page = sourced("[src/pay.py:10](https://github.com/acme/other/blob/main/src/pay.py#L10)")
    assert (cited(page), page.foreign) == (["src/pay.py:10"], {"github.com/acme/other": 1})


@pytest.mark.parametrize("subfolder", ["server", "docs"])
@pytest.mark.parametrize("from_root", [True, False])
def test_targets_of_a_documented_folder_start_from_it(subfolder: str, from_root: bool) -> None:
    """The page is called from the repository's root, or from the folder that it documents."""
    folder = f"{subfolder}/docs/functional/pay" if from_root else "docs/functional/pay"
    for link, citations in (
        ("[src/pay.py:10](../../../src/pay.py#L10)", ["src/pay.py:10"]),
        ("[src/pay.py:10](../../../src/a.py#L10)", ["src/pay.py:10", "src/a.py:10"]),
        ("[src/pay.py:10](../../../../src/pay.py#L10)", ["src/pay.py:10", "../src/pay.py:10"]),
        (f"[src/pay.py:10]({SHOP}/{subfolder}/src/pay.py#L10)", ["src/pay.py:10"]),
        (f"[src/pay.py:10]({SHOP}/{subfolder}/src/a.py#L10)", ["src/pay.py:10", "src/a.py:10"]),
    ):
        assert cited(sourced(link, folder, subfolder, from_root=from_root)) == citations


@pytest.mark.parametrize("folder", ["../elsewhere/docs/functional/pay", None])
def test_a_page_outside_the_repository_names_its_files_by_their_last_parts(folder: str | None) -> None:
    for link, citations in (
        ("[src/pay.py:10](../../../../shop/src/pay.py#L10)", ["src/pay.py:10"]),
        ("[src/pay.py:10](../../../../shop/src/pay.py#L11)", ["src/pay.py:10", "src/pay.py:11"]),
        ("[src/pay.py:10](../../../../shop/src/cart.py#L10)", ["src/pay.py:10", "../../../../shop/src/cart.py:10"]),
    ):
        assert cited(sourced(link, folder)) == citations


FORGES = [
    "https://github.com/acme/shop",
    "https://gitlab.com/a/b/shop",
    "https://bitbucket.org/a/b",
    "git@codeberg.org:a/b",
]


@given(
    refs=st.lists(REFS, min_size=1, max_size=3),
    origin=st.sampled_from([None, *FORGES]),
    subfolder=st.sampled_from(["", "server"]),
)
def test_the_links_that_we_publish_agree_with_their_labels(
    refs: list[SourceRef], origin: str | None, subfolder: str
) -> None:
    linker = Linker(subfolder=subfolder, outside=origin is not None, forge=forge_of(origin), commit="c" * 40)
    links = own_pages.sources_to_markdown(refs, lambda ref: linker.lines(PAGE, ref))
    page = sourced(links, f"{subfolder}/docs/functional/pay".strip("/"), subfolder, repository_of_remote(origin or ""))
    (read,) = page.steps
    assert (list(read.step.source_refs), page.problems, page.foreign) == (refs, (), {})
