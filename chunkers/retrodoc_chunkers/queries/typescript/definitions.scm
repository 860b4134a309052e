(abstract_class_declaration) @class
(interface_declaration) @interface
(enum_declaration) @enum
(type_alias_declaration) @type
(internal_module) @module
(module) @module
(function_signature) @function
(method_signature) @method
(abstract_method_signature) @method
(public_field_definition value: [(arrow_function) (function_expression)]) @method
(ambient_declaration (_) @wrapped) @wrapper
(class_body (decorator) @attached)
