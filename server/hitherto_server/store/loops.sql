-- begin: a loop starts with its first iteration; nothing where one goes on in the session
INSERT INTO loop (session_id, project_id, task, most_iterations, started_at_ms, until_ms)
VALUES (:session_id, :project_id, :task, :most_iterations, :at_ms, :until_ms)
ON CONFLICT DO NOTHING
RETURNING id;

-- last: the loop of a session that goes on, else the one that ended last
SELECT l.*, p.name AS project FROM loop AS l LEFT JOIN project AS p ON p.id = l.project_id
WHERE l.session_id = :session_id ORDER BY l.id DESC LIMIT 1;

-- by_id: one loop
SELECT l.*, p.name AS project FROM loop AS l LEFT JOIN project AS p ON p.id = l.project_id
WHERE l.id = :id;

-- newest: the newest loops, those that go on before the others
SELECT l.*, p.name AS project FROM loop AS l LEFT JOIN project AS p ON p.id = l.project_id
WHERE (NOT :live OR l.state <> 'ended') AND (:project_id IS NULL OR l.project_id = :project_id)
ORDER BY l.state = 'ended', l.id DESC LIMIT :limit;

-- ask: the next iteration, or the same once more, is asked for; nothing where the loop has moved on
UPDATE loop SET state = 'running', reason = NULL, iteration = :to_iteration, prompt_id = :prompt_id,
    idle = :idle, asked_at_ms = :at_ms
WHERE id = :id AND state <> 'ended' AND iteration = :iteration AND asked_at_ms = :asked_at_ms;

-- take_back: what was asked for was not delivered
UPDATE loop SET state = :state, reason = :reason, iteration = :iteration, prompt_id = :prompt_id,
    idle = :idle, asked_at_ms = :asked_at_ms
WHERE id = :id AND state = 'running' AND asked_at_ms = :at_ms;

-- pause: the loop waits until the person's next prompt
UPDATE loop SET state = 'paused', reason = :reason, prompt_id = :prompt_id
WHERE id = :id AND state <> 'ended' AND asked_at_ms = :asked_at_ms
  AND (state = 'running' OR prompt_id = '');

-- block: the agent says what it waits for
UPDATE loop SET state = 'paused', reason = 'blocked', prompt_id = '' WHERE id = :id AND state <> 'ended';

-- resume: the agent goes on by itself
UPDATE loop SET state = 'running', reason = NULL WHERE id = :id AND state = 'paused';

-- end: a loop ends, once
UPDATE loop SET state = 'ended', reason = :reason, ended_at_ms = :at_ms
WHERE id = :id AND state <> 'ended';

-- end_of_session: what a session that ended had begun before ends with it
UPDATE loop SET state = 'ended', reason = 'session', ended_at_ms = :at_ms
WHERE session_id = :session_id AND state <> 'ended' AND started_at_ms <= :at_ms;

-- end_in_time: what has run out while nobody looked
UPDATE loop SET state = 'ended', reason = 'time', ended_at_ms = until_ms
WHERE state <> 'ended' AND until_ms <= :now_ms;

-- tell: say once to the person that a loop has ended
UPDATE loop SET is_told = 1 WHERE id = :id AND NOT is_told;

-- used_tool: whether a tool of the session answered since
SELECT 1 FROM event
WHERE session_id = :session_id AND occurred_at_ms >= :since_ms
  AND name IN ('PreToolUse', 'PostToolUse', 'PostToolUseFailure')
UNION ALL
SELECT 1 FROM loop_entry
WHERE loop_id = :loop_id AND written_by = 'agent' AND at_ms >= :since_ms
LIMIT 1;

-- has_written: whether the agent has written into the journal since
SELECT 1 FROM loop_entry
WHERE loop_id = :loop_id AND written_by = 'agent' AND at_ms >= :since_ms LIMIT 1;

-- note: an entry of a loop's journal
INSERT INTO loop_entry (loop_id, iteration, written_by, text, at_ms)
VALUES (:loop_id, :iteration, :written_by, :text, :at_ms);

-- drop_notes: of very many entries only the last stay
DELETE FROM loop_entry
WHERE loop_id = :loop_id AND id NOT IN (
    SELECT id FROM loop_entry WHERE loop_id = :loop_id ORDER BY id DESC LIMIT :most);

-- has_note: whether something is written of an iteration
SELECT 1 FROM loop_entry
WHERE loop_id = :loop_id AND iteration = :iteration LIMIT 1;

-- journal: the last entries, the newest first
SELECT iteration, written_by, text, at_ms FROM loop_entry
WHERE loop_id = :loop_id ORDER BY id DESC LIMIT :most;

-- prompt_by_client: whether a prompt was the client's own word; nothing where it was not heard of
SELECT coalesce(json_extract(detail, '$.by_client'), 0) AS by_client FROM event
WHERE session_id = :session_id AND name = 'UserPromptSubmit'
  AND json_extract(detail, '$.prompt_id') = :prompt_id
ORDER BY id DESC LIMIT 1;
