"""Decides which calls of a JavaScript file may declare a route or mount a router, and what makes a router."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrodoc.surface.trees import descendants

from .model import Result, Value
from .syntax import arguments, string_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

VERBS = {
    "get": "GET",
    "post": "POST",
    "put": "PUT",
    "patch": "PATCH",
    "delete": "DELETE",
    "del": "DELETE",
    "head": "HEAD",
    "options": "OPTIONS",
    "all": None,
    "any": None,
}
MAKERS = {
    "express": "express",
    "express.Router": "express",
    "router": "express",
    "express-promise-router": "express",
    "@root/async-router.Router": "express",
    "polka": "express",
    "restify.createServer": "restify",
    "koa": "koa",
    "koa-router": "koa",
    "@koa/router": "koa",
    "koa-router.Router": "koa",
    "@koa/router.Router": "koa",
    "fastify": "fastify",
    "fastify.fastify": "fastify",
    "hono.Hono": "hono",
    "@hapi/hapi.server": "hapi",
    "@hapi/hapi.Server": "hapi",
    "hapi.server": "hapi",
    "hapi.Server": "hapi",
}
"""What makes a router, as `package.member`, and the framework's name."""

TYPES = {
    "Application": "express",
    "Express": "express",
    "Router": "express",
    "IRouter": "express",
    "FastifyInstance": "fastify",
    "FastifyPluginAsync": "fastify",
    "FastifyPluginCallback": "fastify",
    "Hono": "hono",
    "Koa": "koa",
}
NAMED = re.compile(r"^\w*(?:app|router|server|fastify)$", re.IGNORECASE)
"""A parameter of such a name that nobody is seen to call is a router when routes are declared on it."""
PACKAGES = re.compile(
    rb"(?:require\s*\(\s*|from\s+|import\s+)['\"]"
    rb"(?:express|router|polka|restify|koa|koa-router|@koa/router|fastify|hono|@hapi/hapi|hapi)['\"/]"
)
_WORDS = (b"outer.", b"outer(", b"Router", b"express", b"fastify", b"hono", b"@hapi")
"""What a file that has to do with routers nearly always says; looked for before the slower pattern."""
_LARGEST = 150_000
"""Bytes; the largest file by hand that declares routes, of twelve applications looked at, has 28,000."""
_CALLS = re.compile(rb"(?:pp|erver|api)\w*\s*\.\s*(?:get|post|put|patch|del|delete|all|use|route|register)\s*\(")
NO_HANDLERS = frozenset(("object", "string", "template_string", "number", "true", "false", "null"))
PASS_THROUGH = frozenset(("routes", "middleware", "callback", "router", "basePath", "withTypeProvider"))


@dataclass(frozen=True, slots=True)
class RouterCall:
    path: str
    node: Node
    holder: Node | None
    """What the method is called on; None for a plain function call."""
    name: str
    given: tuple[Node, ...]


def in_browser(parameter: Node) -> bool:
    """Whether a parameter is what an AMD loader hands to `define([...], function (app) {...})`."""
    function = parameter.parent
    while function is not None and function.child_by_field_name("body") is None:
        function = function.parent
    call = function.parent.parent if function is not None and function.parent is not None else None
    return call is not None and text_of(call.child_by_field_name("function")) in ("define", "require", "requirejs")


def folder_named(options: Node, importer: str) -> str | None:
    """The folder of `dir: path.join(__dirname, 'routes')`, from the strings in it."""
    for pair in options.named_children:
        if pair.type == "pair" and text_of(pair.child_by_field_name("key")) == "dir":
            value = pair.child_by_field_name("value")
            strings = [string_of(each) for each in descendants(value, "string")] if value is not None else []
            if strings:
                return posixpath.normpath(posixpath.join(posixpath.dirname(importer), *strings))
    return None


def may_route(data: bytes) -> bool:
    bundled = len(data) > _LARGEST or (len(data) > 20_000 and data.count(b"\n") * 400 < len(data))
    if bundled:  # what a build made, and no one declares a route in
        return False
    return any(word in data for word in _WORDS) or _CALLS.search(data) is not None


def framework_of(value: Value) -> str | None:
    """The framework whose router a value is; a `new SomethingRouter()` of any other package routes like one of them."""
    if not isinstance(value, Result):
        return None
    known = MAKERS.get(value.of.name)
    if known is None and value.of.name.endswith("Router") and value.at.node.type == "new_expression":
        return "koa" if "koa" in value.of.name else "express"
    return known


DECLARING = frozenset((*VERBS, "use", "route", "register", "prefix"))


def may_mount(call: RouterCall) -> bool:
    """A method of the application's own that gets a path and something to put there: `app.lazyUse('/x', make)`."""
    return (
        len(call.given) == 2
        and call.given[0].type in ("string", "identifier", "template_string")
        and (call.holder is not None and call.holder.type == "identifier" and bool(NAMED.match(text_of(call.holder))))
    )


def calls_in(path: str, root: Node) -> Iterator[RouterCall]:
    for node in descendants(root, "call_expression", "new_expression"):
        callee = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        if callee is None:
            continue
        given = tuple(arguments(node))
        if callee.type == "member_expression":
            holder = callee.child_by_field_name("object")
            yield RouterCall(path, node, holder, text_of(callee.child_by_field_name("property")), given)
        else:
            yield RouterCall(path, node, None, text_of(callee) if callee.type == "identifier" else "", given)


def last_name(node: Node) -> str:
    if node.type == "member_expression":
        return text_of(node.child_by_field_name("property"))
    return text_of(node) if node.type == "identifier" else ""
