(jsx_text) @string
(jsx_opening_element name: (identifier) @call.bare)
(jsx_self_closing_element name: (identifier) @call.bare)
