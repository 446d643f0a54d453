; What JavaScript code defines. Object members count: configuration often lives in them.
(class_declaration name: (identifier) @name) @type
(class name: (identifier) @name) @type
(function_declaration name: (identifier) @name) @callable
(generator_function_declaration name: (identifier) @name) @callable
(method_definition name: [(property_identifier) (private_property_identifier)] @name) @callable
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression)]) @callable
(variable_declarator
  name: (identifier) @name
  value: (call_expression arguments: (arguments [(arrow_function) (function_expression)]))) @callable
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (class)]) @callable
(field_definition property: [(property_identifier) (private_property_identifier)] @name) @value
(pair key: (property_identifier) @name) @value
(program (lexical_declaration (variable_declarator name: (identifier) @name) @value))
(program (variable_declaration (variable_declarator name: (identifier) @name) @value))
(export_statement
  declaration: (lexical_declaration (variable_declarator name: (identifier) @name) @value))
