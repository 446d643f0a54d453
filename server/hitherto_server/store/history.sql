-- begin: note that an import begins
INSERT INTO history_import (client_home, admits, began_at_ms)
VALUES (:client_home, :admits, :at_ms) RETURNING id;

-- unfinished: the import that goes on, if there is one
SELECT * FROM history_import WHERE finished_at_ms IS NULL AND undone_at_ms IS NULL
ORDER BY id DESC LIMIT 1;

-- by_id: one import
SELECT * FROM history_import WHERE id = :id;

-- newest: the import that was begun last of those that stand and brought something
SELECT * FROM history_import AS i WHERE undone_at_ms IS NULL
  AND EXISTS (SELECT 1 FROM history_memory AS h WHERE h.import_id = i.id)
ORDER BY id DESC LIMIT 1;

-- listed: every import, with how many of its memories are live, the newest first
SELECT i.id, i.began_at_ms, i.finished_at_ms, i.undone_at_ms,
    (SELECT count(*) FROM history_memory AS h JOIN memory AS m ON m.number = h.memory_number
     WHERE h.import_id = i.id AND m.trashed_at_ms IS NULL) AS memories
FROM history_import AS i ORDER BY i.id DESC;

-- finish: note that all was read
UPDATE history_import SET finished_at_ms = :at_ms WHERE id = :id AND finished_at_ms IS NULL;

-- undo: note that an import was taken back
UPDATE history_import SET undone_at_ms = :at_ms WHERE id = :id;

-- file_states: the files that imports which stand have read, as they were then
SELECT f.path, f.state FROM history_file AS f JOIN history_import AS i ON i.id = f.import_id
WHERE i.undone_at_ms IS NULL ORDER BY f.import_id;

-- put_file: note that a file was read, and what became of what it said
INSERT INTO history_file (import_id, path, state, counts, read_at_ms)
VALUES (:import_id, :path, :state, :counts, :at_ms)
ON CONFLICT (import_id, path) DO UPDATE SET
    state = excluded.state, counts = excluded.counts, read_at_ms = excluded.read_at_ms;

-- counts: what became of what each file of an import said
SELECT counts FROM history_file WHERE import_id = :id;

-- put_memory: note which import brought a memory
INSERT INTO history_memory (memory_number, import_id, imported_at_ms)
VALUES (:number, :import_id, :at_ms)
ON CONFLICT (memory_number) DO UPDATE SET
    import_id = excluded.import_id, imported_at_ms = excluded.imported_at_ms, undone_at_ms = NULL;

-- mark_undone: note that an undo put a memory into the trash
UPDATE history_memory SET undone_at_ms = :at_ms WHERE memory_number = :number;

-- memories: the live memories of an import, and whether somebody has had a hand in each since
SELECT m.*, EXISTS (
        SELECT 1 FROM revision AS r WHERE r.memory_number = m.number AND r.actor <> :actor
    ) OR m.confirmed_at_ms IS NOT NULL AS is_touched
FROM history_memory AS h JOIN memory AS m ON m.number = h.memory_number
WHERE h.import_id = :id AND m.trashed_at_ms IS NULL
ORDER BY m.number;

-- trashed_same: the memory of a scope that said the very same and is in the trash
SELECT m.*, h.undone_at_ms FROM memory AS m
LEFT JOIN history_memory AS h ON h.memory_number = m.number
WHERE m.trashed_at_ms IS NOT NULL AND coalesce(m.project_id, 0) = :project
  AND m.content_hash = :content_hash
ORDER BY h.undone_at_ms IS NULL DESC, m.number DESC LIMIT 1;

-- is_imported: whether an import brought a memory
SELECT 1 FROM history_memory WHERE memory_number = :number;

-- begin_session: note a session of the past; one that hooks told of stays as it is
INSERT INTO session (id, client, project_id, working_dir, started_at_ms, seen_at_ms,
                     ended_at_ms, end_reason)
VALUES (:id, 'claude-code', :project_id, :working_dir, :at_ms, :at_ms, :at_ms, 'past')
ON CONFLICT (id) DO NOTHING;

-- find_event: an event of a history that was noted already
SELECT id FROM event
WHERE session_id = :session_id AND name = 'History' AND body_hash = :body_hash
LIMIT 1;

-- put_event: note what a history shows
INSERT INTO event (session_id, name, body_hash, occurred_at_ms, received_at_ms, detail)
VALUES (:session_id, 'History', :body_hash, :at_ms, :received_at_ms, :detail)
RETURNING id;

-- put_support: tie a sentence of a memory to the event that carries it
INSERT OR IGNORE INTO support (memory_number, event_id, sentence, polarity, trust)
VALUES (:number, :event_id, :sentence, 'affirms', :trust);
