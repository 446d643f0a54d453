; What Python code defines. Roles: @type and @callable hold other parts, @value is a leaf.
(class_definition name: (identifier) @name) @type
(function_definition name: (identifier) @name) @callable
(type_alias_statement left: (type (identifier) @name)) @type
(module (expression_statement (assignment left: (identifier) @name) @value))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @value)))
