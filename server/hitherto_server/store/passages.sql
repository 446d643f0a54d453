-- waiting: passages that have no vector of this model yet, the newest first
SELECT p.id,
    substr(m.content, p.start_char + 1, p.end_char - p.start_char) AS text,
    coalesce(m.project_id, 0) AS project
FROM passage AS p JOIN memory AS m ON m.number = p.memory_number
WHERE p.id < :before AND m.trashed_at_ms IS NULL
  AND NOT EXISTS (SELECT 1 FROM embedding AS e WHERE e.passage_id = p.id AND e.model = :model)
ORDER BY p.id DESC LIMIT :limit;

-- count_waiting: how many passages wait for their vector
SELECT count(*) FROM passage AS p JOIN memory AS m ON m.number = p.memory_number
WHERE m.trashed_at_ms IS NULL
  AND NOT EXISTS (SELECT 1 FROM embedding AS e WHERE e.passage_id = p.id AND e.model = :model);

-- text_of: a passage as it is now
SELECT substr(m.content, p.start_char + 1, p.end_char - p.start_char) AS text
FROM passage AS p JOIN memory AS m ON m.number = p.memory_number
WHERE p.id = :passage_id AND m.trashed_at_ms IS NULL;

-- put_embedding: keep a passage's vector
INSERT OR REPLACE INTO embedding (passage_id, model, dimension, vector)
VALUES (:passage_id, :model, :dimension, :vector);
