[(initializer_list) (enumerator_list)] @members
(parameter_list) @parameters
(field_declaration_list) @fields
