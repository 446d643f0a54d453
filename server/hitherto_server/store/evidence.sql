-- put: keep what a tool call did, once
INSERT INTO evidence (session_id, prompt_id, agent_id, call_id, kind, subject, failed, exit_code,
                      tail, at_ms)
VALUES (:session_id, :prompt_id, :agent_id, :call_id, :kind, :subject, :failed, :exit_code,
        :tail, :at_ms)
ON CONFLICT (session_id, call_id, kind, subject) DO NOTHING;

-- drop_beyond: of a turn that did very much, keep what it did last
DELETE FROM evidence
WHERE session_id = :session_id AND prompt_id = :prompt_id AND id <= (
    SELECT id FROM evidence
    WHERE session_id = :session_id AND prompt_id = :prompt_id
    ORDER BY id DESC LIMIT 1 OFFSET :most
);

-- drop_old: of the oldest rows, those from before a time
DELETE FROM evidence WHERE id IN (
    SELECT id FROM (SELECT id, at_ms FROM evidence ORDER BY id LIMIT :most)
    WHERE at_ms < :before_ms
);

-- of_turn: what was done for one prompt, the oldest first
SELECT * FROM evidence
WHERE session_id = :session_id AND prompt_id = :prompt_id
    AND (:agent_id IS NULL OR agent_id = :agent_id)
ORDER BY at_ms, id;

-- of_session: what was done last in a session, the newest first
SELECT * FROM evidence
WHERE session_id = :session_id AND kind <> 'memory'
ORDER BY at_ms DESC, id DESC
LIMIT :most;

-- last_memory: when a session last stored or changed a memory
SELECT max(at_ms) FROM evidence WHERE session_id = :session_id AND kind = 'memory';

-- end_later: a command in the background has ended
UPDATE evidence SET failed = :failed, exit_code = :exit_code
WHERE session_id = :session_id AND call_id = :call_id AND kind = 'command' AND failed IS NULL;

-- began_here: when a session began, if it was heard of from its beginning
SELECT occurred_at_ms FROM event
WHERE session_id = :session_id AND name = 'SessionStart'
    AND json_extract(detail, '$.source') IN ('startup', 'clear')
LIMIT 1;
