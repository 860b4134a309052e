(function_call_expression function: (name) @call arguments: (_) @args)
(function_call_expression function: (qualified_name prefix: (_) @receiver (name) @call) arguments: (_) @args)
(member_call_expression object: (_) @receiver name: (name) @call arguments: (_) @args)
(nullsafe_member_call_expression object: (_) @receiver name: (name) @call arguments: (_) @args)
(scoped_call_expression scope: (_) @receiver name: (name) @call arguments: (_) @args)
(object_creation_expression (name) @call.bare (arguments)? @args)
(object_creation_expression (qualified_name (name) @call.bare .) (arguments)? @args)
(attribute (name) @call.bare)

(namespace_use_declaration) @import
(namespace_definition !body) @import
(expression_statement [(require_expression) (require_once_expression) (include_expression) (include_once_expression)]) @import

(comment) @comment
[(string) (encapsed_string) (heredoc_body) (nowdoc_body) (shell_command_expression) (text)] @string
(encapsed_string [(variable_name) (member_call_expression) (member_access_expression) (subscript_expression)
  (dynamic_variable_name) (scoped_call_expression) (function_call_expression)] @hole)
(heredoc_body [(variable_name) (member_call_expression) (member_access_expression) (subscript_expression)
  (dynamic_variable_name) (scoped_call_expression) (function_call_expression)] @hole)
