"""Which calls say nothing about what the application does: logging, getters, conversions, the language itself."""

from __future__ import annotations

import re

from retrodoc.passes.words import words_of
from retrodoc_chunkers import Call

# Names that are plumbing whatever they are called on.
_NAMES = frozenset(
    """
    len str int float bool set tuple bytes repr type isinstance issubclass hasattr getattr setattr range
    enumerate zip sorted reversed map filter iter next any all min max sum abs round print format join split strip
    lower upper replace startswith endswith encode decode get items keys values append extend pop insert copy
    super id vars dir callable
    puts p pp inspect nil? blank? present? empty? any? none? first last each each_with_index map! select reject
    detect collect inject reduce to_s to_i to_sym to_a to_h to_f to_json dup freeze tap try send public_send
    respond_to? is_a? kind_of? instance_of? include? key? size length count push concat compact flatten uniq sort
    sort_by group_by index_by merge merge! except slice symbolize_keys stringify_keys html_safe lambda proc
    raise require require_relative attr_accessor attr_reader block_given?
    toString valueOf forEach indexOf includes push slice splice concat then catch finally resolve hasOwnProperty
    String Number Boolean Array Object Symbol Promise Error Date Math RegExp Map Set isArray stringify bind apply
    unwrap expect clone to_string to_owned into iter iter_mut into_iter collect as_str as_ref as_deref ok err ok_or
    ok_or_else map_err and_then unwrap_or unwrap_or_else unwrap_or_default is_some is_none is_ok is_err is_empty
    Some Ok Err Box Vec Rc Arc None push_str borrow borrow_mut lock cloned copied chain vec! format! println!
    eprintln! write! writeln! panic! assert! assert_eq! matches! debug_assert! todo! unreachable!
    debug info warning warn error exception critical trace log log_debug debug! info! warn! error! trace!
    as_view reverse reverse_lazy mark_safe format_html escape h params session flash cookies request response
    current_user respond_to html js api xml json atom csv pdf tag content_tag view_context controller_name
    action_name helpers status end sendStatus setHeader match? xhr? setdefault getlist distinct
    """.split()
)
# Functions of Python that are other things on a receiver: `bcrypt.hash(password)`, `orders.list()`.
_FUNCTIONS = frozenset(("dict", "hash", "list", "property"))
_GETTER = re.compile(r"^(?:get_?[A-Z_]?\w*_?(?:id|name|url|value|key|label|text|type|class|display)|getLogger)$")
_ROUTE_HELPER = re.compile(r"\w+_(?:path|url)$")
_LOGGERS = re.compile(r"(?:^|[._:])(?:log|logger|logging|_log|_logger|console|Log)$")
_LOG_WORDS = frozenset({"log", "logger", "logging", "logs"})
_DECORATED_ONLY = frozenset({"staticmethod", "classmethod", "property", "wraps", "override", "cached_property"})


# What a Ruby method without arguments does when it is no attribute.
_RUBY_ACTS = frozenset(
    """
    save save! destroy destroy! delete update touch reload run call perform deliver deliver_now deliver_later close
    open start stop commit rollback lock unlock clear reset validate valid? execute fetch create build new submit send
    archive unarchive activate enable disable publish
    """.split()
)


_RUST_ATTRIBUTE = re.compile(rb"#!?\[[^\]\n]*$")


def is_rust_attribute(call: Call, source: bytes) -> bool:
    """Whether a Rust call stands in an attribute such as `#[cfg(windows)]`: that tells the compiler, not the reader."""
    line = source.rfind(b"\n", 0, call.start_byte) + 1
    return _RUST_ATTRIBUTE.search(source, line, call.start_byte) is not None


# What the language and its runtime offer everywhere, by name and by what it is called on.
_JAVASCRIPT_NAMES = frozenset(
    """
    apply call charAt charCodeAt clearInterval clearTimeout decodeURI decodeURIComponent encodeURI encodeURIComponent
    flatMap getDate getDay getFullYear getHours getMilliseconds getMinutes getMonth getSeconds getTime
    getTimezoneOffset isFinite isInteger isNaN localeCompare nextTick padEnd padStart parseFloat parseInt
    preventDefault setDate setFullYear setHours setImmediate setInterval setMilliseconds setMinutes setMonth
    setSeconds setTime setTimeout stopPropagation substr substring toFixed toISOString toLocaleDateString
    toLocaleLowerCase toLocaleString toLocaleUpperCase toLowerCase toUTCString toUpperCase trim trimEnd trimStart
    """.split()
)
_JAVASCRIPT_GLOBALS = frozenset("Array Date Intl JSON Math Number Object Promise Reflect String Symbol".split())


def is_javascript_plumbing(call: Call, source: bytes) -> bool:
    """Whether a JavaScript call is the language's own, an element of HTML, or a decorator, which only declares."""
    own = call.name in _JAVASCRIPT_NAMES or call.receiver in _JAVASCRIPT_GLOBALS
    plain = call.name[:1].islower() and not call.receiver and is_element(call, source)  # `<div>`
    return own or plain or is_decorator(call, source)


def is_decorator(call: Call, source: bytes) -> bool:
    """Whether a JavaScript call follows a `@`."""
    return _mark_before(call, source) == b"@"


def is_element(call: Call, source: bytes) -> bool:
    """Whether it is an element of JSX, `<Rack>`: a name after a `<`, with no parenthesis."""
    return call.end_byte == call.start_byte + len(call.name.encode()) and _mark_before(call, source) == b"<"


def _mark_before(call: Call, source: bytes) -> bytes:
    start = call.start_byte - (len(call.receiver.encode()) + 1 if call.receiver else 0)
    return source[start - 1 : start]


def is_attribute(call: Call, source: bytes) -> bool:
    """Whether a Ruby call looks like the reading of an attribute: on a receiver, without arguments, no verb."""
    ends_with_name = call.end_byte == call.start_byte + len(call.name.encode())
    return bool(
        ends_with_name
        and source[call.start_byte : call.end_byte] == call.name.encode()
        and call.receiver not in ("", "self")
        and not call.name.endswith(("!", "?"))
        and call.name not in _RUBY_ACTS
    )


def is_noise(call: Call) -> bool:
    """Whether a call is left out of an outline."""
    name = call.name
    return (
        name in _NAMES
        or (name in _FUNCTIONS and not call.receiver)
        or name in _DECORATED_ONLY
        or (name.startswith("__") and name.endswith("__"))
        or bool(_GETTER.match(name))
        or bool(_ROUTE_HELPER.match(name))
        or bool(_LOGGERS.search(call.receiver))
        or not _LOG_WORDS.isdisjoint(words_of(name))
    )
