(call) @call.whole
(decorator (identifier) @call.bare)
(decorator (attribute object: (_) @receiver attribute: (identifier) @call.bare))

(import_statement) @import
(import_from_statement) @import
(future_import_statement) @import

(comment) @comment
(expression_statement . (string) @docstring .)
(expression_statement . (concatenated_string) @docstring .)
(string) @string
(interpolation) @hole
