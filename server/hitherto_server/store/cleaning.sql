-- pairs: live relations of a kind between live memories that nothing replaced, the latest first
SELECT r.id, r.newer_number, r.older_number, r.said_by, r.probability, r.reason, r.created_at_ms
FROM relation AS r
CROSS JOIN memory AS n ON n.number = r.newer_number AND n.trashed_at_ms IS NULL
CROSS JOIN memory AS o ON o.number = r.older_number AND o.trashed_at_ms IS NULL
WHERE r.kind = :kind AND r.undone_at_ms IS NULL AND r.decided_at_ms IS NULL AND r.id < :before
    AND (:only IS NULL OR r.id IN (SELECT value FROM json_each(:only)))
    AND (:projects IS NULL
         OR coalesce(n.project_id, 0) IN (SELECT value FROM json_each(:projects)))
    AND NOT EXISTS (
        SELECT 1 FROM relation AS s JOIN memory AS by ON by.number = s.newer_number
        WHERE s.older_number IN (n.number, o.number) AND s.kind = 'supersedes'
            AND s.undone_at_ms IS NULL AND by.trashed_at_ms IS NULL)
    -- whoever confirms both after that was said lets both hold
    AND NOT (r.kind = 'possible_conflict' AND (r.slot IS NOT NULL OR r.said_by = 'judge')
             AND coalesce(n.confirmed_at_ms, 0) >= r.created_at_ms
             AND coalesce(o.confirmed_at_ms, 0) >= r.created_at_ms)
ORDER BY r.id DESC LIMIT :most;

-- replaced: what a rule or a judgment replaced and nobody has looked at yet, the latest first
SELECT r.id, r.newer_number, r.older_number, r.said_by, r.probability, r.reason, r.created_at_ms
FROM relation AS r
CROSS JOIN memory AS n ON n.number = r.newer_number AND n.trashed_at_ms IS NULL
CROSS JOIN memory AS o ON o.number = r.older_number AND o.trashed_at_ms IS NULL
WHERE r.kind = 'supersedes' AND r.said_by IN ('rule', 'judge')
    AND r.undone_at_ms IS NULL AND r.decided_at_ms IS NULL AND r.id < :before
    AND (:only IS NULL OR r.id IN (SELECT value FROM json_each(:only)))
    AND (:projects IS NULL
         OR coalesce(n.project_id, 0) IN (SELECT value FROM json_each(:projects)))
ORDER BY r.id DESC LIMIT :most;

-- copies: memories of projects whose very text holds everywhere as well; within one scope a text is
-- stored once. What was said of such a pair, or taken back by somebody, stands.
WITH pool (number) AS (
    SELECT value FROM json_each(:only)
    UNION ALL
    SELECT number FROM memory INDEXED BY memory_live
    WHERE :only IS NULL AND trashed_at_ms IS NULL AND coalesce(project_id, 0) > 0
        AND number > :after
        AND (:projects IS NULL
             OR coalesce(project_id, 0) IN (SELECT value FROM json_each(:projects)))
    ORDER BY 1  -- as the rows lie
), said (one, other) AS MATERIALIZED (
    SELECT newer_number, older_number FROM relation
    WHERE kind = 'duplicate_of' AND (undone_at_ms IS NULL OR undone_by IS NOT 'rule')
    UNION ALL
    SELECT older_number, newer_number FROM relation
    WHERE kind = 'duplicate_of' AND (undone_at_ms IS NULL OR undone_by IS NOT 'rule')
)
SELECT m.number, u.number AS other
FROM pool
CROSS JOIN memory AS m ON m.number = pool.number
CROSS JOIN memory AS u INDEXED BY memory_text ON coalesce(u.project_id, 0) = 0
    AND u.content_hash = m.content_hash AND u.trashed_at_ms IS NULL
WHERE m.number > :after AND m.trashed_at_ms IS NULL AND m.project_id IS NOT NULL
    AND (:projects IS NULL OR m.project_id IN (SELECT value FROM json_each(:projects)))
    AND (m.number, u.number) NOT IN (SELECT one, other FROM said)
    AND NOT EXISTS (
        SELECT 1 FROM relation AS s JOIN memory AS by ON by.number = s.newer_number
        WHERE s.older_number IN (m.number, u.number) AND s.kind = 'supersedes'
            AND s.undone_at_ms IS NULL AND by.trashed_at_ms IS NULL)
ORDER BY m.number LIMIT :most;

-- expendable: what may be expendable, with what speaks for it; most reasons first, then the least
-- important, then what was left alone longest
WITH pool (number) AS MATERIALIZED (
    SELECT value FROM json_each(:only)
    UNION ALL
    SELECT number FROM memory INDEXED BY memory_live
    WHERE :only IS NULL AND trashed_at_ms IS NULL
        AND (:projects IS NULL
             OR coalesce(project_id, 0) IN (SELECT value FROM json_each(:projects)))
    ORDER BY 1  -- as the rows lie
), said (one, other) AS MATERIALIZED (
    SELECT newer_number, older_number FROM relation
    WHERE kind = 'duplicate_of' AND (undone_at_ms IS NULL OR undone_by IS NOT 'rule')
    UNION ALL
    SELECT older_number, newer_number FROM relation
    WHERE kind = 'duplicate_of' AND (undone_at_ms IS NULL OR undone_by IS NOT 'rule')
), surviving (number, other, copies) AS (
    -- of a pair the one that would go: not what a person told, else the older one
    SELECT CASE WHEN o.source = 'user-told' AND n.source <> 'user-told' THEN n.number
                ELSE o.number END,
           CASE WHEN o.source = 'user-told' AND n.source <> 'user-told' THEN o.number
                ELSE n.number END,
           n.content_hash = o.content_hash
    FROM relation AS r
    CROSS JOIN memory AS n ON n.number = r.newer_number AND n.trashed_at_ms IS NULL
    CROSS JOIN memory AS o ON o.number = r.older_number AND o.trashed_at_ms IS NULL
    WHERE r.kind = 'duplicate_of' AND r.undone_at_ms IS NULL
        AND (:only IS NULL OR r.newer_number IN (SELECT value FROM json_each(:only))
             OR r.older_number IN (SELECT value FROM json_each(:only)))
    UNION ALL
    SELECT m.number, u.number, 1
    FROM pool
    CROSS JOIN memory AS m ON m.number = pool.number AND m.project_id IS NOT NULL
    CROSS JOIN memory AS u INDEXED BY memory_text ON coalesce(u.project_id, 0) = 0
        AND u.content_hash = m.content_hash AND u.trashed_at_ms IS NULL
    WHERE (m.number, u.number) NOT IN (SELECT one, other FROM said)
), alike (number, other, copies) AS MATERIALIZED (
    SELECT number, max(other), max(copies) FROM surviving GROUP BY number
), erring (number, sessions) AS MATERIALIZED (
    -- as it reads now: an edit or a confirmation answers what was said before
    SELECT m.number, count(*) FROM feedback AS f
    JOIN memory AS m ON m.number = f.memory_number AND m.trashed_at_ms IS NULL
    JOIN revision AS r ON r.memory_number = f.memory_number AND r.revision = f.revision
    WHERE f.undone_at_ms IS NULL AND f.said_at_ms > coalesce(m.confirmed_at_ms, 0)
        AND r.content = m.content
    GROUP BY m.number HAVING count(*) >= :wrong
), known (number, other, copies, wrong, importance, touched_at_ms, times) AS MATERIALIZED (
    SELECT m.number, a.other, a.copies, e.sessions, m.importance,
        max(m.learned_at_ms, m.changed_at_ms, coalesce(m.confirmed_at_ms, 0)),
        (SELECT count(*) FROM injection AS i
         WHERE i.memory_number = m.number AND i.outcome = 'injected')
        + coalesce((SELECT times FROM recalled AS t WHERE t.memory_number = m.number), 0)
    FROM pool
    CROSS JOIN memory AS m ON m.number = pool.number
    LEFT JOIN alike AS a ON a.number = m.number
    LEFT JOIN erring AS e ON e.number = m.number
    WHERE m.trashed_at_ms IS NULL
        AND (a.number IS NOT NULL OR e.number IS NOT NULL
             OR (m.importance <= :unimportant AND m.changed_at_ms < :old_ms))
        AND (:projects IS NULL
             OR coalesce(m.project_id, 0) IN (SELECT value FROM json_each(:projects)))
)
SELECT number, other, copies, wrong, importance, touched_at_ms, times,
    -- what keeps being false comes before all else
    4 * (wrong IS NOT NULL) + (other IS NOT NULL) + (importance <= :unimportant) + (times = 0) + (touched_at_ms < :old_ms)
        AS reasons
FROM known
WHERE (other IS NOT NULL OR wrong IS NOT NULL OR (times = 0 AND touched_at_ms < :old_ms))
    AND NOT EXISTS (
        SELECT 1 FROM relation AS s JOIN memory AS by ON by.number = s.newer_number
        WHERE s.older_number = known.number AND s.kind = 'supersedes'
            AND s.undone_at_ms IS NULL AND by.trashed_at_ms IS NULL)
    AND NOT EXISTS (
        SELECT 1 FROM cleaning_step AS d JOIN cleaning_action AS a ON a.id = d.action_id
        WHERE d.memory_number = known.number AND d.what = 'dismiss'
            AND a.list = 'expendable' AND a.undone_at_ms IS NULL)
ORDER BY reasons DESC, importance, touched_at_ms, number
LIMIT :most;

-- false: what keeps being false, and may be set aside: said to be wrong in several sessions and used
-- in fewer, by nobody's word since, and told by no person; what was taken back once never again
SELECT m.number FROM feedback AS f
JOIN memory AS m ON m.number = f.memory_number AND m.trashed_at_ms IS NULL
JOIN revision AS r ON r.memory_number = f.memory_number AND r.revision = f.revision
WHERE f.undone_at_ms IS NULL AND f.said_at_ms > coalesce(m.confirmed_at_ms, 0)
    AND r.content = m.content AND m.source <> 'user-told'
    AND NOT EXISTS (
        SELECT 1 FROM revision AS b WHERE b.memory_number = m.number
            AND b.change IN ('restore', 'undo'))
    AND NOT EXISTS (
        SELECT 1 FROM cleaning_step AS d JOIN cleaning_action AS a ON a.id = d.action_id
        WHERE d.memory_number = m.number AND a.list = 'expendable'
            AND (d.what = 'dismiss') = (a.undone_at_ms IS NULL))
GROUP BY m.number
HAVING count(*) >= :wrong AND max(f.said_at_ms) <= :until_ms
    AND count(*) > (
        SELECT count(DISTINCT w.session_id) FROM memory_worth AS w
        JOIN revision AS v ON v.memory_number = w.memory_number AND v.revision = w.revision
        WHERE w.memory_number = m.number AND w.outcome = 'used' AND v.content = m.content)
ORDER BY m.number LIMIT :most;

-- set_aside: what was set aside of its own since a time, and not taken back
SELECT a.id, a.done_at_ms, m.id AS memory_id, substr(m.content, 1, 200) AS opening
FROM cleaning_action AS a
JOIN cleaning_step AS s ON s.action_id = a.id
JOIN memory AS m ON m.number = s.memory_number AND m.trashed_at_ms IS NOT NULL
WHERE a.actor = :actor AND a.undone_at_ms IS NULL AND a.done_at_ms >= :since_ms
ORDER BY a.id DESC LIMIT :most;

-- scores: the latest score of each of some memories
SELECT v.memory_number AS number, v.answer, v.basis_hash, v.judged_at_ms
FROM json_each(:numbers) AS wanted
CROSS JOIN verdict AS v ON v.memory_number = wanted.value AND v.surface = 'trash-triage'
ORDER BY v.judged_at_ms, v.id;

-- drop_score: what was judged of a memory before
DELETE FROM verdict WHERE memory_number = :number AND surface = 'trash-triage';

-- put_score: keep a score, unless the memory has changed since it was judged
INSERT INTO verdict (
    memory_number, revision, surface, answer, probability, basis_hash, judged_at_ms)
SELECT number, revision, 'trash-triage', :answer, :probability, :basis_hash, :judged_at_ms
FROM memory WHERE number = :number AND revision = :revision;

-- anchored: memories that are tied to files, from a number on
SELECT m.number FROM memory AS m
WHERE m.number > :after AND m.trashed_at_ms IS NULL AND m.project_id IS NOT NULL
    AND (:only IS NULL OR m.number IN (SELECT value FROM json_each(:only)))
    AND (:projects IS NULL OR m.project_id IN (SELECT value FROM json_each(:projects)))
    AND EXISTS (SELECT 1 FROM anchor AS a WHERE a.memory_number = m.number)
    AND NOT EXISTS (
        SELECT 1 FROM relation AS s JOIN memory AS by ON by.number = s.newer_number
        WHERE s.older_number = m.number AND s.kind = 'supersedes'
            AND s.undone_at_ms IS NULL AND by.trashed_at_ms IS NULL)
ORDER BY m.number LIMIT :most;

-- members: what a list shows of some memories
SELECT m.number, m.id, m.revision, m.content, m.kind, m.importance, m.source, m.learned_at_ms,
    m.project_id, p.name AS project_name, c.name AS category_name
FROM json_each(:numbers) AS wanted
CROSS JOIN memory AS m ON m.number = wanted.value
LEFT JOIN project AS p ON p.id = m.project_id
LEFT JOIN category AS c ON c.id = m.category_id;

-- put_recalled: count that memories were given to somebody who asked
INSERT INTO recalled (memory_number, times, last_at_ms)
SELECT m.number, json_extract(asked.value, '$[1]'), :at_ms
FROM json_each(:counts) AS asked
CROSS JOIN memory AS m ON m.id = json_extract(asked.value, '$[0]')
WHERE true
ON CONFLICT (memory_number) DO UPDATE SET
    times = times + excluded.times, last_at_ms = excluded.last_at_ms;

-- put_action: note that somebody acts on a list
INSERT INTO cleaning_action (list, deed, actor, done_at_ms)
VALUES (:list, :deed, :actor, :at_ms) RETURNING id;

-- put_step: note one thing that an action did
INSERT INTO cleaning_step (action_id, what, memory_number, revision, relation_id, detail)
VALUES (:action_id, :what, :number, :revision, :relation_id, :detail);

-- action: one action
SELECT * FROM cleaning_action WHERE id = :id;

-- steps: what an action did, the last first
SELECT s.*, m.id AS memory_id, m.revision AS revision_now
FROM cleaning_step AS s JOIN memory AS m ON m.number = s.memory_number
WHERE s.action_id = :id ORDER BY s.id DESC;

-- undo_action: note that an action was taken back
UPDATE cleaning_action SET undone_at_ms = :at_ms, undone_by = :actor WHERE id = :id;

-- actions: the latest actions, with how many memories each was about
SELECT a.*, (SELECT count(DISTINCT s.memory_number) FROM cleaning_step AS s
             WHERE s.action_id = a.id) AS memories
FROM cleaning_action AS a
WHERE a.id < :before
ORDER BY a.id DESC LIMIT :most;

-- dismissed: what of some memories was dismissed from a list, and stands
SELECT d.memory_number AS number, json_extract(d.detail, '$.what') AS what
FROM json_each(:numbers) AS wanted
CROSS JOIN cleaning_step AS d ON d.memory_number = wanted.value AND d.what = 'dismiss'
JOIN cleaning_action AS a ON a.id = d.action_id
WHERE a.list = :list AND a.undone_at_ms IS NULL;

-- relate: say that a memory relates to another one, and return the relation; none if it is said
INSERT INTO relation (kind, newer_number, older_number, said_by, reason, created_at_ms)
VALUES (:kind, :newer, :older, :said_by, :reason, :at_ms)
ON CONFLICT DO NOTHING RETURNING id;

-- relation: one relation
SELECT * FROM relation WHERE id = :id;

-- decide: note that somebody settled what a relation says, or that it is open again
UPDATE relation SET decided_at_ms = :at_ms WHERE id = :id;

-- dissolve: take a relation back
UPDATE relation SET undone_at_ms = :at_ms, undone_by = :actor
WHERE id = :id AND undone_at_ms IS NULL;

-- revive: let a relation stand again that was taken back, unless the same was said since
UPDATE OR IGNORE relation SET undone_at_ms = NULL, undone_by = NULL WHERE id = :id;

-- set_confirmed: put back when and where a memory was confirmed
UPDATE memory SET confirmed_at_ms = :confirmed_at_ms, confirmed_commit = :confirmed_commit
WHERE number = :number;

-- category_names: some categories by their ways from the top
WITH RECURSIVE way (id, parent_id, name) AS (
    SELECT c.id, c.parent_id, c.name
    FROM json_each(:ids) AS wanted CROSS JOIN category AS c ON c.id = wanted.value
    UNION
    SELECT way.id, c.parent_id, c.name || '/' || way.name
    FROM way CROSS JOIN category AS c ON c.id = way.parent_id
)
SELECT id, name FROM way WHERE parent_id IS NULL;
