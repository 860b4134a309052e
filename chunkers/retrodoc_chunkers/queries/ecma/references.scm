(call_expression) @call.whole
(new_expression constructor: (identifier) @call.bare arguments: (_)? @args)
(new_expression constructor: (member_expression object: (_) @receiver property: (_) @call.bare) arguments: (_)? @args)
(decorator (identifier) @call.bare)
(decorator (member_expression object: (_) @receiver property: (_) @call.bare))

(import_statement) @import
(export_statement source: (_)) @import
(variable_declarator value: (call_expression function: (identifier) arguments: (arguments . (string) .))) @import.named

(comment) @comment
(hash_bang_line) @comment
[(string) (template_string) (regex)] @string
(template_substitution) @hole
