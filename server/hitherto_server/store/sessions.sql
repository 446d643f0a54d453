-- begin: note a session's start; a resumed one goes on
INSERT INTO session (id, client, project_id, working_dir, parent_session_id, started_at_ms,
                     seen_at_ms, generation)
VALUES (:id, :client, :project_id, :working_dir, :parent_session_id, :at_ms, :at_ms, 0)
ON CONFLICT (id) DO UPDATE SET
    project_id = coalesce(excluded.project_id, project_id),
    working_dir = coalesce(excluded.working_dir, working_dir),
    seen_at_ms = max(seen_at_ms, excluded.seen_at_ms),
    end_reason = CASE WHEN excluded.started_at_ms > ended_at_ms THEN NULL ELSE end_reason END,
    ended_at_ms = CASE WHEN excluded.started_at_ms > ended_at_ms THEN NULL ELSE ended_at_ms END;

-- next_generation: what was shown to the session is gone from its context
UPDATE session SET generation = generation + 1, seen_at_ms = :at_ms WHERE id = :id;

-- end: note that a session ended
UPDATE session SET ended_at_ms = :at_ms, end_reason = :reason, seen_at_ms = :at_ms WHERE id = :id;

-- follow_cleared: a session that a clear began goes on from the one that ended so, if that is certain
UPDATE session SET parent_session_id = (
    SELECT min(b.id) FROM session AS b
    WHERE b.end_reason = 'clear' AND b.working_dir = session.working_dir AND b.id <> session.id
      AND b.client = session.client
      AND b.ended_at_ms BETWEEN :at_ms - :within_ms AND :at_ms
      AND NOT EXISTS (SELECT 1 FROM session AS o WHERE o.parent_session_id = b.id)
    HAVING count(*) = 1)
WHERE id = :id AND parent_session_id IS NULL;

-- was_cleared: whether a session ended because its context was cleared
SELECT 1 FROM session WHERE id = :id AND end_reason = 'clear';

-- goes_on_as: the last of the sessions that each began where the one before was cleared
WITH RECURSIVE line (id, length) AS (
    SELECT :id, 0
    UNION ALL
    SELECT s.id, length + 1 FROM session AS s JOIN line ON s.parent_session_id = line.id
    WHERE length < 1000)
SELECT id FROM line ORDER BY length DESC LIMIT 1;

-- by_id: one session
SELECT * FROM session WHERE id = :id;

-- same_event: the same event, noted already (settings and plugin, or direct and spooled)
SELECT id FROM event
WHERE session_id = :session_id AND name = :name AND body_hash = :body_hash
  AND occurred_at_ms BETWEEN :at_ms - :window_ms AND :at_ms + :window_ms
LIMIT 1;

-- put_event: note an event
INSERT INTO event (session_id, name, body_hash, occurred_at_ms, received_at_ms, spooled,
                   tool_name, detail)
VALUES (:session_id, :name, :body_hash, :at_ms, :received_at_ms, :spooled, :tool_name, :detail)
RETURNING id;

-- events: a page of a session's events, the oldest first
SELECT id, session_id, name, occurred_at_ms, received_at_ms, spooled, tool_name, detail
FROM event WHERE session_id = :session_id ORDER BY id LIMIT :limit OFFSET :offset;

-- add_to_counter: count what must be seen
INSERT INTO counter (name, value) VALUES (:name, :amount)
ON CONFLICT (name) DO UPDATE SET value = value + excluded.value;

-- counters: all that was counted so that it is seen
SELECT name, value FROM counter WHERE name <> 'commits' ORDER BY name;

-- counter: one of them, or what is counted for ourselves
SELECT value FROM counter WHERE name = :name;
