[(literal_value) (field_declaration_list) (interface_type) (import_spec_list)] @members
(parameter_list) @parameters
(const_declaration) @group
