[(array) (hash) (string_array) (symbol_array)] @members
(method_parameters) @counted
(call !receiver !block method: (identifier) arguments: (argument_list)) @members.named
