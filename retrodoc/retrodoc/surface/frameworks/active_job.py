"""Background jobs in Ruby: ActiveJob, Sidekiq, Que, Shoryuken and Resque classes, each with its `perform`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from retrodoc.surface.ruby.classes import Method, RubyClass, RubyIndex, index_of, is_test_path
from retrodoc.surface.ruby.values import Constant
from retrodoc_runs.models import EntryPoint, Handler

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources

_NEEDLE = re.compile(rb"\bdef\s+(?:self\.)?perform\b")
_BASES = {"ActiveJob::Base": "active_job", "ApplicationJob": "active_job", "Que::Job": "que"}
_MIXINS = {
    "Sidekiq::Worker": "sidekiq",
    "Sidekiq::Job": "sidekiq",
    "Shoryuken::Worker": "shoryuken",
    "SuckerPunch::Job": "sucker_punch",
    "ActiveJob::Core": "active_job",
}


def entry_points(sources: Sources) -> Iterable[EntryPoint]:
    index = index_of(sources)
    for path in sources.containing(_NEEDLE, "ruby"):
        if is_test_path(path):
            continue
        for statement in index.in_file(path):
            framework = _framework(index, statement)
            method = statement.methods.get("perform") or statement.class_methods.get("perform")
            if framework is not None and method is not None:
                yield _entry(statement, method, framework)


def _framework(index: RubyIndex, statement: RubyClass) -> str | None:
    if statement.kind != "class":
        return None
    for each in index.ancestors((statement,)):
        for mixin in each.mixins:
            if mixin.removeprefix("::") in _MIXINS:
                return _MIXINS[mixin.removeprefix("::")]
        for macro in each.macros:  # `include Sidekiq::Worker, Other`
            for value in macro.args.positional if macro.name == "include" else ():
                if isinstance(value, Constant) and value.name in _MIXINS:
                    return _MIXINS[value.name]
    for name in index.superclass_names((statement,)):
        if name in _BASES:
            return _BASES[name]
    if "perform" in statement.class_methods:  # Resque runs the class method of a class that names its queue
        return "resque" if statement.queue is not None else None
    return None


def _entry(statement: RubyClass, method: Method, framework: str) -> EntryPoint:
    return EntryPoint(
        kind="job",
        name=statement.name,
        handler=Handler(
            symbol=f"{statement.name}#perform",
            path=method.path,
            start_line=method.start_line,
            end_line=method.end_line,
        ),
        framework=framework,
    )
