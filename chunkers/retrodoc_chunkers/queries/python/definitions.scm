(class_definition) @class
(function_definition) @function
(class_definition body: (block (expression_statement (assignment left: (identifier) @name)) @constant))
(decorated_definition definition: (_) @wrapped) @wrapper
