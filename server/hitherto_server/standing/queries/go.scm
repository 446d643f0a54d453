; What Go code defines. A method belongs to its receiver's type, which @owner names.
(function_declaration name: (identifier) @name) @callable
(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @owner
        (generic_type type: (type_identifier) @owner)
        (pointer_type (type_identifier) @owner)
        (pointer_type (generic_type type: (type_identifier) @owner))
      ]))
  name: (field_identifier) @name) @callable
(method_elem name: (field_identifier) @name) @callable
(type_spec name: (type_identifier) @name) @type
(type_alias name: (type_identifier) @name) @type
(field_declaration name: (field_identifier) @name) @value
(source_file (const_declaration (const_spec name: (identifier) @name) @value))
(source_file (var_declaration (var_spec name: (identifier) @name) @value))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @value)))
