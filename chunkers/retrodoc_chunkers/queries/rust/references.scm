(call_expression) @call.whole
(macro_invocation macro: (identifier) @macro (token_tree) @args)
(macro_invocation macro: (scoped_identifier path: (_)? @receiver name: (_) @macro) (token_tree) @args)
; Macro arguments are plain tokens: a name before a parenthesis is a call.
(token_tree (identifier) @call . (token_tree "(") @args)
(token_tree (identifier) @macro . "!" . (token_tree) @args)
(attribute (identifier) @call.bare)
(attribute (scoped_identifier path: (_) @receiver name: (_) @call.bare))

(use_declaration) @import
(extern_crate_declaration) @import

[(line_comment) (block_comment)] @comment
[(string_literal) (raw_string_literal) (char_literal)] @string
