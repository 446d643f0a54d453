-- edits: what was edited for earlier prompts since the session last stored something, newest first
SELECT prompt_id, subject, at_ms FROM evidence
WHERE session_id = :session_id AND kind = 'edit' AND coalesce(failed, 0) = 0
    AND prompt_id NOT IN ('', :prompt_id)
    AND prompt_id NOT IN (SELECT subject FROM obligation  -- it was asked for at the stop
                          WHERE session_id = :session_id AND kind = 'store')
    AND at_ms > coalesce((SELECT max(at_ms) FROM evidence
                          WHERE session_id = :session_id AND kind = 'memory'), 0)
ORDER BY at_ms DESC, id DESC
LIMIT :most;

-- request: what was asked that led to them
SELECT prompt FROM turn WHERE session_id = :session_id AND prompt_id = :prompt_id;

-- has_ended: whether the agent stopped by itself since
SELECT 1 FROM event
WHERE session_id = :session_id AND name = 'Stop' AND occurred_at_ms >= :since_ms LIMIT 1;

-- has_preference: whether a preference of the session is stored
SELECT 1 FROM memory
WHERE session_id = :session_id AND kind = 'preference' AND trashed_at_ms IS NULL LIMIT 1;
