; What Rust code defines. An `impl` defines nothing itself; as @container it gives its items an owner.
(function_item name: (identifier) @name) @callable
(function_signature_item name: (identifier) @name) @callable
(macro_definition name: (identifier) @name) @callable
(struct_item name: (type_identifier) @name) @type
(enum_item name: (type_identifier) @name) @type
(union_item name: (type_identifier) @name) @type
(trait_item name: (type_identifier) @name) @type
(type_item name: (type_identifier) @name) @type
(mod_item name: (identifier) @name) @type
(const_item name: (identifier) @name) @value
(static_item name: (identifier) @name) @value
(field_declaration name: (field_identifier) @name) @value
(enum_variant name: (identifier) @name) @value
(impl_item type: [(type_identifier) @name (generic_type type: (type_identifier) @name)]) @container
