[(enum_body) (interface_body) (object_type) (tuple_type)] @members
(type_alias_declaration value: (union_type) @union)
