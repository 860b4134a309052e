(method_invocation) @call.whole
(object_creation_expression type: (type_identifier) @call arguments: (_) @args)
(object_creation_expression type: (generic_type (type_identifier) @call) arguments: (_) @args)
(object_creation_expression type: (scoped_type_identifier (type_identifier) @call .) arguments: (_) @args)
(explicit_constructor_invocation constructor: (_) @call arguments: (_) @args)
(annotation name: (identifier) @call.bare)
(marker_annotation name: (identifier) @call.bare)

(import_declaration) @import
(package_declaration) @import

[(line_comment) (block_comment)] @comment
[(string_literal) (character_literal)] @string
(string_interpolation) @hole
