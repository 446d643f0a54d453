-- scope_of: the partition of a memory in every derived index; 0 is user-wide
SELECT coalesce(project_id, 0) FROM memory WHERE number = :number;

-- searchable: what the indexes take from one memory
SELECT
    m.number,
    coalesce(m.project_id, 0) AS project,
    m.content,
    m.tags,
    m.kind,
    m.source,
    m.actor,
    m.learned_at_ms,
    m.session_id,
    coalesce(c.name, '') AS category,
    coalesce((SELECT group_concat(a.path, ' ') FROM anchor AS a
              WHERE a.memory_number = m.number), '') AS paths,
    coalesce((SELECT substr(t.prompt, 1, 300) FROM turn AS t
              WHERE t.session_id = m.session_id AND t.started_at_ms <= m.learned_at_ms
              ORDER BY t.started_at_ms, t.id LIMIT 1), '') AS goal
FROM memory AS m
LEFT JOIN category AS c ON c.id = m.category_id
WHERE m.number = :number;

-- beside: the chunks of a transcript around one, in the same session and scope, but for one
SELECT number, content FROM (
    SELECT n.number, n.content FROM memory AS m
    JOIN memory AS n ON n.session_id = m.session_id AND n.number < m.number
    WHERE m.number = :number AND m.source = 'transcript'
        AND n.source = 'transcript' AND n.project_id IS m.project_id AND n.trashed_at_ms IS NULL
        AND n.number IS NOT :without
    ORDER BY n.number DESC LIMIT 2
)
UNION ALL
SELECT number, content FROM (
    SELECT n.number, n.content FROM memory AS m
    JOIN memory AS n ON n.session_id = m.session_id AND n.number > m.number
    WHERE m.number = :number AND m.source = 'transcript'
        AND n.source = 'transcript' AND n.project_id IS m.project_id AND n.trashed_at_ms IS NULL
        AND n.number IS NOT :without
    ORDER BY n.number LIMIT 2
);

-- source_of: where a memory came from
SELECT number, source FROM memory WHERE number = :number;

-- of_session: the live memories that a session stored
SELECT number FROM memory WHERE session_id = :session_id AND trashed_at_ms IS NULL;

-- live_numbers: every memory that the indexes hold
SELECT number FROM memory WHERE trashed_at_ms IS NULL ORDER BY number;

-- put_words: index a memory's words; a scope's rows stand together, so only they are searched
INSERT OR REPLACE INTO fulltext (rowid, body, context)
VALUES ((:scope << 32) | :number, :body, :context);

-- drop_words: take a memory out of the word index
DELETE FROM fulltext WHERE rowid = (
    SELECT (coalesce(project_id, 0) << 32) | number FROM memory WHERE number = :number
);

-- put_identifiers: index a memory's identifiers
INSERT OR REPLACE INTO identifiers (rowid, names) VALUES (:number, :names);

-- drop_identifiers: take a memory out of the identifier index
DELETE FROM identifiers WHERE rowid = :number;

-- embeddings_of: the stored vectors of one memory for one model
SELECT e.passage_id, e.vector FROM embedding AS e
JOIN passage AS p ON p.id = e.passage_id
WHERE p.memory_number = :number AND e.model = :model AND length(e.vector) = 4 * e.dimension;

-- passages_of: the passages of one memory
SELECT id FROM passage WHERE memory_number = :number;

-- live_embeddings: every vector of one model that is searched
SELECT e.passage_id, coalesce(m.project_id, 0) AS project, e.vector
FROM embedding AS e
JOIN passage AS p ON p.id = e.passage_id
JOIN memory AS m ON m.number = p.memory_number
WHERE e.model = :model AND m.trashed_at_ms IS NULL AND length(e.vector) = 4 * e.dimension;

-- recipe_of: by which recipe an index was built
SELECT recipe FROM derived_index WHERE name = :name;

-- put_recipe: note that an index was built
INSERT INTO derived_index (name, recipe, built_at_ms) VALUES (:name, :recipe, :at_ms)
ON CONFLICT (name) DO UPDATE SET recipe = excluded.recipe, built_at_ms = excluded.built_at_ms;

-- drop_recipe: note that an index is not there
DELETE FROM derived_index WHERE name = :name;
