-- listed: what is left alone, and what was lately: the spool may still bring its events
SELECT id, kind, session_id, path, began_at_ms, until_ms, ended_at_ms FROM quiet
WHERE coalesce(ended_at_ms, until_ms, :since_ms) >= :since_ms
ORDER BY id;

-- begin: leave a session or a folder alone from now on
INSERT INTO quiet (kind, session_id, path, began_at_ms, until_ms)
VALUES (:kind, :session_id, :path, :at_ms, :until_ms)
RETURNING id;

-- end: no longer leave it alone
UPDATE quiet SET ended_at_ms = :at_ms WHERE id = :id AND ended_at_ms IS NULL;
