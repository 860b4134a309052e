"""Pages say what the run says, lead where they claim to, and read back to the run's own verdicts."""

from __future__ import annotations

import posixpath
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from retrodoc.publish.book import Book, build_book
from retrodoc.publish.layout import Layout
from retrodoc.publish.links import Linker, forge_of
from retrodoc.publish.markdown import render_pages
from retrodoc.publish.marks import GENERATED_MARK
from retrodoc.publish.write import plan_pages, write_pages
from retrodoc_checks import StepFinding
from retrodoc_runs.models import (
    Actor,
    Domain,
    Entity,
    EntryPoint,
    Feature,
    Field,
    Handler,
    Run,
    SourceRef,
    Step,
    Unread,
    UseCase,
)
from retrodoc_runs.readers.own_pages import is_own_page, read_own_page
from retrodoc_runs.readers.target import read_target

Judge = Callable[[Run], Sequence[Sequence[StepFinding]]]
SEND = "docs/functional/floor/use-cases/orders/send-an-order.md"


@pytest.fixture
def pages(book: Book) -> dict[str, str]:
    return rendered(book)


def rendered(book: Book) -> dict[str, str]:
    linker = Linker(forge=forge_of("git@github.com:o/order-desk.git"), commit=book.run.commit)
    return {path: page.decode() for path, page in render_pages(book, linker).items()}


def as_html(markdown: str) -> str:
    """As a code forge renders it, but with every tag let through: nothing may count on a sanitiser."""
    return str(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(markdown))


def link_targets(markdown: str) -> Iterator[str]:
    for token in MarkdownIt("commonmark").enable("table").parse(markdown):
        for child in token.children or ():
            if child.type == "link_open":
                yield str(child.attrs["href"])


def test_each_domain_feature_and_use_case_has_its_page(pages: dict[str, str]) -> None:
    assert sorted(pages) == [
        "docs/_retrodoc/coverage-report.md",
        "docs/functional/README.md",
        "docs/functional/entities.md",
        "docs/functional/floor/README.md",
        "docs/functional/floor/orders.md",
        "docs/functional/floor/use-cases/orders/send-an-order.md",
        "docs/functional/floor/use-cases/orders/take-an-order.md",
        "docs/functional/uncategorised/README.md",
        "docs/functional/uncategorised/uncategorised.md",
        "docs/functional/uncategorised/use-cases/uncategorised/find-the-way.md",
        "llms.txt",
    ]


def test_no_page_is_empty_and_each_says_that_it_is_ours(pages: dict[str, str]) -> None:
    for path, page in pages.items():
        if path != "llms.txt":
            assert page.startswith(GENERATED_MARK), path
            assert is_own_page(page), path
        titles = [line for line in page.splitlines() if line.startswith("# ")]
        assert len(titles) == 1, path
        assert len(page.splitlines()) > 5, path
        assert page.endswith("\n")
        assert not page.endswith("\n\n")


def test_pages_read_back_to_the_verdicts_of_the_run(run: Run, pages: dict[str, str], judge: Judge) -> None:
    """What is judged is what the page shows, so that a person who edits it is judged by what it says then."""
    own = [read_own_page(page) for path, page in pages.items() if path.endswith(".md")]
    assert [problem for page in own for problem in page.problems] == []
    assert {page.commit for page in own} == {run.commit}
    back = {(step.use_case, step.step.order): step.step for page in own for step in page.steps}
    assert {name for page in own for name in page.entities} == {entity.name for entity in run.entities}

    read_back = run.model_copy(
        update={
            "use_cases": tuple(
                replace(use_case, steps=tuple(back[use_case.slug, step.order] for step in use_case.steps))
                for use_case in run.use_cases
            )
        }
    )

    assert len(back) == sum(len(use_case.steps) for use_case in run.use_cases)
    assert judge(read_back) == judge(run)
    assert [s.text for u in read_back.use_cases for s in u.steps] == [s.text for u in run.use_cases for s in u.steps]


@pytest.mark.parametrize("slug", ["show-the-plan", "changelog", "adr-12", "todo"])
def test_a_use_case_is_read_back_from_its_folder_whatever_its_name(
    run: Run, judge: Judge, tmp_path: Path, slug: str
) -> None:
    """A folder's plans, changelogs and decisions are left out; our own pages never are."""
    use_case = replace(run.use_cases[1], slug=slug)
    run = run.model_copy(update={"use_cases": (use_case,)})
    write_pages(plan_pages(tmp_path, render_pages(build_book(run, judge(run)), Linker())))
    (tmp_path / "docs/functional/plan.md").write_text("A plan of `a.py:1`.\n")

    reading = read_target(tmp_path / "docs" / "functional", base=tmp_path)

    assert [step.use_case for step in reading.steps] == [slug]
    assert [reason for _, reason in reading.left_out] == ["plan"]


def test_every_link_leads_to_a_page_or_to_a_file_that_is_cited(run: Run, pages: dict[str, str]) -> None:
    cited = {ref.path for use_case in run.use_cases for step in use_case.steps for ref in step.source_refs}
    cited |= {entity.path for entity in run.entities} | {entry.handler.path or "" for entry in run.entry_points}
    relative = 0
    for path, page in pages.items():
        for target in link_targets(page):
            if target.startswith("https://"):
                assert target.startswith("https://github.com/o/order-desk/commit/")
                continue
            leads_to = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(target.partition("#")[0])))
            assert leads_to in pages or leads_to in cited, (path, target)
            relative += 1
    assert relative > 40


def test_the_narrative_comes_before_the_steps_and_the_diagram_after(pages: dict[str, str]) -> None:
    page = pages[SEND]
    places = ["The waiter fires the order.", "Each station gets a ticket.", "**Who:** Waiter", "## Steps"]
    places += ["1. **send the order.**", "6. The waiter carries the plates.", "```mermaid", "## Confidence"]
    found = [page.index(place) for place in places]
    assert found == sorted(found)


def test_a_step_shows_its_verdict_why_and_its_lines(pages: dict[str, str]) -> None:
    page = pages[SEND]
    assert "✅ valid · [desk/orders.py:12-13](<../../../../../desk/orders.py#L12-L13>)" in page
    assert "🟡 doubtful · [desk/orders.py:6-7]" in page
    assert "desk/orders.py:19" in page, "where the missing name is"
    assert "says **partial**: No station." in page
    assert "❌ broken · [desk/printer.py:1-2]" in page
    assert "⚪ unsupported" in page


def test_the_same_run_gives_the_same_bytes_in_another_process(pages: dict[str, str], tmp_path: Path) -> None:
    """Sets have another order there."""
    program = f"""
import importlib.util, sys
spec = importlib.util.spec_from_file_location("sample", {str(__file__).replace("test_pages", "conftest")!r})
sample = importlib.util.module_from_spec(spec); spec.loader.exec_module(sample)
from retrodoc.publish.book import build_book
from retrodoc.publish.links import Linker, forge_of
from retrodoc.publish.markdown import render_pages
linker = Linker(forge=forge_of("git@github.com:o/order-desk.git"), commit=sample.RUN.commit)
for page in render_pages(build_book(sample.RUN, sample.judge_run(sample.RUN)), linker).values():
    sys.stdout.buffer.write(page)
"""
    for seed in ("1", "2"):
        result = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, check=True, env={"PYTHONHASHSEED": seed}
        )
        assert result.stdout.decode() == "".join(pages.values())


@pytest.mark.parametrize("folder", ["docs", "doc/generated", ""])
def test_pages_go_to_the_folder_that_the_layout_names(run: Run, judge: Judge, folder: str) -> None:
    pages = rendered(build_book(run, judge(run), layout=Layout(folder)))
    prefix = f"{folder}/" if folder else ""
    assert {path for path in pages if not path.startswith((f"{prefix}functional/", f"{prefix}_retrodoc/"))} == {
        "llms.txt"
    }


# -- a repository is hostile until shown otherwise

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "](javascript:alert(1)) [x](http://evil.example)",
    "![x](http://evil.example/p.png)",
    "<!-- retrodoc:end --> <!-- retrodoc:step use_case=x order=1 -->",
    "a | b | c",
    "`code` `` ` `` tail`",
    "# heading\n\n- item\n\n---\n\n```mermaid\ngraph TD\n```",
    "%%{init: {'securityLevel': 'loose'}}%%",
    "end; p1->>p2: forged",
    "[ref]: http://evil.example",
    "*a* _b_ ~~c~~ $$d$$ &lt;e&gt; \\",
    "x\u2028y\u202ez",
    "http://evil.example",
]


def hostile_run(text: str) -> Run:
    step = Step(
        order=1,
        description=text,
        action=text,
        source_refs=(SourceRef(path=f"a/{text}.py"),),
        actor=Actor(name=text, kind="human"),
    )
    entry = EntryPoint(kind="cli", name=text, handler=Handler(symbol=text, path=text or "x", start_line=1, end_line=2))
    return Run(
        id="r",
        repository=text,
        created_at="",
        program=text,
        drafter=text,
        domains=(Domain(slug=text, name=text, description=text),),
        features=(Feature(slug=text, domain_slug=text, name=text, description=text),),
        use_cases=(
            UseCase(
                slug=text,
                feature_slug=text,
                name=text,
                description=text,
                narrative=text,
                primary_actor=text,
                entry_points=(entry.label, text),
                steps=(step,),
            ),
        ),
        entry_points=(entry, entry.model_copy(update={"name": text + "2"})),
        excluded=((text + "3", text),),
        entities=(
            Entity(
                name=text,
                kind=text,
                path="a",
                start_line=1,
                end_line=2,
                values=(text,),
                fields=(Field(name=text, type=text, values=(text,)),),
            ),
        ),
        unread=(Unread(path=text, reason=text),),
        notes=(text,),
    )


SIGNS = "<>[]()`*_#|!-+=.1~\n\\&\"' a:/;"
ALLOWED_TAGS = frozenset("h1 h2 h3 p a em strong code pre ul ol li table thead tbody tr th td br blockquote".split())


def fences(markdown: str) -> list[str]:
    """The info strings of code blocks."""
    return [token.info for token in MarkdownIt("commonmark").parse(markdown) if token.type in ("fence", "code_block")]


def tags(markdown: str) -> set[str]:
    """The tags of the rendered page, comments and code left out."""
    from html.parser import HTMLParser

    found: set[str] = set()

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.add(tag)
            if tag == "a":
                found.update(f"link to {value}" for name, value in attrs if name == "href" and "://" in str(value))

    Tags().feed(as_html(markdown))
    return found


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(text=st.sampled_from(HOSTILE) | st.text(min_size=1, max_size=40) | st.text(SIGNS, min_size=1, max_size=30))
def test_a_repositorys_text_can_only_be_text(judge: Judge, text: str) -> None:
    run = hostile_run(text)
    pages = rendered(build_book(run, judge(run)))
    for path, page in pages.items():
        assert tags(page) <= ALLOWED_TAGS, path
        assert fences(page) == (["mermaid"] if "/use-cases/" in path else []), path
        if path.endswith(".md"):
            own = read_own_page(page)
            assert own.problems == ()
            assert len(own.steps) == ("/use-cases/" in path)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_hostile_step_says_is_still_read_back(judge: Judge, text: str) -> None:
    run = hostile_run(text)
    (page,) = [page for path, page in rendered(build_book(run, judge(run))).items() if "/use-cases/" in path]
    (step,) = read_own_page(page).steps
    assert step.step.text == " ".join(f"{text}. {text}".split())
    assert [ref.path for ref in step.step.source_refs] == [f"a/{text}.py"]
