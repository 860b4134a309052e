[(list) (tuple) (set) (dictionary)] @members
(expression_list) @members
(parameters) @counted
(class_definition body: (block) @fields)
