[(array) (object) (array_pattern) (object_pattern) (named_imports) (export_clause)] @members
(formal_parameters) @counted
(class_body) @fields
