(class_specifier name: (_) @name body: (_)) @class
(namespace_definition name: (_) @name) @module
(function_definition declarator: (reference_declarator
  (function_declarator declarator: (_) @name parameters: (_) @parameters))) @function
(function_definition declarator: [(operator_cast) @name (qualified_identifier name: (operator_cast)) @name]) @function
(declaration declarator: (operator_cast) @name) @function
(field_declaration declarator: (function_declarator declarator: (_) @name parameters: (_) @parameters)) @method
(field_declaration declarator: (pointer_declarator declarator:
  (function_declarator declarator: (_) @name parameters: (_) @parameters))) @method
(field_declaration declarator: (reference_declarator
  (function_declarator declarator: (_) @name parameters: (_) @parameters))) @method
(alias_declaration name: (_) @name) @type
(concept_definition name: (_) @name) @type
(template_declaration [(class_specifier) (struct_specifier) (function_definition) (declaration) (alias_declaration)
  (concept_definition) (union_specifier) (template_declaration)] @wrapped) @wrapper
(namespace_definition body: (declaration_list (declaration declarator: (init_declarator declarator: [(identifier) @name
  (_ declarator: (identifier) @name) (_ declarator: (_ declarator: (identifier) @name))])) @constant))
