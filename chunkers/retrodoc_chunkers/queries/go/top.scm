; A value with a name at the top of the file.
(source_file (var_declaration (var_spec . name: (identifier) @name) @constant))
(source_file (var_declaration (var_spec_list (var_spec . name: (identifier) @name) @constant)))
