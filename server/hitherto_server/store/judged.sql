-- by_id: a memory as judgments see it, unless it is in the trash or replaced
SELECT m.number, m.id, m.revision, m.content, m.changed_at_ms, m.learned_at_ms, m.kind,
    m.importance, m.category_id, c.name AS category, p.name AS project_name, m.source, m.actor,
    m.tier, m.suspect, coalesce(m.project_id, 0) AS project,
    coalesce(m.true_from_ms, m.learned_at_ms) AS dated_ms
FROM memory AS m
LEFT JOIN category AS c ON c.id = m.category_id
LEFT JOIN project AS p ON p.id = m.project_id
WHERE m.id = :id AND m.trashed_at_ms IS NULL
    AND NOT EXISTS (
        SELECT 1 FROM relation AS r JOIN memory AS n ON n.number = r.newer_number
        WHERE r.older_number = m.number AND r.kind = 'supersedes'
            AND r.undone_at_ms IS NULL AND n.trashed_at_ms IS NULL
    );

-- beside: those of some memories that may be judged beside one: live, current, of its category
SELECT m.number, m.id, m.revision, m.content, m.changed_at_ms, m.learned_at_ms, m.source, m.actor,
    m.tier, m.suspect, coalesce(m.true_from_ms, m.learned_at_ms) AS dated_ms
FROM json_each(:numbers) AS wanted
CROSS JOIN memory AS m ON m.number = wanted.value
WHERE coalesce(m.project_id, 0) = :project AND m.trashed_at_ms IS NULL AND m.number <> :number
    AND coalesce(m.category_id, :category, 0) = coalesce(:category, m.category_id, 0)
    AND NOT EXISTS (
        SELECT 1 FROM relation AS r JOIN memory AS n ON n.number = r.newer_number
        WHERE r.older_number = m.number AND r.kind = 'supersedes'
            AND r.undone_at_ms IS NULL AND n.trashed_at_ms IS NULL
    );

-- vectors: the vectors of a memory's passages, in their order
SELECT e.vector FROM passage AS p JOIN embedding AS e ON e.passage_id = p.id AND e.model = :model
WHERE p.memory_number = :number ORDER BY p.position;

-- settled: of some pairs those on which a person or an agent has had a word, or one replaces the other
WITH pair (newer, older, other) AS (
    SELECT :number, value, value FROM json_each(:others)
    UNION ALL
    SELECT value, :number, value FROM json_each(:others)
)
SELECT DISTINCT p.other FROM pair AS p
WHERE EXISTS (
    SELECT 1 FROM relation AS r
    WHERE r.newer_number = p.newer AND r.older_number = p.older AND r.undone_at_ms IS NULL
        AND r.kind IN ('duplicate_of', 'possible_conflict', 'similar', 'supersedes')
        AND (r.said_by IN ('agent', 'person') OR r.decided_at_ms IS NOT NULL
            OR r.kind = 'supersedes'
            OR (r.kind = 'possible_conflict' AND r.said_by = 'rule' AND r.slot IS NULL))
) OR EXISTS (
    SELECT 1 FROM relation AS r
    WHERE r.newer_number = p.newer AND r.older_number = p.older AND r.undone_at_ms IS NOT NULL
        AND r.undone_by IS NOT 'rule' AND r.undone_by IS NOT 'judge'
);

-- judged_before: of some memories those whose own judgment has looked at this one as it is now
SELECT m.number FROM json_each(:others) AS wanted
CROSS JOIN memory AS m ON m.number = wanted.value
JOIN verdict AS v ON v.memory_number = m.number AND v.surface = :surface
    AND v.revision = m.revision
WHERE json_extract(v.answer, '$.calibrated') = 1
    AND json_extract(v.answer, '$.revisions."' || :id || '"') = :revision;

-- said: what rules and judgments say of a memory and others, and nobody has taken back
SELECT r.id, r.kind, r.said_by, r.newer_number, r.older_number FROM relation AS r
WHERE r.newer_number = :number AND r.undone_at_ms IS NULL AND r.said_by IN ('rule', 'judge')
    AND r.kind IN ('duplicate_of', 'possible_conflict', 'similar')
UNION ALL
SELECT r.id, r.kind, r.said_by, r.newer_number, r.older_number FROM relation AS r
WHERE r.older_number = :number AND r.undone_at_ms IS NULL AND r.said_by IN ('rule', 'judge')
    AND r.kind IN ('duplicate_of', 'possible_conflict', 'similar');

-- put_relation: what two memories are judged to be
INSERT INTO relation (
    kind, newer_number, older_number, said_by, probability, reason, created_at_ms
) VALUES (:kind, :newer, :older, 'judge', :probability, :reason, :at_ms)
ON CONFLICT DO NOTHING;

-- confirm_relation: a judgment says what was said already
UPDATE relation SET said_by = 'judge', probability = :probability WHERE id = :id;

-- take_back: a judgment says otherwise
UPDATE relation SET undone_at_ms = :at_ms, undone_by = 'judge' WHERE id = :id;

-- put_verdict: keep what was judged of a memory
INSERT INTO verdict (
    memory_number, revision, surface, answer, probability, basis_hash, judged_at_ms
) VALUES (:number, :revision, :surface, :answer, :probability, :basis_hash, :at_ms);

-- drop_verdict: forget what was judged of a memory on that surface before
DELETE FROM verdict WHERE memory_number = :number AND surface = :surface;

-- leave_open: a writer stated no kind, or no importance
INSERT OR IGNORE INTO unstated (memory_number, field) VALUES (:number, :field);

-- state: somebody has stated it since
DELETE FROM unstated WHERE memory_number = :number AND field = :field;

-- unstated: what the writer of a memory left open and no judgment has ever written
SELECT field FROM unstated AS u
WHERE memory_number = :number AND NOT EXISTS (
    SELECT 1 FROM revision AS r WHERE r.memory_number = u.memory_number AND r.actor = :judge
);

-- is_judged: whether a memory was judged on a surface as it reads now
SELECT 1 FROM verdict AS v
JOIN revision AS r ON r.memory_number = v.memory_number AND r.revision = v.revision
JOIN memory AS m ON m.number = v.memory_number
WHERE v.memory_number = :number AND v.surface = :surface AND r.content = m.content LIMIT 1;
