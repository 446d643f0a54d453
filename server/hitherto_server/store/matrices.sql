-- version: how often the whole vector index was made anew, and one scope's part of it changed
SELECT
    coalesce((SELECT version FROM vector_change WHERE project = :whole), 0),
    coalesce((SELECT version FROM vector_change WHERE project = :scope), 0);

-- passages: the passages of one scope that have a vector of one model, each with its memory's text
SELECT p.id, m.content_hash
FROM memory AS m
JOIN passage AS p ON p.memory_number = m.number
WHERE coalesce(m.project_id, 0) = :scope AND m.trashed_at_ms IS NULL
    AND EXISTS (SELECT 1 FROM embedding AS e WHERE e.passage_id = p.id AND e.model = :model)
LIMIT :most;

-- vectors: the vectors of some passages
SELECT p.id AS passage_id, p.memory_number AS number, p.start_char, p.end_char, e.vector
FROM json_each(:passages) AS wanted
JOIN passage AS p ON p.id = wanted.value
JOIN embedding AS e ON e.passage_id = p.id AND e.model = :model;
