; What TypeScript code defines (also TSX).
(class_declaration name: (type_identifier) @name) @type
(abstract_class_declaration name: (type_identifier) @name) @type
(interface_declaration name: (type_identifier) @name) @type
(type_alias_declaration name: (type_identifier) @name) @type
(enum_declaration name: (identifier) @name) @type
(internal_module name: (identifier) @name) @type
(function_declaration name: (identifier) @name) @callable
(generator_function_declaration name: (identifier) @name) @callable
(function_signature name: (identifier) @name) @callable
(method_definition name: [(property_identifier) (private_property_identifier)] @name) @callable
(method_signature name: (property_identifier) @name) @callable
(abstract_method_signature name: (property_identifier) @name) @callable
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression)]) @callable
(variable_declarator
  name: (identifier) @name
  value: (call_expression arguments: (arguments [(arrow_function) (function_expression)]))) @callable
(variable_declarator
  name: (identifier) @name
  value: (as_expression
    (call_expression arguments: (arguments [(arrow_function) (function_expression)])))) @callable
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (class)]) @callable
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name) @value
(property_signature name: (property_identifier) @name) @value
(enum_assignment name: (property_identifier) @name) @value
(pair key: (property_identifier) @name) @value
(program (lexical_declaration (variable_declarator name: (identifier) @name) @value))
(program (variable_declaration (variable_declarator name: (identifier) @name) @value))
(export_statement
  declaration: (lexical_declaration (variable_declarator name: (identifier) @name) @value))
