(namespace_declaration name: (_) @name) @module
(file_scoped_namespace_declaration name: (_) @name) @module
(class_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @struct
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(delegate_declaration name: (_) @name) @type
(method_declaration name: (_) @name parameters: (_) @parameters) @method
(constructor_declaration name: (_) @name parameters: (_) @parameters) @method
(destructor_declaration name: (_) @name) @method
(local_function_statement name: (_) @name parameters: (_) @parameters) @function
(property_declaration name: (_) @name) @constant
(event_declaration name: (_) @name) @constant
(event_field_declaration (variable_declaration . (_) . (variable_declarator name: (_) @name))) @constant
(operator_declaration "operator" @name parameters: (_) @parameters) @method
(conversion_operator_declaration "operator" @name parameters: (_) @parameters) @method
(indexer_declaration "this" @name parameters: (_) @parameters) @method
(field_declaration (variable_declaration . (_) . (variable_declarator name: (_) @name))) @constant

; `app.MapGet("/orders", () => ...)`
(expression_statement (invocation_expression
  arguments: (argument_list . (argument (string_literal)) (argument [(lambda_expression) (anonymous_method_expression)])))) @block

; and with `.WithName("orders")` after it
(expression_statement (invocation_expression function: (member_access_expression expression: (invocation_expression)))) @block.named
(field_declaration (variable_declaration (variable_declarator) (variable_declarator name: (_) @name) @constant))
