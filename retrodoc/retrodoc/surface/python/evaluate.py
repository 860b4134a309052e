"""Decides what an expression of the repository is, as far as that can be known without running it.

The evaluator goes through a module's top level in order, follows imports when a name is used, and steps into the
repository's own functions. What it cannot know is `Unknown`, and it never guesses. Work is bounded by a budget:
past it, everything is `Unknown`.
"""

# ruff: noqa: ARG002 - a hook that does nothing still has the parameters that others use

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from . import operations
from .modules import Module, Project
from .values import (
    UNKNOWN,
    Builtin,
    ClassRef,
    Env,
    ExternalObject,
    ExternalRef,
    FunctionNode,
    FunctionRef,
    Instance,
    LazyImport,
    Member,
    ModuleRef,
    Super,
    Unknown,
    Value,
)

MAX_STEPS = 600_000
"""Expressions one rule may look at: some thirty times what a large Django project's URL modules need."""
MAX_CALL_STEPS = 20_000
"""Expressions that one call from a module's top level may look at, by default: a demonstration that calls the whole
library ends here, and the rest of the budget is left for what matters. Building the URLs of a large app config takes
65,000."""
MAX_DEPTH = 24
"""Calls inside calls."""

NOT_HANDLED: Any = object()
"""A hook's answer when the call or attribute is none of its business."""


class Hooks:
    """What a framework adds to plain Python; each method may answer `NOT_HANDLED`."""

    def attribute(self, evaluator: Evaluator, owner: Value, name: str) -> Value:
        """An attribute that the repository's code does not define."""
        return NOT_HANDLED

    def call(self, evaluator: Evaluator, callee: Value, args: list[Value], kwargs: Env, frame: Frame) -> Value:
        """A call, before anything else looks at it; `frame.node` is the call."""
        return NOT_HANDLED

    def result(self, callee: Value, args: list[Value], kwargs: Env, result: Value) -> Value:
        """The last word on what a call returned."""
        return result

    def item(self, evaluator: Evaluator, owner: Value, key: Value) -> Value:
        """`owner[key]`, when the owner is not plain data."""
        return UNKNOWN

    def is_instance(self, value: Value, kind: Value) -> Value:
        """`isinstance(value, kind)`, for what another package defines."""
        return UNKNOWN

    def defined(self, evaluator: Evaluator, found: FunctionRef | ClassRef, frame: Frame) -> Value:
        """What the name of a function or class stands for, once its decorators were applied."""
        return found

    def imported(self, evaluator: Evaluator, lazy: LazyImport, frame: Frame) -> None:
        """An import statement, before anybody uses the name."""

    def set_up(self, evaluator: Evaluator, instance: Instance) -> None:
        """What the framework runs on an object after `__init__`."""


@dataclass(eq=False, slots=True)
class Frame:
    """Where code is being looked at: its scopes, innermost first, and what it returned so far."""

    module: Module
    envs: tuple[Env, ...]
    prefix: str = ""
    function: FunctionRef | None = None
    owner: ClassRef | None = None
    returns: list[Value] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)
    node: ast.Call | None = None


class Evaluator:
    """Evaluates expressions of one project; `hooks` teach it a framework."""

    def __init__(
        self,
        project: Project,
        hooks: Hooks | None = None,
        *,
        call_steps: int = MAX_CALL_STEPS,
        as_program: bool = False,
    ) -> None:
        """`as_program` goes into `if __name__ == "__main__"` too."""
        self.project = project
        self._call_steps = call_steps
        self._as_program = as_program
        self._limit = MAX_STEPS
        self.hooks = hooks or Hooks()
        from .expressions import EVALUATE
        from .statements import execute

        self._expressions, self._execute = EVALUATE, execute  # both import this module
        self.steps = 0
        self._active: list[tuple[int, int]] = []
        """Functions being stepped into, each with its instance: none is entered twice at once."""
        self._modules: dict[str, Module | None] = {}
        self._linear: dict[int, tuple[tuple[ClassRef, ...], tuple[str, ...]]] = {}

    # modules and names

    def env_of(self, module: Module) -> Env:
        """The names of a module, after going through its top level once."""
        if module.state == 0:
            module.state = 1
            self._execute(self, module.tree.body, Frame(module, (module.env,)))
            module.state = 2
        return module.env

    def module(self, path: str) -> Module | None:
        """The module in a file, with names of this evaluator's own: another framework's hooks bind other values."""
        if path not in self._modules:
            shared = self.project.module(path)
            self._modules[path] = Module(shared.path, shared.name, shared.package, shared.tree) if shared else None
        return self._modules[path]

    def module_at(self, path: str | None) -> ModuleRef | None:
        module = self.module(path) if path else None
        return ModuleRef(module) if module else None

    def member_of(self, module: Module, name: str) -> Value:
        """A module's attribute: a name that it binds, else a submodule, else `NOT_HANDLED`."""
        env = self.env_of(module)
        if name in env:
            return self._settle(env, name, module)
        if module.state == 1:
            for node in module.tree.body:
                if isinstance(node, ast.ClassDef) and node.name == name:
                    return self.class_ref(module, node, name)
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
                    return FunctionRef(module, node, name)
        if module.path.endswith("__init__.py"):
            found = self.module_at(self.project.relative(module, 1, name))
            if found:
                return found
        return NOT_HANDLED

    def dotted(self, name: str, importer: str = "") -> Value:
        """What a dotted name is: a module, class or function of the repository, else an `ExternalRef`."""
        head = name
        parts: list[str] = []
        while head:
            found = self.module_at(self.project.find(head, importer))
            if found:
                value: Value = found
                for part in reversed(parts):
                    value = self.attribute(value, part)
                return value
            head, _, last = head.rpartition(".")
            parts.append(last)
        return ExternalRef(name)

    def _settle(self, env: Env, name: str, module: Module) -> Value:
        value = env[name]
        if isinstance(value, LazyImport):
            env[name] = UNKNOWN  # an import that leads back to itself ends here
            value = env[name] = self.follow(value, module)
        return value

    def follow(self, lazy: LazyImport, module: Module) -> Value:
        """What an import binds."""
        if lazy.level:
            package = module.package.split(".")
            package = package[: len(package) - (lazy.level - 1)]
            full = ".".join([*package, *([lazy.module] if lazy.module else [])])
            path = self.project.relative(module, lazy.level, lazy.module)
        else:
            full = lazy.module
            path = self.project.find(full, module.path)
        found = self.module_at(path)
        if lazy.name is None:
            return found or ExternalRef(full)
        if found and found.module is not module:  # `from . import x` inside the package itself means the submodule
            value = self.member_of(found.module, lazy.name)
            if value is not NOT_HANDLED:
                return value
        deeper = self.module_at(
            self.project.relative(module, lazy.level, f"{lazy.module}.{lazy.name}".lstrip("."))
            if lazy.level
            else self.project.find(f"{full}.{lazy.name}", module.path)
        )
        return deeper or (UNKNOWN if found else ExternalRef(f"{full}.{lazy.name}"))

    def lookup(self, name: str, frame: Frame) -> Value:
        for env in frame.envs:
            if name in env:
                return self._settle(env, name, frame.module)
        value = self.member_of(frame.module, name)
        if value is not NOT_HANDLED:
            return value
        if name == "__name__":
            return "__main__" if self._as_program else frame.module.name
        return Builtin(name) if name in operations.BUILTINS else Unknown(name)

    # classes

    def class_ref(self, module: Module, node: ast.ClassDef, qualname: str, closure: tuple[Env, ...] = ()) -> ClassRef:
        """The one `ClassRef` of a class statement."""
        found = module.classes.get(id(node))
        if found is None:
            found = module.classes[id(node)] = ClassRef(module, node, qualname, closure)
        return found

    def namespace(self, cls: ClassRef) -> Env:
        """The names that a class body binds."""
        if cls.namespace is None:
            cls.namespace = {}
            envs = (cls.namespace, *cls.closure)
            self._execute(self, cls.node.body, Frame(cls.module, envs, f"{cls.qualname}.", owner=cls))
        return cls.namespace

    def bases(self, cls: ClassRef) -> list[Value]:
        frame = Frame(cls.module, cls.closure)
        nodes = [base.value if isinstance(base, ast.Subscript) else base for base in cls.node.bases]
        return [self.evaluate(node, frame) for node in nodes if not isinstance(node, ast.Starred)]

    def linear(self, cls: ClassRef) -> tuple[tuple[ClassRef, ...], tuple[str, ...]]:
        """The class and its bases in lookup order: those of the repository, and the dotted names of the others."""
        if id(cls.node) in self._linear:
            return self._linear[id(cls.node)]
        self._linear[id(cls.node)] = ((cls,), ())
        own: list[ClassRef] = []
        others: list[str] = []
        for base in reversed(self.bases(cls)):
            if isinstance(base, ClassRef):
                deeper, external = self.linear(base)
                own = [*(known for known in deeper if known is not cls), *own]
                others = [*external, *(name for name in others if name not in external)]
            elif isinstance(base, ExternalRef):
                others = [base.dotted, *(name for name in others if name != base.dotted)]
            elif isinstance(base, ExternalObject):
                others = [base.dotted, *others]
        answer = ((cls, *_mixins_before_roots(own)), tuple(others))
        self._linear[id(cls.node)] = answer
        return answer

    def class_member(self, cls: ClassRef, name: str, after: ClassRef | None = None) -> Value:
        """An attribute along the lookup order, from `after` on when given; `NOT_HANDLED` when nobody defines it."""
        line = self.linear(cls)[0]
        if after is not None:
            line = line[line.index(after) + 1 :] if after in line else ()
        for found in line:
            env = self.namespace(found)
            if name in env:
                return self._settle(env, name, found.module)
        return NOT_HANDLED

    # attributes and calls

    def attribute(self, owner: Value, name: str) -> Value:
        """`owner.name`."""
        if isinstance(owner, ModuleRef):
            value = self.member_of(owner.module, name)
            return UNKNOWN if value is NOT_HANDLED else value
        if isinstance(owner, ClassRef):
            return self._class_attribute(owner, name)
        if isinstance(owner, Instance):
            return self._instance_attribute(owner, name)
        if isinstance(owner, Super):
            cls = owner.instance.cls if isinstance(owner.instance, Instance) else owner.instance
            value = self.class_member(cls, name, after=owner.after) if isinstance(cls, ClassRef) else NOT_HANDLED
            return Member(owner, name) if value is NOT_HANDLED else self._bind(value, owner.instance)
        if isinstance(owner, ExternalObject) and name in owner.attrs:
            return owner.attrs[name]
        value = self.hooks.attribute(self, owner, name)
        if value is not NOT_HANDLED:
            return value
        if isinstance(owner, ExternalRef):
            return ExternalRef(f"{owner.dotted}.{name}")
        if isinstance(owner, Unknown):
            return Unknown(f"{owner.text}.{name}" if owner.text else "")
        return Member(owner, name)

    def _class_attribute(self, cls: ClassRef, name: str) -> Value:
        value = self.class_member(cls, name)
        if value is NOT_HANDLED:
            value = self.hooks.attribute(self, cls, name)
            return Member(cls, name) if value is NOT_HANDLED else value
        if isinstance(value, FunctionRef) and _decorated(value.node, "classmethod"):
            return self._bind(value, cls)
        return value

    def _instance_attribute(self, instance: Instance, name: str) -> Value:
        if name in instance.attrs:
            return instance.attrs[name]
        value = self.class_member(instance.cls, name)
        is_method = isinstance(value, FunctionRef) and not _decorated(value.node, "property", "cached_property")
        if not instance.set_up and not is_method:
            instance.set_up = True
            self._set_up(instance)
            if name in instance.attrs:
                return instance.attrs[name]
        if name == "__dict__":
            return instance.attrs
        if value is not NOT_HANDLED:
            return self._bind(value, instance)
        value = self.hooks.attribute(self, instance, name)
        return Member(instance, name) if value is NOT_HANDLED else value

    def _set_up(self, instance: Instance) -> None:
        start = self.class_member(instance.cls, "__init__")
        if isinstance(start, FunctionRef):
            self.call_function(self._bind(start, instance), list(instance.args), dict(instance.kwargs))
        self.hooks.set_up(self, instance)

    def _bind(self, value: Value, instance: Value) -> Value:
        if not isinstance(value, FunctionRef) or value.owner is None:
            return value
        if _decorated(value.node, "staticmethod"):
            return value
        bound = FunctionRef(value.module, value.node, value.qualname, value.closure, value.owner, instance)
        if isinstance(instance, Instance) and _decorated(value.node, "property", "cached_property"):
            return self.call_function(bound, [], {})
        return bound

    def call(self, callee: Value, args: list[Value], kwargs: Env, frame: Frame) -> Value:
        """`callee(*args, **kwargs)`, where `frame.node` is the call."""
        value = self.hooks.call(self, callee, args, kwargs, frame)
        if value is NOT_HANDLED:
            value = self.hooks.result(callee, args, kwargs, self._plain_call(callee, args, kwargs, frame))
        return value

    def _plain_call(self, callee: Value, args: list[Value], kwargs: Env, frame: Frame) -> Value:
        if isinstance(callee, FunctionRef):
            return self.call_function(callee, args, kwargs)
        if isinstance(callee, ClassRef):
            return Instance(callee, tuple(args), kwargs)
        if isinstance(callee, Builtin):
            return self._call_builtin(callee.name, args, frame)
        if isinstance(callee, Member):
            return self._call_member(callee, args, kwargs)
        if isinstance(callee, ExternalRef):
            return self._call_external(callee.dotted, args, kwargs, frame)
        if isinstance(callee, Instance):
            method = self.class_member(callee.cls, "__call__")
            return (
                self.call_function(self._bind(method, callee), args, kwargs) if method is not NOT_HANDLED else UNKNOWN
            )
        if isinstance(callee, ExternalObject):
            return ExternalObject(callee.dotted, tuple(args), kwargs)
        return kwargs.get("default", UNKNOWN)

    def _call_builtin(self, name: str, args: list[Value], frame: Frame) -> Value:
        if name == "super":
            return self._super(args, frame)
        if name == "hasattr" and len(args) == 2 and isinstance(args[1], str):
            return self._has(args[0], args[1])
        if name == "getattr" and len(args) >= 2 and isinstance(args[1], str):
            value = self.attribute(args[0], args[1])
            return args[2] if len(args) > 2 and isinstance(value, Unknown | Member) else value
        if name == "isinstance" and len(args) == 2:
            return self._is_instance(args[0], args[1])
        return operations.call_builtin(name, args)

    def _is_instance(self, value: Value, kind: Value) -> Value:
        if isinstance(kind, tuple):
            answers = [self._is_instance(value, one) for one in kind]
            return True if True in answers else (False if all(answer is False for answer in answers) else UNKNOWN)
        if isinstance(kind, Builtin) and kind.name in ("list", "tuple", "dict", "str"):
            if isinstance(value, str | list | tuple | dict):
                return type(value).__name__ == kind.name
            return False if isinstance(value, Instance | ClassRef | FunctionRef | ModuleRef) else UNKNOWN
        if isinstance(kind, ClassRef) and isinstance(value, Instance):
            return kind in self.linear(value.cls)[0]
        return self.hooks.is_instance(value, kind)

    def _has(self, owner: Value, name: str) -> Value:
        if isinstance(owner, ModuleRef):
            return self.member_of(owner.module, name) is not NOT_HANDLED
        if isinstance(owner, ClassRef):
            return self.class_member(owner, name) is not NOT_HANDLED
        if isinstance(owner, Instance):
            return name in owner.attrs or self.class_member(owner.cls, name) is not NOT_HANDLED
        return UNKNOWN

    def _super(self, args: list[Value], frame: Frame) -> Value:
        function = frame.function
        instance = function.bound if function else None
        after = args[0] if args and isinstance(args[0], ClassRef) else (function.owner if function else None)
        return Super(instance, after) if after is not None and instance is not None else UNKNOWN

    def _call_member(self, member: Member, args: list[Value], kwargs: Env) -> Value:
        owner = member.owner
        if isinstance(owner, str | list | dict | tuple):
            return operations.call_method(owner, member.name, args, kwargs)
        if isinstance(owner, ExternalObject):
            if "default" in kwargs:
                return kwargs["default"]
            return ExternalObject(f"{owner.dotted}().{member.name}", tuple(args), kwargs)
        return UNKNOWN

    def _call_external(self, dotted: str, args: list[Value], kwargs: Env, frame: Frame) -> Value:
        last = dotted.rpartition(".")[2]
        if dotted.endswith(("environ.get", "os.getenv")):
            return args[1] if len(args) > 1 else Unknown(f"environ.{args[0]}" if args else "")
        if last in ("import_module", "import_string", "find_spec") and args and isinstance(args[0], str):
            value = self.dotted(args[0], frame.module.path)
            if last == "find_spec":
                return value if isinstance(value, ModuleRef) else None
            return value
        if dotted == "collections.defaultdict":
            made: type[Any] = list if args and args[0] == Builtin("list") else dict
            return defaultdict(made)
        if dotted == "functools.partial" and args:
            return args[0]
        return ExternalObject(dotted, tuple(args), kwargs)

    def call_function(self, function: FunctionRef, args: list[Value], kwargs: Env) -> Value:
        """What one of the repository's functions returns."""
        key = (id(function.node), id(function.bound))
        if len(self._active) >= MAX_DEPTH or key in self._active or self.steps > self._limit:
            return UNKNOWN
        if not self._active:
            self._limit = min(MAX_STEPS, self.steps + self._call_steps)
        env: Env = {}
        frame = Frame(function.module, (env, *function.closure), f"{function.qualname}.<locals>.", function)
        operations.bind(function, args, kwargs, env, lambda node: self.evaluate(node, frame))
        self._active.append(key)
        try:
            if isinstance(function.node, ast.Lambda):
                return self.evaluate(function.node.body, frame)
            self._execute(self, function.node.body, frame)
        finally:
            self._active.pop()
            if not self._active:
                self._limit = MAX_STEPS
        # an early return is the special case: what is returned last is preferred
        return frame.yields or operations.join_all(reversed(frame.returns))

    def evaluate(self, node: ast.expr, frame: Frame) -> Value:
        """The value of an expression."""
        self.steps += 1
        if self.steps > self._limit:
            return UNKNOWN
        known = self._expressions.get(type(node))
        return known(self, node, frame) if known else UNKNOWN


def _decorated(node: FunctionNode, *names: str) -> bool:
    if isinstance(node, ast.Lambda):
        return False
    for decorator in node.decorator_list:
        last = decorator.attr if isinstance(decorator, ast.Attribute) else getattr(decorator, "id", "")
        if last in names:
            return True
    return False


def _mixins_before_roots(line: list[ClassRef]) -> list[ClassRef]:
    """Each class once, at its last place, so that a shared base comes after all that derive from it."""
    kept: list[ClassRef] = []
    for cls in reversed(line):
        if cls not in kept:
            kept.append(cls)
    return kept[::-1]
