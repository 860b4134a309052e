(class_declaration) @class
(interface_declaration) @interface
(annotation_type_declaration) @interface
(enum_declaration) @enum
(record_declaration) @class
(method_declaration) @method
(constructor_declaration) @method
(compact_constructor_declaration) @method
(annotation_type_element_declaration) @method
(field_declaration declarator: (variable_declarator name: (_) @name)) @constant
(constant_declaration declarator: (variable_declarator name: (_) @name)) @constant
; `app.get("/orders", ctx -> ...)`
(expression_statement (method_invocation arguments: (argument_list . (string_literal) (lambda_expression)))) @block
(field_declaration declarator: (variable_declarator) declarator: (variable_declarator name: (_) @name) @constant)
