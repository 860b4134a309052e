[(initializer_list) (enumerator_list)] @members
(parameter_list) @counted
(field_declaration_list) @fields
