(function_declaration) @function
(generator_function_declaration) @function
(class_declaration) @class
(method_definition) @method

; A function or a class bound to a name, and a callback of a call that may register: `describe("x", () => {})`,
; `app.use(() => {})`. The last node alone is captured, and nothing may come before the first: see bindings.py.
(variable_declarator value: [(arrow_function) (function_expression) (generator_function) (class)] @bound)
(expression_statement . (assignment_expression
  right: [(arrow_function) (function_expression) (generator_function) (class)] @bound))
(expression_statement . (call_expression arguments: (arguments [(arrow_function) (function_expression)] @callback)))

(export_statement "default" @name value: [(arrow_function) (function_expression) (generator_function)]) @function
(export_statement "default" @name value: (class)) @class
(pair value: [(arrow_function) (function_expression) (generator_function)]) @method

(export_statement declaration: (_) @wrapped) @wrapper
