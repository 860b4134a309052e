(function_definition declarator: (function_declarator declarator: (_) @name parameters: (_) @parameters)) @function
(function_definition declarator: (pointer_declarator declarator:
  (function_declarator declarator: (_) @name parameters: (_) @parameters))) @function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator:
  (function_declarator declarator: (_) @name parameters: (_) @parameters)))) @function
; `int (*pick(int a))(int)`
(function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator:
  (function_declarator parameters: (_) @parameters))))
(declaration declarator: (function_declarator declarator: (_) @name parameters: (_) @parameters)) @function
(declaration declarator: (pointer_declarator declarator:
  (function_declarator declarator: (identifier) @name parameters: (_) @parameters))) @function
(struct_specifier name: (_) @name body: (_)) @struct
(union_specifier name: (_) @name body: (_)) @struct
(enum_specifier name: (_) @name body: (_)) @enum
(type_definition type: [(struct_specifier !name body: (_)) (union_specifier !name body: (_))] declarator: (type_identifier) @name) @struct
(type_definition type: (enum_specifier !name body: (_)) declarator: (type_identifier) @name) @enum
(type_definition type: [(primitive_type) (type_identifier) (sized_type_specifier) (struct_specifier !body)]
  declarator: (type_identifier) @name) @type
; `typedef struct row { } row_t;` defines two names.
(type_definition type: [(struct_specifier name: (_) body: (_)) (union_specifier name: (_) body: (_)) (enum_specifier name: (_) body: (_))]
  declarator: (type_identifier) @name @type)
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @name) @type)
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @type
(preproc_def name: (_) @name value: (_)) @constant
(preproc_function_def name: (_) @name parameters: (_) @parameters) @function
