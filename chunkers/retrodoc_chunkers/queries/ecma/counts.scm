[(array) (object) (array_pattern) (object_pattern) (named_imports) (export_clause)] @members
(formal_parameters) @parameters
(class_body) @fields
