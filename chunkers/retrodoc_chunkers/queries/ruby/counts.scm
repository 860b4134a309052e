[(array) (hash) (string_array) (symbol_array)] @members
(method_parameters) @parameters
((call !receiver method: (identifier) @_dsl arguments: (argument_list) @members)
  (#any-of? @_dsl "attr_accessor" "attr_reader" "attr_writer" "validates_presence_of"))
