; What Python code defines. Roles: @type and @callable hold other parts, @value is a leaf.
; A decorator decides what a function does as much as its body: the @wrapper is the region.
(decorated_definition definition: (_) @wrapped) @wrapper
(class_definition name: (identifier) @name) @type
(function_definition name: (identifier) @name) @callable
(type_alias_statement left: (type (identifier) @name)) @type
(module (expression_statement (assignment left: (identifier) @name) @value))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @value)))
