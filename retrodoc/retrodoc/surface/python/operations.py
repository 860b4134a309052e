"""Decides what builtins, operators and methods of plain data give, and how two possible values are joined."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from .values import UNKNOWN, Builtin, Env, ExternalObject, ExternalRef, FunctionRef, Member, Unknown, Value

BUILTINS = frozenset(
    "super hasattr getattr list tuple dict set frozenset sorted reversed enumerate zip range str int len filter map"
    " property isinstance type bool any all chain".split()
)
MAX_ITEMS = 2_000
"""Elements of a list that is built; more is a mistake or an attack."""

_STRING_METHODS = frozenset(
    "format join lower upper strip lstrip rstrip replace title capitalize removeprefix removesuffix split".split()
)


def known(value: Value) -> bool:
    return not isinstance(value, Unknown)


def truth(value: Value) -> bool | None:
    """True, False, or None when it cannot be said."""
    if isinstance(value, Unknown | ExternalObject | ExternalRef | Member):
        return None
    if isinstance(value, str | int | float | list | tuple | dict | set) or value is None:
        return bool(value)
    return True


def items_of(value: Value) -> list[Value] | None:
    """The elements of something that can be gone through; None when they are not known."""
    if isinstance(value, list | tuple | set | range):
        return list(value)[:MAX_ITEMS]
    if isinstance(value, dict):
        return list(value)[:MAX_ITEMS]
    return None


def call_builtin(name: str, args: list[Value]) -> Value:
    first = items_of(args[0]) if args else None
    if name in ("list", "sorted", "tuple", "set", "frozenset"):
        if not args:
            return [] if name != "tuple" else ()
        return UNKNOWN if first is None else (tuple(first) if name == "tuple" else first)
    if name == "dict":
        return dict(args[0]) if args and isinstance(args[0], dict) else {}
    if name == "reversed":
        return UNKNOWN if first is None else first[::-1]
    if name == "enumerate":
        return UNKNOWN if first is None else list(enumerate(first))
    if name == "zip":
        columns = [items_of(arg) for arg in args]
        return UNKNOWN if any(c is None for c in columns) else list(zip(*(c or [] for c in columns), strict=False))
    if name == "range" and args and all(isinstance(arg, int) for arg in args):
        return list(range(*args[:3]))[:MAX_ITEMS]
    if name == "str" and args:
        return str(args[0]) if isinstance(args[0], str | int) else args[0]
    if name == "int" and args:
        return args[0] if isinstance(args[0], int) else UNKNOWN
    if name == "type" and len(args) == 1:
        known_type = type(args[0]).__name__
        return Builtin(known_type) if isinstance(args[0], str | list | tuple | dict) else Builtin("type")
    if name == "type" and len(args) == 3:
        return ExternalObject("type", tuple(args))  # a class made on the spot: a marker, told by identity
    if name == "bool" and args:
        sure = truth(args[0])
        return UNKNOWN if sure is None else sure
    if name == "len" and first is not None:
        return len(first)
    return UNKNOWN


def call_method(owner: Value, name: str, args: list[Value], kwargs: Env) -> Value:
    """A method of a string, list, tuple or dict; lists and dicts are changed in place, as Python does."""
    if isinstance(owner, str):
        return _string_method(owner, name, args, kwargs)
    if isinstance(owner, list):
        return _list_method(owner, name, args)
    if isinstance(owner, dict):
        return _dict_method(owner, name, args)
    return UNKNOWN


def _string_method(owner: str, name: str, args: list[Value], kwargs: Env) -> Value:
    if name not in _STRING_METHODS:
        return UNKNOWN
    if name == "join":
        parts = items_of(args[0]) if args else None
        return owner.join(map(shown, parts)) if parts is not None else UNKNOWN
    if name == "format":
        try:
            return owner.format(*map(shown, args), **{key: shown(value) for key, value in kwargs.items()})
        except (IndexError, KeyError, ValueError, AttributeError):
            return UNKNOWN
    if not all(isinstance(arg, str | int) for arg in args):
        return UNKNOWN
    try:
        return getattr(owner, name)(*args)
    except (TypeError, ValueError):
        return UNKNOWN


def _list_method(owner: list[Value], name: str, args: list[Value]) -> Value:
    if len(owner) > MAX_ITEMS:
        return UNKNOWN
    if name == "append" and args:
        owner.append(args[0])
    elif name == "extend" and args:
        owner.extend(items_of(args[0]) or [])
    elif name == "insert" and len(args) == 2:
        owner.insert(args[0] if isinstance(args[0], int) else len(owner), args[1])
    elif name == "copy":
        return list(owner)
    else:
        return UNKNOWN
    return None


def _dict_method(owner: dict[Any, Value], name: str, args: list[Value]) -> Value:
    if name == "get" and args:
        fallback = args[1] if len(args) > 1 else None
        return owner.get(args[0], fallback) if isinstance(args[0], str | int) else UNKNOWN
    if name == "items":
        return list(owner.items())
    if name in ("values", "keys"):
        return list(getattr(owner, name)())
    if name == "update" and args and isinstance(args[0], dict):
        owner.update(args[0])
        return None
    if name == "copy":
        return dict(owner)
    return UNKNOWN


def shown(value: Value) -> str:
    """A value inside a string: what is not known is written as its source, in braces."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) or value is None:
        return str(value)
    if isinstance(value, Unknown) and value.text:
        return "{" + value.text + "}"
    if isinstance(value, ExternalRef):
        return "{" + value.dotted + "}"
    return "{…}"


def add(left: Value, right: Value) -> Value:
    """`left + right`; of lists, what is known of either stays."""
    if isinstance(left, str) or isinstance(right, str):
        if isinstance(left, str | Unknown | ExternalRef) and isinstance(right, str | Unknown | ExternalRef):
            return shown(left) + shown(right)
        return UNKNOWN
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        both = [*left, *right][:MAX_ITEMS]
        return both if isinstance(left, list) else tuple(both)
    if isinstance(left, list | tuple):
        return left
    if isinstance(right, list | tuple):
        return right
    if isinstance(left, int) and isinstance(right, int):
        return left + right
    return UNKNOWN


def percent(left: Value, right: Value) -> Value:
    """`left % right` for strings."""
    if not isinstance(left, str):
        return UNKNOWN
    try:
        if isinstance(right, tuple):
            return left % tuple(map(shown, right))
        if isinstance(right, dict):
            return left % {key: shown(value) for key, value in right.items()}
        return left % shown(right)
    except (TypeError, ValueError, KeyError):
        return UNKNOWN


def join(first: Value, second: Value) -> Value:
    """One value for two possible ones: lists are united, else what is known and something comes first."""
    if first is second:
        return first
    if isinstance(first, list) and isinstance(second, list | tuple):
        return first + [item for item in second if not any(item is other for other in first)]
    if not known(first) or first is None:
        return second if known(second) or first is None else first
    return first


def join_all(values: Iterable[Value]) -> Value:
    """`join` over all that a function may return; None when it returns nothing."""
    answer: Value = None
    for index, value in enumerate(values):
        answer = value if index == 0 else join(answer, value)
    return answer


def bind(
    function: FunctionRef, args: list[Value], kwargs: Env, env: Env, evaluate: Callable[[ast.expr], Value]
) -> None:
    """Fill `env` with the parameters of a call."""
    spec = function.node.args
    positional = [*spec.posonlyargs, *spec.args]
    given = [function.bound, *args] if function.bound is not None else list(args)
    defaults = dict(
        zip((a.arg for a in positional[len(positional) - len(spec.defaults) :]), spec.defaults, strict=True)
    )
    defaults.update({a.arg: d for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d is not None})
    names = [a.arg for a in positional]
    for name, value in zip(names, given, strict=False):
        env[name] = value
    if spec.vararg:
        env[spec.vararg.arg] = tuple(given[len(names) :])
    for name in [*names[len(given) :], *(a.arg for a in spec.kwonlyargs)]:
        if name in kwargs:
            env[name] = kwargs[name]
        else:
            env[name] = evaluate(defaults[name]) if name in defaults else Unknown(name)
    if spec.kwarg:
        env[spec.kwarg.arg] = {key: value for key, value in kwargs.items() if key not in env}
