(call_expression function: (identifier) @call arguments: (_) @args)
(call_expression function: (selector_expression operand: (_) @receiver field: (_) @call) arguments: (_) @args)
(call_expression function: (parenthesized_expression (identifier) @call) arguments: (_) @args)
(type_conversion_expression type: (generic_type type: (type_identifier) @call.bare))

(import_declaration) @import

(comment) @comment
[(interpreted_string_literal) (raw_string_literal) (rune_literal)] @string
