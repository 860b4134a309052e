"""Decides what the statements of a routes file say to the mapper: blocks, loops over literals, helpers, conditions.

Both branches of a condition are read, since either may be the one that is deployed. A loop over values that are
not in the text is read once with unknown values: what depends on them makes no route.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .devise import ModulesOf, devise_routes, doorkeeper_routes
from .inflect import underscore
from .route_mapper import VERBS, Block, Declared, Endpoint, Options, RouteMapper
from .values import (
    UNKNOWN,
    Arguments,
    Code,
    Constant,
    Scope,
    Symbol,
    Value,
    arguments,
    bind,
    children,
    evaluate,
    text_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_IGNORED = frozenset(
    ("direct", "resolve", "require", "require_relative", "puts", "raise", "private", "extend", "include")
)
_LOOPS = frozenset(("each", "each_pair", "each_with_index", "map", "each_key", "each_value", "flat_map", "each_entry"))
_MAX_DEPTH = 60
"""Of nested blocks, helpers and drawn files: a helper that calls itself ends here."""


@dataclass(frozen=True, slots=True)
class _Shared:
    """`with_options(...) do |shared|`: what every call on `shared` gets."""

    options: Options


@dataclass(frozen=True, slots=True)
class _Statement:
    """One call of the mapper's: what it is given, and its block as something to run or to keep."""

    given: Arguments
    body: Block | None
    block: Node | None
    scope: Scope


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a routes file reaches outside itself."""

    draw: Callable[[str], tuple[str, Node] | None] = lambda _: None
    """The file that `draw(:name)` loads: its path and root."""
    constant: Callable[[str], Value] = Constant
    helper: Callable[[str], Node | None] = lambda _: None
    """The method that the repository adds to the mapper under that name."""
    devise_model: ModulesOf = lambda _: None
    """What a model enables for Devise, None when the model says nothing."""


@dataclass(slots=True)
class RouteReader:
    mapper: RouteMapper
    path: str
    around: Surroundings = field(default_factory=Surroundings)
    helpers: dict[str, Node] = field(default_factory=dict)
    _depth: int = 0
    _file: Scope | None = None

    def run_drawn(self, root: Node, block: Node) -> None:
        """The block of a `routes.draw do`, which sees the constants, names and methods of its file."""
        self._file = self._top()
        for statement in root.named_children:
            if statement.type in ("assignment", "method"):
                self._statement(statement, self._file)
        self.run_block(block, self._file)

    def run_block(self, block: Node, scope: Scope | None = None, values: tuple[Value, ...] = ()) -> None:
        """The statements of a `do ... end`, `{ ... }` or lambda."""
        scope = (scope or self._top()).inner(bind(block.child_by_field_name("parameters"), values))
        body = block.child_by_field_name("body")
        if block.type == "lambda" and body is not None:
            body = body.child_by_field_name("body")
        self.run(list(children(body)), scope)

    def run_file(self, root: Node) -> None:
        """All statements of a file, as `draw` and `instance_eval` do."""
        self.run(root.named_children, self._top())

    def _top(self) -> Scope:
        return self._file or Scope(constant=self.around.constant)

    def run(self, statements: Sequence[Node], scope: Scope) -> None:
        if self._depth > _MAX_DEPTH:
            return
        self._depth += 1
        for statement in statements:
            self._statement(statement, scope)
        self._depth -= 1

    def _statement(self, node: Node, scope: Scope) -> None:
        match node.type:
            case "call":
                self._call(node, scope)
            case "yield":
                passed = scope.get("yield")
                if isinstance(passed, Code):
                    self._run_code(passed, arguments(node, scope).positional)
            case "identifier":
                self._helper(text_of(node), Arguments(), None, scope)
            case "assignment":
                self._assignment(node, scope)
            case "method":
                name = node.child_by_field_name("name")
                if name is not None:
                    self.helpers[text_of(name)] = node
            case "if_modifier" | "unless_modifier" | "rescue_modifier" | "while_modifier":
                body = node.child_by_field_name("body")
                if body is not None:
                    self._statement(body, scope)
            case "if" | "unless" | "elsif" | "else" | "then" | "begin" | "ensure" | "rescue" | "case" | "when":
                self._branches(node, scope)
            case "body_statement" | "parenthesized_statements" | "block_body":
                self.run(node.named_children, scope)

    def _branches(self, node: Node, scope: Scope) -> None:
        skipped = {
            part.id
            for name in ("condition", "value", "pattern", "exceptions")
            for part in node.children_by_field_name(name)
        }
        self.run([child for child in node.named_children if child.id not in skipped], scope)

    def _assignment(self, node: Node, scope: Scope) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return
        if left.type in ("identifier", "constant"):
            scope.set(text_of(left), evaluate(right, scope))
            if left.type == "constant":
                name, value, outer = text_of(left), evaluate(right, scope), self.around.constant
                scope.constant = lambda asked: value if asked == name and value is not UNKNOWN else outer(asked)

    # --- calls

    def _call(self, node: Node, scope: Scope) -> None:
        name_node, receiver = node.child_by_field_name("method"), node.child_by_field_name("receiver")
        name = text_of(name_node) if name_node is not None else ""
        block = node.child_by_field_name("block")
        shared: Options = {}
        if receiver is not None and receiver.type != "self":
            value = evaluate(receiver, scope)
            if isinstance(value, _Shared):
                shared = value.options
            elif isinstance(value, Code) and name in ("call", "()", "yield", "[]"):
                self._run_code(value, arguments(node, scope).positional)
                return
            elif name in _LOOPS and block is not None:
                self._loop(name, value, block, scope)
                return
            elif not (receiver.type == "identifier" and (name in VERBS or name in _RULES)):
                if block is not None and name not in ("glob", "open", "to_prepare"):
                    self.run_block(block, scope)
                return
        if name in _IGNORED:
            return
        given = arguments(node, scope)
        if shared:
            given = Arguments(
                given.positional, {**shared, **given.options}, given.nodes, given.option_nodes, given.block
            )
        head = block.start_point if block is not None else node.end_point
        self.mapper.declared = Declared(self.path, node.start_point[0] + 1, head[0] + 1)
        rule = _RULES.get(name)
        if name in VERBS or name in ("match", "connect"):
            self._match(name, given)
        elif rule is not None:
            rule(self, _Statement(given, self._body(block, given, scope), block, scope))
        else:
            self._helper(name, given, block, scope)

    def _body(self, block: Node | None, given: Arguments, scope: Scope) -> Block | None:
        if block is not None:
            return lambda: self.run_block(block, scope)
        if isinstance(given.block, Code):
            code = given.block
            return lambda: self._run_code(code, ())
        return None

    def _run_code(self, code: Code, values: tuple[Value, ...]) -> None:
        self.run_block(code.node, code.scope, values)

    def _loop(self, name: str, value: Value, block: Node, scope: Scope) -> None:
        items: list[Value]
        if isinstance(value, dict):
            pairs = [[key, inner] for key, inner in value.items()]
            items = {"each_key": list(value), "each_value": list(value.values())}.get(name, pairs)
        else:
            items = value if isinstance(value, list) else [UNKNOWN]
        for index, item in enumerate(items):
            values = (item, index) if name == "each_with_index" else (item,)
            self.run_block(block, scope, values)

    def _helper(self, name: str, given: Arguments, block: Node | None, scope: Scope) -> None:
        """A method of the file or repository; else an unknown wrapper (`authenticate :user do`), read through."""
        method = self.helpers.get(name) or self.around.helper(name)
        passed = Code(block, scope) if block is not None else given.block
        if method is None:
            if isinstance(passed, Code):
                self._run_code(passed, ())
            return
        values = (*given.positional, given.options) if given.options else given.positional
        parameters = method.child_by_field_name("parameters")
        inner = Scope(bind(parameters, values), constant=self.around.constant)
        inner.names["yield"] = passed
        for parameter in parameters.named_children if parameters is not None else ():
            named = parameter.child_by_field_name("name")
            if parameter.type == "block_parameter" and named is not None:
                inner.names[text_of(named)] = passed
            elif parameter.type == "hash_splat_parameter" and named is not None:
                inner.names[text_of(named)] = dict(given.options)
        self.run(list(children(method.child_by_field_name("body"))), inner)

    # --- what the mapper knows

    def _match(self, name: str, given: Arguments) -> None:
        paths, options = list(given.positional), dict(given.options)
        nodes = dict(given.option_nodes)
        if not paths:
            written = next((key for key in options if not isinstance(key, Symbol | Constant)), None)
            if written is None:
                return
            to, node = options.pop(written), nodes.pop(written, None)
            paths = [written]
            if isinstance(to, Symbol):
                options["action"] = to
            elif isinstance(to, str) and "#" not in to:
                options["controller"] = to
            else:
                options["to"] = to
                if node is not None:
                    nodes["to"] = node
        elif len(paths) == 2 and isinstance(paths[1], str) and "#" in paths[1]:  # `get 'x', 'c#y'`, as Rails 2 and 3
            options.setdefault("to", paths.pop())
        options["to"] = self._endpoint(options.get("to"), nodes.get("to"))
        if options["to"] is None:
            del options["to"]
        if name in VERBS:
            options["via"] = name
        self.mapper.match(paths, options)

    def _endpoint(self, value: Value, node: Node | None) -> Value:
        """What `to:` names when it is a call: a redirect, `SomeController.action(:x)`, `App.new`."""
        if value is not UNKNOWN or node is None:
            return value
        if node.type != "call":
            return value
        method, receiver = node.child_by_field_name("method"), node.child_by_field_name("receiver")
        name = text_of(method) if method is not None else ""
        if receiver is None:
            return Endpoint(name, inline=True)
        if receiver.type in ("constant", "scope_resolution"):
            given = arguments(node, Scope()).positional
            action = given[0] if name == "action" and given and isinstance(given[0], str) else None
            return Endpoint(f"{text_of(receiver)}#{action}" if action else text_of(receiver))
        return value

    def _resources(self, said: _Statement) -> None:
        self.mapper.resources(said.given.positional, said.given.options, said.body)

    def _resource(self, said: _Statement) -> None:
        self.mapper.resources(said.given.positional, said.given.options, said.body, singular=True)

    def _scope(self, said: _Statement) -> None:
        if said.body is not None:
            self.mapper.scope(said.given.positional, said.given.options, said.body)

    def _namespace(self, said: _Statement) -> None:
        if said.body is not None and said.given.positional:
            self.mapper.namespace(said.given.positional[0], said.given.options, said.body)

    def _transparent(self, said: _Statement) -> None:
        """`constraints(...) do`, `defaults ... do`: they narrow what matches, and change no path."""
        if said.body is not None:
            said.body()

    def _controller(self, said: _Statement) -> None:
        if said.body is not None and said.given.positional:
            self.mapper.controller(said.given.positional[0], said.body)

    def _concern(self, said: _Statement) -> None:
        block, scope = said.block, said.scope
        if block is not None and said.given.positional:
            self.mapper.concern(said.given.positional[0], lambda options: self.run_block(block, scope, (options,)))

    def _concerns(self, said: _Statement) -> None:
        positional = said.given.positional
        names = [each for value in positional for each in (value if isinstance(value, list) else [value])]
        self.mapper.concerns(names, said.given.options)

    def _root(self, said: _Statement) -> None:
        options = dict(said.given.options)
        endpoint = self._endpoint(options.get("to"), said.given.option_nodes.get("to"))
        if endpoint is not None:
            options["to"] = endpoint
        self.mapper.root(said.given.positional, options)

    def _mount(self, said: _Statement) -> None:
        options = dict(said.given.options)
        at = options.pop("at", None)
        if said.given.nodes:
            application = text_of(said.given.nodes[0])
        else:  # `mount Engine => "/path"`
            pairs: dict[Value, Value] = dict(options)
            written = next((key for key in pairs if isinstance(key, Constant)), None)
            if written is None:
                return
            application, at = written.name, pairs[written]
        self.mapper.mount(application.split(".new")[0].split("(")[0], at, options)

    def _draw(self, said: _Statement) -> None:
        name = said.given.positional[0] if said.given.positional else None
        drawn = self.around.draw(str(name)) if isinstance(name, str) else None
        if drawn is None:
            return
        outer, self.path = self.path, drawn[0]
        self.run_file(drawn[1])
        self.path = outer

    def _with_options(self, said: _Statement) -> None:
        if said.block is not None:
            self.run_block(said.block, said.scope, (_Shared(said.given.options),))

    def _api_version(self, said: _Statement) -> None:
        """The package versionist: `api_version(module: "Api::V1", path: {value: "api/v1"}) do`."""
        module, path = said.given.options.get("module"), said.given.options.get("path")
        value = path.get("value") if isinstance(path, dict) else None
        if said.body is not None and isinstance(module, str):
            options: Options = {"module": underscore(module)}
            self.mapper.scope([value] if isinstance(value, str) else [], options, said.body)

    def _devise_for(self, said: _Statement) -> None:
        devise_routes(self.mapper, said.given.positional, said.given.options, self.around.devise_model)

    def _use_doorkeeper(self, said: _Statement) -> None:
        doorkeeper_routes(self.mapper, said.block, said.scope)


def _block_of(name: str) -> Callable[[RouteReader, _Statement], None]:
    """`member do`, `collection do` and the like: the mapper's method of that name, around the block."""

    def run(reader: RouteReader, said: _Statement) -> None:
        if said.body is not None:
            getattr(reader.mapper, name)(said.body)

    return run


_RULES: Mapping[str, Callable[[RouteReader, _Statement], None]] = {
    "resources": RouteReader._resources,
    "resource": RouteReader._resource,
    "scope": RouteReader._scope,
    "namespace": RouteReader._namespace,
    "constraints": RouteReader._transparent,
    "defaults": RouteReader._transparent,
    "member": _block_of("member"),
    "collection": _block_of("collection"),
    "new": _block_of("new"),
    "nested": _block_of("nested"),
    "shallow": _block_of("shallow"),
    "controller": RouteReader._controller,
    "concern": RouteReader._concern,
    "concerns": RouteReader._concerns,
    "root": RouteReader._root,
    "mount": RouteReader._mount,
    "draw": RouteReader._draw,
    "with_options": RouteReader._with_options,
    "api_version": RouteReader._api_version,
    "devise_for": RouteReader._devise_for,
    "use_doorkeeper": RouteReader._use_doorkeeper,
}
