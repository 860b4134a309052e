[(array_expression) (tuple_expression) (enum_variant_list) (field_declaration_list) (ordered_field_declaration_list)
 (field_initializer_list) (use_list) (match_block)] @members
(parameters) @counted
(macro_invocation (token_tree) @tokens)
