"""What an answer's text is worth: read it, clean it without guessing, validate it, or name its flaw exactly.

In order: strict JSON; deterministic clean-up (thoughts and code fence off, the outermost object, trailing commas,
typographic quotes, raw line ends and stray backslashes in strings); structure, by the output model; meaning, by the
checks of the caller. What is cut is never completed: a fragment's last value is not known to be whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, NoReturn, TypeVar

from pydantic import ValidationError

from retrodoc.llm.language import wrong_language
from retrodoc.llm.provider import Completion, StopReason
from retrodoc.prompts.base import PromptOutput

Out = TypeVar("Out", bound=PromptOutput)
MAX_ERRORS = 20
"""Errors shown in one repair turn: more do not help a model, and cost."""
MAX_CANDIDATES = 40
"""Opening braces that are tried for the outermost object: prose rarely holds more."""


class Flaw(StrEnum):
    """Why an answer is not used."""

    EMPTY = "empty"
    CUT = "cut"
    """Stopped for length, or its object is not closed."""
    LOOP = "loop"
    """Cut while it repeated itself: more room would only buy more of it."""
    REFUSAL = "refusal"
    TOOL_RESIDUE = "tool-residue"
    SYNTAX = "syntax"
    STRUCTURE = "structure"
    LANGUAGE = "wrong-language"
    MEANING = "meaning"


REPAIRABLE = frozenset({Flaw.SYNTAX, Flaw.STRUCTURE, Flaw.LANGUAGE, Flaw.MEANING})
"""Flaws that a repair turn can name; of the others there is nothing to send back."""


@dataclass(frozen=True, slots=True)
class Reading(Generic[Out]):
    """What was read: `out` with no flaw, or with MEANING or LANGUAGE and its errors; or no `out` and the flaw."""

    out: Out | None
    flaw: Flaw | None = None
    errors: tuple[str, ...] = ()
    """Each `path: reason`."""
    cleaned: tuple[str, ...] = ()
    """What was cleaned, in order; empty for strict JSON."""


def read_answer(
    completion: Completion,
    output: type[Out],
    language: str | None = None,
    checks: Callable[[Out], list[str]] = lambda _: [],
) -> Reading[Out]:
    """Judge one completion. `checks` gives errors of meaning; `language` is the one that prose must be in."""
    text = completion.text.strip().lstrip("\ufeff").strip()
    early = _early_flaw(completion, text)
    if early is not None:
        return Reading(None, early[0], (early[1],))
    try:
        value, cleaned = _parse(text)
    except _Unparsed as failed:
        return Reading(None, *_unparsed(failed, text, completion))
    try:
        out = output.model_validate(value)
    except ValidationError as error:
        return Reading(None, Flaw.STRUCTURE, structure_errors(error), cleaned)
    if language is not None and (wrong := wrong_language(out.prose(), language)):
        return Reading(out, Flaw.LANGUAGE, (wrong,), cleaned)
    if errors := checks(out):
        return Reading(out, Flaw.MEANING, tuple(errors[:MAX_ERRORS]), cleaned)
    return Reading(out, None, (), cleaned)


def structure_errors(error: ValidationError) -> tuple[str, ...]:
    """Path and reason of each error, as a model and a person can read them."""
    return tuple(f"{_path(item['loc'])}: {item['msg']}" for item in error.errors(include_url=False)[:MAX_ERRORS])


def repair_message(reading: Reading[Any], fields: str) -> str:
    """The user's turn that follows an answer with a repairable flaw. `fields` are the top-level keys wanted."""
    listed = "\n".join(f"- {error}" for error in reading.errors)
    opening = {
        Flaw.SYNTAX: "Your answer is not valid JSON:",
        Flaw.STRUCTURE: "Your answer does not have the required structure:",
        Flaw.LANGUAGE: "Your answer is not in the required language:",
    }.get(reading.flaw or Flaw.MEANING, "Your answer has the right form, but says things that are not so:")
    return (
        f"{opening}\n{listed}\n\nCorrect these points and keep the rest. "
        f"Answer with the whole corrected JSON object ({fields}) and nothing else."
    )


def error_path(error: str) -> str:
    """An error's path with its numbers left out, to count what goes wrong most: `steps[].order`."""
    return re.sub(r"\[\d+\]", "[]", error.split(": ", 1)[0]) if ": " in error else error


# --- flaws that show before parsing --------------------------------------------------------------------------------

_TOOL = re.compile(
    r"^\s*(<tool_call>|<function|<\|tool|\[TOOL_CALLS\]|<tool_use|<invoke|```tool_|functions\.\w+\()", re.IGNORECASE
)
_SORRY = re.compile(
    r"^(i'?m sorry|i am sorry|sorry,|i can(no|')t|i cannot|i'm unable|i am unable|i won't|as an ai\b"
    r"|je suis désolé|désolé|je ne peux pas|je ne suis pas en mesure)",
    re.IGNORECASE,
)


def _early_flaw(completion: Completion, text: str) -> tuple[Flaw, str] | None:
    if completion.stop_reason is StopReason.REFUSAL:
        return Flaw.REFUSAL, f"the model declined: {text[:120] or 'without a word'}"
    if completion.stop_reason is StopReason.LENGTH:
        if loops(completion.text):  # unstripped: blanks are what some models repeat
            return Flaw.LOOP, "the answer was cut while it repeated itself"
        return Flaw.CUT, "the answer was cut at the token limit"
    if completion.stop_reason is StopReason.TOOL or _TOOL.match(text):
        return Flaw.TOOL_RESIDUE, f"the model asked for a tool: {text[:80]}"
    if not text:
        return Flaw.EMPTY, "the answer is empty"
    return None


def loops(text: str) -> bool:
    """Whether the end of a text is one short piece (up to 80 characters) over and over, for 300 characters or more.

    300 is longer than any honest repetition in an answer: a run of blanks, a list of equal numbers.
    """
    tail = text[-400:] if text.strip() else text
    if len(tail) < 300:
        return False
    return any(tail[-300:] == (tail[-size:] * (300 // size + 1))[-300:] for size in range(1, 81))


def _unparsed(failed: _Unparsed, text: str, completion: Completion) -> tuple[Flaw, tuple[str, ...], tuple[str, ...]]:
    if "{" not in text and _SORRY.match(text):
        return Flaw.REFUSAL, (f"the model declined: {text[:120]}",), ()
    if failed.cut:
        if loops(completion.text):
            return Flaw.LOOP, ("the answer ends in a repetition, its object not closed",), ()
        return Flaw.CUT, ("the answer ends before its object does",), ()
    return Flaw.SYNTAX, (failed.reason,), ()


# --- parsing and clean-up ------------------------------------------------------------------------------------------


class _Unparsed(Exception):
    def __init__(self, reason: str, *, cut: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.cut = cut


def _parse(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The object that a text holds and what had to be cleaned. Raises _Unparsed."""
    try:
        value = _loads(text)
    except (ValueError, RecursionError):
        pass
    else:
        if isinstance(value, dict):
            return value, ()
    return _outermost(*_unwrapped(text))


_THOUGHT = re.compile(r"^\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)


def _unwrapped(text: str) -> tuple[str, list[str]]:
    without = _THOUGHT.sub("", text)
    return without, ["thoughts"] if without != text else []


def _outermost(text: str, cleaned: list[str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The largest object that starts at a brace of `text`; braces of prose are passed over."""
    first: _Unparsed | None = None
    best: tuple[int, int, dict[str, Any], list[str]] | None = None
    position = 0
    for _ in range(MAX_CANDIDATES):
        start = text.find("{", position)
        if start < 0:
            break
        end, repaired, notes = _scan(text, start)
        if end is None:
            first = first or _Unparsed("the object is not closed", cut=True)
            position = start + 1
            if best is None and first.cut and '"' in text[start : start + 40]:
                break  # a real object that was cut: what stands inside it is a part, never the answer
            continue
        try:
            value = _loads(repaired)
        except (ValueError, RecursionError) as error:
            first = first or _Unparsed(f"not JSON: {error}")
            position = end
            continue
        if isinstance(value, dict) and (best is None or end - start > best[1] - best[0]):
            best = (start, end, value, notes)
        position = end
    if best is None:
        raise first or _Unparsed("there is no JSON object in the answer")
    start, end, value, notes = best
    around = "fence" if "```" in text[:start] else "prose around" if end - start < len(text.strip()) else ""
    return value, tuple(filter(None, (*cleaned, around, *notes)))


_QUOTES = {"“": "”", "”": "”", "„": "“", "«": "»", "‟": "”"}
_ESCAPED = frozenset('"\\/bfnrtu')


def _scan(text: str, start: int) -> tuple[int | None, str, list[str]]:
    """Walk the object at `start`: its end (None when it is not closed), its text mended, and what was mended."""
    out: list[str] = []
    notes: dict[str, None] = {}
    depth = 0
    position = start
    while position < len(text):
        char = text[position]
        if char == '"' or char in _QUOTES:
            closing = _QUOTES.get(char, '"')
            piece, position = _string(text, position + 1, closing, notes)
            if piece is None:
                return None, "", list(notes)
            if closing != '"':
                notes["typographic quotes"] = None
            out.append(piece)
            continue
        position += 1
        if char in "{[":
            depth += 1
        elif char in "}]":
            depth -= 1
            _drop_comma(out, notes)
        out.append(char)
        if depth == 0:
            return position, "".join(out), list(notes)
    return None, "", list(notes)


def _string(text: str, position: int, closing: str, notes: dict[str, None]) -> tuple[str | None, int]:
    """A JSON string's text from after its opening quote, and where it ends; None when it does not end."""
    out = ['"']
    while position < len(text):
        char = text[position]
        if char == closing or (closing == "”" and char == "“" and text[position + 1 : position + 2] in ",:}]"):
            return "".join(out) + '"', position + 1
        if char == "\\" and position + 1 < len(text):
            following = text[position + 1]
            if following in _ESCAPED:
                out.append(char + following)
            else:  # `\d` of a pattern, `\_` of Markdown: the backslash was meant
                out.append("\\\\" + following)
                notes["stray backslash"] = None
            position += 2
            continue
        if char == '"':  # inside typographic quotes
            out.append('\\"')
        elif char < " ":
            out.append(json.dumps(char)[1:-1])
            notes["raw control character"] = None
        else:
            out.append(char)
        position += 1
    return None, position


def _drop_comma(out: list[str], notes: dict[str, None]) -> None:
    index = len(out) - 1
    while index >= 0 and out[index].isspace():
        index -= 1
    if index >= 0 and out[index] == ",":
        del out[index]
        notes["trailing comma"] = None


def _loads(text: str) -> Any:
    return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_twice)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


def _no_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A key that stands twice hides one of its values."""
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"key {next(k for k in keys if keys.count(k) > 1)!r} stands twice")
    return found


def _path(loc: tuple[str | int, ...]) -> str:
    return "".join(_path_parts(loc)) or "(top)"


def _path_parts(loc: tuple[str | int, ...]) -> Iterator[str]:
    for index, part in enumerate(loc):
        if isinstance(part, int):
            yield f"[{part}]"
        else:
            yield f".{part}" if index else part
