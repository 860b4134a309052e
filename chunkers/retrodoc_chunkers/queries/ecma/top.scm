; A value with a name at the top of the file.
(program (lexical_declaration . (variable_declarator name: (identifier) @name
  value: [(object) (array) (call_expression) (new_expression) (number) (string) (template_string) (member_expression)
          (identifier) (true) (false) (null) (unary_expression) (binary_expression) (regex) (await_expression)])) @constant)
(program (variable_declaration . (variable_declarator name: (identifier) @name
  value: [(object) (array) (call_expression) (new_expression) (number) (string) (template_string) (member_expression)
          (identifier) (true) (false) (null) (unary_expression) (binary_expression) (regex) (await_expression)])) @constant)
(program (export_statement declaration: (lexical_declaration . (variable_declarator name: (identifier) @name
  value: [(object) (array) (call_expression) (new_expression) (number) (string) (template_string) (member_expression)
          (identifier) (true) (false) (null) (unary_expression) (binary_expression) (regex) (await_expression)])) @constant))
