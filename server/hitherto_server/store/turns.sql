-- put: keep a prompt, once; of a session that was purged meanwhile nothing is kept
INSERT INTO turn (session_id, prompt_id, prompt, started_at_ms)
SELECT :session_id, :prompt_id, :prompt, :at_ms
WHERE EXISTS (SELECT 1 FROM session WHERE id = :session_id)
ON CONFLICT (session_id, prompt_id) DO NOTHING;

-- first: the prompt that a session began with
SELECT prompt_id FROM turn WHERE session_id = :session_id ORDER BY started_at_ms, id LIMIT 1;

-- fill_query: say what an admission was asked
UPDATE injection SET query = :query WHERE admission = :admission;

-- put_reply: keep what an agent said last to a prompt
UPDATE turn SET reply = :reply, ended_at_ms = :at_ms
WHERE session_id = :session_id AND prompt_id = :prompt_id;

-- prompts: what was asked until a prompt, the latest first
SELECT prompt FROM turn
WHERE session_id = :session_id
ORDER BY prompt_id = :prompt_id DESC, started_at_ms DESC, id DESC LIMIT :most;
