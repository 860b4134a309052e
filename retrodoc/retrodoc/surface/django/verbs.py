"""Decides which verbs a view answers, and which of its methods answers each."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from retrodoc.surface.python.evaluate import NOT_HANDLED, Evaluator, Frame
from retrodoc.surface.python.places import handler_of, last_name
from retrodoc.surface.python.values import ClassRef, FunctionRef
from retrodoc_runs.models import Handler

from .known import HTTP_VERBS, VERBS
from .patterns import View

_BY_DECORATOR = {"require_POST": ("POST",), "require_GET": ("GET",), "require_safe": ("GET",)}


def answers(evaluator: Evaluator, view: View) -> Iterator[tuple[str | None, Handler]]:
    """Each verb that is fixed by the view's code, with what answers it; one None when nothing fixes them."""
    ref = view.ref
    if ref is None:
        for verb in view.verbs or (None,):
            yield verb, Handler(symbol=view.external)
    elif isinstance(ref, FunctionRef):
        for verb in view.verbs or _function_verbs(evaluator, ref) or (None,):
            yield verb, handler_of(ref)
    else:
        methods = view.actions or _class_verbs(evaluator, ref)
        for verb in view.verbs or tuple(methods) or (None,):
            yield verb.upper() if verb else None, _method(evaluator, ref, methods.get(verb or "", ""))


def _method(evaluator: Evaluator, cls: ClassRef, name: str) -> Handler:
    """The method's lines under the view's own name; the class's lines when the method is another package's."""
    method = evaluator.class_member(cls, name) if name else NOT_HANDLED
    if isinstance(method, FunctionRef):
        return handler_of(cls, method.node, method.module)
    return handler_of(cls)


def _function_verbs(evaluator: Evaluator, function: FunctionRef) -> tuple[str, ...]:
    for decorator in getattr(function.node, "decorator_list", ()):
        name = last_name(decorator)
        if name in _BY_DECORATOR:
            return _BY_DECORATOR[name]
        if name in ("require_http_methods", "api_view"):
            value = None
            if isinstance(decorator, ast.Call) and (decorator.args or decorator.keywords):
                given = decorator.args[0] if decorator.args else decorator.keywords[0].value
                value = evaluator.evaluate(given, Frame(function.module, function.closure))
            if isinstance(value, list | tuple):
                return tuple(str(verb).upper() for verb in value)
            return ("GET",) if name == "api_view" else ()
    return ()


def _class_verbs(evaluator: Evaluator, cls: ClassRef) -> dict[str, str]:
    """Verb to method of an API view; nothing for other classes: a page's verbs depend on forms and mixins."""
    line, others = evaluator.linear(cls)
    if not any(base.startswith("rest_framework.") for base in others):
        return {}
    inherited = {verb.lower() for base in others for verb in VERBS.get(base.rpartition(".")[2], ())}
    own = {
        name for known in line for name, value in evaluator.namespace(known).items() if isinstance(value, FunctionRef)
    }
    allowed = evaluator.class_member(cls, "http_method_names")
    verbs = [verb.lower() for verb in HTTP_VERBS if verb.lower() in inherited | own]
    if isinstance(allowed, list | tuple):
        verbs = [verb for verb in verbs if verb in allowed]
    return {verb: verb for verb in verbs}
