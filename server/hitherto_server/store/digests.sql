-- is_past: whether a session's last compaction is later than something
SELECT 1 FROM digest WHERE session_id = :session_id AND done_at_ms >= :at_ms LIMIT 1;

-- put: keep what was chosen before a compaction, once; of a purged session nothing is kept
INSERT INTO digest (session_id, asked_at_ms, chosen_by, items)
SELECT :session_id, :asked_at_ms, :chosen_by, :items
WHERE EXISTS (SELECT 1 FROM session WHERE id = :session_id)
ON CONFLICT (session_id, asked_at_ms) DO NOTHING;

-- choose_again: put the judged choice in the place of the rule's, while the compaction is not done
UPDATE digest SET items = :items, chosen_by = 'judge'
WHERE session_id = :session_id AND asked_at_ms = :asked_at_ms AND generation IS NULL;

-- told_by_its_end: a compaction that PostCompact told of, at a time when this start was due
SELECT id FROM digest
WHERE session_id = :session_id AND done_by = 'end' AND :at_ms BETWEEN asked_at_ms AND done_at_ms
LIMIT 1;

-- mark_started: both have told of it now
UPDATE digest SET done_by = 'start' WHERE id = :id;

-- waiting: the newest call for a compaction before a time that is not told to have happened
SELECT id FROM digest
WHERE session_id = :session_id AND generation IS NULL AND asked_at_ms <= :at_ms
ORDER BY asked_at_ms DESC LIMIT 1;

-- done: a compaction has happened; it ended the session's present generation
UPDATE digest SET
    generation = (SELECT generation FROM session WHERE id = :session_id),
    done_at_ms = :at_ms, done_by = :done_by
WHERE id = :id;

-- put_done: a compaction has happened that nobody announced
INSERT INTO digest (session_id, generation, asked_at_ms, done_at_ms, done_by, chosen_by, items)
SELECT :session_id, generation, :at_ms, :at_ms, :done_by, 'rule', 'null'
FROM session WHERE id = :session_id
ON CONFLICT DO NOTHING;

-- drop_waiting: calls for a compaction that were followed by none
DELETE FROM digest
WHERE session_id = :session_id AND generation IS NULL AND asked_at_ms <= :at_ms;

-- of_last: the digest of the session's last compaction
SELECT * FROM digest
WHERE session_id = :session_id AND generation IS NOT NULL
ORDER BY generation DESC LIMIT 1;

-- fill: keep what was chosen after a compaction that nobody announced
UPDATE digest SET items = :items WHERE id = :id AND items = 'null';

-- give: note that a digest is given; no row if it was already
UPDATE digest SET given_at_ms = :at_ms WHERE id = :id AND given_at_ms IS NULL RETURNING id;

-- take_back: a digest that was given did not arrive
UPDATE digest SET given_at_ms = NULL WHERE id = :id;

-- stored: which candidate a digest became
UPDATE digest SET memory_id = :memory_id WHERE id = :id;

-- unstored: digests of compactions that no candidate was made of
SELECT * FROM digest
WHERE generation IS NOT NULL AND memory_id IS NULL AND items NOT IN ('null', '[]')
ORDER BY id LIMIT :most;

-- turns: what was asked and answered in a session until a time, the oldest first
SELECT prompt_id, prompt, reply, started_at_ms FROM turn
WHERE session_id = :session_id AND started_at_ms <= :until_ms
ORDER BY started_at_ms, id;

-- given_texts: what a session and its subagents were given of memories, and when first
SELECT m.content, min(i.decided_at_ms) AS at_ms
FROM injection AS i JOIN memory AS m ON m.number = i.memory_number
WHERE i.session_id = :session_id AND i.outcome = 'injected'
GROUP BY m.content;
