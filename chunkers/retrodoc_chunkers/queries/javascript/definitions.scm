(field_definition property: (_) @name value: [(arrow_function parameters: (_) @parameters) (arrow_function parameter: (_) @parameters)
  (function_expression parameters: (_) @parameters)]) @method
