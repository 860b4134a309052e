(function_item) @function
(function_signature_item) @function
(struct_item) @struct
(union_item) @struct
(enum_item) @enum
(trait_item) @trait
(impl_item type: [(type_identifier) @name (generic_type type: (type_identifier) @name)
  (scoped_type_identifier name: (_) @name) (generic_type type: (scoped_type_identifier name: (_) @name))
  (reference_type) @name (primitive_type) @name (tuple_type) @name (array_type) @name (dynamic_type) @name
  (pointer_type) @name (function_type) @name]) @class
(mod_item) @module
(type_item) @type
(const_item) @constant
(static_item) @constant
(macro_definition) @function
(attribute_item) @attached
