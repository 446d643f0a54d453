-- What step 2 added: the slot that two memories differ in, feedback, pauses and models by name.

UPDATE relation SET slot = 'value' WHERE id = 2;

INSERT INTO embedding_model (name, configured, dimension, state, since_ms) VALUES
    ('older', 'a folder', 4, 'leaving', 500);

INSERT INTO vector_change (project, version) VALUES (1, 7);

INSERT INTO feedback (
    id, session_id, admission, memory_number, revision, reason, said_by, said_at_ms, undone_at_ms
) VALUES
    (1, 's-old', 'a1', 2, 1, 'not now', 'person', 1010, 1020);

INSERT INTO quiet (id, kind, session_id, path, began_at_ms, until_ms, ended_at_ms) VALUES
    (1, 'pause', 's-old', NULL, 1000, 1500, 1400),
    (2, 'ignore', NULL, '/nowhere/secret', 1000, NULL, NULL);
