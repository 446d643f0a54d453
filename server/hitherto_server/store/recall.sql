-- words: the memories of a scope that hold some of the words, best first (BM25 is negative)
-- (by `rank` the same would take half as long again: the index prepares a second statement for it)
SELECT rowid & 0xFFFFFFFF AS number, -bm25(fulltext, 1.0, 0.3) AS score
FROM fulltext
WHERE fulltext MATCH :match AND rowid BETWEEN :scope << 32 AND (:scope << 32) | 0xFFFFFFFF
ORDER BY score DESC
LIMIT :most;

-- holding: the memories of a scope that hold a phrase, in no order
SELECT rowid & 0xFFFFFFFF AS number
FROM fulltext
WHERE fulltext MATCH :match AND rowid BETWEEN :scope << 32 AND (:scope << 32) | 0xFFFFFFFF
LIMIT :most;

-- named: the memories of some scopes that hold an identifier, or a longer one around it
SELECT m.number
FROM identifiers AS i
JOIN memory AS m ON m.number = i.rowid
WHERE identifiers MATCH :match
    AND coalesce(m.project_id, 0) IN (SELECT value FROM json_each(:scopes))
LIMIT :most;

-- scan: every stored vector of one model within some scopes
SELECT p.memory_number AS number, p.start_char, p.end_char, e.vector
FROM memory AS m
JOIN passage AS p ON p.memory_number = m.number
JOIN embedding AS e ON e.passage_id = p.id AND e.model = :model
    AND length(e.vector) = 4 * e.dimension
WHERE coalesce(m.project_id, 0) IN (SELECT value FROM json_each(:scopes))
    AND m.trashed_at_ms IS NULL;

-- vectors_of: the stored vectors of some memories for one model
SELECT p.memory_number AS number, p.start_char, p.end_char, e.vector
FROM json_each(:numbers) AS wanted
JOIN passage AS p ON p.memory_number = wanted.value
JOIN embedding AS e ON e.passage_id = p.id AND e.model = :model
    AND length(e.vector) = 4 * e.dimension;

-- anchored: the memories of some scopes that are tied to one of these files
SELECT DISTINCT m.number, a.path
FROM json_each(:paths) AS wanted
JOIN anchor AS a ON a.path = wanted.value
JOIN memory AS m ON m.number = a.memory_number
WHERE coalesce(m.project_id, 0) IN (SELECT value FROM json_each(:scopes))
    AND m.trashed_at_ms IS NULL
ORDER BY m.changed_at_ms DESC
LIMIT :most;

-- by_id: the memory of that id, within some scopes
SELECT number FROM memory
WHERE id = :id AND coalesce(project_id, 0) IN (SELECT value FROM json_each(:scopes));

-- by_id_prefix: the memories whose id begins so, within some scopes
SELECT number FROM memory
WHERE id >= :prefix AND id < :beyond
    AND coalesce(project_id, 0) IN (SELECT value FROM json_each(:scopes))
LIMIT :most;

-- states: what decides whether a memory may be shown, without its text
SELECT
    m.number, m.kind, m.tier, m.suspect, m.expires_at_ms, m.true_until_ms, m.trashed_at_ms,
    (
        SELECT n.id FROM relation AS r
        JOIN memory AS n ON n.number = r.newer_number
        WHERE r.older_number = m.number AND r.kind = 'supersedes'
            AND r.undone_at_ms IS NULL AND n.trashed_at_ms IS NULL
        ORDER BY r.created_at_ms DESC LIMIT 1
    ) AS superseded_by,
    (
        -- as it reads now: an edit or a confirmation answers what was said before
        SELECT count(*) FROM feedback AS f
        JOIN revision AS v ON v.memory_number = f.memory_number AND v.revision = f.revision
        WHERE f.memory_number = m.number AND f.undone_at_ms IS NULL
            AND f.said_at_ms > coalesce(m.confirmed_at_ms, 0) AND v.content = m.content
    ) AS wrong_sessions
FROM json_each(:numbers) AS wanted
JOIN memory AS m ON m.number = wanted.value
WHERE coalesce(m.project_id, 0) IN (SELECT value FROM json_each(:scopes));

-- texts: what is shown of some memories
SELECT
    m.number, m.id, m.revision, coalesce(m.project_id, 0) AS project, m.content, m.tags, m.source,
    m.importance, m.learned_at_ms, m.changed_at_ms, m.confirmed_at_ms,
    (SELECT count(*) FROM passage AS p WHERE p.memory_number = m.number) AS passages,
    coalesce((SELECT group_concat(a.path, char(10)) FROM anchor AS a
              WHERE a.memory_number = m.number), '') AS paths,
    coalesce(c.name, '') AS category
FROM json_each(:numbers) AS wanted
JOIN memory AS m ON m.number = wanted.value
LEFT JOIN category AS c ON c.id = m.category_id;

-- anchors_of: what ties some memories to the working tree
SELECT a.memory_number AS number, a.id, a.path, a.commit_hash, a.file_hash, a.verified_at_ms
FROM json_each(:numbers) AS wanted
JOIN anchor AS a ON a.memory_number = wanted.value
ORDER BY a.memory_number, a.id;

-- parts_of: what some memories name inside their files
SELECT a.id AS anchor_id, p.kind, p.name, p.region_hash
FROM json_each(:numbers) AS wanted
JOIN anchor AS a ON a.memory_number = wanted.value
JOIN part AS p ON p.anchor_id = a.id
ORDER BY a.id, p.kind, p.name;

-- conflicts_of: the live memories that some memories may contradict: neither replaced nor confirmed
WITH said (number, other, reason, is_read_off, at_ms, is_newer) AS (
    SELECT wanted.value, r.older_number, r.reason, r.slot IS NOT NULL OR r.said_by = 'judge',
        r.created_at_ms, 0
    FROM json_each(:numbers) AS wanted
    CROSS JOIN relation AS r ON r.newer_number = wanted.value AND r.kind = 'possible_conflict'
    WHERE r.undone_at_ms IS NULL AND r.decided_at_ms IS NULL
    UNION ALL
    SELECT wanted.value, r.newer_number, r.reason, r.slot IS NOT NULL OR r.said_by = 'judge',
        r.created_at_ms, 1
    FROM json_each(:numbers) AS wanted
    CROSS JOIN relation AS r ON r.older_number = wanted.value AND r.kind = 'possible_conflict'
    WHERE r.undone_at_ms IS NULL AND r.decided_at_ms IS NULL
)
SELECT said.number, o.id AS other, said.reason, said.is_newer
FROM said
JOIN memory AS m ON m.number = said.number
JOIN memory AS o ON o.number = said.other
WHERE o.trashed_at_ms IS NULL
    AND NOT (said.is_read_off AND coalesce(m.confirmed_at_ms, 0) >= said.at_ms)
    AND NOT EXISTS (
        SELECT 1 FROM relation AS s JOIN memory AS n ON n.number = s.newer_number
        WHERE s.older_number = o.number AND s.kind = 'supersedes'
            AND s.undone_at_ms IS NULL AND n.trashed_at_ms IS NULL
    )
ORDER BY said.number, o.id;

-- brief: what a session should know from the start: ways of working, then what is recent
SELECT m.number
FROM memory AS m
WHERE coalesce(m.project_id, 0) IN (SELECT value FROM json_each(:scopes))
    AND m.trashed_at_ms IS NULL AND m.tier = 'admitted' AND m.suspect = 0
    AND m.kind IN ('preference', 'workflow', 'decision', 'issue', 'plan', 'fact')
    AND NOT EXISTS (
        SELECT 1 FROM relation AS r JOIN memory AS n ON n.number = r.newer_number
        WHERE r.older_number = m.number AND r.kind = 'supersedes'
            AND r.undone_at_ms IS NULL AND n.trashed_at_ms IS NULL
    )
ORDER BY
    m.project_id IS NULL AND m.kind IN ('preference', 'workflow') DESC,
    m.importance DESC,
    m.changed_at_ms DESC,
    m.number DESC
LIMIT :most;

-- actors: who said what a project holds, each once
WITH RECURSIVE said (actor) AS (
    SELECT min(actor) FROM memory WHERE project_id IS :project
    UNION ALL
    SELECT (SELECT min(actor) FROM memory WHERE project_id IS :project AND actor > said.actor)
    FROM said WHERE said.actor IS NOT NULL
    LIMIT :most
)
SELECT actor FROM said WHERE actor IS NOT NULL;

-- project_name: what a project is called
SELECT name FROM project WHERE id = :project;

-- actors_of: who said each of some memories
SELECT m.number, m.actor FROM json_each(:numbers) AS wanted
JOIN memory AS m ON m.number = wanted.value;

-- any_chunk: whether anything at all was cut from a transcript
SELECT 1 FROM memory INDEXED BY memory_chunk WHERE source = 'transcript' LIMIT 1;

-- chunks: which of some memories were cut from a transcript
SELECT number FROM memory INDEXED BY memory_chunk
WHERE source = 'transcript' AND number IN (SELECT value FROM json_each(:numbers));
