(namespace_definition name: (_) @name body: (_)) @module
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(trait_declaration name: (_) @name) @trait
(enum_declaration name: (_) @name) @enum
(function_definition name: (_) @name parameters: (_) @parameters) @function
(method_declaration name: (_) @name parameters: (_) @parameters) @method
(const_declaration (const_element . (name) @name)) @constant
(property_declaration (property_element name: (variable_name (name) @name))) @constant

; A function bound to a name.
(expression_statement (assignment_expression left: (variable_name (name) @name)
  right: [(anonymous_function parameters: (_) @parameters) (arrow_function parameters: (_) @parameters)])) @function

; `$app->get("/orders", function ($request) { })`, `Route::get(...)`
(expression_statement (member_call_expression arguments: (arguments . (argument [(string) (encapsed_string)]) (argument [(anonymous_function) (arrow_function)])))) @block
(expression_statement (scoped_call_expression arguments: (arguments . (argument [(string) (encapsed_string)]) (argument [(anonymous_function) (arrow_function)])))) @block
(expression_statement (function_call_expression arguments: (arguments . (argument [(string) (encapsed_string)]) (argument [(anonymous_function) (arrow_function)])))) @block

; `Route::group(["prefix" => "shop"], function () { })`, `beforeEach(function () { })`, and `->name("orders")` after any
(expression_statement (function_call_expression arguments: (arguments (argument [(anonymous_function) (arrow_function)]) .))) @block.named
(expression_statement (scoped_call_expression arguments: (arguments (argument [(anonymous_function) (arrow_function)]) .))) @block.named
(expression_statement (member_call_expression)) @block.named
(const_declaration (const_element) (const_element (name) @name) @constant)
(property_declaration (property_element) (property_element name: (variable_name (name) @name)) @constant)
