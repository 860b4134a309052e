[(literal_value) (interface_type) (import_spec_list)] @members
(parameter_list) @counted
(const_declaration) @group
(field_declaration_list) @fields
