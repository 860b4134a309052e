"""Which files hold what the cited lines lack: all questions of a run are answered in one pass over the repository.

Each file is read once and let go, so a pass costs no memory, and all questions meet its bytes while these are at hand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence

from retrodoc_checks.evidence import ANY_KIND, windows_holding
from retrodoc_checks.files import FileIndex
from retrodoc_checks.names import Kind, Promise
from retrodoc_checks.source import SourceFile

ENOUGH = 4
"""Holders of a missing promise that are looked for: with the cited files among them, one other is still told apart."""
MAX_FILES = 200
"""Files that may hold it, by their words, that are looked into at most."""
MAX_HOLDERS = 10_000
"""Missing promises whose holders are remembered."""
TOKENS_FROM = 32
"""Open questions from which a file is split into tokens, which takes as long as some thirty plain searches of it."""

_CHUNK = re.compile(r"\w+")
_TOKEN = re.compile(rb"[A-Za-z0-9_\x80-\xff]{2,}|[A-Za-z0-9_\x80-\xff]")


def key_of(promise: Promise) -> Hashable:
    """What tells promises apart when it comes to who holds them: a call is held where the name is."""
    return promise.kind, promise.parts


def find_holders(promises: Iterable[Promise], index: FileIndex) -> None:
    """Enter into `index.holders` which files hold each promise, as any kind of token: at most one more than ENOUGH."""
    wanted = {key_of(promise): promise for promise in promises}
    asked = {key: promise for key, promise in wanted.items() if key not in index.holders}
    if not asked:
        return
    if len(index.holders) + len(asked) > MAX_HOLDERS:
        index.holders.clear()
        asked = wanted
    questions = [_Question(promise) for promise in asked.values()]
    _ask(questions, index)
    index.holders.update(zip(asked, (tuple(question.found) for question in questions), strict=True))


def _ask(questions: Iterable[_Question], index: FileIndex) -> None:
    unanswered = [question for question in questions if question.forms]
    find = _by_tokens(unanswered) if len(unanswered) >= TOKENS_FROM else _by_search(unanswered)
    for path, content in index.texts():
        asking = find(content)
        source = index.glance(path, content) if asking else None
        for question in asking:
            question.look(source)
        if asking and all(question.answered for question in unanswered):
            return


def _by_search(questions: Sequence[_Question]) -> Callable[[bytes], list[_Question]]:
    """The unanswered questions whose words a file may hold."""

    def find(content: bytes) -> list[_Question]:
        return [
            question
            for question in questions
            if not question.answered and any(all(word in content for word in form) for form in question.forms)
        ]

    return find


def _by_tokens(questions: Sequence[_Question]) -> Callable[[bytes], list[_Question]]:
    """The same for many questions: a file is split once, whatever their number."""
    by_word: dict[bytes, list[tuple[_Question, tuple[bytes, ...]]]] = {}
    for question in questions:
        for form in question.forms:
            by_word.setdefault(form[0], []).append((question, form))

    def find(content: bytes) -> list[_Question]:
        tokens = {token.lstrip(b"_") or token for token in _TOKEN.findall(content)}
        alike = [pair for word in by_word.keys() & tokens for pair in by_word[word]]
        return list(dict.fromkeys(one for one, form in alike if not one.answered and tokens.issuperset(form)))

    return find


class _Question:
    """Where one promise is, as far as it was looked for."""

    def __init__(self, promise: Promise) -> None:
        names = promise.parts if promise.kind is Kind.ENTITY else (" ".join(promise.parts),)
        chunks = [[word.lstrip("_") or word for word in _CHUNK.findall(name)] for name in names]
        self.promise = promise
        self.forms = tuple(
            tuple(word.encode() for word in sorted(words, key=len, reverse=True)) for words in chunks if words
        )
        """The words of each of its forms, the longest first: a file that holds the promise holds all of one form's."""
        self.found: list[str] = []
        self._looked = 0

    @property
    def answered(self) -> bool:
        return len(self.found) > ENOUGH or self._looked >= MAX_FILES

    def look(self, source: SourceFile | None) -> None:
        """Note whether this file holds it."""
        self._looked += 1
        if source is not None and _is_in(source, self.promise):
            self.found.append(source.path)


def _is_in(source: SourceFile, promise: Promise) -> bool:
    """Whether a file that was not cited holds the promise: by plain tokens where those are enough, without a parse."""
    if promise.kind is Kind.ENTITY:
        return any(source.has_name(form) for form in promise.parts)
    if promise.kind is Kind.NAME:
        if not all(source.has_name(part) for part in promise.parts):
            return False
        return len(promise.parts) == 1 or bool(windows_holding(source, promise, 1, ANY_KIND))
    if promise.kind is Kind.TEXT:
        return source.has_text(promise.parts[0])
    return bool(windows_holding(source, promise, 1, ANY_KIND))
