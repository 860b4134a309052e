(call_expression function: (qualified_identifier scope: (_)? @receiver name: (identifier) @call) arguments: (_) @args)
(call_expression function: (qualified_identifier name: (qualified_identifier scope: (_)? @receiver name: (identifier) @call)) arguments: (_) @args)
(call_expression function: (qualified_identifier scope: (_)? @receiver name: (template_function name: (_) @call)) arguments: (_) @args)
(call_expression function: (template_function name: (_) @call) arguments: (_) @args)
(call_expression function: (field_expression argument: (_) @receiver field: (template_method name: (_) @call)) arguments: (_) @args)
(new_expression type: (type_identifier) @call.bare arguments: (_)? @args)
(new_expression type: (qualified_identifier scope: (_) @receiver name: (type_identifier) @call.bare) arguments: (_)? @args)
(new_expression type: (template_type name: (_) @call.bare) arguments: (_)? @args)

(using_declaration) @import
(raw_string_literal) @string
