-- approve: note when a plan was approved, once
INSERT OR IGNORE INTO approval (session_id, memory_number, file, at_ms)
VALUES (:session_id, :number, :file, :at_ms);

-- before: the last approval before a time of what may be the same plan: of its file, or its session
SELECT m.number, m.id, m.content, m.content_hash, a.at_ms
FROM approval AS a JOIN memory AS m ON m.number = a.memory_number
WHERE m.trashed_at_ms IS NULL AND coalesce(m.project_id, 0) = :project
    AND CASE WHEN :file = '' THEN a.session_id = :session_id ELSE a.file = :file END
    AND a.at_ms < :at_ms
ORDER BY a.at_ms DESC, a.id DESC LIMIT 1;

-- after: the first approval after a time of what may be the same plan
SELECT m.number, m.id, m.content, m.content_hash, a.at_ms
FROM approval AS a JOIN memory AS m ON m.number = a.memory_number
WHERE m.trashed_at_ms IS NULL AND coalesce(m.project_id, 0) = :project
    AND CASE WHEN :file = '' THEN a.session_id = :session_id ELSE a.file = :file END
    AND a.at_ms > :at_ms
ORDER BY a.at_ms, a.id LIMIT 1;

-- in_force: the plan that a session approved last, by a time
SELECT m.id, substr(m.content, 1, 1000) AS opening
FROM approval AS a JOIN memory AS m ON m.number = a.memory_number
WHERE a.session_id = :session_id AND a.at_ms <= :at_ms AND m.trashed_at_ms IS NULL
ORDER BY a.at_ms DESC, a.id DESC LIMIT 1;

-- is_noted: whether this very approval is noted
SELECT 1 FROM approval AS a JOIN memory AS m ON m.number = a.memory_number
WHERE a.session_id = :session_id AND a.at_ms = :at_ms AND m.content_hash = :content_hash LIMIT 1;

-- number_of: a memory's number
SELECT number FROM memory WHERE id = :id;

-- decisions: the latest live decisions and preferences of some scopes
SELECT m.number, m.content FROM memory AS m
WHERE coalesce(m.project_id, 0) IN (SELECT value FROM json_each(:scopes))
    AND m.trashed_at_ms IS NULL AND m.tier = 'admitted' AND m.suspect = 0
    AND m.kind IN ('decision', 'preference')
    AND NOT EXISTS (
        SELECT 1 FROM relation AS r JOIN memory AS n ON n.number = r.newer_number
        WHERE r.older_number = m.number AND r.kind = 'supersedes'
            AND r.undone_at_ms IS NULL AND n.trashed_at_ms IS NULL)
ORDER BY m.changed_at_ms DESC LIMIT :most;

-- statements: the latest live memories of some scopes that state something and decide nothing
SELECT m.number, m.content FROM memory AS m
WHERE coalesce(m.project_id, 0) IN (SELECT value FROM json_each(:scopes))
    AND m.trashed_at_ms IS NULL AND m.tier = 'admitted' AND m.suspect = 0
    AND m.kind IN ('fact', 'note', 'workflow')
    AND NOT EXISTS (
        SELECT 1 FROM relation AS r JOIN memory AS n ON n.number = r.newer_number
        WHERE r.older_number = m.number AND r.kind = 'supersedes'
            AND r.undone_at_ms IS NULL AND n.trashed_at_ms IS NULL)
ORDER BY m.changed_at_ms DESC LIMIT :most;

-- numbers_of: the numbers of some decisions and preferences by their ids
SELECT m.number FROM json_each(:ids) AS wanted JOIN memory AS m ON m.id = wanted.value
WHERE m.kind IN ('decision', 'preference') AND m.tier = 'admitted' AND m.suspect = 0
ORDER BY wanted.key;
