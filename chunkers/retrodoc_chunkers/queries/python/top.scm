; A value with a name at the top of the file.
(module (expression_statement (assignment left: (identifier) @name)) @constant)
