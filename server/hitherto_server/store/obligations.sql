-- raise: note that a session owes something; while it is open, a second time changes nothing
INSERT OR IGNORE INTO obligation (session_id, generation, kind, subject, detail, raised_at_ms)
SELECT :session_id, coalesce((SELECT generation FROM session WHERE id = :session_id), 0),
       :kind, :subject, :detail, :at_ms;

-- clear: what was owed is done, as far as it was raised until then
UPDATE obligation SET cleared_at_ms = :at_ms, cleared_by = :by
WHERE session_id = :session_id AND cleared_at_ms IS NULL AND raised_at_ms <= :at_ms
    AND kind IN (SELECT value FROM json_each(:kinds))
    AND (:subject IS NULL OR subject = :subject);

-- open: what a session owes, the oldest first
SELECT id, generation, kind, subject, detail, raised_at_ms, blocks FROM obligation
WHERE session_id = :session_id AND cleared_at_ms IS NULL
    AND kind IN (SELECT value FROM json_each(:kinds))
ORDER BY id;

-- count_block: an open obligation held its session up once more
UPDATE obligation SET blocks = blocks + 1
WHERE session_id = :session_id AND kind = :kind AND subject = :subject AND cleared_at_ms IS NULL;

-- block: take the one block of a prompt, as long as the session has any left
INSERT INTO obligation (session_id, generation, kind, subject, detail, raised_at_ms, blocks,
                        cleared_at_ms, cleared_by)
SELECT :session_id, coalesce((SELECT generation FROM session WHERE id = :session_id), 0), 'block',
       :subject, :detail, :at_ms, 1, :at_ms, 'given'
WHERE NOT EXISTS (
        SELECT 1 FROM obligation
        WHERE session_id = :session_id AND kind = 'block' AND subject = :subject)
    AND (SELECT count(*) FROM obligation WHERE session_id = :session_id AND kind = 'block') < :most;

-- unblock: a block was not delivered
DELETE FROM obligation WHERE session_id = :session_id AND kind = 'block' AND subject = :subject;

-- has_block: whether a prompt has had its block
SELECT 1 FROM obligation
WHERE session_id = :session_id AND kind = 'block' AND subject = :subject;

-- asked: how often a session was asked to store something, and how often it did not
SELECT count(*) AS asked, coalesce(sum(cleared_by = 'declined'), 0) AS declined
FROM obligation WHERE session_id = :session_id AND kind = 'store';

-- of_prompt: what was raised for one prompt, cleared or not
SELECT kind, cleared_by FROM obligation
WHERE session_id = :session_id AND subject = :subject
    AND kind IN (SELECT value FROM json_each(:kinds));
