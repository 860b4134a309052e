[(array_creation_expression) (enum_declaration_list) (namespace_use_group)] @members
(formal_parameters) @counted
(declaration_list) @fields
