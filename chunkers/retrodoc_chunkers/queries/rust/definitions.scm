(function_item name: (_) @name parameters: (_) @parameters) @function
(function_signature_item name: (_) @name parameters: (_) @parameters) @function
(struct_item name: (_) @name) @struct
(union_item name: (_) @name) @struct
(enum_item name: (_) @name) @enum
(trait_item name: (_) @name) @trait
(impl_item type: [(type_identifier) @name (generic_type type: (type_identifier) @name)
  (scoped_type_identifier name: (_) @name) (generic_type type: (scoped_type_identifier name: (_) @name))
  (reference_type) @name (primitive_type) @name (tuple_type) @name (array_type) @name (dynamic_type) @name
  (pointer_type) @name (function_type) @name]) @class
(mod_item name: (_) @name) @module
(type_item name: (_) @name) @type
(const_item name: (_) @name) @constant
(static_item name: (_) @name) @constant
(macro_definition name: (_) @name) @function
(attribute_item) @attached
