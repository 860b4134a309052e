"""Which languages are read with a grammar: their wheel, their file names and their folders of queries.

To add one: an entry here and a folder of three queries; CONTRIBUTING shows it step by step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LanguageEntry:
    """How a language's grammar is found and how its files are recognised."""

    wheel: str
    """The distribution that carries the grammar, such as `tree-sitter-python`."""
    module: str
    function: str = "language"
    extensions: tuple[str, ...] = ()
    """Lower case, with the dot."""
    file_names: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    """Programs named by a `#!` line."""
    folders: tuple[str, ...] = ()
    """Folders of `queries/` whose files are joined, the shared one first."""


LANGUAGES: Mapping[str, LanguageEntry] = {
    "python": LanguageEntry(
        "tree-sitter-python",
        "tree_sitter_python",
        extensions=(".py", ".pyi", ".pyw", ".wsgi"),
        file_names=("SConstruct", "SConscript", "wscript"),
        interpreters=("python", "python2", "python3"),
        folders=("python",),
    ),
    "ruby": LanguageEntry(
        "tree-sitter-ruby",
        "tree_sitter_ruby",
        extensions=(".rb", ".rake", ".gemspec", ".ru", ".jbuilder", ".podspec", ".thor", ".rabl"),
        file_names=("Rakefile", "Gemfile", "Guardfile", "Capfile", "Vagrantfile", "Podfile", "Fastfile", "Brewfile"),
        interpreters=("ruby", "jruby"),
        folders=("ruby",),
    ),
    "javascript": LanguageEntry(
        "tree-sitter-javascript",
        "tree_sitter_javascript",
        extensions=(".js", ".mjs", ".cjs", ".jsx", ".es6"),
        file_names=("Jakefile",),
        interpreters=("node", "nodejs"),
        folders=("ecma", "javascript"),
    ),
    "typescript": LanguageEntry(
        "tree-sitter-typescript",
        "tree_sitter_typescript",
        function="language_typescript",
        extensions=(".ts", ".mts", ".cts"),
        interpreters=("deno", "ts-node", "tsx"),
        folders=("ecma", "typescript"),
    ),
    "tsx": LanguageEntry(
        "tree-sitter-typescript",
        "tree_sitter_typescript",
        function="language_tsx",
        extensions=(".tsx",),
        folders=("ecma", "typescript", "tsx"),
    ),
    "rust": LanguageEntry("tree-sitter-rust", "tree_sitter_rust", extensions=(".rs",), folders=("rust",)),
    "go": LanguageEntry("tree-sitter-go", "tree_sitter_go", extensions=(".go",), folders=("go",)),
    "java": LanguageEntry("tree-sitter-java", "tree_sitter_java", extensions=(".java",), folders=("java",)),
    "csharp": LanguageEntry(
        "tree-sitter-c-sharp", "tree_sitter_c_sharp", extensions=(".cs", ".csx"), folders=("csharp",)
    ),
    "php": LanguageEntry(
        "tree-sitter-php",
        "tree_sitter_php",
        function="language_php",
        extensions=(".php", ".php5", ".phtml", ".phps"),
        interpreters=("php",),
        folders=("php",),
    ),
    "c": LanguageEntry("tree-sitter-c", "tree_sitter_c", extensions=(".c", ".h"), folders=("c",)),
    "cpp": LanguageEntry(
        "tree-sitter-cpp",
        "tree_sitter_cpp",
        extensions=(".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".tpp"),
        folders=("c", "cpp"),
    ),
}
