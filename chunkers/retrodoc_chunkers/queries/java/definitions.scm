(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(annotation_type_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(record_declaration name: (_) @name parameters: (_) @parameters) @class
(method_declaration name: (_) @name parameters: (_) @parameters) @method
(constructor_declaration name: (_) @name parameters: (_) @parameters) @method
(compact_constructor_declaration name: (_) @name) @method
(annotation_type_element_declaration name: (_) @name) @method
(field_declaration declarator: (variable_declarator name: (_) @name)) @constant
(constant_declaration declarator: (variable_declarator name: (_) @name)) @constant
; `app.get("/orders", ctx -> ...)`
(expression_statement (method_invocation arguments: (argument_list . (string_literal) (lambda_expression)))) @block
(field_declaration declarator: (variable_declarator) declarator: (variable_declarator name: (_) @name) @constant)
