(call_expression function: (identifier) @call arguments: (_) @args)
(call_expression function: (parenthesized_expression [(identifier) @call
  (pointer_expression argument: (identifier) @call)]) arguments: (_) @args)
(call_expression function: (field_expression argument: (_) @receiver field: (field_identifier) @call) arguments: (_) @args)

(preproc_include) @import

(comment) @comment
[(string_literal) (char_literal)] @string
