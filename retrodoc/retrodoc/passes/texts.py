"""Which calls only look up a text in the reader's language, by where their name comes from.

`translate` may be gettext's, and may move a drawing. A name that comes from somewhere else is told like any other
call; where it cannot be concluded from where it comes, it is left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retrodoc.passes.symbols import TYPES, Symbol, on_itself

if TYPE_CHECKING:
    from retrodoc.ingest.sources import Sources
    from retrodoc_chunkers import Call, Definition, Import

_ALWAYS = frozenset("gettext gettext_lazy ngettext ngettext_lazy npgettext pgettext ugettext ugettext_lazy".split())
_SHORT = frozenset(("_", "t", "l"))
"""What nearly everybody calls the look-up of a text: another meaning is told by a definition only."""
_WORDS = frozenset(("translate", "localize"))
_OF_TEXTS = re.compile(r"i18n|l10n|gettext|\bintl\b|translat|locale|locali[sz]|babel|polyglot|lingui", re.IGNORECASE)


def is_text(call: Call, symbol: Symbol, sources: Sources) -> bool:
    """Whether `call`, made in `symbol`, looks up a text, or whether that cannot be excluded."""
    name = call.name
    if name in _ALWAYS:
        return True
    if name not in _SHORT and name not in _WORDS:
        return False
    if on_itself(call.receiver):
        own = _own(call, symbol, sources)
        if own is not None:
            return bool(_OF_TEXTS.search(f"{symbol.path} {own.qualified_name.rpartition('.')[0]}"))
        bound = _import_of(name, symbol.path, sources)
        return name in _SHORT or bound is None or bool(_OF_TEXTS.search(bound.module))
    bound = _import_of(re.split(r"\W+", call.receiver)[0], symbol.path, sources)
    module = f"{bound.module} {bound.imported}" if bound is not None else ""
    ruby = sources.language(symbol.path) == "ruby"  # there, Rails mixes the look-up into what it is called on
    return name in _SHORT or ruby or bool(_OF_TEXTS.search(f"{call.receiver} {module}"))


def _own(call: Call, symbol: Symbol, sources: Sources) -> Definition | None:
    """What the file itself defines under the name of a call: a function of its own, or a method of the same class."""
    definitions = sources.syntax(symbol.path).definitions
    around = symbol.definition.parent
    for found in definitions:
        if found.name != call.name or found.kind not in ("function", "method"):
            continue
        inside = found.parent is not None and definitions[found.parent].kind in TYPES
        if (found.parent == around and inside) if call.receiver else not inside:
            return found
    return None


def _import_of(name: str, path: str, sources: Sources) -> Import | None:
    return next((each for each in sources.syntax(path).imports if each.name == name), None)
