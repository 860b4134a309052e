(function_declaration) @function
(method_declaration) @method
(method_declaration receiver: (parameter_list (parameter_declaration type: [
  (type_identifier) @owner
  (generic_type type: (type_identifier) @owner)
  (pointer_type [(type_identifier) @owner (generic_type type: (type_identifier) @owner)])])))
(type_spec type: (struct_type)) @struct
(type_spec type: (interface_type)) @interface
(type_spec type: [(type_identifier) (qualified_type) (function_type) (map_type) (slice_type) (array_type)
  (pointer_type) (channel_type) (generic_type)]) @type
(type_alias) @type
(method_elem) @method
(const_spec) @constant
; `type T struct {}` alone belongs to its keyword.
(type_declaration . (type_spec) @wrapped .) @wrapper
(const_declaration . (const_spec) @wrapped .) @wrapper
(var_declaration . (var_spec) @wrapped .) @wrapper
; `router.GET("/orders", func(c *Context) { })`
(expression_statement (call_expression arguments: (argument_list . [(interpreted_string_literal) (raw_string_literal)] (func_literal)))) @block
