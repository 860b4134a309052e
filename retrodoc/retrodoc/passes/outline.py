"""Use cases without a model: the calls that a handler makes, in order, two levels deep, each cited where it stands.

The outline claims only what the syntax shows: this definition calls that name at these lines. Its sentences hold
names in backticks and a few verbs, and no other nouns, since a noun may be an entity of the application and would
promise more than was seen. It reads like notes, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from retrodoc.passes.flow import Act, Flow, has_name
from retrodoc.passes.guards import ROUTERS, Guards, route_literal
from retrodoc.passes.symbols import CALLABLE, TYPES, Symbol, SymbolIndex
from retrodoc.passes.words import listed
from retrodoc_chunkers import Call
from retrodoc_runs.models import Actor, EntryPoint, SourceRef, Step

MAX_STEPS = 14
"""Of one use case: what is longer is no outline any more; what was left out is counted."""
MAX_CALLS = 10
"""Of the handler itself."""
MAX_CALLS_OF_A_CALLEE = 4
"""Of the second level, for each definition that is followed."""
MAX_HEAD_LINES = 6
"""Of decorators above a definition, and of its parameters below its name, that are cited with it."""
MAX_CALLS_OF_A_METHOD = 5
"""Of one method, where the handler is a class with several."""

ACTORS = {
    "http": "User",
    "page": "User",
    "cli": "Operator",
    "job": "Scheduler",
    "event": "System",
    "public-api": "Caller",
}
_HUMANS = frozenset({"User", "Operator", "Caller"})
_SYSTEM = Actor(name="System", kind="system")
_VERBS = {
    "calls": ("calls", "invokes"),
    "creates": ("creates", "builds"),
    "raises": ("raises", "throws"),
    "checks": ("checks", "tests"),
    "renders": ("renders", "draws"),
    "returns": ("returns", "gives back"),
    "answers": ("answers", "serves"),
    "branches": ("branches", "decides"),
    "holds": ("holds", "keeps"),
    "routes": ("routes", "registers"),
    "decorates": ("decorates", "marks"),
    "precedes": ("precedes", "goes before"),
}

# For code without a name, such as a function that is handed to a router.
_PASSIVE = {
    "calls": "{} is called{}",
    "creates": "{} is created{}",
    "raises": "{} is raised{}",
    "checks": "{} is asked{}",
    "renders": "{} is rendered{}",
    "returns": "What {} gives{} is returned",
}

# Python class attributes through which a framework is told what to do.
_TELLING = re.compile(
    r"^\s{1,8}(model|template_name|form_class|queryset|serializer_class|permission_required|permission_classes|"
    r"success_url|context_object_name|filterset_class|help|schema|fields|pattern_name|url|strategy)"
    r"\s*(?::[^=]+)?=\s*(?P<value>.+?)\s*$"
)
_REGISTERING = frozenset("get post put patch delete del head options all any use route on".split())
"""Methods of routers that take the code which answers."""
_ROOT = re.compile(r"""(["'])/\1""")
_IDENTIFIERS = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
_REGISTERED_VERB = re.compile(r".*\.(get|post|put|patch|delete|all)\(", re.DOTALL)
"""The last of a chain, whose end is where the registration ends."""
_DECORATED_VERB = re.compile(r"@(Get|Post|Put|Patch|Delete|Head|Options|All)\b")
_LIFECYCLE = (
    "dispatch setup initial add_arguments handle run perform get post put patch delete list retrieve create update "
    "partial_update destroy get_queryset get_object get_form_class get_form form_valid form_invalid get_context_data "
    "render_to_response get_success_url"
).split()


@dataclass(frozen=True, slots=True)
class Outline:
    """The steps of one entry point, how many calls were left out of them, and what a handler without a name calls."""

    steps: tuple[Step, ...]
    left_out: int
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Draft:
    """A step that has no number yet."""

    text: str
    refs: tuple[SourceRef, ...]
    actor: Actor = _SYSTEM
    level: int = 1


class Outliner:
    """Drafts outlines; `vocabulary` holds the entities' names, whose words the sentences avoid."""

    def __init__(self, index: SymbolIndex, vocabulary: Collection[str] = ()) -> None:
        self._index = index
        self._flow = Flow(index.sources)
        taken = {name.lower() for name in vocabulary}
        taken |= {f"{name}s" for name in taken}
        self._verbs = {how: plain if plain not in taken else other for how, (plain, other) in _VERBS.items()}
        self._guards = Guards(index, self._flow, self._verbs)

    def outline(self, entry: EntryPoint) -> Outline:
        """The steps of an entry point: one at least when anything of it is in the sources; every one is cited."""
        handler = self._handler(entry)
        drafts = list(self._opening(entry, handler))
        if handler is not None:
            drafts += [_Draft(guard.text, (guard.ref,)) for guard in self._guards.of(entry, handler)]
            drafts += self._of_class(handler) if handler.definition.kind in TYPES else self._of_function(handler)
        kept = _within(_distinct(drafts))
        steps = tuple(
            Step(order=order, actor=draft.actor, description=draft.text, source_refs=draft.refs)
            for order, draft in enumerate(kept, start=1)
        )
        return Outline(steps, len(drafts) - len(kept), self._calls(entry, handler))

    def _calls(self, entry: EntryPoint, handler: Symbol | None) -> tuple[str, ...]:
        if handler is None or not entry.handler.nameless:
            return ()
        return tuple(dict.fromkeys(act.name for act in self._flow.acts(handler)))

    def _handler(self, entry: EntryPoint) -> Symbol | None:
        h = entry.handler
        if h.path is None or h.start_line is None or h.end_line is None:
            return None
        return self._index.at(h.path, h.start_line, h.end_line, re.split(r"[.#:]+", h.symbol)[-1])

    # -- the first step: how the handler is reached

    def _opening(self, entry: EntryPoint, handler: Symbol | None) -> Iterator[_Draft]:
        name = ACTORS[entry.kind]
        actor = Actor(name=name, kind="human" if name in _HUMANS else "system")
        refs, said, door = [], "", ""
        if entry.declared and entry.declared.start_line and entry.declared.path in self._index.sources:
            refs.append(entry.declared)
            door = self._flow.text(entry.declared.path, entry.declared.start_line, entry.declared.end_line or 0)
            said = door
        if handler is not None:
            head = self._head(handler)
            if not (refs and _inside(head, refs[0])):
                refs.append(head)
            said += "\n" + self._flow.text(head.path, head.start_line or 1, head.end_line or 1)
        subject = self._subject(entry, handler, said)
        if not refs:
            return
        if handler is not None and (call := self._given_to(entry, handler)):
            yield self._in_place(entry, handler.path, call, actor)
            return
        if subject is None:
            return
        if handler is None and subject in ("resources", "resource") and (named := re.search(r":([a-z_]\w*)", said)):
            yield _Draft(f"`{subject}` declares `{named[1]}`.", tuple(refs), actor)
            return
        reached = self._reached_by(entry, said, door or said)
        if reached is not None and f"`{subject}`" not in reached:
            yield _Draft(f"`{subject}` {reached}.", tuple(refs), actor)
        elif entry.kind == "page" and re.search(r"\bexport\s+default\b", said):
            yield _Draft(f"`{subject}` is exported as `default`.", tuple(refs), actor)
        elif handler is not None and (shape := self._shape(handler, said)):
            yield _Draft(f"`{subject}` {shape}.", tuple(refs), actor)
        else:
            made = entry.handler.symbol.endswith(")")
            yield _Draft(f"`{subject}` {'gives' if made else 'is'} what runs.", tuple(refs), actor)

    def _shape(self, handler: Symbol, said: str) -> str | None:
        """What its first line says of a handler beside its name: base classes, or parameters."""
        bases = [re.split(r"[.:]+", base)[-1] for base in self._index.bases(handler)]
        bases = [base for base in bases if has_name(said, base) and base != handler.name]
        if handler.definition.kind in TYPES and bases:
            return f"extends {listed(bases[:2])}"
        taken = [name for name in handler.definition.parameters if name not in ("self", "cls") and has_name(said, name)]
        return f"takes {listed(taken[:4])}" if taken else None

    def _subject(self, entry: EntryPoint, handler: Symbol | None, said: str) -> str | None:
        last = re.split(r"[.#:]+", entry.handler.symbol.partition("(")[0])[-1]
        own = handler.name.split()[0] if handler and handler.name.split() else None
        for name in (own, last):
            if name and has_name(said, name):
                return name
        names = [name for name in re.findall(r"[A-Za-z_]\w+", said) if name not in ("path", "url", "re_path", "name")]
        return names[0] if names and not handler else None

    def _in_place(self, entry: EntryPoint, path: str, call: Call, actor: Actor) -> _Draft:
        """The opening for code that stands in the call that registers it: that call down to the route, and no further.

        Few words, since each is one that may stand elsewhere in the file.
        """
        last = min(call.end_line, call.line + MAX_HEAD_LINES)
        found = [
            (number, literal)
            for number in range(call.line, last + 1)
            if (literal := route_literal(self._flow.text(path, number, number), entry.path or ""))
        ]
        end, literal = found[0] if found else (call.line, None)
        literal = literal or ("/" if _ROOT.search(self._flow.text(path, call.line, call.line)) else None)
        told = f'{self._verbs["routes"]} "{literal}"' if literal else "is what runs"
        name = f"{call.receiver}.{call.name}" if call.receiver else call.name
        ref = SourceRef(path=path, start_line=call.line, end_line=end)
        return _Draft(f"`{name}` {told}.", (ref,), actor)

    def _given_to(self, entry: EntryPoint, handler: Symbol) -> Call | None:
        """The call that code without a name was handed to: `router.post` of `router.post("/x", () => ...)`."""
        d = handler.definition
        if entry.kind != "http" or d.kind != "block":
            return None
        around = [
            call
            for call in self._index.sources.syntax(handler.path).calls
            if call.line <= d.start_line
            and call.end_line >= d.end_line
            and call.name.lower() in _REGISTERING
            and _IDENTIFIERS.fullmatch(call.receiver or call.name)
        ]
        return max(around, key=lambda call: call.start_byte, default=None)

    def _reached_by(self, entry: EntryPoint, said: str, door: str) -> str | None:
        if entry.kind == "http":
            literal = route_literal(door, entry.path or "")
            if literal:
                return f'{self._verbs["answers"]} "{literal}"'
            if entry.framework == "nest" and (verb := _DECORATED_VERB.search(door)):
                return f"is reached by `{verb[1]}`"
            if entry.framework in ROUTERS and (verb := _REGISTERED_VERB.search(door)):
                return f"is reached by `{verb[1]}`"
            routed = re.search(r"\b(resources?|get|post|put|patch|delete|match)\b[ (]+:([a-z_]\w*)", said)
            return (
                f"is reached by `{routed[1]}` on `{routed[2]}`"
                if routed and routed[2] != entry.handler.symbol
                else None
            )
        if entry.name and (f'"{entry.name}"' in said or f"'{entry.name}'" in said):
            return f'runs as "{entry.name}"'
        segment = re.split(r"[: ]", entry.name)[-1] if entry.name else ""
        if entry.kind in ("cli", "job") and re.fullmatch(r"[A-Za-z_]\w+", segment) and has_name(said, segment):
            return f"runs as `{segment}`"
        if entry.kind == "event" and entry.name and has_name(said, entry.name.split(".")[-1]):
            return f"reacts to `{entry.name.split('.')[-1]}`"
        return None

    def _head(self, symbol: Symbol) -> SourceRef:
        """Decorators and the first line of a definition, down to its first parameter where that stands lower."""
        d = symbol.definition
        start = d.start_line if d.name_line - d.start_line <= MAX_HEAD_LINES else d.name_line
        end = d.name_line
        taken = [name for name in d.parameters if name not in ("self", "cls")]
        if taken:
            lines = self._flow.lines(symbol.path)
            last = min(d.name_line + MAX_HEAD_LINES, d.end_line)
            end = next((n for n in range(d.name_line, last + 1) if has_name(lines[n - 1], taken[0])), d.name_line)
        return SourceRef(path=symbol.path, start_line=start, end_line=end)

    # -- the body

    def _of_function(self, symbol: Symbol) -> Iterator[_Draft]:
        acts = self._flow.told(symbol)
        for act in acts[:MAX_CALLS]:
            yield self._told(act)
            callee = self._index.resolve(act.call, act.path, symbol) if act.call else None
            if callee is not None and callee != symbol:
                yield from self._second_level(callee)
        if not acts:
            yield from self._returned(symbol)

    def _second_level(self, callee: Symbol, level: int = 2) -> Iterator[_Draft]:
        if callee.definition.kind in TYPES:
            made = (self._index.method_of(callee, name) for name in ("__init__", "initialize", "constructor"))
            inside = next((each for each in made if each is not None), None)
            if inside is None:
                return
            callee = inside
        for act in list(self._flow.acts(callee))[:MAX_CALLS_OF_A_CALLEE]:
            yield replace(self._told(act), level=level)

    def _of_class(self, owner: Symbol) -> Iterator[_Draft]:
        """Methods that the framework calls come first, each followed by those of the class that it calls itself."""
        yield from self._attributes(owner)
        methods = self._methods(owner)
        told: set[tuple[str, int]] = set()
        for method in sorted(methods.values(), key=_lifecycle):
            yield from self._method(method, methods, told)

    def _methods(self, owner: Symbol) -> dict[str, Symbol]:
        """By name: the class's own, then those of its first bases in the repository."""
        methods = {m.name: m for m in self._index.members(owner) if m.definition.kind in CALLABLE}
        for parent in self._index.base_types(owner):
            for member in self._index.members(parent):
                if member.definition.kind in CALLABLE:
                    methods.setdefault(member.name, member)
        return methods

    def _method(
        self, method: Symbol, methods: dict[str, Symbol], told: set[tuple[str, int]], level: int = 1
    ) -> Iterator[_Draft]:
        key = (method.path, method.definition.start_byte)
        if key in told:
            return
        told.add(key)
        acts = self._flow.told(method)[:MAX_CALLS_OF_A_METHOD]
        for act in acts:
            yield replace(self._told(act), level=level)
            callee = self._index.resolve(act.call, act.path, method) if act.call and level == 1 else None
            if callee is None:
                continue
            if methods.get(callee.name) == callee:
                yield from self._method(callee, methods, told, level=2)
            else:
                yield from self._second_level(callee)
        if not acts and not method.name.startswith("__"):
            yield replace(self._defined(method), level=3)

    def _attributes(self, owner: Symbol) -> Iterator[_Draft]:
        if self._index.sources.language(owner.path) != "python":
            return
        lines = self._flow.lines(owner.path)
        for number in range(owner.definition.name_line + 1, owner.definition.end_line + 1):
            found = _TELLING.match(lines[number - 1])
            if found is None or re.match(r"\s*(def|class|@)", lines[number - 1]):
                continue
            ref = SourceRef(path=owner.path, start_line=number, end_line=number)
            value = found["value"]
            if literal := re.fullmatch(r"""(["'])([^"'\\{}%<`]{2,60})\1""", value):
                told = f' to "{literal[2]}"'
            elif name := re.fullmatch(r"(?:[A-Za-z_]\w*\.)*([A-Za-z_]\w*)", value):
                told = f" to `{name[1]}`"
            else:
                told = ""
            yield _Draft(f"`{owner.name}` sets `{found[1]}`{told}.", (ref,))

    def _returned(self, symbol: Symbol) -> Iterator[_Draft]:
        """A body without a telling call: what it returns, when that has a name."""
        lines = self._flow.lines(symbol.path)
        for number in range(symbol.definition.name_line + 1, symbol.definition.end_line + 1):
            found = re.match(r"\s*return\s+(?:self\.|this\.)?([A-Za-z_]\w+)\s*;?\s*$", lines[number - 1])
            if found and found[1] not in ("None", "True", "False", "true", "false", "null", "self", "this"):
                ref = SourceRef(path=symbol.path, start_line=number, end_line=number)
                caller = self._flow.caller(symbol, number)
                told = f"`{caller}` {self._verbs['returns']} `{found[1]}`" if caller else f"`{found[1]}` is returned"
                yield _Draft(f"{told}.", (ref,))

    def _defined(self, method: Symbol) -> _Draft:
        taken = method.definition.parameters
        names = [name for name in taken if name not in ("self", "cls")][:3]
        told = f"`{method.name}` takes {listed(names)}." if names else f"`{method.name}` is defined."
        return _Draft(told, (self._head(method),))

    def _told(self, act: Act) -> _Draft:
        preposition = "from" if act.how in ("creates", "raises") else "on"
        on = f" {preposition} `{act.on}`" if act.on and act.on != act.caller else ""
        literal = f' with "{act.literal}"' if act.literal else ""
        if act.how == "branches":
            looks = f"`{act.caller}` {self._verbs['branches']}" if act.caller else "What follows depends"
            text = f"{looks} on {listed(act.names)}."
        elif act.caller is None:
            text = f"{_PASSIVE[act.how].format(f'`{act.name}`', on + literal)}."
        elif act.how in ("returns", "holds"):
            text = f"`{act.caller}` {self._verbs[act.how]} what `{act.name}` gives{on}{literal}."
        else:
            text = f"`{act.caller}` {self._verbs[act.how]} `{act.name}`{on}{literal}."
        return _Draft(text, (SourceRef(path=act.path, start_line=act.start_line, end_line=act.end_line),))


def _distinct(drafts: list[_Draft]) -> list[_Draft]:
    """The same sentence at the same lines is told once."""
    return list({(draft.text, draft.refs): draft for draft in drafts}.values())


def _within(drafts: list[_Draft]) -> list[_Draft]:
    """At most MAX_STEPS, in order: the deepest levels are left out first, from the end."""
    kept = list(drafts)
    for level in (3, 2, 1):
        if level == 3 and sum(draft.level < 3 for draft in kept) >= 3:
            kept = [draft for draft in kept if draft.level < 3]
        for at in range(len(kept) - 1, 0, -1):
            if len(kept) <= MAX_STEPS:
                return kept
            if kept[at].level == level:
                del kept[at]
    return kept


def _lifecycle(method: Symbol) -> tuple[int, int]:
    order = _LIFECYCLE.index(method.name) if method.name in _LIFECYCLE else len(_LIFECYCLE)
    return order, method.definition.start_line


def _inside(ref: SourceRef, other: SourceRef) -> bool:
    return (
        ref.path == other.path
        and (other.start_line or 0) <= (ref.start_line or 0)
        and (ref.end_line or 0) <= (other.end_line or 0)
    )
