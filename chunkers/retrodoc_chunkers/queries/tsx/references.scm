(jsx_text) @string
(jsx_opening_element name: [(identifier) @call.bare (member_expression object: (_) @receiver property: (_) @call.bare)])
(jsx_self_closing_element name: [(identifier) @call.bare (member_expression object: (_) @receiver property: (_) @call.bare)])
