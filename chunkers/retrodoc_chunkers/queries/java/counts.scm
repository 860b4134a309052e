[(array_initializer) (element_value_array_initializer) (enum_body)] @members
(formal_parameters) @counted
(class_body) @fields
