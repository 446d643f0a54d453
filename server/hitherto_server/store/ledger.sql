-- delivered: which memory revisions a session was given since its last compaction, or a subagent ever
SELECT memory_number, revision FROM injection
WHERE session_id = :session AND agent = :agent AND outcome = 'injected'
    AND memory_number IS NOT NULL AND generation = CASE WHEN :agent = ''
        THEN coalesce((SELECT generation FROM session WHERE id = :session), 0) ELSE 0 END;

-- put: enter one candidate's outcome now; the same revision twice in a generation enters nothing
INSERT INTO injection (
    session_id, agent, generation, admission, channel, query, memory_number, revision,
    outcome, reason, standing, scores, tokens, decided_at_ms
) VALUES (
    :session_id, :agent, CASE WHEN :agent = ''
        THEN coalesce((SELECT generation FROM session WHERE id = :session_id), 0) ELSE 0 END,
    :admission, :channel, :query, :memory_number, :revision,
    :outcome, :reason, :standing, :scores, :tokens, :decided_at_ms
)
ON CONFLICT (session_id, agent, generation, memory_number, revision) WHERE outcome = 'injected'
DO NOTHING;

-- take_back: what one admission injected was not delivered
UPDATE injection SET outcome = 'abstained', reason = :reason, tokens = NULL
WHERE admission = :admission AND outcome = 'injected';

-- last_of_session: the newest admission of one session
SELECT admission FROM injection WHERE session_id = :session ORDER BY id DESC LIMIT 1;

-- last_of_all: the newest admission of all sessions
SELECT admission FROM injection ORDER BY id DESC LIMIT 1;

-- candidates_of: each candidate of one admission, as it was ranked
SELECT
    i.session_id, i.channel, i.query, i.decided_at_ms, i.memory_number, i.revision, i.outcome,
    i.reason, i.standing, i.scores, i.tokens, m.id, m.kind, substr(m.content, 1, 200) AS opening
FROM injection AS i
LEFT JOIN memory AS m ON m.number = i.memory_number
WHERE i.admission = :admission
ORDER BY i.id;
