[(literal_value) (field_declaration_list) (interface_type) (import_spec_list)] @members
(parameter_list) @counted
(const_declaration) @group
