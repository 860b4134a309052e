(template_type) @hole
