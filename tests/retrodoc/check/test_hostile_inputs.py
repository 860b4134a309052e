"""Hostile inputs of the check command: each ends in a clear answer, in bounded memory, and nothing outside is read.

All run one after the other in one process whose address space is limited, which shows that none keeps memory.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

MAX_MEMORY_KB = 500_000  # 410,000 to 430,000 on Python 3.11, 460,000 on 3.13
"""Peak of the whole table. A 3 MB page, the largest that is read, is most of it."""
SECRET = "def top_secret():\n    return 'hunter2'\n"
CART = "def pay(cart, card):\n    bank.charge(card, cart.total())\n" + "x = 1\n" * 20

Files = dict[str, str | bytes]


@dataclass(frozen=True)
class Case:
    """`files` and `links` are made in a folder of the repository, uncommitted; `target` is one of them."""

    name: str
    files: Files
    code: int
    says: str
    """Part of the output or of the error."""
    target: str = "target.yaml"
    links: dict[str, str] = field(default_factory=dict)
    not_says: str = "hunter2"


def yaml_of(*refs: Any, text: str = "`pay` charges.") -> str:
    return json.dumps([{"slug": "pay", "steps": [{"order": 1, "description": text, "source_refs": list(refs)}]}])


def at(path: str, start: Any = 1, end: Any = 2) -> dict[str, Any]:
    return {"path": path, "start_line": start, "end_line": end}


def cites(name: str, path: str, says: str, code: int = 1) -> Case:
    return Case(name, {"target.yaml": yaml_of(at(path), text="`top_secret` is called.")}, code, says)


def page(name: str, text: str | bytes, code: int, says: str) -> Case:
    return Case(name, {"docs/page.md": text}, code, says, target="docs/page.md")


def claims(name: str, text: str, says: str) -> Case:
    return Case(name, {"openwiki/.claims/a.json": text}, 2, says, target="openwiki/.claims/a.json")


def bomb() -> str:
    lines = ["- &a0 ha"]
    lines += [f"- &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    return "\n".join(lines)


def published(subfolder: str, link: str = "../src/cart.py#L1-L2", commit: str = "") -> str:
    """A page as we publish them, of a folder of the repository."""
    head = "".join(
        f" {key}={quote(value)}" for key, value in {"commit": commit, "subfolder": subfolder}.items() if value
    )
    parts = [f"<!-- retrodoc:page format=1{head} -->", "<!-- retrodoc:step use_case=pay order=1 -->"]
    parts += ["<!-- retrodoc:text -->", "`top_secret` is called.", "<!-- retrodoc:sources -->"]
    return "\n\n".join([*parts, f"Sources: [src/cart.py:1-2]({link})", "<!-- retrodoc:end -->"])


def run_in(subfolder: str) -> str:
    """A saved run of a folder of the repository."""
    ref = {"path": "secret.py", "start_line": 1, "end_line": 2}
    step = {"order": 1, "description": "`top_secret` is called.", "source_refs": [ref]}
    run = {"format_version": 1, "id": "run", "repository": "shop", "created_at": "2026-01-02T03:04:05Z"}
    return json.dumps(run | {"worktree": True, "subfolder": subfolder, "use_cases": [{"slug": "a", "steps": [step]}]})


def leads_out(name: str, subfolder: str) -> list[Case]:
    """A run and a page that name a folder outside of the repository as the one that they document."""
    says = "is no folder of"
    return [
        Case(f"a run of {name}", {"run/run.json": run_in(subfolder)}, 2, says, "run"),
        page(f"a page of {name}", published(subfolder), 2, says),
    ]


SAID = "`pay` charges (src/cart.py:1-2).\n\n"
CASES = [
    # Paths
    cites("dots that leave the repository", "../outside/secret.py", "path leads out of the repository"),
    cites("dots in the middle that leave it", "src/../../outside/secret.py", "path leads out of the repository"),
    cites("an absolute path", "{outside}/secret.py", "path leads out of the repository"),
    cites("a home folder", "~/secret.py", "path leads out of the repository"),
    cites("a Windows drive", "C:\\outside\\secret.py", "path leads out of the repository"),
    cites("a share of another machine", "\\\\host\\share\\secret.py", "path leads out of the repository"),
    cites("backslashes", "src\\cart.py", "perhaps src/cart.py:1"),
    cites("a NUL byte", "src/cart.py\0.txt", "the cited file does not exist"),
    cites("Git's own folder", ".git/config", "the cited file does not exist"),
    cites("a path of 100,000 characters", "a/" * 50_000 + "b.py", "the cited file does not exist"),
    cites("a line feed in a path", "src/\ncart.py", "the cited file does not exist"),
    cites("a committed link out of the repository", "links/out.py", "path leads out of the repository"),
    cites("a committed link to an absolute path", "links/absolute.py", "path leads out of the repository"),
    cites("a folder that is a link out", "links/folder/secret.py", "path leads out of the repository"),
    cites("a link to itself", "links/loop.py", "the cited file does not exist"),
    cites("a folder", "src", "the cited path is a folder"),
    cites("an empty path", "", "`path` is empty", 2),
    # Lines
    Case("line 0 and a range backwards", {"target.yaml": yaml_of(at("src/cart.py", 0, -1))}, 1, "before line 1"),
    Case("a line of 18 digits", {"target.yaml": yaml_of(at("src/cart.py", 10**17, 10**17))}, 1, "past it"),
    Case("a line of 5,000 digits", {"target.yaml": yaml_of(at("src/cart.py", "9" * 5000))}, 1, "cannot be read"),
    Case("lines that are words", {"target.yaml": yaml_of(at("src/cart.py", "START", "END"))}, 1, "START-END"),
    Case(
        "lines that are no numbers", {"target.yaml": yaml_of(at("src/cart.py", 1.5, True))}, 1, "src/cart.py:1.5-true"
    ),
    # Texts
    Case("a text of 2 MB", {"target.yaml": yaml_of(at("src/cart.py"), text="`pay` asks. " * 170_000)}, 0, "1 step"),
    Case("2 MB of names", {"target.yaml": yaml_of(at("src/cart.py"), text="`a1_b` " * 290_000)}, 0, "1 doubtful"),
    Case(
        "escape sequences in a text",
        {"target.yaml": yaml_of(at("src/gone.py"), text="\u001b[2J\u0007`pay`\u202e")},
        1,
        "the cited file does not exist",
        not_says="\x1b[2J",
    ),
    Case("half a surrogate pair", {"target.yaml": yaml_of(at("src/cart.py"), text="\ud800 `pay`")}, 2, "not YAML"),
    Case("100,000 citations in a step", {"target.yaml": yaml_of(*[at("src/cart.py")] * 100_000)}, 0, "1 step"),
    Case(
        "100,000 different citations in a step",
        {"target.yaml": yaml_of(*[at("src/cart.py", n % 9 + 1, n) for n in range(100_000)])},
        1,
        "1 broken",
    ),
    # YAML
    Case("a bomb of aliases", {"target.yaml": bomb()}, 2, "the alias *a0 is not expanded"),
    Case("a merge key", {"target.yaml": "- &a {slug: pay}\n- <<: *a\n"}, 2, "the alias *a is not expanded"),
    Case("lists 100,000 deep", {"target.yaml": "[" * 100_000}, 2, "target.yaml: line 1: "),
    Case("mappings 100,000 deep", {"target.yaml": "{a: " * 100_000}, 2, "nested over 40 deep"),
    Case("an object to build", {"target.yaml": "!!python/object/apply:os.system [reboot]"}, 2, "not a mapping"),
    Case("no YAML", {"target.yaml": "a: [b\n\tc: }"}, 2, "not YAML"),
    Case("an empty file", {"target.yaml": ""}, 2, "no list of use cases"),
    Case("a mapping", {"target.yaml": "slug: pay\nsteps: []\n"}, 2, "no list of use cases"),
    Case("NUL bytes", {"target.yaml": b"- slug: pay\x00\n"}, 2, "NUL bytes"),
    Case("UTF-16", {"target.yaml": yaml_of(at("src/cart.py")).encode("utf-16")}, 2, "NUL bytes"),
    Case(
        "invalid UTF-8",
        {"target.yaml": yaml_of(at("src/cart.py")).encode().replace(b"charges", b"p\xe9")},
        0,
        "1 valid",
    ),
    Case(
        "a step without a citation list",
        {"target.yaml": "- {slug: a, steps: [{order: 1, description: x}]}"},
        2,
        "`source_refs` is missing",
    ),
    # JSON
    claims("JSON 100,000 deep", '{"claims": ' + "[" * 100_000, "nested too deep"),
    claims("no JSON", '{"claims": [', "not JSON"),
    claims("claims that are no list", '{"claims": 1}', "no `claims`"),
    claims("claims that are no claims", '{"claims": [1]}', "claim 1 has no `statement`"),
    claims(
        "evidence that is no list",
        '{"claims": [{"statement": "x", "evidence": "repo://a"}]}',
        "`evidence` is not a list",
    ),
    Case(
        "evidence of every wrong kind",
        {
            "openwiki/.claims/a.json": json.dumps(
                {
                    "claims": [
                        {
                            "statement": "`pay` charges.",
                            "evidence": [
                                None,
                                7,
                                {},
                                "file:///etc/passwd",
                                "repo://",
                                "repo://src/cart.py#Lx",
                                {"resource": "repo://src/cart.py#L1-L2", "version": ["x"]},
                                "repo://..%2foutside%2fsecret.py#L1",
                            ],
                        }
                    ]
                }
            )
        },
        1,
        "path leads out of the repository",
        target="openwiki/.claims/a.json",
    ),
    # Markdown
    page("a page of 50 MB", SAID * 1_500_000, 2, "too large for Markdown"),
    page("a page as large as may be", SAID + f"{'Words and more words. ' * 20}`word`\n\n" * 6_400, 0, "1 valid"),
    page("a page in latin-1", ("é " + SAID).encode("latin-1"), 0, "1 valid"),
    page("200,000 opening brackets", SAID + "[" * 200_000, 0, "1 valid"),
    page("nested images and links", SAID + "![[" * 20_000 + "]](x)" * 20_000, 0, "1 valid"),
    page("quotes 20,000 deep", SAID + ">" * 20_000 + " a", 0, "1 valid"),
    page("lists 5,000 deep", SAID + "".join("  " * n + "- a\n" for n in range(1000)), 0, "1 valid"),
    page("emphasis that never closes", SAID + "*a **a _a __a " * 20_000, 0, "1 valid"),
    page("runs of backticks of every length", SAID + " ".join("`" * n for n in range(1500)), 0, "1 valid"),
    page("comments that never close", SAID + "<!-- " * 100_000, 0, "1 valid"),
    page("tags that never close", SAID + "<a href='" * 50_000, 0, "1 valid"),
    page("a table of 40,000 cells", SAID + "|a|b|\n|-|-|\n" + "|x|y|\n" * 20_000, 0, "1 valid"),
    page("30,000 citations in a paragraph", "Pays " + "src/cart.py:1-2, " * 30_000, 0, "1 step"),
    page("20,000 links in a Sources line", "Pays\n\nSources: " + "[src/cart.py:1-2]() " * 20_000, 0, "1 step"),
    page("one word of 450 KB", SAID + "a:1" * 150_000, 0, "1 valid"),
    page("one address of 2 MB", SAID + "https://x/" + ")" * 2_000_000, 0, "1 valid"),
    page("phrases without end", SAID + "line 1 of " * 100_000, 0, "1 valid"),
    page("definitions of 20,000 links", SAID + "".join(f"[a{n}]: /b\n" for n in range(20_000)), 0, "1 valid"),
    page("a bomb of aliases as front matter", f"---\nsources:\n{bomb()}\n---\n\n{SAID}", 0, "1 valid"),
    page("front matter 100,000 deep", f"---\nsources: {'[' * 100_000}\n---\n\n{SAID}", 0, "1 valid"),
    page(
        "front matter that builds an object", f"---\nsource: !!python/object:os.x {{a: b}}\n---\n\n{SAID}", 0, "1 valid"
    ),
    page(
        "front matter that leaves the repository", "---\nsources: [../outside/secret.py:1]\n---\n", 1, "path leads out"
    ),
    page("100,000 sources in front matter", "---\nsources:\n" + "- src/cart.py:1\n" * 100_000 + "---\n", 0, "1 step"),
    page("a page of a newer program", "<!-- retrodoc:page format=99 -->\n", 2, "published by a newer RetroDoc"),
    *leads_out("a folder outside", "../outside"),
    *leads_out("a folder outside, by an absolute path", "{outside}"),
    *leads_out("a folder outside, from a folder inside", "src/../../outside"),
    *leads_out("a folder outside, by a link", "links/folder"),
    *leads_out("Git's own folder", ".git"),
    *leads_out("a folder that is not there", "gone"),
    *leads_out("a repository inside", "inner"),
    Case(
        "escape sequences in a file's name", {"a\x1b[2Jb.md": "-"}, 2, "no citation", "a\x1b[2Jb.md", not_says="\x1b[2J"
    ),
    Case(
        "escape sequences in a folder that a run documents",
        {"run/run.json": run_in("\x1b[2Ja")},
        2,
        "is no folder of",
        "run",
        not_says="\x1b[2J",
    ),
    page("a page whose commit is an option", published("", commit="--output-1.0"), 2, "names no commit"),
    page("a page whose link leads out", published("", "../../../outside/secret.py#L1-L2"), 1, "path leads out"),
    page(
        "a permalink to a tag like an option",
        "`x_y` ([here](https://h/a/repository/blob/-Ox-1.0/src/cart.py#L1)).",
        0,
        "-Ox-1.0",
    ),
    page("NUL bytes in a page", SAID.encode() + b"\0", 2, "NUL bytes"),
    page("100,000 entities", SAID + "&amp;&lt;&#x41;&bogus; " * 25_000, 0, "1 valid"),
    page("a link's target of nested parentheses", SAID + "[a](" + "(" * 100_000, 0, "1 valid"),
    page("a label of 30,000 citations", f"Pays [{'src/cart.py:1-2, ' * 30_000}](src/cart.py#L1-L2)", 0, "1 step"),
    page("quotes in lists in quotes", SAID + "> - " * 5_000 + "a", 0, "1 valid"),
    Case(
        "a glossary that is a link out",
        {"target.yaml": yaml_of(at("src/cart.py"))},
        2,
        "leads out of the repository",
        links={"glossary.yaml": "{outside}/secret.md"},
    ),
    # Targets
    Case(
        "a page that is a link out",
        {},
        2,
        "leads out of the repository",
        "docs/link.md",
        {"docs/link.md": "{outside}/secret.md"},
    ),
    Case(
        "a folder with a link out",
        {"docs/a.md": SAID},
        0,
        "1 file not read",
        "docs",
        {"docs/link.md": "{outside}/secret.md"},
    ),
    Case("a folder that is in itself", {"docs/a.md": SAID}, 0, "1 valid", "docs", {"docs/again": "."}),
    Case("a device", {}, 2, "leads out of the repository", "docs/zero.md", {"docs/zero.md": "/dev/zero"}),
    Case("a named pipe", {}, 2, "is not a regular file", "docs/pipe.md"),
    Case("a name with a NUL", {}, 2, "does not exist", "docs/a\0.md"),
    Case("a run that is no run", {"run/run.json": "{}"}, 2, "is damaged", "run"),
    Case("a run of a newer program", {"run/run.json": '{"format_version": 99}'}, 2, "newer RetroDoc", "run"),
    Case("a run 100,000 deep", {"run/run.json": '{"a": ' * 100_000}, 2, "is damaged", "run"),
]

RUNNER = """
import io, json, os, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (3_000_000_000, 3_000_000_000))
opened = set()
def note(event, args):
    if event == "open" and isinstance(args[0], (str, bytes)):
        opened.add(os.path.realpath(os.fsdecode(args[0])))
    if event == "subprocess.Popen":
        command = [os.fsdecode(part) for part in args[1]]
        opened.add(os.path.realpath(command[command.index("-C") + 1]))
sys.addaudithook(note)
from retrodoc.cli.app import run
outcomes = []
for arguments in json.load(open(sys.argv[1])):
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    sys.stdout, sys.stderr = out, err
    try:
        code = run(arguments)
    except BaseException as error:
        code = f"{type(error).__name__}: {error}"
    finally:
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
    out.flush()
    said = out.buffer.getvalue().decode("utf-8") + err.getvalue()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcomes.append({"code": code, "said": said[-200_000:], "peak": peak})
json.dump({"outcomes": outcomes, "opened": sorted(opened)}, open(sys.argv[2], "w"))
"""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory, git: Callable[..., str]) -> dict[str, Any]:
    """Every case's outcome, by its name, and all files that were opened."""
    top = tmp_path_factory.mktemp("hostile")
    outside = top / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text(SECRET)
    (outside / "secret.md").write_text("`top_secret` returns hunter2 (src/cart.py:1).\n")
    git(outside, "init", "-q", "-b", "main")
    git(outside, "add", "-A")
    git(outside, "commit", "-q", "-m", "A commit")
    repository = _repository(top / "repository", outside, git)
    arguments = []
    for number, case in enumerate(CASES):
        folder = repository / str(number)
        _make(folder, case, outside)
        arguments.append(["check", str(folder / case.target), "--repo", str(repository), "--format", "text"])
    (top / "arguments.json").write_text(json.dumps(arguments))
    subprocess.run([sys.executable, "-c", RUNNER, top / "arguments.json", top / "outcomes.json"], check=True, cwd=top)
    read: dict[str, Any] = json.loads((top / "outcomes.json").read_text())
    by_name = {case.name: outcome for case, outcome in zip(CASES, read["outcomes"], strict=True)}
    return {"outcomes": by_name, "opened": set(read["opened"]), "outside": outside}


def _repository(repository: Path, outside: Path, git: Callable[..., str]) -> Path:
    (repository / "src").mkdir(parents=True)
    (repository / "links").mkdir()
    (repository / "src/cart.py").write_text(CART)
    for name, to in {
        "out.py": "../../outside/secret.py",
        "absolute.py": str(outside / "secret.py"),
        "folder": "../../outside",
        "loop.py": "loop.py",
    }.items():
        (repository / "links" / name).symlink_to(to)
    git(repository, "init", "-q", "-b", "main")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "A commit")
    git(repository, "init", "-q", "inner")
    return repository


def _make(folder: Path, case: Case, outside: Path) -> None:
    folder.mkdir()
    for path, text in case.files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.replace("{outside}", str(outside)).encode() if isinstance(text, str) else text)
    for path, to in case.links.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).symlink_to(to.replace("{outside}", str(outside)))
    if case.name == "a named pipe":
        (folder / "docs").mkdir()
        os.mkfifo(folder / case.target)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_hostile_input_gets_a_clear_answer(case: Case, table: dict[str, Any]) -> None:
    outcome = table["outcomes"][case.name]
    assert outcome["code"] == case.code, outcome["said"][-2000:]
    assert case.says in outcome["said"], outcome["said"][-2000:]
    assert case.not_says not in outcome["said"]
    assert outcome["peak"] < MAX_MEMORY_KB


def test_nothing_outside_the_repository_was_opened(table: dict[str, Any]) -> None:
    outside = os.path.realpath(table["outside"])
    assert not [path for path in table["opened"] if path.startswith(outside)]
    assert "/dev/zero" not in table["opened"]


def test_the_guard_would_have_seen_an_opened_file(tmp_path: Path, table: dict[str, Any]) -> None:
    """Files inside were opened and Git ran there, so the hook works and its silence means something."""
    assert any(path.endswith("docs/page.md") for path in table["opened"])
    assert os.path.realpath(table["outside"].parent / "repository") in table["opened"]


def test_there_are_well_over_forty_of_them() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 40
