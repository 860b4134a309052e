"""What a step of a Markdown page is: which text goes with which citations."""

from __future__ import annotations

import pytest

from retrodoc_runs.readers.markdown import Surroundings, read_markdown
from retrodoc_runs.steps import label_of

FILES = frozenset(
    {"src/cart.py", "src/pay.py", "src/db.py", "docs/guide.md", "docs/local.py", "bin/serve", "feature/x/src/cart.py"}
)
SHA = "fa91c5c258808c103a4e110c6291eaf9ef1dacf8"
FORGE = "https://github.com/acme/shop"


def read(markdown: str, folder: str = "") -> list[tuple[str, list[str]]]:
    around = Surroundings(exists=FILES.__contains__, repository="github.com/acme/shop", folder=folder)
    reading = read_markdown(markdown, "page.md", around)
    return [(one.step.description, [label_of(ref) for ref in one.step.source_refs]) for one in reading.steps]


PAID = [("Pays,.", ["src/pay.py:3", "src/db.py:4"])]

STEPS = {
    "a sources line takes the text since the heading": (
        "# Cart\n\nA cart holds `items`.\n\n- one\n- two\n\nSources: [src/cart.py:1-9]()\n",
        [("A cart holds `items`.\none\ntwo", ["src/cart.py:1-9"])],
    ),
    "a second sources line takes the text since the first": (
        "# Cart\n\nFirst.\n\nSources: [src/cart.py:1]()\n\nSecond.\n\nSources: [src/pay.py:2]()\n",
        [("First.", ["src/cart.py:1"]), ("Second.", ["src/pay.py:2"])],
    ),
    "citations of the text go with its sources line": (
        "Empties the cart (src/cart.py:5).\n\nSources: [src/pay.py:2]()\n",
        [("Empties the cart.", ["src/cart.py:5", "src/pay.py:2"])],
    ),
    "a sources line in the same paragraph": (
        "Empties the cart.\nSources: [src/cart.py:5]()\n",
        [("Empties the cart.", ["src/cart.py:5"])],
    ),
    "sources at the end of a list item": (
        "1. Calls `empty`. Sources: [src/cart.py:5]() [src/cart.py:7]()\n2. Pays. Sources: [src/pay.py:1]()\n",
        [("Calls `empty`.", ["src/cart.py:5", "src/cart.py:7"]), ("Pays.", ["src/pay.py:1"])],
    ),
    "a sources line goes on in the paragraphs that only cite": (
        f"Pays.\n\nSources: [src/pay.py L1-L2]({FORGE}/blob/fa91c5c2/src/pay.py#L1-L2)\n\n, "
        f"[src/cart.py L3]({FORGE}/blob/fa91c5c2/src/cart.py#L3-L3)\n\nThen (src/db.py:4) stores.\n",
        [("Pays.", ["src/pay.py:1-2", "src/cart.py:3"]), ("Then stores.", ["src/db.py:4"])],
    ),
    "a heading named sources is a sources line": (
        "# Cart\n\nEmpties the cart.\n\n## Sources\n\n- src/cart.py:5\n- src/pay.py:2\n",
        [("Empties the cart.", ["src/cart.py:5", "src/pay.py:2"])],
    ),
    "a heading ends what a sources line may take": (
        "# One\n\nNot this.\n\n# Two\n\nThis.\n\nSources: [src/cart.py:5]()\n",
        [("This.", ["src/cart.py:5"])],
    ),
    "a diagram is no text": (
        "Pays.\n\n```mermaid\nflowchart TD\nA --> B\n```\n\nSources: [src/pay.py:1]()\n",
        [("Pays.", ["src/pay.py:1"])],
    ),
    "paragraphs that cite are steps of their own": (
        "Empties the cart (src/cart.py:5).\n\nNothing cited.\n\nPays in src/pay.py:2.\n",
        [("Empties the cart.", ["src/cart.py:5"]), ("Pays in.", ["src/pay.py:2"])],
    ),
    "a paragraph that only cites goes with the text right before it": (
        f"The basket is priced:\n\n{FORGE}/blob/{SHA}/src/pay.py#L8\n",
        [("The basket is priced", ["src/pay.py:8"])],
    ),
    "each row of a table is a step": (
        "| step | where |\n| --- | --- |\n| call `pay` | src/pay.py:5-9 |\n| call `send` | `src/db.py:12` |\n",
        [("call `pay`", ["src/pay.py:5-9"]), ("call `send`", ["src/db.py:12"])],
    ),
    "the label of a link stays, when it says more than the file": (
        "The cart is [emptied by `clear`](src/cart.py#L3).\n",
        [("The cart is emptied by `clear`.", ["src/cart.py:3"])],
    ),
    "a label that names the file says nothing more": (
        "The cart is emptied ([cart.py](src/cart.py#L3)).\n",
        [("The cart is emptied.", ["src/cart.py:3"])],
    ),
    "the names of the cited files are no promise": (
        "`src/cart.py` and `cart.py` empty the cart (src/cart.py:3), `src/pay.py` pays.\n",
        [("and empty the cart, `src/pay.py` pays.", ["src/cart.py:3"])],
    ),
    "lines right after a code span": (
        "`src/cart.py`:5-8 empties the cart.\n",
        [("empties the cart.", ["src/cart.py:5-8"])],
    ),
    "lines right after a link": (
        "[cart.py](src/cart.py):5-8 empties the cart.\n",
        [("empties the cart.", ["src/cart.py:5-8"])],
    ),
    "a whole file is a step apart": (
        "Pays.\n\nSources: [src/pay.py:1](), [src/cart.py]()\n",
        [("Pays.", ["src/pay.py:1"]), ("Pays.", ["src/cart.py"])],
    ),
    "a page of documentation is no evidence elsewhere than on a sources line": (
        "See [the guide](docs/guide.md) and [the cart](src/cart.py).\n",
        [("See the guide and the cart.", ["src/cart.py"])],
    ),
    "the files that a page was made from": (
        "<details>\n<summary>Relevant source files</summary>\n\nThe following files were used as context for "
        "generating this wiki page:\n\n- [src/cart.py](src/cart.py)\n- [docs/guide.md](docs/guide.md)\n\n"
        "</details>\n\n# Cart\n\nText.\n",
        [("", ["src/cart.py", "docs/guide.md"])],
    ),
    "label and target that disagree are two citations": (
        "Pays.\n\nSources: [src/pay.py:1-2](src/pay.py#L5-L9)\n",
        [("Pays.", ["src/pay.py:1-2", "src/pay.py:5-9"])],
    ),
    "label and target of two files": (
        "Pays.\n\nSources: [src/pay.py:1](src/cart.py#L1)\n",
        [("Pays.", ["src/pay.py:1", "src/cart.py:1"])],
    ),
    "a target that is lines alone is of the label's file": (
        "Pays.\n\nSources: [src/pay.py:1-2](#L9999), [src/cart.py:3](#L3)\n",
        [("Pays.", ["src/pay.py:1-2", "src/pay.py:9999", "src/cart.py:3"])],
    ),
    "label and target of two whole files": (
        "Pays [src/pay.py](src/cart.py#L5).\n\n[src/db.py](src/cart.py) stores.\n",
        [("Pays.", ["src/cart.py:5"]), ("Pays.", ["src/pay.py"]), ("stores.", ["src/db.py", "src/cart.py"])],
    ),
    "a label that calls its file by another name": (
        "[Node.js](src/pay.py#L5), [and/or](src/cart.py#L6), [pays.py](src/pay.py#L7), [old/pay.py](src/pay.py#L8).\n",
        [
            (
                "Node.js, and/or, pays.py, old/pay.py.",
                ["src/pay.py:5", "src/cart.py:6", "src/pay.py:7", "src/pay.py:8"],
            )
        ],
    ),
    "a label of lines alone that disagrees with its target": (
        "Pays [L1-L2](src/pay.py#L3-L4), [:5](src/pay.py#L6), [lines 7 to 8](src/pay.py#L7), [9-10](src/pay.py#L9).\n",
        [
            (
                "Pays,.",
                [f"src/pay.py:{lines}" for lines in ("1-2", "3-4", "5", "6", "7-8", "7", "9-10", "9")],
            )
        ],
    ),
    "a label of a file and its lines in words": (
        "Pays in [pay.py (lines 1-2)](src/pay.py#L3) and [pay.py, line 4](src/pay.py#L4).\n",
        [("Pays in and.", ["src/pay.py:1-2", "src/pay.py:3", "src/pay.py:4"])],
    ),
    "a label that is a mere number": ("Pays [1](src/pay.py#L3), [2.1](src/db.py#L4).\n", PAID),
    "a label of several citations": (
        "Pays.\n\nSources: [src/pay.py:1, src/cart.py:2](), [src/db.py:3; src/pay.py:4](src/pay.py#L4)\n",
        [("Pays.", ["src/pay.py:1", "src/cart.py:2", "src/db.py:3", "src/pay.py:4"])],
    ),
    "a label of words and a citation": (
        "Pays [in two, src/pay.py:1](src/pay.py#L2) and [stores as src/db.py:3 does]("
        "src/db.py#L3).\n\nSources: [the code, src/cart.py:4]()\n",
        [
            (
                "Pays in two, and stores as does.",
                ["src/pay.py:1", "src/pay.py:2", "src/db.py:3", "src/cart.py:4"],
            )
        ],
    ),
    "a citation that stands twice is one": (
        "Pays (src/pay.py:1).\n\nSources: [src/pay.py:1]()\n",
        [("Pays.", ["src/pay.py:1"])],
    ),
    "Qoder's lists of sources, and its addresses of files": (
        "<cite>\n**Referenced Files in This Document**\n- [pay.py](file://src/pay.py)\n</cite>\n\n## Pay\n\n"
        "`pay` charges.\n\n**Diagram sources**\n- [cart.py:1-4](file://src/cart.py#L1-L4)\n\n**Section sources**\n"
        "- [pay.py:1-9](file://src/pay.py#L1-L9)\n\n**章节来源**\n- [db.py:3](file://src/db.py#L3)\n",
        [("", ["src/pay.py"]), ("`pay` charges.", ["src/cart.py:1-4", "src/pay.py:1-9", "src/db.py:3"])],
    ),
    "a colon that was lost in copying": (
        "Pays.\n\nSources: [src/pay.py1-9]() [src/cart.py40]()\n",
        [("Pays.", ["src/pay.py:1-9", "src/cart.py:40"])],
    ),
    "brackets in backticks around a citation": (
        "Pays.\n\nSources: `[src/pay.py:1-9]`, `[src/cart.py:4]`\n",
        [("Pays.", ["src/pay.py:1-9", "src/cart.py:4"])],
    ),
    "a column is dropped": (
        "Pays (src/pay.py:10:5), stores (src/db.py:3:1-4:9).\n",
        [("Pays, stores.", ["src/pay.py:10", "src/db.py:3-4"])],
    ),
    "an en dash is read": ("Pays (src/pay.py:10–20).\n", [("Pays.", ["src/pay.py:10-20"])]),
    "underscores that Markdown takes for emphasis": (
        "Starts in src/__init__.py:1 and __init__.py:2.\n",
        [("Starts in and.", ["src/__init__.py:1", "__init__.py:2"])],
    ),
    "a list of lines after a path in parentheses": (
        "Stores (src/db.py:3, 9, 14-15).\n",
        [("Stores.", ["src/db.py:3", "src/db.py:9", "src/db.py:14-15"])],
    ),
    "a number of the sentence is no line": (
        "In src/db.py:10, 20 rows are stored.\n",
        [("In, 20 rows are stored.", ["src/db.py:10"])],
    ),
    "no space before a path in Chinese": ("调用在src/pay.py:3处。\n", [("调用在处。", ["src/pay.py:3"])]),
    "a path in HTML": (
        '<p>Pays in <a href="src/pay.py#L4-L6">the code</a>.</p>\n',
        [("Pays in the code.", ["src/pay.py:4-6"])],
    ),
    "HTML comments are not seen, and front matter is a step apart": (
        "---\nsource: src/pay.py:1\n---\n\n<!-- src/pay.py:2 -->\n\nPays (src/pay.py:3).\n",
        [("", ["src/pay.py:1"]), ("Pays.", ["src/pay.py:3"])],
    ),
}


@pytest.mark.parametrize(("markdown", "steps"), STEPS.values(), ids=STEPS.keys())
def test_a_step_is_a_text_with_what_it_cites(markdown: str, steps: list[tuple[str, list[str]]]) -> None:
    assert read(markdown) == steps


TARGETS = {
    "from the page's folder": ("local.py#L1", "docs", "docs/local.py"),
    "from the root when the page's folder has none": ("src/cart.py#L1", "docs", "src/cart.py"),
    "up from the page's folder": ("../src/cart.py#L1", "docs", "src/cart.py"),
    "a leading slash means the root": ("/src/cart.py#L1", "docs", "src/cart.py"),
    "what is nowhere stays as it is written": ("lib/gone.py#L1", "docs", "lib/gone.py"),
    "what is nowhere and starts with dots is taken from the page": ("../lib/gone.py#L1", "docs", "lib/gone.py"),
    "what leaves the repository is left to the judge": ("../../etc/passwd#L1", "docs", "../../etc/passwd"),
    "an absolute path of a machine is left to the judge": ("/etc/passwd#L1", "docs", "/etc/passwd"),
}


@pytest.mark.parametrize(("target", "folder", "path"), TARGETS.values(), ids=TARGETS.keys())
def test_a_relative_target_starts_from_the_page_else_from_the_root(target: str, folder: str, path: str) -> None:
    assert read(f"It is [here]({target}).\n", folder) == [("It is here.", [f"{path}:1"])]


FORGES = {
    "github": f"https://github.com/acme/shop/blob/{SHA}/src/cart.py#L5-L6",
    "github, blame": f"https://github.com/acme/shop/blame/{SHA}/src/cart.py#L5-L6",
    "github, in capitals": f"https://github.com/Acme/Shop/blob/{SHA}/src/cart.py#L5-L6",
    "github, with www": f"https://www.github.com/acme/shop/blob/{SHA}/src/cart.py#L5-L6",
    "gitlab": f"https://github.com/acme/shop/-/blob/{SHA}/src/cart.py#L5-6",
    "bitbucket": f"https://github.com/acme/shop/src/{SHA}/src/cart.py#lines-5:6",
    "gitea": f"https://github.com/acme/shop/src/commit/{SHA}/src/cart.py#L5-L6",
}


@pytest.mark.parametrize("url", FORGES.values(), ids=FORGES.keys())
def test_permalinks_of_the_forges_are_read(url: str) -> None:
    around = Surroundings(exists=FILES.__contains__, repository="github.com/acme/shop")
    (step,) = read_markdown(f"It is [here]({url}).\n", "page.md", around).steps
    assert [label_of(ref) for ref in step.step.source_refs] == ["src/cart.py:5-6"]
    assert step.commits == (SHA,)


@pytest.mark.parametrize(
    ("revision", "commits"),
    [("main", ()), ("feature/x", ()), ("v1.2.0", ("v1.2.0",)), ("fa91c5c2", ("fa91c5c2",)), ("release-2024", ())],
)
def test_a_branch_moves_and_pins_nothing(revision: str, commits: tuple[str, ...]) -> None:
    around = Surroundings(exists=FILES.__contains__, repository="github.com/acme/shop")
    url = f"{FORGE}/blob/{revision}/src/cart.py#L5"
    (step,) = read_markdown(f"It is [here]({url}).\n", "page.md", around).steps
    assert [label_of(ref) for ref in step.step.source_refs] == ["src/cart.py:5"]
    assert step.commits == commits


@pytest.mark.parametrize(
    ("repository", "url", "foreign"),
    [
        ("github.com/acme/shop", "https://github.com/acme/other/blob/main/src/cart.py#L1", True),
        ("github.com/acme/shop", "https://gitlab.com/acme/shop/-/blob/main/src/cart.py#L1", True),
        ("github.com/acme/shop", "https://github.com/acme/shop/blob/main/src/cart.py#L1", False),
        ("acme/shop", "https://code.example.org/acme/shop/-/blob/main/src/cart.py#L1", False),
        ("shop", "https://github.com/anyone/shop/blob/main/src/cart.py#L1", False),
        ("shop", "https://github.com/anyone/workshop/blob/main/src/cart.py#L1", True),
        ("", "https://github.com/anyone/any/blob/main/src/cart.py#L1", False),
    ],
)
def test_another_repository_is_counted_and_not_judged(repository: str, url: str, foreign: bool) -> None:
    reading = read_markdown(f"It is [here]({url}).\n", "page.md", Surroundings(repository=repository))
    assert (sum(reading.foreign.values()), reading.citations) == ((1, 0) if foreign else (0, 1))


UNPARSED = {
    "phrases, the file last": ("Look at lines 10 to 20 of a.py.\n", ["lines 10 to 20 of a.py"]),
    "phrases, the file first": ("See `src/cart.py` (lines 3-4).\n", ["`src/cart.py` (lines 3-4"]),
    "phrases in French": ("Voir les lignes 10 à 20 de src/panier.py.\n", ["lignes 10 à 20 de src/panier.py"]),
    "a port is no line of the file": ("`src/server.py` listens on `:8080`.\n", [":8080"]),
    "an image with its tag": ("Run `library/redis:7` first.\n", ["library/redis:7"]),
    "an em dash between numbers": ("See src/cart.py:10—20.\n", ["src/cart.py:10—20"]),
    "columns of one line, or an end line": ("See src/cart.py:10:5-20.\n", ["src/cart.py:10:5-20"]),
    "a file that has no extension, in prose": ("See Makefile:12.\n", ["Makefile:12"]),
    "a number too long for any file": ("See `src/cart.py:99999999999`.\n", ["src/cart.py:99999999999"]),
    "an anchor that was never filled in": ("See `src/cart.py#LSTART-LEND`.\n", ["src/cart.py#LSTART-LEND"]),
    "a permalink with a bad anchor": (f"See [it]({FORGE}/blob/main/src/cart.py#L10-Lx).\n", ["src/cart.py#L10-Lx"]),
}


@pytest.mark.parametrize(("markdown", "texts"), UNPARSED.values(), ids=UNPARSED.keys())
def test_what_looks_like_a_citation_and_is_none_is_listed(markdown: str, texts: list[str]) -> None:
    around = Surroundings(exists=FILES.__contains__, repository="github.com/acme/shop")
    reading = read_markdown(markdown, "page.md", around)
    assert [one.text for one in reading.unparsed] == texts
    assert reading.steps == ()


NO_CITATIONS = {
    "versions and products": "Node.js:18 and Vue.js:3 run on python:3.12 and std::vec:10.\n",
    "a pytest id": "Run `tests/test_cart.py::test_empty`.\n",
    "an application to serve": "Run `uvicorn src/app:main`.\n",
    "a log line": "127.0.0.1 [10/Oct/2000:13:55:36] GET\n",
    "hosts": "See example.com/app.py:42 and 10.0.0.1:8080/x and localhost:3000/a.py:4.\n",
    "a heading's anchor": "See [setup](docs/guide.md#l10n-support) and [top](#L10).\n",
    "mail and other schemes": "[mail](mailto:a@b.c), [mirror](ftp://x.y/src/cart.py#L1).\n",
    "a pull request": f"See {FORGE}/pull/12#L3 and {FORGE}/commit/{SHA}.\n",
    "a folder": "See [the sources](src/).\n",
    "an image": "![diagram](src/cart.py#L1)\n",
}


@pytest.mark.parametrize("markdown", NO_CITATIONS.values(), ids=NO_CITATIONS.keys())
def test_what_is_no_citation_is_neither_read_nor_listed(markdown: str) -> None:
    around = Surroundings(exists=FILES.__contains__, repository="github.com/acme/shop")
    reading = read_markdown(markdown, "page.md", around)
    assert (reading.steps, reading.unparsed) == ((), ())


@pytest.mark.parametrize(
    ("link", "citations", "listed"),
    [
        ("[src/pay.py:1-2](src/pay.py#L3-Lend)", ["src/pay.py:1-2"], ["src/pay.py#L3-Lend"]),
        ("[src/pay.py:1-2](#L3-Lend)", ["src/pay.py:1-2"], ["#L3-Lend"]),
        (f"[src/pay.py:1-2]({FORGE}/blob/main/src/pay.py#L3-Lx)", ["src/pay.py:1-2"], ["src/pay.py#L3-Lx"]),
        ("[src/pay.py:1-x](src/pay.py#L3)", ["src/pay.py:3"], ["src/pay.py:1-x"]),
        ("[pay.py:3](file://src/pay.py#L3,L5,L7)", ["src/pay.py:3"], ["src/pay.py#L3,L5,L7"]),
        ("[pay.py:3](src/pay.py#L3-Lx)", ["src/pay.py:3"], ["src/pay.py#L3-Lx"]),
        ("[cart.py:3](src/pay.py#L3-Lx)", ["cart.py:3"], ["src/pay.py#L3-Lx"]),
    ],
)
def test_where_one_side_of_a_link_cannot_be_read_it_is_listed_and_the_other_is_read(
    link: str, citations: list[str], listed: list[str]
) -> None:
    around = Surroundings(exists=FILES.__contains__, repository="github.com/acme/shop")
    for markdown in (f"Pays ({link}).\n", f"Pays.\n\nSources: {link}\n"):
        reading = read_markdown(markdown, "page.md", around)
        assert [label_of(ref) for one in reading.steps for ref in one.step.source_refs] == citations
        assert [one.text for one in reading.unparsed] == listed


def test_places_are_lines_of_the_page() -> None:
    page = "# Cart\n\nEmpties\nthe cart:\nsrc/cart.py:1O\n\nPays\n(src/pay.py:3).\n"
    reading = read_markdown(page, "docs/cart.md", Surroundings())
    assert [(one.text, one.line, one.page) for one in reading.unparsed] == [("src/cart.py:1O", 5, "docs/cart.md")]
    (step,) = reading.steps
    assert (step.page, step.line, step.heading, step.use_case) == ("docs/cart.md", 7, "Cart", "docs/cart")
