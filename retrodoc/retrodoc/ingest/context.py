"""What people wrote about the code: commit subjects, documents and test names, each with its origin, for drafting.

It is collected once and within bounds, and asked by paths: what is about the files that a feature reaches. It is
data from the repository; a prompt fences it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from retrodoc.ingest.classify import is_test
from retrodoc.ingest.names import extension, is_secret
from retrodoc.ingest.testnames import test_names
from retrodoc.publish.marks import GENERATED_MARK
from retrodoc_runs.errors import RepositoryReadError
from retrodoc_runs.history import Commit, recent_commits
from retrodoc_runs.lines import decode, split_lines
from retrodoc_runs.snapshot import Snapshot

MAX_COMMITS = 500
MAX_COMMIT_FILES = 25
"""A commit that changes more files is an import, a release or a reformatting: it is about none of them."""
MAX_DOCUMENTS = 150
MAX_TEST_FILES = 600
MAX_FILE_BYTES = 200_000
MAX_PASSAGES = 1_500
MAX_TESTS = 6_000
MAX_TEXT = 200
"""Characters of one note; a sentence or two."""
GIVEN = 12
"""Notes of each kind for one question."""

_DOCUMENT_EXTENSIONS = frozenset({"md", "markdown", "mdx", "rst", "adoc", "asciidoc", "rdoc", "textile"})
_NO_DOCUMENT = re.compile(
    r"""
      (^|/)(change(log|s)|history|news|release[-_ ]?notes?|upgrad(e|ing)|licen[cs]e|copying|authors|contributors
           |contributing|code[-_]of[-_]conduct|security|maintainers|codeowners|thanks|notice|todo)[^/]*$
    | (^|/)(\.github|\.gitlab|node_modules|bower_components|vendor|third_party|site-packages|adr|changelog\.d)/
    """,
    re.IGNORECASE | re.VERBOSE,
)
_EMPTY_SUBJECT = re.compile(
    r"""
    ^( wip | typos? | (re)?format(ting)? | black | lint | clean[ ]?up | minor | updates? | misc
     | fix(es|ed)?([ ]((a|the)[ ])?(typos?|tests?|lint(ing|er)?|build|ci|style|format(ting)?|whitespace|flake8|imports?
                                   |(mypy|ruff|pyright|pylint|rubocop|eslint|clippy)([ ]\w+)?))?
     | (merge|revert|bump|release|version)\b.* | v?\d[\w.\-]* | \[?pre-commit.* | .*\bdependabot\b.* | .*changelog.*
     | update[ ](dependencies|requirements|translations).* | .*\b(ruff|pre-commit|linter?)[ ](hooks?|config)\b.*
     )[.!]?$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PREFIX = re.compile(
    r"^(\[[^\]]{1,20}\]|(feat|fix|chore|docs|refactor|test|perf|build|ci|style)(\([^)]*\))?!?:)\s*", re.IGNORECASE
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+")
_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*$|^(=+)\s+(\S.*)$")
_UNDERLINE = re.compile(r"^([=\-~^\"'`#*+])\1{2,}\s*$")
_NOT_PROSE = re.compile(r"^\s*(```|[|>!<:~\-*+=#]|\d+[.)]\s|\[!?\[|\.\.\s|@|\{|\$|import |export )")
_MARKUP = re.compile(
    r"!\[[^\]]*\]\([^)]*\)|\[([^\]]*)\]\([^)]*\)|<[^>]+>|[*`]{1,3}|(?<!\w)_{1,2}(?=\w)|(?<=\w)_{1,2}(?!\w)"
)
_STOP_WORDS = frozenset(
    "the and for with that this from are was not can has have will its you your all any when then than into only also "
    "but use test tests spec should does doc docs index main init src lib app apps core base util utils common helper "
    "helpers".split()
)
TELLING = math.log(5)
"""A word that is in more than a fifth of all paths (the software's own name, for one) tells no file from another."""


@dataclass(frozen=True, slots=True)
class Note:
    """A text and where it stands: `README.md:12`, a commit's short id, `tests/test_cart.py:30`."""

    text: str
    origin: str
    words: frozenset[str]
    """Lower-case words of the text and of its place."""

    def __str__(self) -> str:
        return f"{self.text} ({self.origin})"


@dataclass(frozen=True)
class Context:
    """Notes of three kinds, and which of them are about some files."""

    commits: tuple[Commit, ...] = ()
    """Newest first."""
    documents: tuple[Note, ...] = ()
    """In order of path and line, the README first."""
    tests: tuple[Note, ...] = ()
    document_heads: tuple[str, ...] = ()
    """The start of each document: its title and first paragraph."""
    rarity: dict[str, float] = field(default_factory=dict, repr=False)
    """Of the words in paths: a word that most paths hold says nothing of any."""

    def commits_about(self, paths: Sequence[str], limit: int = GIVEN) -> tuple[str, ...]:
        """Subjects of the commits that changed these files: those that changed more of them, and little else, first."""
        wanted = set(paths)
        scored = []
        for age, commit in enumerate(self.commits):
            shared = len(wanted.intersection(commit.paths))
            if shared:
                scored.append((-shared / math.sqrt(len(commit.paths)), age, f"{commit.subject} ({commit.short_id})"))
        return tuple(text for _, _, text in sorted(scored)[:limit])

    def tests_about(self, paths: Sequence[str], limit: int = GIVEN) -> tuple[str, ...]:
        """Names of the tests whose words, or whose file's, are those of these files."""
        return self._about(self.tests, paths, limit)

    def documents_about(self, paths: Sequence[str], limit: int = GIVEN // 2) -> tuple[str, ...]:
        """Passages of documents that share words with the names of these files."""
        return self._about(self.documents, paths, limit)

    def _about(self, notes: Iterable[Note], paths: Sequence[str], limit: int) -> tuple[str, ...]:
        words = Counter(word for path in paths for word in _path_words(path))
        weights = {
            word: self.rarity[word] * math.log1p(count)
            for word, count in words.items()
            if self.rarity.get(word, 0) >= TELLING
        }
        scored = []
        for position, note in enumerate(notes):
            score = sum(weights[word] for word in note.words & weights.keys())
            if score > 0:
                scored.append((-round(score, 6), position, str(note)))
        return tuple(text for _, _, text in sorted(scored)[:limit])


def read_context(snapshot: Snapshot) -> Context:
    """Collect what is there, within bounds; an empty context in a repository without any of it."""
    documents = _read_documents(snapshot)
    return Context(
        commits=_read_commits(snapshot),
        documents=tuple(note for each in documents for note in each.notes)[:MAX_PASSAGES],
        tests=_read_tests(snapshot),
        document_heads=tuple(head for each in documents if (head := each.head)),
        rarity=_rarity(snapshot.paths),
    )


def _read_commits(snapshot: Snapshot) -> tuple[Commit, ...]:
    head = snapshot.commit or snapshot.head
    if snapshot.git is None or head is None:
        return ()
    try:
        commits = recent_commits(snapshot.git, head, MAX_COMMITS)
    except RepositoryReadError:
        return ()  # a partial clone may lack the trees of older commits; drafting goes on without them
    kept = (
        Commit(commit.short_id, subject, commit.paths)
        for commit in commits
        if 0 < len(commit.paths) <= MAX_COMMIT_FILES and (subject := _subject(commit.subject))
    )
    return tuple(kept)


def _subject(text: str) -> str:
    """The subject on one line; empty when it says nothing of the software."""
    plain = _one_line(text)
    return "" if _EMPTY_SUBJECT.match(plain) or _EMPTY_SUBJECT.match(_PREFIX.sub("", plain)) else plain


@dataclass(frozen=True)
class _Document:
    path: str
    notes: tuple[Note, ...]

    @cached_property
    def head(self) -> str:
        return str(self.notes[0]) if self.notes else ""


def _read_documents(snapshot: Snapshot) -> list[_Document]:
    paths = [path for path in snapshot.paths if _is_document(path)]
    paths.sort(key=lambda path: (path.count("/"), not path.lower().startswith("readme"), path))
    found = []
    for path, data in snapshot.read_many(paths[:MAX_DOCUMENTS], MAX_FILE_BYTES):
        if b"\0" in data or GENERATED_MARK.encode() in data[:1000]:
            continue
        notes = tuple(
            _note(
                f"{heading}: {text}" if heading and text else heading or text,
                f"{path}:{line}",
                f"{heading} {text} {path}",
            )
            for heading, text, line in passages(decode(data))
        )
        found.append(_Document(path, notes))
    return found


def _is_document(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    if _NO_DOCUMENT.search(path) or is_test(path) or is_secret(path) or path.startswith(".retrodoc/"):
        return False
    return extension(path) in _DOCUMENT_EXTENSIONS or name in ("readme", "readme.txt")


def passages(text: str) -> list[tuple[str, str, int]]:
    """(heading, the paragraph that follows it, line of the heading) of a Markdown, RST or AsciiDoc text.

    A paragraph before the first heading has an empty one. Code, tables and lists are passed over.
    """
    found: list[tuple[str, str, int]] = []
    heading, paragraph, line_of, fenced = "", "", 1, False
    lines = [line.decode() for line in split_lines(text.encode("utf-8", "replace"))]
    for number, line in enumerate([*lines, "# "], start=1):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            continue
        title = None if fenced and number <= len(lines) else _title(lines, number - 1)
        if title is not None or number > len(lines):
            if heading or paragraph:
                found.append((_plain(heading), _plain(paragraph), line_of))
            heading, paragraph, line_of = title or "", "", number
        elif not fenced and not paragraph.endswith("\n"):
            paragraph = _grown(paragraph, line)
    return [each for each in found if each[0] or each[1]]


def _grown(paragraph: str, line: str) -> str:
    """The paragraph with one more line; a line feed at its end says that it is over."""
    if not line.strip():
        return paragraph + "\n" if paragraph else ""
    if _UNDERLINE.match(line) or line.startswith((" ", "\t")) or _NOT_PROSE.match(line):
        return paragraph + "\n" if paragraph else ""
    return f"{paragraph} {line.strip()}".strip()


def _title(lines: list[str], at: int) -> str | None:
    if at >= len(lines):
        return None
    found = _HEADING.match(lines[at])
    if found:
        return found.group(2) or found.group(4)
    following = lines[at + 1] if at + 1 < len(lines) else ""
    text = lines[at].strip()
    alone = at == 0 or not lines[at - 1].strip() or bool(_UNDERLINE.match(lines[at - 1]))
    if (
        text
        and alone
        and _UNDERLINE.match(following)
        and not _UNDERLINE.match(text)
        and len(following) >= len(text) // 2
    ):
        return text
    return None


def _read_tests(snapshot: Snapshot) -> tuple[Note, ...]:
    paths = [path for path in snapshot.paths if is_test(path)]
    notes: list[Note] = []
    for path, data in snapshot.read_many(paths[:MAX_TEST_FILES], MAX_FILE_BYTES):
        for name, line in test_names(data, path):
            notes.append(_note(name, f"{path}:{line}", f"{name} {path}"))
        if len(notes) >= MAX_TESTS:
            break
    return tuple(notes[:MAX_TESTS])


def _note(text: str, origin: str, about: str) -> Note:
    return Note(_one_line(text), _one_line(origin), frozenset(_words(about)))


def _plain(text: str) -> str:
    return " ".join(_MARKUP.sub(lambda found: found.group(1) or "", text).split())


def _one_line(text: str) -> str:
    """Printable, on one line, cut at a word within MAX_TEXT."""
    line = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return line if len(line) <= MAX_TEXT else f"{line[:MAX_TEXT].rsplit(' ', 1)[0]} …"


def _words(text: str) -> set[str]:
    """Lower-case words of three letters or more, plurals cut, `camelCase` and `snake_case` split."""
    found = {match.group().lower() for match in _WORD.finditer(text)}
    return {_singular(word) for word in found if len(word) > 2} - _STOP_WORDS


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def _path_words(path: str) -> set[str]:
    stem = path.rpartition(".")[0] or path
    return _words(stem)


def _rarity(paths: Sequence[str]) -> dict[str, float]:
    counts = Counter(word for path in paths for word in _path_words(path))
    total = max(len(paths), 1)
    return {word: math.log((total + 1) / count) for word, count in counts.items()}
