(call !receiver method: [(identifier) (constant)] @call.bare arguments: (_)? @args)
(call receiver: (_) @receiver method: [(identifier) (constant)] @call.bare arguments: (_)? @args)
(call method: (super) @call.bare arguments: (_)? @args)
(super) @call.bare

; A bare name is a call unless it is a variable: decided in references.py.
(identifier) @maybe
(assignment left: (identifier) @local)
(operator_assignment left: (identifier) @local)
(left_assignment_list (identifier) @local)
(method_parameters (identifier) @local)
(block_parameters (identifier) @local)
(lambda_parameters (identifier) @local)
(optional_parameter name: (identifier) @local)
(splat_parameter name: (identifier) @local)
(hash_splat_parameter name: (identifier) @local)
(block_parameter name: (identifier) @local)
(keyword_parameter name: (identifier) @local)
(destructured_parameter (identifier) @local)
(exception_variable (identifier) @local)
(for pattern: (identifier) @local)
(method name: (identifier) @local.not)
(singleton_method name: (identifier) @local.not)
(alias (identifier) @local.not)
(undef (identifier) @local.not)

(call !receiver method: (identifier) arguments: (argument_list . (string))) @import.named
(call !receiver method: (identifier) arguments: (argument_list . (simple_symbol) . (string) .)) @import.named

(comment) @comment
(uninterpreted) @comment
[(string) (bare_string) (heredoc_body) (regex) (subshell) (character) (delimited_symbol)] @string
(interpolation) @hole
