(call_expression) @call.whole
(type_conversion_expression type: (generic_type type: (type_identifier) @call.bare))

(import_declaration) @import

(comment) @comment
[(interpreted_string_literal) (raw_string_literal) (rune_literal)] @string
