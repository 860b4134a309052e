; A value with a name at the top of the file, or of its include guard.
(translation_unit (declaration declarator: (init_declarator declarator: [(identifier) @name
  (_ declarator: (identifier) @name) (_ declarator: (_ declarator: (identifier) @name))])) @constant)
(translation_unit (preproc_ifdef (declaration declarator: (init_declarator declarator: [(identifier) @name
  (_ declarator: (identifier) @name) (_ declarator: (_ declarator: (identifier) @name))])) @constant))
