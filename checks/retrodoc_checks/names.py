"""What a step's text promises: strong names, text forms, numbers and entities; and what it denies.

Pure text in, frozen data out. Nothing here looks at a file. Every pattern runs in a time linear in the text, since
the text may be two megabytes of anything.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from unicodedata import normalize

from retrodoc_checks.lexicon import (
    CONDITIONS,
    FILE_ENDINGS,
    FUNCTION_WORDS,
    HOST_ENDINGS,
    HTTP_VERBS,
    LATE_NEGATORS,
    NEGATORS,
    NOT_DENIALS,
    NUMBER_WORDS,
    PRODUCTS,
    Language,
    language_of,
)


class Kind(StrEnum):
    NAME = "name"
    TEXT = "text"
    ROUTE = "route"
    NUMBER = "number"
    ENTITY = "entity"


@dataclass(frozen=True, slots=True)
class Promise:
    """Something the step says is at the cited lines."""

    kind: Kind
    written: str
    """As the step writes it, without backticks or quotes; an entity by its glossary name."""
    parts: tuple[str, ...]
    """A name: its qualifiers and the name last. A text: itself. A route: its verb or "", then its path.
    A number: its value in digits. An entity: the forms that its code may take."""
    call: bool = False
    clause: int = 0
    """Index in `Reading.clauses`."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of the text that says one thing: `start` to `end`, in characters."""

    start: int
    end: int
    denied: bool = False
    conditional: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """All that a step's text says, as far as a program reads it."""

    text: str
    """NFKC, with backticked and quoted parts blanked by NUL characters: the prose."""
    language: Language
    promises: tuple[Promise, ...]
    """In the order of the text, each once; those that stand in a denied clause are left out."""
    denied: tuple[Promise, ...]
    """Promises that stand in a denied clause: their absence shows nothing, and neither does their presence."""
    weak: tuple[str, ...]
    """Bare CamelCase names that the glossary does not know: they help, and decide nothing."""
    clauses: tuple[Clause, ...]
    quoted: tuple[tuple[int, str], ...] = ()
    """Where each backticked or quoted part starts, and what it holds."""


_CODE = re.compile(r"``([^`\n]{1,400})``|`([^`\n]{1,400})`")
_QUOTE = re.compile(
    r'"([^"\n]{0,200})"|“([^”\n]{1,200})”|«\s?([^»\n]{1,200}?)\s?»|(?<![\w\x00])[\'‘]([^\'‘’\n]{1,200})[\'’](?!\w)'
)
_IDENT = r"[^\W\d][\w$]*"
_SEPARATOR = r"(?:\.|::|#|->)"
_QUALIFIED = re.compile(rf"\$?{_IDENT}(?:{_SEPARATOR}[$@]?{_IDENT})*[?!=]?")
_SPLIT = re.compile(_SEPARATOR)
_PARENTHESES = re.compile(r"\([^()]*\)")
_FLAG = re.compile(r"--?[A-Za-z][\w-]*")
_SCREAMING = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_ROUTE = re.compile(r"(?:([A-Za-z]{3,7})\s+)?(/[^\s\x00`,;]*)")
_LEADING = re.compile(r"\A(?:self|this|cls)(?:\.|->|::)")
_LITERALS = frozenset("True False None null nil undefined true false NULL nullptr".split())

_PROSE = re.compile(
    rf"(?P<flag>(?<![\w-])--[A-Za-z][\w-]*)"
    rf"|(?P<route>(?<![\w/.:\x00)])(?:(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)[ ])?"
    rf"/(?:[A-Za-z0-9_]|[<:{{][A-Za-z_])[\w/<>:{{}}.*-]*)"
    rf"|(?P<file>(?<![\w/.-])[\w.-]+(?:/[\w.-]+)+\.[A-Za-z]\w{{0,8}}\b)"
    rf"|(?P<name>(?<![\w.@/-]){_IDENT}(?:{_SEPARATOR}{_IDENT})*)(?P<call>\()?"
)
_PLURAL_MARK = re.compile(r"\((?:s|e|es|x|ne|le|te|trice|rice|euse)\)")
_CAMEL = re.compile(r"[A-Za-z0-9]*[a-z0-9][A-Z][A-Za-z0-9]*|[A-Z]{2,}[a-z][A-Za-z0-9]*")
_PLURAL_CAPITALS = re.compile(r"[A-Z]+(?:s|es)?|[A-Z]\d+|[A-Z]{2,}[a-z]{1,2}")
_DIGITS = re.compile(
    r"(?<![\w.,/:#+$€£-])(?<!\d\s)\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?![\w])"
    r"|(?<![\w./:#+-])\d+(?:[_,.]\d+)*(?![\w]|[-/:]\w|\.\w)"
)
WORD = re.compile(r"(?<!\w)[^\W\d_]+(?:['’][^\W\d_]+)?(?!\w)")
"""A word of the prose: letters alone, so that no part of an identifier is one."""
_BREAK = re.compile(
    r"[.!?…](?=\s|$)|[;:](?=\s|$)|,(?=\s|$)|[()\n]"
    r"|\b(?:and|but|then|while|whereas|because|so that|otherwise|et|mais|puis|donc|car|sinon|tandis)\b",
    re.IGNORECASE,
)
_CLAUSE_ENDS = frozenset(".!?…;:,()\n")


def read_step(text: str, entities: Collection[str] = ()) -> Reading:
    """Read a step's text: action and description together, against the names of the run's glossary."""
    text = normalize("NFKC", text)
    spans: list[tuple[int, str, bool]] = []
    prose = _blank(_CODE, text, spans, code=True)
    prose = _blank(_QUOTE, prose, spans, code=False)
    spans.sort()
    language = language_of(prose)
    clauses = _clauses(prose)
    found: list[tuple[int, Promise]] = []
    for start, content, code in spans:
        found.extend((start, promise) for promise in (_of_code(content) if code else _of_quote(content)))
    weak: list[str] = []
    taken = _of_prose(prose, found, weak)
    _numbers(prose, language, taken, found)
    if entities:
        named = _entities(prose, glossary_of(entities), taken, found)
        weak = [name for name in weak if name not in named]
    found.sort(key=lambda pair: pair[0])
    return _reading(prose, language, found, tuple(dict.fromkeys(weak)), clauses, spans)


def _blank(pattern: re.Pattern[str], text: str, spans: list[tuple[int, str, bool]], *, code: bool) -> str:
    """The text with what the pattern holds replaced by NUL characters of the same length."""
    pieces: list[str] = []
    done = 0
    for match in pattern.finditer(text):
        content = next(group for group in match.groups() if group is not None)
        if "\0" in content:
            continue
        pieces.append(text[done : match.start()])
        pieces.append("\0" * (match.end() - match.start()))
        done = match.end()
        if content.strip():
            spans.append((match.start(), content.strip(), code))
    return text if not pieces else "".join(pieces) + text[done:]


def _reading(
    prose: str,
    language: Language,
    found: list[tuple[int, Promise]],
    weak: tuple[str, ...],
    clauses: tuple[Clause, ...],
    spans: list[tuple[int, str, bool]],
) -> Reading:
    promises: dict[tuple[Kind, tuple[str, ...], bool], Promise] = {}
    denied: dict[tuple[Kind, tuple[str, ...], bool], Promise] = {}
    index = 0
    for start, promise in found:
        while clauses[index].end <= start:  # the last one ends with the text
            index += 1
        placed = Promise(promise.kind, promise.written, promise.parts, promise.call, index)
        home = denied if clauses[index].denied else promises
        home.setdefault((promise.kind, promise.parts, promise.call), placed)
    return Reading(
        prose,
        language,
        tuple(promises.values()),
        tuple(promise for key, promise in denied.items() if key not in promises),
        weak,
        clauses,
        tuple((start, content) for start, content, _ in spans),
    )


def _of_code(content: str) -> Iterator[Promise]:
    """What a backticked part promises: a name when it is one, else its text."""
    route = _route(content)
    if route is not None:
        yield route
    elif content in _LITERALS or content in HTTP_VERBS or _SCREAMING.fullmatch(content) or _FLAG.fullmatch(content):
        yield Promise(Kind.TEXT, content, (content,))
    else:
        name = _name(content)
        yield name if name is not None else Promise(Kind.TEXT, content, (content,))


def _name(content: str) -> Promise | None:
    bare = content.lstrip("@&*")
    bare = bare[1:] if bare[:1] in ".:#" and bare[1:2] not in ".:#" else bare
    bare = bare.removeprefix("::").removeprefix("new ")
    call = False
    if bare.endswith("("):
        bare, call = bare[:-1], True
    for _ in range(4):
        call = call or bare.endswith(")")
        bare = _PARENTHESES.sub("", bare)
    bare = bare.strip()
    match = _QUALIFIED.fullmatch(bare)
    if match is None or bare.endswith("=") or _is_file(bare, call):
        return None
    return Promise(Kind.NAME, content.lstrip("@"), name_parts(bare), call)


def name_parts(name: str) -> tuple[str, ...]:
    """`self.basket.lines` -> (`basket`, `lines`): qualifiers and name, a leading `self` or `this` dropped."""
    parts = tuple(part.lstrip("@") for part in _SPLIT.split(_LEADING.sub("", name)))
    return parts if all(parts) else (name,)


def _is_file(name: str, call: bool) -> bool:
    if call or "::" in name or "#" in name or "->" in name or "." not in name:
        return False
    stem, _, ending = name.rpartition(".")
    return ending in FILE_ENDINGS and "." not in stem and ending not in ("h", "c", "po", "key", "log", "sh", "ex", "pp")


def _route(content: str) -> Promise | None:
    match = _ROUTE.fullmatch(content)
    if match is None or not content.strip("/"):
        return None
    verb, path = match.groups()
    if verb is not None and verb.upper() not in HTTP_VERBS:
        return None
    return Promise(Kind.ROUTE, content, ((verb or "").upper(), path))


def _of_quote(content: str) -> Iterator[Promise]:
    literal = content.strip().rstrip(".,;:…").strip()
    if any(letter.isalnum() for letter in literal):
        yield Promise(Kind.TEXT, literal, (literal,))


def _of_prose(prose: str, found: list[tuple[int, Promise]], weak: list[str]) -> list[tuple[int, int]]:
    """Names and text forms that stand bare in the text; returns the places that they take."""
    taken: list[tuple[int, int]] = []
    for match in _PROSE.finditer(prose):
        promise = _bare(match, prose, weak)
        if promise is not None:
            found.append((match.start(), promise))
            taken.append(match.span())
    return taken


def _bare(match: re.Match[str], prose: str, weak: list[str]) -> Promise | None:
    written = match.group()
    if match.lastgroup == "flag":
        return Promise(Kind.TEXT, written, (written,))
    if match.lastgroup == "route":
        return _route(written.rstrip(".:"))
    if match.lastgroup == "file":
        ending = written.rpartition(".")[2]
        return Promise(Kind.TEXT, written, (written,)) if ending.lower() in FILE_ENDINGS else None
    return _bare_name(match, prose, weak)


def _bare_name(match: re.Match[str], prose: str, weak: list[str]) -> Promise | None:
    name = match.group("name")
    if match.group("call") and not _PLURAL_MARK.match(prose, match.end() - 1):
        return Promise(Kind.NAME, _called(prose, match), name_parts(name), call=True)
    if _SPLIT.search(name):
        return _bare_qualified(name)
    if "_" in name.strip("_") and not name.isdigit():
        if _SCREAMING.fullmatch(name):
            return Promise(Kind.TEXT, name, (name,))
        return Promise(Kind.NAME, name, name_parts(name))
    if _CAMEL.fullmatch(name) and not _PLURAL_CAPITALS.fullmatch(name) and name not in PRODUCTS:
        weak.append(name)
    return None


def _called(prose: str, match: re.Match[str]) -> str:
    """`checkBadge(badge)` as it stands in the text, to its closing parenthesis when that is near."""
    name = match.group("name")
    inside, closed, _ = prose[match.end() : match.end() + 80].partition(")")
    return f"{name}({inside})" if closed and "\n" not in inside else f"{name}("


def _bare_qualified(name: str) -> Promise | None:
    """`a.b`, unless it is an abbreviation, a host, a product or a file name: those are prose."""
    dotted = "::" not in name and "#" not in name and "->" not in name
    parts = _SPLIT.split(name)
    if dotted:
        if min(map(len, parts)) < 2:  # `e.g`
            return None
        if parts[-1].lower() in HOST_ENDINGS or (parts[-1] in ("js", "NET", "io", "ai") and parts[0][0].isupper()):
            return None
        if _is_file(name, call=False):
            return Promise(Kind.TEXT, name, (name,))
    return Promise(Kind.NAME, name, name_parts(name))


def _numbers(prose: str, language: Language, taken: list[tuple[int, int]], found: list[tuple[int, Promise]]) -> None:
    inside = _Inside(taken)
    for match in _DIGITS.finditer(prose):
        if not inside(match.start()):
            found.append((match.start(), Promise(Kind.NUMBER, match.group(), (number_value(match.group()),))))
    words = NUMBER_WORDS[language]
    if words.keys().isdisjoint(word.lower() for word in WORD.findall(prose)):
        return
    skipped = FUNCTION_WORDS[language]
    previous: re.Match[str] | None = None
    for match in WORD.finditer(prose):
        if previous is not None:
            value = words[previous.group().lower()]
            word = match.group().lower()
            beside = prose[previous.end() : match.start()] == " " and word not in skipped
            if beside and (previous.group().lower() != "neuf" or word[-1] in "sx") and word not in words:
                found.append((previous.start(), Promise(Kind.NUMBER, previous.group(), (str(value),))))
        isolated = match.start() == 0 or prose[match.start() - 1] not in "-–_/.\0"
        previous = match if isolated and match.group().lower() in words else None


def number_value(digits: str) -> str:
    """`1,000`, `1_000` and `1000` are one number; `3,5` and `3.50` are `3.5`. Nothing else is computed."""
    plain = digits.replace("_", "").replace(" ", "").replace("\u00a0", "").replace("\u202f", "")
    whole, comma, rest = plain.partition(",")
    if comma:
        grouped = all(len(group.partition(".")[0]) == 3 for group in rest.split(","))
        plain = whole + rest.replace(",", "") if grouped and len(whole) <= 3 else f"{whole}.{rest}"
    if plain.count(".") == 1:
        plain = plain.rstrip("0").rstrip(".")
    return plain.lstrip("0") or "0" if "." not in plain else plain


class _Inside:
    """Is a position inside one of these sorted spans? Asked in ascending order."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self._spans = spans
        self._next = 0

    def __call__(self, position: int) -> bool:
        while self._next < len(self._spans) and self._spans[self._next][1] <= position:
            self._next += 1
        return self._next < len(self._spans) and self._spans[self._next][0] <= position


@dataclass(frozen=True, slots=True)
class Glossary:
    """The forms that a text may use for the entities of a run, in lower case."""

    entities: dict[tuple[str, ...], str]
    """Words of a form -> the entity's name."""
    lengths: dict[str, tuple[int, ...]]
    """First word of a form -> how many words such forms have, the longest first."""


def glossary_of(entities: Collection[str]) -> Glossary:
    """The forms that a text may use for each entity: its name, its plural, both spelled out."""
    return _glossary(entities if isinstance(entities, (tuple, frozenset)) else tuple(entities))


@lru_cache(maxsize=8)
def _glossary(entities: tuple[str, ...] | frozenset[str]) -> Glossary:
    forms: dict[tuple[str, ...], str] = {}
    lengths: dict[str, set[int]] = {}
    for entity in sorted(entities):
        words = split_words(entity)
        if not words:
            continue
        for form in [(*words[:-1], last) for last in plurals(words[-1])] + [(one,) for one in plurals("".join(words))]:
            forms.setdefault(form, entity)
            lengths.setdefault(form[0], set()).add(len(form))
    return Glossary(forms, {word: tuple(sorted(found, reverse=True)) for word, found in lengths.items()})


def plurals(word: str) -> tuple[str, ...]:
    """A word and its English or French plurals: `box` -> `box`, `boxs`, `boxes`, `boxx`."""
    more = (word[:-1] + "ies",) if word.endswith("y") else ()
    return (word, word + "s", word + "es", word + "x", *more)


HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|[A-Z]|\d+")


def split_words(name: str) -> tuple[str, ...]:
    """Sub-words of an identifier in lower case: `HTTPServer`, `http_server` -> `http`, `server`."""
    return tuple(word.lower() for word in HUMP.findall(name))


def entity_forms(entity: str) -> tuple[str, ...]:
    """The names that code may give an entity: its own, and that of a variable that holds one; each in the plural too.

    `ShoppingBasket` -> `ShoppingBasket`, `shopping_basket`, `shoppingBasket` and their plurals (ADR 0011).
    """
    words = split_words(entity)
    if not words:
        return (entity,)
    capitals = [word.capitalize() for word in words]
    name = entity if re.fullmatch(r"\w+", entity) else "".join(capitals)
    forms = (name, "_".join(words), words[0] + "".join(capitals[1:]))
    return tuple(dict.fromkeys(plural for form in forms for plural in plurals(form)))


def _entities(
    prose: str, glossary: Glossary, taken: list[tuple[int, int]], found: list[tuple[int, Promise]]
) -> set[str]:
    """Adds the entities that the text names; returns the bare words that were such names."""
    named: set[str] = set()
    inside = _Inside(taken)
    words = [(match.start(), match.group()) for match in re.finditer(r"\w+", prose)]
    lower = [word.lower() for _, word in words]
    index = 0
    while index < len(words):
        start, word = words[index]
        step = 1
        for length in glossary.lengths.get(lower[index], ()):
            entity = glossary.entities.get(tuple(lower[index : index + length]))
            if entity is not None and not inside(start):
                found.append((start, Promise(Kind.ENTITY, entity, entity_forms(entity))))
                named.add(word)
                step = length
                break
        index += step
    return named


def _clauses(prose: str) -> tuple[Clause, ...]:
    """Cut the prose where it starts to say another thing, and mark what is denied and what is a condition."""
    cuts = [0]
    for match in _BREAK.finditer(prose):
        cut = match.start() if match.group()[0].isalpha() else match.end()
        if prose[cuts[-1] : cut].strip():
            cuts.append(cut)
    cuts.append(len(prose))
    clauses: list[Clause] = []
    for start, end in pairwise(cuts):
        clauses.extend(_clause(prose, start, end))
    return tuple(_joined_conditions(prose, clauses))


def _clause(prose: str, start: int, end: int) -> Iterator[Clause]:
    """One clause, or two when a condition or a "without" starts within it."""
    text = prose[start:end]
    condition = CONDITIONS.search(text)
    if condition is not None and text[: condition.start()].strip():
        yield from _clause(prose, start, start + condition.start())
        yield Clause(start + condition.start(), end, conditional=True)
        return
    if condition is not None:
        yield Clause(start, end, conditional=True)
        return
    negators = _negators(text)
    late = next((at for at, word in negators if word in LATE_NEGATORS), None)
    if late is not None and all(at >= late for at, _ in negators) and text[:late].strip():
        yield Clause(start, start + late)
        yield Clause(start + late, end, denied=True)
        return
    yield Clause(start, end, denied=bool(negators))


def _negators(text: str) -> list[tuple[int, str]]:
    found = [(match.start(), match.group().lower()) for match in NEGATORS.finditer(text)]
    if not found:
        return found
    harmless = _Inside([match.span() for match in NOT_DENIALS.finditer(text)])
    return [(at, word) for at, word in found if not harmless(at)]


def _joined_conditions(prose: str, clauses: list[Clause]) -> Iterator[Clause]:
    """A condition goes on over "and" and "or": up to a comma or the end of the sentence."""
    open_condition = False
    for clause in clauses:
        if clause.conditional:
            open_condition = True
        elif open_condition:
            open_condition = prose[clause.start - 1 : clause.start] not in _CLAUSE_ENDS
        yield Clause(clause.start, clause.end, conditional=True) if open_condition else clause
