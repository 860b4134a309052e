[(initializer_expression) (enum_member_declaration_list) (collection_expression) (anonymous_object_creation_expression)] @members
(parameter_list) @counted
(declaration_list) @fields
