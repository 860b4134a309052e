(call_expression function: (qualified_identifier scope: (_)? @receiver name: [(identifier) @call (template_function name: (_) @call)]) arguments: (_) @args)
; Two and three scopes deep: a path of plain names is read from the file, only the arguments of a template are not.
(call_expression function: (qualified_identifier name: (qualified_identifier scope: [(namespace_identifier) (template_type) @receiver]
  name: [(identifier) @call (template_function name: (_) @call)])) arguments: (_) @args)
(call_expression function: (qualified_identifier name: (qualified_identifier name: (qualified_identifier scope: [(namespace_identifier) (template_type) @receiver]
  name: [(identifier) @call (template_function name: (_) @call)]))) arguments: (_) @args)
(call_expression function: (template_function name: (_) @call) arguments: (_) @args)
(call_expression function: (field_expression argument: (_) @receiver field: (template_method name: (_) @call)) arguments: (_) @args)
(call_expression function: (field_expression field: (dependent_name (template_method name: (_) @call))) arguments: (_) @args)
(new_expression type: (type_identifier) @call.bare arguments: (_)? @args)
(new_expression type: (template_type name: (_) @call.bare) arguments: (_)? @args)
(new_expression type: (qualified_identifier scope: (_) @receiver name: [(type_identifier) @call.bare (template_type name: (_) @call.bare)])
  arguments: (_)? @args)

; `Cart cart(basket);` makes an object. Where its argument is a name, the grammar takes it for a prototype.
(declaration type: [(type_identifier) @call (template_type name: (_) @call)
  (qualified_identifier scope: (_) @receiver name: [(type_identifier) @call (template_type name: (_) @call)])]
  declarator: (init_declarator value: (argument_list) @args))
(compound_statement (declaration type: [(type_identifier) @call (template_type name: (_) @call)
  (qualified_identifier scope: (_) @receiver name: [(type_identifier) @call (template_type name: (_) @call)])]
  declarator: (function_declarator declarator: (identifier) parameters: (parameter_list) @args)))

(using_declaration) @import
(raw_string_literal) @string
