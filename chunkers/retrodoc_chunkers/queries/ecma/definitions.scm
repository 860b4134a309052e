(function_declaration) @function
(generator_function_declaration) @function
(class_declaration) @class
(method_definition) @method

; A function bound to a name.
(lexical_declaration
  (variable_declarator name: (identifier) @name
    value: [(arrow_function) (function_expression) (generator_function)] @callable)) @function
(variable_declaration
  (variable_declarator name: (identifier) @name
    value: [(arrow_function) (function_expression) (generator_function)] @callable)) @function
(lexical_declaration (variable_declarator name: (identifier) @name value: (class))) @class
(expression_statement
  (assignment_expression
    left: [(identifier) @name (member_expression property: (_) @name)]
    right: [(arrow_function) (function_expression) (generator_function)] @callable)) @function
(expression_statement
  (assignment_expression left: [(identifier) @name (member_expression property: (_) @name)] right: (class))) @class
(export_statement "default" @name value: [(arrow_function) (function_expression) (generator_function)] @callable) @function
(export_statement "default" @name value: (class)) @class
(pair key: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)] @callable) @method

; Callbacks of a registering call: `app.get("/x", (req, res) => {})`, `describe("x", () => {})`, `app.use(fn)`.
(expression_statement (call_expression function: (_)
  arguments: (arguments . [(string) (template_string)] [(arrow_function) (function_expression)]))) @block
(expression_statement (call_expression function: [(identifier) (member_expression)]
  arguments: (arguments . [(arrow_function) (function_expression)]))) @block.named

(export_statement declaration: (_) @wrapped) @wrapper
