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
    starts: frozenset[str] = frozenset()
    """Node types that are always definitions: a cut before one loses nothing."""
    may_start: frozenset[str] = frozenset()
    """Node types that are definitions when `definitions.scm` says so, such as a statement that binds a function."""
    classes: frozenset[str] = frozenset()
    """Node types of classes: a chunk that starts inside one does not go on into the next."""
    attached: frozenset[str] = frozenset()
    """Node types of attributes and decorators that stand before their definition as its siblings."""


def _types(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ECMA_STARTS = "function_declaration generator_function_declaration class_declaration method_definition"
_ECMA_MAY_START = "lexical_declaration variable_declaration expression_statement pair export_statement"
_TYPESCRIPT_STARTS = _types(
    f"{_ECMA_STARTS} abstract_class_declaration interface_declaration enum_declaration type_alias_declaration"
    " internal_module module function_signature method_signature abstract_method_signature"
)
_TYPESCRIPT_MAY_START = _types(f"{_ECMA_MAY_START} public_field_definition ambient_declaration")
_TYPESCRIPT_CLASSES = _types("class_declaration abstract_class_declaration")
_C_STARTS = "function_definition struct_specifier union_specifier enum_specifier type_definition preproc_function_def"

LANGUAGES: Mapping[str, LanguageEntry] = {
    "python": LanguageEntry(
        "tree-sitter-python",
        "tree_sitter_python",
        extensions=(".py", ".pyi", ".pyw", ".wsgi"),
        file_names=("SConstruct", "SConscript", "wscript"),
        interpreters=("python", "python2", "python3"),
        folders=("python",),
        starts=_types("class_definition function_definition decorated_definition"),
        classes=_types("class_definition"),
    ),
    "ruby": LanguageEntry(
        "tree-sitter-ruby",
        "tree_sitter_ruby",
        extensions=(".rb", ".rake", ".gemspec", ".ru", ".jbuilder", ".podspec", ".thor", ".rabl"),
        file_names=("Rakefile", "Gemfile", "Guardfile", "Capfile", "Vagrantfile", "Podfile", "Fastfile", "Brewfile"),
        interpreters=("ruby", "jruby"),
        folders=("ruby",),
        starts=_types("method singleton_method class module"),
        may_start=_types("call"),
        classes=_types("class"),
    ),
    "javascript": LanguageEntry(
        "tree-sitter-javascript",
        "tree_sitter_javascript",
        extensions=(".js", ".mjs", ".cjs", ".jsx", ".es6"),
        file_names=("Jakefile",),
        interpreters=("node", "nodejs"),
        folders=("ecma", "javascript"),
        starts=_types(_ECMA_STARTS),
        may_start=_types(f"{_ECMA_MAY_START} field_definition"),
        classes=_types("class_declaration"),
    ),
    "typescript": LanguageEntry(
        "tree-sitter-typescript",
        "tree_sitter_typescript",
        function="language_typescript",
        extensions=(".ts", ".mts", ".cts"),
        interpreters=("deno", "ts-node", "tsx"),
        folders=("ecma", "typescript"),
        starts=_TYPESCRIPT_STARTS,
        may_start=_TYPESCRIPT_MAY_START,
        classes=_TYPESCRIPT_CLASSES,
        attached=_types("decorator"),
    ),
    "tsx": LanguageEntry(
        "tree-sitter-typescript",
        "tree_sitter_typescript",
        function="language_tsx",
        extensions=(".tsx",),
        folders=("ecma", "typescript", "tsx"),
        starts=_TYPESCRIPT_STARTS,
        may_start=_TYPESCRIPT_MAY_START,
        classes=_TYPESCRIPT_CLASSES,
        attached=_types("decorator"),
    ),
    "rust": LanguageEntry(
        "tree-sitter-rust",
        "tree_sitter_rust",
        extensions=(".rs",),
        folders=("rust",),
        starts=_types(
            "function_item function_signature_item struct_item union_item enum_item trait_item impl_item mod_item"
            " type_item macro_definition"
        ),
        classes=_types("impl_item trait_item"),
        attached=_types("attribute_item"),
    ),
    "go": LanguageEntry(
        "tree-sitter-go",
        "tree_sitter_go",
        extensions=(".go",),
        folders=("go",),
        starts=_types("function_declaration method_declaration type_declaration type_spec type_alias method_elem"),
        may_start=_types("expression_statement"),
    ),
    "java": LanguageEntry(
        "tree-sitter-java",
        "tree_sitter_java",
        extensions=(".java",),
        folders=("java",),
        starts=_types(
            "class_declaration interface_declaration annotation_type_declaration enum_declaration record_declaration"
            " method_declaration constructor_declaration compact_constructor_declaration"
            " annotation_type_element_declaration"
        ),
        may_start=_types("expression_statement"),
        classes=_types("class_declaration record_declaration"),
    ),
    "csharp": LanguageEntry(
        "tree-sitter-c-sharp",
        "tree_sitter_c_sharp",
        extensions=(".cs", ".csx"),
        folders=("csharp",),
        starts=_types(
            "namespace_declaration class_declaration record_declaration struct_declaration interface_declaration"
            " enum_declaration delegate_declaration method_declaration constructor_declaration destructor_declaration"
            " operator_declaration conversion_operator_declaration indexer_declaration local_function_statement"
        ),
        may_start=_types("global_statement expression_statement"),
        classes=_types("class_declaration record_declaration"),
    ),
    "php": LanguageEntry(
        "tree-sitter-php",
        "tree_sitter_php",
        function="language_php",
        extensions=(".php", ".php5", ".phtml", ".phps"),
        interpreters=("php",),
        folders=("php",),
        starts=_types(
            "class_declaration interface_declaration trait_declaration enum_declaration function_definition"
            " method_declaration"
        ),
        may_start=_types("expression_statement namespace_definition"),
        classes=_types("class_declaration trait_declaration"),
    ),
    "c": LanguageEntry(
        "tree-sitter-c",
        "tree_sitter_c",
        extensions=(".c", ".h"),
        folders=("c",),
        starts=_types(_C_STARTS),
        may_start=_types("declaration"),
    ),
    "cpp": LanguageEntry(
        "tree-sitter-cpp",
        "tree_sitter_cpp",
        extensions=(".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".tpp"),
        folders=("c", "cpp"),
        starts=_types(
            f"{_C_STARTS} class_specifier namespace_definition template_declaration alias_declaration"
            " concept_definition"
        ),
        may_start=_types("declaration field_declaration"),
        classes=_types("class_specifier"),
    ),
}
