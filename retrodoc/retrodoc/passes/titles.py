"""What a use case is called, when no model names it: out of the handler, the route and the resource."""

from __future__ import annotations

import re

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
_ANONYMOUS = re.compile(r"^(<?(anonymous|lambda|function|closure|block|arrow|inline)\b.*|)$", re.IGNORECASE)


def title_of(entry: EntryPoint) -> str:
    """A short title in plain words; never empty."""
    if entry.kind in ("cli", "job") and entry.name:
        return title(_RUNNER.sub("", _SCRIPT.sub(r"\1", entry.name)) or entry.name)
    if entry.kind == "event" and entry.name:
        return f"React to {phrase(entry.name.split('.')[-1])}: {phrase(_last(entry))}"
    parts = [part for part in re.split(r"[.#:]+", entry.handler.symbol) if part]
    last = parts[-1] if parts else ""
    if _ANONYMOUS.match(last):
        return _of_route(entry)
    if parts == ["redirect"] and entry.path:  # of a route table: there is no more than the route to tell them apart
        return f"Redirect {_told_by(entry)}"
    named = len(parts) > 1 and (parts[-2][:1].isupper() or last in _ACTIONS)
    owner = _SUFFIX.sub("", parts[-2]) if named else ""
    if owner:
        one, many = _resource(owner)
        pattern = _ACTIONS.get(last)
        return pattern.format(one=one, many=many) if pattern else f"{title(last)} ({many})"
    if last in _ACTIONS:
        return f"{title(last)} {_of_route(entry).lower()}".strip()
    return title(_SUFFIX.sub("", last) or last)


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
    """The words of a route without its parameters; one that has no words is told as it is."""
    words = re.findall(r"(?<![:<{\w])[A-Za-z][\w-]*(?![\w>}:])", entry.path or entry.name or "")
    return (
        " ".join(phrase(word) for word in words) or phrase(entry.name or "") or (entry.path or "").strip("/") or "root"
    )
