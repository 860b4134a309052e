"""What a use case is called, when no model names it: out of the handler, the route and the resource."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from retrodoc.passes.words import phrase, singular, title, words_of
from retrodoc_runs.models import EntryPoint

_SUFFIX = re.compile(r"(?<=\w)(APIView|ViewSet|View|Controller|Handler|Resource|Endpoint|Command|Job|Worker|Task)$")
_RUNNER = re.compile(r"^(manage\.py|rake|rails|flask)\s+")
_SCRIPT = re.compile(r"^python (?:-m |(?:.*/)?(?=[^/]+\.py$))(.+?)(?:\.py)?$")
"""A script is called as its file is, without its folders."""
# What the conventional actions of web frameworks do.
_ACTIONS = {
    "index": "List {many}",
    "list": "List {many}",
    "show": "Show {one}",
    "retrieve": "Show {one}",
    "new": "Open the form for a new {one}",
    "create": "Create {one}",
    "edit": "Open the form to edit {one}",
    "update": "Update {one}",
    "partial_update": "Update parts of {one}",
    "destroy": "Delete {one}",
    "delete": "Delete {one}",
    "get": "Get {one}",
    "post": "Post {one}",
    "put": "Put {one}",
    "patch": "Patch {one}",
    "handle": "Handle {one}",
    "perform": "Perform {one}",
    "run": "Run {one}",
    "call": "Call {one}",
}
# The same, where it is no form that a GET shows.
_ACTS_ON = {"new": "New {one}", "edit": "Edit {one}"}
_ARRANGEMENT = re.compile(r"api|rest|v\d+", re.IGNORECASE)
"""Segments of a route that say nothing of what it is about, where others do."""
_PARAMETER = re.compile(r"^(?::(\w+)[^/]*|\{(\w+)[^/}]*\}|<(?:[^:>]*:)?(\w+)>)$")


def titles_of(entries: Sequence[tuple[EntryPoint, str]]) -> list[str]:
    """A title for each entry point, given with its feature's name, in order.

    Equal ones are told apart by the first of these in which they differ: what the handler belongs to, the feature, the
    verb, the route, the file; those that are equal still, by the next. Where they differ in nothing, they stay equal.
    """
    titles = [title_of(entry) for entry, _ in entries]
    groups: dict[str, list[int]] = {}
    for at, name in enumerate(titles):
        groups.setdefault(name, []).append(at)
    for name, group in groups.items():
        for at, marks in _told_apart(entries, group, _KINDS).items():
            titles[at] = f"{name} ({', '.join(marks)})" if marks else name
    return titles


def _told_apart(
    entries: Sequence[tuple[EntryPoint, str]], group: Sequence[int], kinds: Sequence[_Kind]
) -> dict[int, tuple[str, ...]]:
    if len(group) < 2:
        return dict.fromkeys(group, ())
    differing = (
        number
        for number, kind in enumerate(kinds)
        if len(said := {kind(*entries[at]) for at in group}) > 1 and "" not in said
    )
    chosen = next(differing, None)
    if chosen is None:
        return dict.fromkeys(group, ())
    parts: dict[str, list[int]] = {}
    for at in group:
        parts.setdefault(kinds[chosen](*entries[at]), []).append(at)
    rest = kinds[chosen + 1 :]
    return {
        at: (mark, *further) for mark, part in parts.items() for at, further in _told_apart(entries, part, rest).items()
    }


_Kind = Callable[[EntryPoint, str], str]
_KINDS: tuple[_Kind, ...] = (
    lambda entry, _: phrase(_SUFFIX.sub("", _parts(entry)[-2])) if len(_parts(entry)) > 1 else "",
    lambda _, feature: phrase(feature),
    lambda entry, _: (entry.method or "any verb") if entry.kind == "http" else "",
    lambda entry, _: entry.path or entry.name or "",
    lambda entry, _: entry.handler.path or "",
)


def title_of(entry: EntryPoint) -> str:
    """A short title in plain words; never empty."""
    if entry.kind in ("cli", "job") and entry.name:
        return title(_RUNNER.sub("", _SCRIPT.sub(r"\1", entry.name)) or entry.name)
    if entry.kind == "event" and entry.name:
        return f"React to {phrase(entry.name.split('.')[-1])}: {phrase(_last(entry))}"
    if entry.kind == "page" and entry.name:
        return f"Open {'the first page' if entry.name == '/' else _told_by(entry)}"
    parts, last = _parts(entry), _last(entry)
    if (
        entry.handler.nameless or parts == [entry.method] or not re.fullmatch(r"[\w$?!-]+", last)
    ):  # no name: what a call gives, a computed one
        return _of_route(entry)
    if parts == ["redirect"] and entry.path:  # of a route table: there is no more than the route to tell them apart
        return f"Redirect {_told_by(entry)}"
    named = len(parts) > 1 and (parts[-2][:1].isupper() or last in _ACTIONS)
    owner = _SUFFIX.sub("", parts[-2]) if named else ""
    if owner:
        one, many = _resource(owner)
        shows = entry.method in ("GET", None) or entry.framework == "rails"  # there, it is so by convention
        if last == "index" and one == many and entry.framework != "rails":  # the page of one thing, such as home
            return f"Show {one}"
        pattern = _ACTIONS.get(last) if shows else _ACTS_ON.get(last, _ACTIONS.get(last))
        return pattern.format(one=one, many=many) if pattern else f"{title(last)} ({many})"
    if last in _ACTIONS:
        return f"{title(last)} {_told_by(entry)}"
    return title(_SUFFIX.sub("", last) or last)


def _parts(entry: EntryPoint) -> list[str]:
    return [part for part in re.split(r"[.#:]+", entry.handler.symbol) if part]


def _last(entry: EntryPoint) -> str:
    return re.split(r"[.#:]+", entry.handler.symbol)[-1]


def _resource(owner: str) -> tuple[str, str]:
    words = words_of(owner)
    one = " ".join([*words[:-1], singular(words[-1])])
    return one, " ".join(words)


def _of_route(entry: EntryPoint) -> str:
    """`POST /orders/:id/split` is "Post orders split": what a route says when its handler has no name."""
    return f"{(entry.method or 'open').capitalize()} {_told_by(entry)}"


def _told_by(entry: EntryPoint) -> str:
    """The words of a route, and the parameters that it ends with; one that has no words is told as it is."""
    route = entry.path or entry.name or ""
    words = re.findall(r"(?<![:<{\w])[A-Za-z][\w-]*(?![\w>}:])", route)
    telling = [word for word in words if not _ARRANGEMENT.fullmatch(word)] or words
    if not telling:
        return phrase(entry.name or "") or (entry.path or "").strip("/") or "root"
    taken: list[str] = []
    for segment in reversed(route.strip("/").split("/")):
        found = _PARAMETER.match(segment)
        if found is None:
            break
        taken.insert(0, phrase(next(group for group in found.groups() if group)))
    if [phrase(telling[-1])] == taken:  # `page/:page`
        taken = []
    by = f" by {' and '.join(taken)}" if taken else ""
    return " ".join(phrase(word) for word in telling) + by
