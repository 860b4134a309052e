(invocation_expression function: (identifier) @call arguments: (_) @args)
(invocation_expression function: (generic_name (identifier) @call) arguments: (_) @args)
; `this` and `base` are no named nodes.
(invocation_expression function: (member_access_expression expression: _ @receiver name: [(identifier) @call (generic_name (identifier) @call)]) arguments: (_) @args)
(invocation_expression function: (conditional_access_expression condition: _ @receiver
  (member_binding_expression name: [(identifier) @call (generic_name (identifier) @call)])) arguments: (_) @args)
(constructor_initializer ["base" "this"] @call (argument_list) @args)
(object_creation_expression type: (identifier) @call.bare arguments: (_)? @args)
(object_creation_expression type: (generic_name (identifier) @call.bare) arguments: (_)? @args)
(object_creation_expression type: (qualified_name qualifier: (_) @receiver name: [(identifier) @call.bare (generic_name (identifier) @call.bare)]) arguments: (_)? @args)
(attribute name: (identifier) @call.bare)
(attribute name: (qualified_name name: (identifier) @call.bare))

(using_directive) @import

(comment) @comment
[(string_literal) (verbatim_string_literal) (raw_string_literal) (character_literal) (interpolated_string_expression)] @string
(interpolation) @hole
