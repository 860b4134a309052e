(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(type_alias_declaration name: (_) @name) @type
(internal_module name: (_) @name) @module
(module name: (_) @name) @module
(function_signature name: (_) @name parameters: (_) @parameters) @function
(method_signature name: (_) @name parameters: (_) @parameters) @method
(abstract_method_signature name: (_) @name parameters: (_) @parameters) @method
(public_field_definition name: (_) @name value: [(arrow_function parameters: (_) @parameters)
  (arrow_function parameter: (_) @parameters) (function_expression parameters: (_) @parameters)]) @method
(ambient_declaration (_) @wrapped) @wrapper
(class_body (decorator) @attached)
