[(list) (tuple) (set) (dictionary)] @members
(expression_list) @members
(parameters) @parameters
(class_definition body: (block) @fields)
