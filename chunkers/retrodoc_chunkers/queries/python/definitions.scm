(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name parameters: (parameters) @parameters) @function
(module (expression_statement (assignment left: (identifier) @name)) @constant)
(class_definition body: (block (expression_statement (assignment left: (identifier) @name)) @constant))
(decorated_definition definition: (_) @wrapped) @wrapper
