-- document: everything a person changed at run time
SELECT document FROM config WHERE id = 1;

-- put_section: replace one part of it
INSERT INTO config (id, document, changed_at_ms)
VALUES (1, json_set('{}', '$.' || :section, json(:value)), :at_ms)
ON CONFLICT (id) DO UPDATE SET
    document = json_set(document, '$.' || :section, json(:value)),
    changed_at_ms = :at_ms;
