-- last_given: the newest admission that gave something; a null asks for any session, project, memory
SELECT i.admission, i.session_id, i.query, i.decided_at_ms
FROM injection AS i
WHERE i.outcome = 'injected' AND i.memory_number IS NOT NULL
  AND (:session_id IS NULL OR i.session_id = :session_id)
  AND (:project IS NULL
       OR i.session_id IN (SELECT id FROM session WHERE project_id = :project))
  AND (:prefix IS NULL
       OR i.memory_number IN (SELECT number FROM memory WHERE id >= :prefix AND id < :beyond))
ORDER BY i.id DESC LIMIT 1;

-- given: what an admission gave, or what of it one memory's id names
SELECT i.memory_number, i.revision, m.id, substr(m.content, 1, 200) AS opening
FROM injection AS i JOIN memory AS m ON m.number = i.memory_number
WHERE i.admission = :admission AND i.outcome = 'injected'
  AND (:prefix IS NULL OR (m.id >= :prefix AND m.id < :beyond))
ORDER BY i.id;

-- say: note that a memory was wrong in a session; said again, the last word counts
INSERT INTO feedback (session_id, admission, memory_number, revision, reason, said_by, said_at_ms)
VALUES (:session_id, :admission, :memory_number, :revision, :reason, :said_by, :at_ms)
ON CONFLICT (session_id, memory_number) WHERE undone_at_ms IS NULL DO UPDATE SET
    admission = excluded.admission, revision = excluded.revision,
    reason = coalesce(excluded.reason, reason), said_by = excluded.said_by,
    said_at_ms = excluded.said_at_ms;

-- last_said: what was said last and stands; said of several memories at once, it is all of them
SELECT f.id AS feedback_id, f.session_id, f.admission, f.said_at_ms, m.id, f.memory_number,
       f.revision, substr(m.content, 1, 200) AS opening
FROM feedback AS f JOIN memory AS m ON m.number = f.memory_number
WHERE f.undone_at_ms IS NULL
  AND (:prefix IS NULL OR (m.id >= :prefix AND m.id < :beyond))
  AND (f.admission, f.said_at_ms) = (
      SELECT g.admission, g.said_at_ms
      FROM feedback AS g JOIN memory AS n ON n.number = g.memory_number
      WHERE g.undone_at_ms IS NULL
        AND (:session_id IS NULL OR g.session_id = :session_id)
        AND (:project IS NULL
             OR g.session_id IN (SELECT id FROM session WHERE project_id = :project))
        AND (:prefix IS NULL OR (n.id >= :prefix AND n.id < :beyond))
      ORDER BY g.said_at_ms DESC, g.id DESC LIMIT 1)
ORDER BY f.id;

-- undo: take back what was said
UPDATE feedback SET undone_at_ms = :at_ms WHERE id = :id;

-- said_in: what stands of a session's words
SELECT memory_number, reason, said_by, said_at_ms FROM feedback
WHERE session_id = :session_id AND undone_at_ms IS NULL;

-- wrong_sessions: in how many sessions some memories, as they read now, were said to be wrong
SELECT m.number, count(*) AS sessions
FROM json_each(:numbers) AS wanted
JOIN memory AS m ON m.number = wanted.value
JOIN feedback AS f ON f.memory_number = m.number AND f.undone_at_ms IS NULL
JOIN revision AS r ON r.memory_number = f.memory_number AND r.revision = f.revision
WHERE f.said_at_ms > coalesce(m.confirmed_at_ms, 0) AND r.content = m.content
GROUP BY m.number;
