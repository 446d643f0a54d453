-- next: the next vectors of a model that are searched, by passage
SELECT e.passage_id, coalesce(m.project_id, 0) AS project, e.vector
FROM passage AS p
JOIN embedding AS e ON e.passage_id = p.id AND e.model = :model
    AND length(e.vector) = 4 * e.dimension
JOIN memory AS m ON m.number = p.memory_number
WHERE p.id > :after AND m.trashed_at_ms IS NULL
ORDER BY p.id LIMIT :most;
