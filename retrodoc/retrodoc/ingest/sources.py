"""The files that are read as source, each parsed at most once at a time and only when somebody asks.

Everything that looks at code (entry points, entities, drafting) goes through `Sources`, so that a file is parsed
once for all of them. Trees are kept within a byte budget: a large repository does not fill the memory.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

from retrodoc_runs.models import Unread

if TYPE_CHECKING:
    import tree_sitter

    from retrodoc_chunkers import Syntax

TREE_BUDGET_BYTES = 8_000_000
"""Source bytes whose trees are kept at once; a tree takes about 20 times its source."""


class Sources:
    """Read-only view of a repository's source files.

    `files` maps POSIX paths to bytes. `unread` lists what was left out and why.
    """

    def __init__(self, files: Mapping[str, bytes], unread: Iterable[Unread] = ()) -> None:
        self._files = dict(sorted(files.items()))
        self.paths: tuple[str, ...] = tuple(self._files)
        self.unread = tuple(unread)
        self._languages: dict[str, str | None] = {}
        self._by_language: dict[str | None, tuple[str, ...]] | None = None
        self._syntax: dict[str, Syntax] = {}
        self._trees: OrderedDict[str, Syntax] = OrderedDict()
        self._tree_bytes = 0
        self.abandoned: set[str] = set()
        """Files that the parser gave up on."""

    @classmethod
    def from_mapping(cls, files: Mapping[str, str | bytes]) -> Sources:
        """Sources out of text, for tests and for callers that hold the files already."""
        return cls({path: text.encode() if isinstance(text, str) else text for path, text in files.items()})

    def __contains__(self, path: object) -> bool:
        return path in self._files

    def __len__(self) -> int:
        return len(self._files)

    def data(self, path: str) -> bytes:
        """The bytes of a file; KeyError when it is not among the sources."""
        return self._files[path]

    def language(self, path: str) -> str | None:
        """Name of the grammar for that file, or None."""
        if path not in self._languages:
            self._languages[path] = _readable_language(path, self._files[path])
        return self._languages[path]

    def of(self, *languages: str) -> tuple[str, ...]:
        """Paths of the files in one of these languages, in order of path."""
        if self._by_language is None:
            groups: dict[str | None, list[str]] = {}
            for path in self.paths:
                groups.setdefault(self.language(path), []).append(path)
            self._by_language = {language: tuple(paths) for language, paths in groups.items()}
        if len(languages) == 1:
            return self._by_language.get(languages[0], ())
        return tuple(sorted(path for language in set(languages) for path in self._by_language.get(language, ())))

    def containing(self, needle: bytes | re.Pattern[bytes], *languages: str) -> tuple[str, ...]:
        """Paths of the files (of these languages, or of all) whose bytes hold `needle`: a filter before any parse."""
        paths = self.of(*languages) if languages else self.paths
        if isinstance(needle, bytes):
            return tuple(path for path in paths if needle in self._files[path])
        return tuple(path for path in paths if needle.search(self._files[path]))

    def syntax(self, path: str) -> Syntax:
        """Definitions, calls and token kinds of a file: parsed once."""
        if path not in self._syntax:
            from retrodoc_chunkers import syntax_of

            self._syntax[path] = syntax_of(self._files[path], path)
        return self._syntax[path]

    def tree(self, path: str) -> tree_sitter.Tree:
        """The syntax tree of a file whose language has a grammar; ValueError when it has none.

        A file that the parser gave up on, or that was not read as code, has an empty tree and is in `abandoned`: one
        hostile file must not stop the others.
        """
        language = self.language(path)
        if language is None:
            raise ValueError(f"no grammar for {path}")
        syntax = self.syntax(path)
        tree = syntax.tree
        if tree is None:
            from retrodoc_chunkers.grammars import parse

            self.abandoned.add(path)
            return parse(b"", language)
        self._keep_tree(path, syntax)
        return tree

    def _keep_tree(self, path: str, syntax: Syntax) -> None:
        if path in self._trees:
            self._trees.move_to_end(path)
            return
        self._trees[path] = syntax
        self._tree_bytes += len(self._files[path])
        while self._tree_bytes > TREE_BUDGET_BYTES and len(self._trees) > 1:
            dropped, held = self._trees.popitem(last=False)
            held.forget_tree()
            self._tree_bytes -= len(self._files[dropped])


def _readable_language(path: str, data: bytes) -> str | None:
    from retrodoc_chunkers.grammars import GrammarMissing, grammar, language_of

    language = language_of(path, data)
    if language is not None:
        try:
            grammar(language)
        except GrammarMissing:
            return None
    return language


T = TypeVar("T")


def once_for_sources(make: Callable[[Sources], T]) -> Callable[[Sources], T]:
    """`make`, called once for the same sources: all rules that look at them share what it gives."""
    made: WeakKeyDictionary[Sources, T] = WeakKeyDictionary()

    @wraps(make)
    def shared(sources: Sources) -> T:
        if sources not in made:
            made[sources] = make(sources)
        return made[sources]

    return shared
