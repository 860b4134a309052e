"""What is a citation: `path:10-20`, `path#L10-L20`, lists of lines, bare `:10-20`, and what only looks like one.

Text in, data out: nothing is looked up. The lines are read as written, also where they are false; a citation is
never read in part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_DIGITS = 9
"""Of a line number: a file of 10**9 lines is over what any forge shows, and the judge calls 999999999 false."""
MAX_PATH = 4096
"""Characters of a path: PATH_MAX of Linux."""

EXTENSIONS = frozenset(
    """
    ada adb ads as asm astro awk bas bash bat bazel bicep bzl c cbl cc cfg cfm cjs clj cljc cljs cls cmake cmd cob conf
    cpp cppm cr cs csh cshtml csproj css csv cu cuh cts cxx d dart dockerfile dpr dts edn ejs el elm env erb erl ex exs
    f f03 f08 f77 f90 f95 fish for frm fs fsi fsproj fsx ftl fxml gd gemspec glsl go gql gradle graphql graphqls groovy
    gyp h haml hbs hcl heex hh hlsl hpp hrl hs htm html http hxx idl ini inl ino ipynb iss j2 java jbuilder jinja jinja2
    jl js json json5 jsonc jsonl jsp jspx jsx kt kts lean leex less lhs liquid lisp lock lsp lua m m4 mak make md mdx
    metal mjs mk ml mli mm mod mts mustache nim nix nut odin pas patch php phtml pkb pks pl pl1 plist plsql pm po pp
    prisma pro
    prolog properties proto ps1 psd1 psm1 pug purs pxd py pyi pyx qml r rake razor rb re rego res resx rmd robot rs rst
    rtf ru s sass sbt scala scm scss sh sln slim sol sparql sql ss st styl sum sv svelte svg svh swift t tcl templ test
    tex tf tfvars thrift tmpl toml tpl ts tsv tsx twig txt v vala vb vbproj vbs vcxproj vert vhd vhdl vm vue wast wat
    wgsl wsdl wsgi xaml xhtml xib xml xsd xsl xslt yaml yang yml zig zsh
    """.split()
)
"""Of text files that a repository holds: with one of these a name without a slash is a file."""
DOCUMENTS = frozenset("md mdx markdown rst txt adoc html htm svg png jpg jpeg gif webp pdf csv".split())
"""What a page links to for further reading rather than as evidence."""
FILE_NAMES = frozenset(
    "Dockerfile Containerfile Makefile GNUmakefile Rakefile Gemfile Procfile Vagrantfile Jenkinsfile Brewfile Justfile "
    "justfile Podfile Fastfile Guardfile Capfile BUILD WORKSPACE Tiltfile Earthfile Caddyfile LICENSE README".split()
)
PRODUCTS = frozenset("node.js next.js vue.js nuxt.js three.js d3.js express.js ember.js backbone.js react.js".split())

_DASH = "[-\u2010\u2011\u2012\u2013\u2212]"
_NUMBER = f"L?([0-9]{{1,{MAX_DIGITS}}})"
_COLUMN = f"(?:[C:][0-9]{{1,{MAX_DIGITS}}})?"
_RANGE = re.compile(f"{_NUMBER}{_COLUMN}(?:{_DASH}{_NUMBER}{_COLUMN})?")
_COLUMN_RANGE = re.compile(f"[0-9]+:[0-9]+{_DASH}[0-9]+\\Z")  # columns of one line, or an end line: not to be guessed
_HASH_LINES = re.compile(
    f"(?:lines-([0-9]{{1,{MAX_DIGITS}}})(?:[-:]([0-9]{{1,{MAX_DIGITS}}}))?"
    f"|[Lln]([0-9]{{1,{MAX_DIGITS}}}){_COLUMN}(?:[-:,]L?([0-9]{{1,{MAX_DIGITS}}}){_COLUMN})?)"
)
_HASH_ALIKE = re.compile(r"L[0-9]+(?:[-:,C].*)?\Z|lines-[0-9].*\Z|L[A-Z]+-L[A-Z]+\Z", re.DOTALL)

Lines = tuple[int, int]


def parse_lines(text: str) -> list[Lines] | None:
    """`10`, `10-20`, `3,9,14-15`, `L10-L20`, with columns dropped; None when any part is something else."""
    ranges: list[Lines] = []
    for part in text.split(","):
        part = part.strip()
        found = _RANGE.fullmatch(part)
        if not found or _COLUMN_RANGE.match(part):
            return None
        start = int(found[1])
        ranges.append((start, int(found[2]) if found[2] else start))
    return ranges


def parse_anchor(fragment: str) -> Lines | None:
    """The lines of a URL's fragment: `L10`, `L10-L20`, `L10C5-L12C9`, `lines-10:20`, `n10`; None for another."""
    found = _HASH_LINES.fullmatch(fragment)
    if not found:
        return None
    start = found[1] or found[3]
    return int(start), int(found[2] or found[4] or start)


def looks_like_lines(fragment: str) -> bool:
    """Whether a fragment that `parse_anchor` refuses was meant as lines rather than as a heading's name."""
    return _HASH_ALIKE.match(fragment) is not None


def extension(path: str) -> str:
    """In small letters, without its dot; empty for none."""
    name = re.split(r"[/\\]", path)[-1]
    return name.rpartition(".")[2].lower() if "." in name else ""


def names_a_file(path: str) -> bool:
    """Whether a word without its lines can be nothing but a file: a slash, or a known extension."""
    if not path or len(path) > MAX_PATH or "://" in path or path.lower() in PRODUCTS:
        return False
    if extension(path) in EXTENSIONS and not path.startswith(("http:", "https:")):
        return not _starts_with_host(path)
    last = re.split(r"[/\\]", path)[-1]
    return ("/" in path or "\\" in path) and bool(re.search(r"[^\W\d]", last)) and not _starts_with_host(path)


_HOST = re.compile(
    r"(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|(?:[\w-]+\.)+(?:com|org|net|io|dev|app|edu|gov|co|ai|example|local|test))"
    r"(?::\d+)?(?=/)",
    re.IGNORECASE,
)


def _starts_with_host(path: str) -> bool:
    return _HOST.match(path.lstrip("/")) is not None


@dataclass(frozen=True, slots=True)
class Found:
    """Something in a text: a citation when `ranges` is not empty, else text that only looks like one."""

    start: int
    end: int
    """Half-open offsets of all that belongs to it."""
    text: str
    path: str = ""
    """Empty for bare lines, whose file was named before."""
    ranges: tuple[Lines, ...] = ()


_SUFFIX = re.compile(r"(?P<mark>:(?=L?[0-9]|[A-Z]+-[A-Z]+\b)|\#(?=L[0-9]|L[A-Z]+-L))")
_STOP_LEFT = frozenset(" \t\n\r\f\v\xa0\u3000\"'`<>|,;*?!«»“”„‘’‹›（）「」『』【】《》、。，：；！？…=")
_STOP_RIGHT = re.compile(
    r"[\s\xa0\"'`<>|)\]}!?*«»“”„‘’‹›、。；！？]|[…\u2014](?![0-9])|[（）「」『』【】《》\u3040-\u9fff\uac00-\ud7af\uff00-\uffef]|[,;](?!\d)"
)
_CLOSING = {")": "(", "]": "[", "}": "{"}
_MORE_LINES = re.compile(
    rf"(?:,\s(?:[0-9]{{1,9}}{_DASH}[0-9]{{1,9}}))+(?!\w)|(?:,\s[0-9]{{1,9}}(?:{_DASH}[0-9]{{1,9}})?)+(?=\s*(?:[).;\]]|\Z))"
)


def scan(text: str) -> Iterator[Found]:
    """All citations of a text in prose, and what only looks like one, in order. Linear in the text's length."""
    position = 0
    while suffix := _SUFFIX.search(text, position):
        stop = _STOP_RIGHT.search(text, suffix.end())
        end = stop.start() if stop else len(text)
        end = suffix.end() + len(text[suffix.end() : end].rstrip(".,;:"))
        more = _MORE_LINES.match(text, end)
        if more and suffix["mark"] == ":" and parse_lines(text[suffix.end() : more.end()]):
            end = more.end()
        start = _path_start(text, suffix.start(), position)
        found = _word(text, start, suffix, end)
        if found:
            yield found
        position = max(end, suffix.end())


def _path_start(text: str, end: int, floor: int) -> int:
    """Where the path that ends at `end` begins: brackets belong to it only while they are balanced within it."""
    index, open_needed = end, []
    floor = max(floor, end - MAX_PATH)
    while index > floor:
        character = text[index - 1]
        if character in _CLOSING:
            open_needed.append(_CLOSING[character])
        elif character in "([{":
            if not open_needed or open_needed.pop() != character:
                break
        elif character in _STOP_LEFT:
            break
        index -= 1
    if open_needed:  # a closing bracket without its opening one: the path begins after it
        index = max(text.rfind(bracket, index, end) for bracket in ")]}") + 1
    return index


def _word(text: str, start: int, suffix: re.Match[str], end: int) -> Found | None:
    while start < suffix.start() and text[start] in "@~":
        start += 1
    path, after = text[start : suffix.start()], text[suffix.end() : end]
    whole = text[start:end]
    if "://" in path or path.endswith((":", "/")) or "//" in path[:2]:
        return None
    if not path:
        return _bare(text, start, end, after) if suffix["mark"] == ":" else None
    path = _without_script(path)
    start, whole = suffix.start() - len(path), text[suffix.start() - len(path) : end]
    if not names_a_file(path):
        if path in FILE_NAMES and parse_lines(after):
            return Found(start, end, whole)
        return None
    if suffix["mark"] == "#":
        lines = parse_anchor(after)
        ranges = [lines] if lines else None
    else:
        ranges = parse_lines(after)
    if ranges is None and not _meant_as_lines(path, after):
        return None
    return Found(start, end, whole, path if ranges else "", tuple(ranges or ()))


def _meant_as_lines(path: str, after: str) -> bool:
    """`app.py:1O-20` was; `image/name:1.2`, `10/Oct/2000:13:55:36` and `a/b:3rd` were not."""
    return extension(path) in EXTENSIONS or re.match(r"[0-9]+[-,][0-9]*\Z", after) is not None


def _bare(text: str, start: int, end: int, after: str) -> Found | None:
    """`:119-127` in parentheses or alone: lines of the file that was named before. A single number may be a port."""
    ranges = parse_lines(after)
    before = text[start - 1] if start else " "
    if not ranges or not ("-" in after or "–" in after or before == "(") or not (before.isspace() or before == "("):
        return None
    return Found(start, end, text[start:end], "", tuple(ranges))


_SCRIPT = re.compile(r"[\u3040-\u9fff\uac00-\ud7af]+(?=[\x21-\x7e])")


def _without_script(path: str) -> str:
    """Chinese, Japanese and Korean put no space before a path: what precedes its first Latin letter is prose."""
    found = _SCRIPT.match(path)
    return path[found.end() :] if found else path


_FILE = re.compile(
    r"(?<![\w/.\\@:])(?:[\w.@+\-]+[/\\])*[\w.@+\-\[\]]*\.(?P<extension>[A-Za-z][A-Za-z0-9]{0,11})(?![\w/\\])"
)


def files_named(text: str) -> Iterator[tuple[int, int, str]]:
    """Files that a text names without lines: start, end, path."""
    for found in _FILE.finditer(text):
        if found["extension"].lower() in EXTENSIONS and names_a_file(found[0]):
            yield found.start(), found.end(), found[0]


_URL = re.compile(r"https?://[^\s<>\"`|«»“”\\]{1,8192}")


def urls(text: str) -> Iterator[tuple[int, int]]:
    """Web addresses in prose, without the punctuation that ends their sentence."""
    for found in _URL.finditer(text):
        url = found[0].rstrip(".,;:!?'*_")
        while url.endswith((")", "]")) and url.count(url[-1]) > url.count(_CLOSING[url[-1]]):
            url = url[:-1].rstrip(".,;:!?'*_")
        yield found.start(), found.start() + len(url)


_TO = rf"(?:{_DASH}|to|through|until|and|à|a|au|et|jusqu'à)"
_WORD_LINES = rf"(?:lines?|lignes?|L\.|ll?\.)\s*[0-9]+(?:\s*{_TO}\s*(?:la\s+ligne\s+)?[0-9]+)?"
_LINES_AFTER = rf"(?:{_WORD_LINES}|L[0-9]+(?:{_DASH}L?[0-9]+)?)"
_A_FILE = r"[`'\"«“]?\s?[\w./\\\-\[\]@+]{1,400}\.[A-Za-z][A-Za-z0-9]{0,9}\s?[`'\"»”]?"
_PHRASE = re.compile(
    rf"\b{_WORD_LINES}\s*(?:of|in|from|de|du|dans|sur|within)\s+(?:the\s+|le\s+|file\s+|fichier\s+)*"
    rf"(?P<after>{_A_FILE})(?![\w/])"
    rf"|(?<![\w/.])(?P<before>{_A_FILE})\s*[,(:]?\s*(?:at\s+|on\s+|à\s+la\s+)?{_LINES_AFTER}(?!\w)",
    re.IGNORECASE,
)
_HAS_LINES = re.compile(r"\b(?:lines?|lignes?|ll?\.|l)\s*[0-9]", re.IGNORECASE)


def phrases(text: str) -> Iterator[tuple[int, int]]:
    """Citations in words ("lines 10 to 20 of a.py"), which are listed and not read."""
    if not _HAS_LINES.search(text):
        return
    for found in _PHRASE.finditer(text):
        name = (found["after"] or found["before"]).strip("`'\"«»“” ")
        if extension(name) in EXTENSIONS:
            yield found.start(), found.end()
