-- What step 4 added: merges, imports of a client's history, and who used a candidate.

INSERT INTO merge_conflict (memory_number, kept_revision, other_revision, found_at_ms) VALUES
    (1, 2, 1, 1900);

INSERT INTO history_import (id, client_home, admits, began_at_ms, finished_at_ms, undone_at_ms)
VALUES (1, '/nowhere/.claude', 1, 1000, 1001, 1002);

INSERT INTO history_file (import_id, path, state, counts, read_at_ms) VALUES
    (1, '/nowhere/.claude/a.jsonl', '1:2:3', '{"kept": 1}', 1001);

INSERT INTO history_memory (memory_number, import_id, imported_at_ms, undone_at_ms) VALUES
    (6, 1, 1001, 1002);

INSERT INTO candidate_use (memory_number, session_id, used_at_ms) VALUES (6, 's-old', 1800);
