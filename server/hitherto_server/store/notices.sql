-- given: what a session was given since its last compaction and was not told about since
SELECT i.memory_number AS number, m.id, i.standing
FROM injection AS i
JOIN memory AS m ON m.number = i.memory_number
WHERE i.session_id = :session AND i.agent = '' AND i.outcome = 'injected'
    AND i.revision = m.revision
    AND i.generation = coalesce((SELECT generation FROM session WHERE id = :session), 0)
    AND m.trashed_at_ms IS NULL
    AND EXISTS (SELECT 1 FROM anchor AS a WHERE a.memory_number = m.number)
    AND NOT EXISTS (
        SELECT 1 FROM obligation AS o
        WHERE o.session_id = :session AND o.kind = 'notice' AND o.subject = m.id
    )
ORDER BY i.id DESC
LIMIT :most;

-- told: how many notices a session has had
SELECT count(*) FROM obligation WHERE session_id = :session AND kind = 'notice';

-- tell: note that a session is told of a memory; a second time enters nothing
INSERT INTO obligation (session_id, generation, kind, subject, detail, raised_at_ms,
                        cleared_at_ms, cleared_by)
SELECT :session, coalesce((SELECT generation FROM session WHERE id = :session), 0), 'notice',
       :memory_id, :detail, :at_ms, :at_ms, 'told'
WHERE NOT EXISTS (
    SELECT 1 FROM obligation
    WHERE session_id = :session AND kind = 'notice' AND subject = :memory_id
);

-- untell: a notice was not delivered
DELETE FROM obligation
WHERE session_id = :session AND kind = 'notice' AND subject = :memory_id;

-- judged: memories that were judged stale after this session's edit, of which it was told nothing
SELECT m.number, m.id, 'current' AS standing
FROM obligation AS o
JOIN memory AS m ON m.id = o.subject
WHERE o.session_id = :session AND o.kind = 'judged-stale' AND o.cleared_at_ms IS NULL
    AND m.trashed_at_ms IS NULL
    AND NOT EXISTS (
        SELECT 1 FROM obligation AS t
        WHERE t.session_id = :session AND t.kind = 'notice' AND t.subject = m.id
    )
ORDER BY o.id
LIMIT :most;

-- raise_judged: a memory was judged stale after this session's edit; a second time enters nothing
INSERT OR IGNORE INTO obligation (session_id, generation, kind, subject, raised_at_ms)
SELECT :session, coalesce((SELECT generation FROM session WHERE id = :session), 0),
       'judged-stale', :memory_id, :at_ms;

-- clear_judged: the session was told
UPDATE obligation SET cleared_at_ms = :at_ms, cleared_by = 'told'
WHERE session_id = :session AND kind = 'judged-stale' AND subject = :memory_id
    AND cleared_at_ms IS NULL;

-- edited: the files that a session's client said it edited, the newest first
SELECT named.value AS file, max(event.id) AS newest
FROM event, json_each(
    coalesce(json_extract(detail, '$.files'), json_array(json_extract(detail, '$.file')))
) AS named
WHERE session_id = :session AND name = 'PostToolUse' AND named.value IS NOT NULL
GROUP BY file
ORDER BY newest DESC
LIMIT :most;

-- listeners: sessions of a project that were given something lately and have not ended
SELECT s.id FROM session AS s
WHERE s.project_id = :project AND s.ended_at_ms IS NULL AND s.seen_at_ms >= :since_ms
    AND EXISTS (SELECT 1 FROM injection AS i WHERE i.session_id = s.id AND i.outcome = 'injected')
ORDER BY s.seen_at_ms DESC
LIMIT :most;

-- anchored: the memories of a project that are tied to files, the most recent first
SELECT m.number FROM memory AS m
WHERE m.project_id = :project AND m.trashed_at_ms IS NULL
    AND EXISTS (SELECT 1 FROM anchor AS a WHERE a.memory_number = m.number)
ORDER BY m.changed_at_ms DESC
LIMIT :most;

-- paths: the files that a project's memories are tied to, the most recently tied first
SELECT a.path FROM anchor AS a JOIN memory AS m ON m.number = a.memory_number
WHERE m.project_id = :project AND m.trashed_at_ms IS NULL AND a.file_hash IS NOT NULL
GROUP BY a.path
ORDER BY max(a.id) DESC
LIMIT :most;
